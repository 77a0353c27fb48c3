// swift-tools-version: 6.2

import PackageDescription

let package = Package(
  name: "app-settings",
  products: [
    .library(name: "SettingsTOML", targets: ["SettingsTOML"]),
    .library(name: "AppSettings", targets: ["AppSettings"]),
    .library(name: "AppSettingsObserve", targets: ["AppSettingsObserve"]),
    .library(name: "AppSettingsFoundation", targets: ["AppSettingsFoundation"]),
    .library(name: "AppSettingsTesting", targets: ["AppSettingsTesting"]),
    .executable(name: "settings-cli", targets: ["settings-cli"]),
  ],
  traits: [
    .trait(
      name: "InotifyTools",
      description: "Watch through libinotifytools (GPL-2); without it, through the kernel's own inotify calls."),
    .default(enabledTraits: ["InotifyTools"]),
  ],
  dependencies: [
    .package(url: "https://github.com/apple/swift-argument-parser", from: "1.5.0"),
    .package(url: "https://github.com/apple/swift-log", from: "1.6.0"),
  ],
  targets: [
    .target(name: "SettingsTOML"),
    .target(
      name: "AppSettings",
      dependencies: ["SettingsTOML", "CLinux", "CThreadCache", .product(name: "Logging", package: "swift-log")]),
    .target(name: "CLinux"),
    .target(name: "CThreadCache"),
    .systemLibrary(name: "CInotifyTools", providers: [.apt(["libinotifytools0-dev"])]),
    .target(
      name: "AppSettingsObserve",
      dependencies: [
        "AppSettings", "CLinux",
        .target(name: "CInotifyTools", condition: .when(traits: ["InotifyTools"])),
      ]),
    // The one target that needs all of Foundation.
    .target(name: "AppSettingsFoundation", dependencies: ["AppSettings"]),
    .target(name: "AppSettingsTesting", dependencies: ["AppSettings"]),
    .executableTarget(
      name: "settings-cli",
      dependencies: [
        "AppSettings", "AppSettingsObserve",
        .product(name: "ArgumentParser", package: "swift-argument-parser"),
      ]),
    .target(name: "TestSupport", dependencies: ["AppSettings"], path: "Tests/TestSupport"),
    .executableTarget(name: "settings-probe", dependencies: ["AppSettings"], path: "Tests/Probe"),
    .executableTarget(
      name: "documentation-quick-start", dependencies: ["AppSettings", "AppSettingsObserve"], path: "Tests/QuickStart"),
    .testTarget(name: "SettingsTOMLTests", dependencies: ["SettingsTOML"], exclude: ["Differential", "Fixtures"]),
    .testTarget(
      name: "AppSettingsTests", dependencies: ["AppSettings", "AppSettingsTesting", "TestSupport", "settings-probe"]),
    .testTarget(
      name: "AppSettingsObserveTests",
      dependencies: ["AppSettingsObserve", "AppSettingsFoundation", "TestSupport", "settings-cli"]),
    .testTarget(
      name: "AppSettingsFoundationTests",
      dependencies: ["AppSettingsFoundation", "TestSupport", "settings-cli", "settings-probe"]),
    .testTarget(name: "SettingsCLITests", dependencies: ["TestSupport", "settings-cli"]),
    .testTarget(
      name: "DocumentationTests",
      dependencies: [
        "AppSettings", "AppSettingsFoundation", "AppSettingsObserve", "AppSettingsTesting", "TestSupport",
        "settings-cli", "documentation-quick-start",
      ],
      exclude: ["Fixtures"]),
  ]
)

for target in package.targets where target.type != .system && !["CLinux", "CThreadCache"].contains(target.name) {
  target.swiftSettings =
    (target.swiftSettings ?? []) + [
      .enableUpcomingFeature("ExistentialAny"),  // SE-0335
      .enableUpcomingFeature("InternalImportsByDefault"),  // SE-0409
      .enableUpcomingFeature("MemberImportVisibility"),  // SE-0444
      .enableUpcomingFeature("NonisolatedNonsendingByDefault"),  // SE-0461
    ]
}
