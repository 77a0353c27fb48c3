// swift-tools-version: 6.2

import PackageDescription

let package = Package(
  name: "port-service",
  dependencies: [
    // In a package of your own: .package(url: "https://github.com/app-settings/app-settings", branch: "main", traits: [.defaults, "ServiceLifecycle"])
    .package(name: "app-settings", path: "../..", traits: [.defaults, "ServiceLifecycle"]),
    .package(url: "https://github.com/swift-server/swift-service-lifecycle", from: "2.8.0"),
    .package(url: "https://github.com/apple/swift-log", from: "1.6.0"),
  ],
  targets: [
    .executableTarget(
      name: "port-service",
      dependencies: [
        .product(name: "AppSettings", package: "app-settings"),
        .product(name: "AppSettingsObserve", package: "app-settings"),
        .product(name: "AppSettingsAdapters", package: "app-settings"),
        .product(name: "ServiceLifecycle", package: "swift-service-lifecycle"),
        .product(name: "Logging", package: "swift-log"),
      ],
      path: "Sources")
  ]
)
