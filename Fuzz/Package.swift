// swift-tools-version: 6.2

import PackageDescription

// libFuzzer brings its own main: build with `--sanitize fuzzer`, as Fuzz/run does.
let package = Package(
  name: "fuzz",
  dependencies: [.package(name: "app-settings", path: "..", traits: [])],
  targets: [
    .executableTarget(name: "fuzz-parse", dependencies: [.product(name: "SettingsTOML", package: "app-settings")]),
    .executableTarget(name: "fuzz-edit", dependencies: [.product(name: "SettingsTOML", package: "app-settings")]),
  ]
)

for target in package.targets {
  target.swiftSettings = [
    .unsafeFlags(["-parse-as-library"]),
    .enableUpcomingFeature("ExistentialAny"),  // SE-0335
    .enableUpcomingFeature("InternalImportsByDefault"),  // SE-0409
    .enableUpcomingFeature("MemberImportVisibility"),  // SE-0444
    .enableUpcomingFeature("NonisolatedNonsendingByDefault"),  // SE-0461
  ]
}
