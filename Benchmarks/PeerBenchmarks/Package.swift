// swift-tools-version: 6.2

import PackageDescription

let package = Package(
  name: "peer-benchmarks",
  dependencies: [
    .package(name: "app-settings", path: "../..", traits: []),
    .package(name: "benchmarks", path: ".."),
    .package(url: "https://github.com/apple/swift-configuration", from: "1.0.0"),
    .package(url: "https://github.com/apple/swift-system", from: "1.5.0"),
  ],
  targets: [
    .systemLibrary(name: "CGIO", pkgConfig: "gio-2.0", providers: [.apt(["libglib2.0-dev"])]),
    .systemLibrary(name: "CDConf", pkgConfig: "dconf", providers: [.apt(["libdconf-dev"])]),
    .target(name: "CPeers", dependencies: ["CGIO", "CDConf"]),
    .executableTarget(
      name: "peer-benchmarks",
      dependencies: [
        "CPeers",
        .product(name: "AppSettings", package: "app-settings"),
        .product(name: "BenchmarkHarness", package: "benchmarks"),
        .product(name: "Configuration", package: "swift-configuration"),
        .product(name: "SystemPackage", package: "swift-system"),
      ]),
  ]
)

for target in package.targets where target.type == .executable {
  target.swiftSettings = [
    .enableUpcomingFeature("ExistentialAny"),  // SE-0335
    .enableUpcomingFeature("InternalImportsByDefault"),  // SE-0409
    .enableUpcomingFeature("MemberImportVisibility"),  // SE-0444
    .enableUpcomingFeature("NonisolatedNonsendingByDefault"),  // SE-0461
  ]
}
