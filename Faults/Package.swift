// swift-tools-version: 6.2

import PackageDescription

// A package of its own, so that what it compares with never reaches a user.
let package = Package(
  name: "faults",
  dependencies: [
    .package(name: "app-settings", path: "..", traits: []),
    .package(url: "https://github.com/apple/swift-log", from: "1.6.0"),
  ],
  targets: [
    // Knows nothing of settings: traces, what they mean for a disk, and what a power failure may leave of it.
    .target(name: "CrashStates"),
    // Calls that Swift cannot make: 'fork' is not available to it.
    .target(name: "CFaults"),
    .executableTarget(
      name: "settings-faults",
      dependencies: [
        "CFaults", "CrashStates",
        .product(name: "AppSettings", package: "app-settings"),
        .product(name: "AppSettingsMigrations", package: "app-settings"),
        .product(name: "AppSettingsImport", package: "app-settings"),
        .product(name: "AppSettingsGarage", package: "app-settings"),
        .product(name: "AppSettingsObserve", package: "app-settings"),
        .product(name: "SettingsTOML", package: "app-settings"),
        .product(name: "Logging", package: "swift-log"),
      ]),
    .testTarget(name: "CrashStatesTests", dependencies: ["CrashStates"]),
  ]
)

for target in package.targets where target.name != "CFaults" {
  target.swiftSettings = [
    .enableUpcomingFeature("ExistentialAny"),  // SE-0335
    .enableUpcomingFeature("InternalImportsByDefault"),  // SE-0409
    .enableUpcomingFeature("MemberImportVisibility"),  // SE-0444
    .enableUpcomingFeature("NonisolatedNonsendingByDefault"),  // SE-0461
  ]
}
