// swift-tools-version: 6.2

import PackageDescription

let package = Package(
  name: "desktop-app",
  dependencies: [
    // In a package of your own: .package(url: "https://github.com/app-settings/app-settings", branch: "main")
    .package(name: "app-settings", path: "../..")
  ],
  targets: [
    .executableTarget(
      name: "desktop-app",
      dependencies: [
        .product(name: "AppSettings", package: "app-settings"),
        .product(name: "AppSettingsObserve", package: "app-settings"),
        .product(name: "SettingsTools", package: "app-settings"),
      ],
      path: "Sources")
  ]
)
