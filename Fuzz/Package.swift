// swift-tools-version: 6.2

import PackageDescription

// libFuzzer brings its own main, and some fuzzers damage what only the library itself can reach: build with
// `--sanitize fuzzer -Xswiftc -enable-testing`, as Fuzz/run does. The package around this one has the fuzzers in a test
// target, too.
let package = Package(
  name: "fuzz",
  dependencies: [.package(name: "app-settings", path: "..", traits: [])],
  targets: [
    .executableTarget(name: "fuzz", dependencies: ["Fuzzers"]),
    .target(
      name: "Fuzzers",
      dependencies: [
        .product(name: "SettingsTOML", package: "app-settings"),
        .product(name: "AppSettings", package: "app-settings"),
        .product(name: "AppSettingsImport", package: "app-settings"),
        .product(name: "AppSettingsFoundation", package: "app-settings"),
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
