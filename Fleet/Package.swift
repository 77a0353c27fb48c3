// swift-tools-version: 6.2

import PackageDescription

// A package of its own: what talks to a cluster never reaches an app that stores its settings.
let package = Package(
  name: "settings-fleet",
  products: [
    .library(name: "SettingsFleet", targets: ["SettingsFleet"])
  ],
  dependencies: [
    .package(url: "https://github.com/apple/swift-crypto", "3.12.0"..<"5.0.0")
  ],
  targets: [
    // What the fleet decides: no input or output, no clock, no threads.
    .target(name: "SettingsFleet", dependencies: [.product(name: "Crypto", package: "swift-crypto")]),
    .testTarget(
      name: "SettingsFleetTests",
      dependencies: ["SettingsFleet", .product(name: "Crypto", package: "swift-crypto")]),
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
