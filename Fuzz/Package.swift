// swift-tools-version: 6.2

import PackageDescription

// libFuzzer brings its own main, and some programs damage what only the library itself can reach: build with
// `--sanitize fuzzer -Xswiftc -enable-testing`, as Fuzz/run does.
let package = Package(
  name: "fuzz",
  dependencies: [.package(name: "app-settings", path: "..", traits: [])],
  targets: [
    .executableTarget(name: "fuzz-parse", dependencies: [.product(name: "SettingsTOML", package: "app-settings")]),
    .executableTarget(
      name: "fuzz-edit", dependencies: ["FuzzSupport", .product(name: "SettingsTOML", package: "app-settings")]),
    .executableTarget(name: "fuzz-proof", dependencies: ["FuzzSupport"]),
    .executableTarget(name: "fuzz-reread", dependencies: ["FuzzSupport"]),
    .executableTarget(
      name: "fuzz-values",
      dependencies: [
        .product(name: "AppSettings", package: "app-settings"),
        .product(name: "AppSettingsMigrations", package: "app-settings"),
        .product(name: "AppSettingsFoundation", package: "app-settings"),
      ]),
    // What fuzzers of documents share: choices, damage, and the comparison with a text that is read as a whole.
    .target(name: "FuzzSupport", dependencies: [.product(name: "SettingsTOML", package: "app-settings")]),
    .executableTarget(
      name: "fuzz-import",
      dependencies: [
        .product(name: "AppSettings", package: "app-settings"),
        .product(name: "AppSettingsImport", package: "app-settings"),
      ]),
  ]
)

for target in package.targets {
  target.swiftSettings = [
    .unsafeFlags(["-parse-as-library"]),
    .enableUpcomingFeature("ExistentialAny"),  // SE-0335
    .enableUpcomingFeature("InternalImportsByDefault"),  // SE-0409
    .enableUpcomingFeature("MemberImportVisibility"),  // SE-0444
    .enableUpcomingFeature("NonisolatedNonsendingByDefault"),  // SE-0461
  ]
}
