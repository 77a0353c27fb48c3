// swift-tools-version: 6.2

import PackageDescription

// A package of its own, so that what it compares with never reaches a user.
let package = Package(
  name: "benchmarks",
  products: [.library(name: "BenchmarkHarness", targets: ["BenchmarkHarness"])],
  dependencies: [
    .package(name: "app-settings", path: "..")
  ],
  targets: [
    .target(name: "BenchmarkHarness"),
    .target(name: "CFloor"),
    .executableTarget(
      name: "store-benchmarks",
      dependencies: [
        "BenchmarkHarness", "CFloor",
        .product(name: "AppSettings", package: "app-settings"),
        .product(name: "AppSettingsObserve", package: "app-settings"),
      ],
      path: "Sources/StoreBenchmarks"),
    .executableTarget(
      name: "value-benchmarks",
      dependencies: ["BenchmarkHarness", .product(name: "AppSettings", package: "app-settings")],
      path: "Sources/ValueBenchmarks"),
    .executableTarget(
      name: "migration-benchmarks",
      dependencies: [
        "BenchmarkHarness", "CFloor",
        .product(name: "AppSettings", package: "app-settings"),
      ],
      path: "Sources/MigrationBenchmarks"),
    .executableTarget(
      name: "record-benchmarks",
      dependencies: [
        "BenchmarkHarness", "CFloor",
        .product(name: "AppSettings", package: "app-settings"),
        .product(name: "AppSettingsGarage", package: "app-settings"),
      ],
      path: "Sources/RecordBenchmarks"),
    .executableTarget(
      name: "history-benchmarks",
      dependencies: ["BenchmarkHarness", .product(name: "AppSettings", package: "app-settings")],
      path: "Sources/HistoryBenchmarks"),
    .executableTarget(name: "cli-benchmarks", dependencies: ["BenchmarkHarness"], path: "Sources/CLIBenchmarks"),
    .executableTarget(
      name: "growth-benchmarks",
      dependencies: [
        "BenchmarkHarness",
        .product(name: "AppSettings", package: "app-settings"),
        .product(name: "AppSettingsGarage", package: "app-settings"),
        .product(name: "SettingsTools", package: "app-settings"),
      ],
      path: "Sources/GrowthBenchmarks"),
    .executableTarget(
      name: "observation-benchmarks",
      dependencies: [
        "BenchmarkHarness", "CFloor",
        .product(name: "AppSettings", package: "app-settings"),
        .product(name: "AppSettingsObserve", package: "app-settings"),
      ],
      path: "Sources/ObservationBenchmarks"),
  ]
)
