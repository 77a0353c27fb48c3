// swift-tools-version: 6.2

import PackageDescription

// A package of its own: what talks to a cluster never reaches an app that stores its settings.
let package = Package(
  name: "settings-fleet",
  products: [
    .library(name: "EtcdClient", targets: ["EtcdClient"]),
    .library(name: "SettingsFleet", targets: ["SettingsFleet"]),
    .executable(name: "settings-fleet", targets: ["settings-fleet"]),
  ],
  dependencies: [
    .package(name: "app-settings", path: ".."),
    .package(name: "benchmarks", path: "../Benchmarks"),
    .package(url: "https://github.com/apple/swift-argument-parser", from: "1.5.0"),
    .package(url: "https://github.com/apple/swift-crypto", "3.12.0"..<"5.0.0"),
    .package(url: "https://github.com/apple/swift-log", from: "1.6.0"),
    .package(url: "https://github.com/apple/swift-nio", from: "2.80.0"),
    .package(url: "https://github.com/apple/swift-nio-http2", from: "1.46.0"),
    .package(url: "https://github.com/apple/swift-nio-ssl", from: "2.30.0"),
    .package(url: "https://github.com/swiftlang/swift-subprocess", from: "1.0.0", traits: []),
  ],
  targets: [
    .target(
      name: "EtcdClient",
      dependencies: [
        .product(name: "Logging", package: "swift-log"),
        .product(name: "NIOCore", package: "swift-nio"),
        .product(name: "NIOHPACK", package: "swift-nio-http2"),
        .product(name: "NIOHTTP2", package: "swift-nio-http2"),
        .product(name: "NIOPosix", package: "swift-nio"),
        .product(name: "NIOSSL", package: "swift-nio-ssl"),
        .product(name: "NIOTLS", package: "swift-nio"),
      ]),
    // What the fleet decides: no input or output, no clock, no threads.
    .target(
      name: "SettingsFleet",
      dependencies: [
        .product(name: "Crypto", package: "swift-crypto"), .product(name: "SettingsTOML", package: "app-settings"),
      ]),
    // What the decisions have in common with the client.
    .target(name: "SettingsFleetEtcd", dependencies: ["EtcdClient", "SettingsFleet"]),
    .target(name: "CFleetSystem"),
    .executableTarget(
      name: "settings-fleet",
      dependencies: [
        "CFleetSystem", "EtcdClient", "SettingsFleet", "SettingsFleetEtcd",
        .product(name: "AppSettings", package: "app-settings"),
        .product(name: "AppSettingsSchema", package: "app-settings"),
        .product(name: "SettingsTOML", package: "app-settings"),
        .product(name: "ArgumentParser", package: "swift-argument-parser"),
        .product(name: "Logging", package: "swift-log"),
        .product(name: "NIOCore", package: "swift-nio"),
        .product(name: "NIOPosix", package: "swift-nio"),
        .product(name: "Subprocess", package: "swift-subprocess"),
      ]),
    // Real clusters for the tests, the benchmarks and the faults.
    .target(
      name: "EtcdTesting",
      dependencies: [
        "CEtcdTesting", "EtcdClient",
        .product(name: "NIOCore", package: "swift-nio"),
        .product(name: "NIOPosix", package: "swift-nio"),
      ],
      path: "Tests/EtcdTesting"),
    .target(name: "CEtcdTesting", path: "Tests/CEtcdTesting"),
    .executableTarget(
      name: "fleet-faults", dependencies: ["EtcdClient", "EtcdTesting", "SettingsFleet", "SettingsFleetEtcd"],
      path: "Faults"),
    .executableTarget(
      name: "fleet-benchmarks",
      dependencies: [
        "EtcdClient", "EtcdTesting", "SettingsFleet", "SettingsFleetEtcd",
        .product(name: "ArgumentParser", package: "swift-argument-parser"),
        .product(name: "BenchmarkHarness", package: "benchmarks"),
        .product(name: "NIOCore", package: "swift-nio"),
        .product(name: "NIOPosix", package: "swift-nio"),
        .product(name: "NIOSSL", package: "swift-nio-ssl"),
      ],
      path: "Benchmarks"),
    .testTarget(
      name: "EtcdClientTests",
      dependencies: [
        "EtcdClient", "EtcdTesting", .product(name: "NIOCore", package: "swift-nio"),
        .product(name: "NIOHPACK", package: "swift-nio-http2"),
        .product(name: "NIOHTTP2", package: "swift-nio-http2"),
        .product(name: "NIOPosix", package: "swift-nio"),
      ]),
    .testTarget(name: "SettingsFleetTests", dependencies: ["SettingsFleet"]),
    .testTarget(
      name: "SettingsFleetCommandTests",
      dependencies: [
        "SettingsFleet", "EtcdClient", "EtcdTesting", "settings-fleet",
        .product(name: "ArgumentParser", package: "swift-argument-parser"),
      ]),
  ]
)

for target in package.targets {
  target.swiftSettings =
    (target.swiftSettings ?? []) + [
      .enableUpcomingFeature("ExistentialAny"),  // SE-0335
      .enableUpcomingFeature("InternalImportsByDefault"),  // SE-0409
      .enableUpcomingFeature("MemberImportVisibility"),  // SE-0444
      .enableUpcomingFeature("NonisolatedNonsendingByDefault"),  // SE-0461
    ]
}
