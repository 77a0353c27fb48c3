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
    .executableTarget(
      name: "settings-faults",
      dependencies: [
        "CrashStates",
        .product(name: "AppSettings", package: "app-settings"),
        .product(name: "SettingsTOML", package: "app-settings"),
        .product(name: "Logging", package: "swift-log"),
      ]),
    .testTarget(name: "CrashStatesTests", dependencies: ["CrashStates"]),
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
