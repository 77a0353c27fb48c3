// swift-tools-version: 6.2

import PackageDescription

let package = Package(
  name: "conformance",
  dependencies: [.package(name: "app-settings", path: "..", traits: [])],
  targets: [
    .target(name: "TaggedJSON", dependencies: [.product(name: "SettingsTOML", package: "app-settings")]),
    .executableTarget(name: "toml-test-decoder", dependencies: ["TaggedJSON"]),
    .executableTarget(name: "toml-test-encoder", dependencies: ["TaggedJSON"]),
    .executableTarget(name: "toml-test-runner", dependencies: ["TaggedJSON"]),
  ]
)

for target in package.targets {
  target.swiftSettings = [
    .enableUpcomingFeature("ExistentialAny"),  // SE-0335
    .enableUpcomingFeature("InternalImportsByDefault"),  // SE-0409
    .enableUpcomingFeature("MemberImportVisibility"),  // SE-0444
    .enableUpcomingFeature("NonisolatedNonsendingByDefault"),  // SE-0461
  ]
}
