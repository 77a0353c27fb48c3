// swift-tools-version: 6.2

import PackageDescription

// A package of its own: what the HTTP server depends on never reaches an app that stores its settings.
let package = Package(
  name: "settings-page",
  products: [.executable(name: "settings-page", targets: ["settings-page"])],
  dependencies: [
    // Only its core is used. 'Application', on top of it, wakes up every second for the Date header.
    .package(url: "https://github.com/hummingbird-project/hummingbird", from: "2.28.1", traits: []),
    .package(url: "https://github.com/apple/swift-argument-parser", from: "1.5.0"),
    .package(url: "https://github.com/apple/swift-log", from: "1.14.0"),
    .package(url: "https://github.com/apple/swift-nio", from: "2.101.0"),
    .package(url: "https://github.com/apple/swift-nio-extras", from: "1.34.1"),
    .package(url: "https://github.com/apple/swift-http-types", from: "1.8.0", traits: []),
  ],
  targets: [
    // The page itself, embedded by the C compiler.
    .target(name: "PageAssets", exclude: ["assets"]),
    .target(name: "CPageSystem"),
    .target(
      name: "SettingsPage",
      dependencies: [
        "PageAssets", "CPageSystem",
        .product(name: "HummingbirdCore", package: "hummingbird"),
        .product(name: "Logging", package: "swift-log"),
        .product(name: "NIOCore", package: "swift-nio"),
        .product(name: "NIOPosix", package: "swift-nio"),
        .product(name: "NIOHTTPTypes", package: "swift-nio-extras"),
        .product(name: "HTTPTypes", package: "swift-http-types"),
      ]),
    .executableTarget(
      name: "settings-page",
      dependencies: [
        "SettingsPage", "CPageSystem", .product(name: "ArgumentParser", package: "swift-argument-parser"),
      ]),
    .testTarget(
      name: "SettingsPageTests",
      dependencies: ["SettingsPage", "settings-page", .product(name: "HTTPTypes", package: "swift-http-types")]),
  ]
)

for target in package.targets where !["PageAssets", "CPageSystem"].contains(target.name) {
  target.swiftSettings =
    (target.swiftSettings ?? []) + [
      .enableUpcomingFeature("ExistentialAny"),  // SE-0335
      .enableUpcomingFeature("InternalImportsByDefault"),  // SE-0409
      .enableUpcomingFeature("MemberImportVisibility"),  // SE-0444
      .enableUpcomingFeature("NonisolatedNonsendingByDefault"),  // SE-0461
    ]
}
