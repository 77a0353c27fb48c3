// swift-tools-version: 6.2

import PackageDescription

let package = Package(
  name: "toml-benchmarks",
  dependencies: [
    .package(name: "app-settings", path: "../..", traits: []),
    .package(name: "benchmarks", path: ".."),
    .package(url: "https://github.com/LebJe/TOMLKit", exact: "0.6.0"),
  ],
  targets: [
    .executableTarget(
      name: "toml-benchmarks",
      dependencies: [
        .product(name: "SettingsTOML", package: "app-settings"),
        .product(name: "BenchmarkHarness", package: "benchmarks"), "TOMLKit",
      ])
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
