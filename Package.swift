// swift-tools-version: 6.2

import PackageDescription

// The Swift Package Index has no libinotifytools. It documents all products, those behind traits too.
let isForIndex = Context.environment["SPI_BUILD"] != nil
let defaultTraits: Set<String> = isForIndex ? ["ServiceLifecycle", "Configuration", "SealedRecords"] : ["InotifyTools"]

let package = Package(
  name: "app-settings",
  products: [
    .library(name: "SettingsTOML", targets: ["SettingsTOML"]),
    .library(name: "AppSettings", targets: ["AppSettings"]),
    .library(name: "AppSettingsImport", targets: ["AppSettingsImport"]),
    .library(name: "AppSettingsGarage", targets: ["AppSettingsGarage", "AppSettingsSealed"]),
    .library(name: "AppSettingsObserve", targets: ["AppSettingsObserve"]),
    .library(name: "SettingsTools", targets: ["AppSettingsSchema", "SettingsTools"]),
    .library(name: "AppSettingsFoundation", targets: ["AppSettingsFoundation"]),
    .library(name: "AppSettingsTesting", targets: ["AppSettingsTesting"]),
    .library(name: "AppSettingsAdapters", targets: ["AppSettingsServiceLifecycle", "AppSettingsConfiguration"]),
    .executable(name: "settings-cli", targets: ["settings-cli"]),
  ],
  traits: [
    .trait(
      name: "InotifyTools",
      description: "Watch through libinotifytools (GPL-2); without it, through the kernel's own inotify calls."),
    .trait(
      name: "ServiceLifecycle",
      description: "AppSettingsServiceLifecycle: settings as a service of a swift-service-lifecycle group."),
    .trait(
      name: "Configuration",
      description: "AppSettingsConfiguration: settings as a provider of swift-configuration."),
    .trait(
      name: "SealedRecords",
      description: "AppSettingsSealed: ciphers of swift-crypto for a garage's records."),
    .default(enabledTraits: defaultTraits),
  ],
  dependencies: [
    .package(url: "https://github.com/apple/swift-argument-parser", from: "1.5.0"),
    .package(url: "https://github.com/apple/swift-log", from: "1.6.0"),
    // Behind the traits: neither fetched nor built where they are off.
    .package(url: "https://github.com/apple/swift-crypto", "3.12.0"..<"5.0.0"),
    .package(url: "https://github.com/swift-server/swift-service-lifecycle", from: "2.8.0"),
    .package(url: "https://github.com/apple/swift-configuration", from: "1.0.0", traits: []),
  ],
  targets: [
    .target(name: "SettingsTOML"),
    .target(
      name: "AppSettings",
      dependencies: ["SettingsTOML", "CSettingsSystem", .product(name: "Logging", package: "swift-log")]),
    .target(name: "CSettingsSystem"),
    .target(name: "AppSettingsImport", dependencies: ["AppSettings"]),
    .target(name: "AppSettingsGarage", dependencies: ["AppSettings", "CSettingsSystem"]),
    .target(name: "AppSettingsSchema", dependencies: ["AppSettings", "AppSettingsImport"]),
    .systemLibrary(name: "CInotifyTools", providers: [.apt(["libinotifytools0-dev"])]),
    .target(
      name: "AppSettingsObserve",
      dependencies: [
        "AppSettings", "CSettingsSystem",
        .target(name: "CInotifyTools", condition: .when(traits: ["InotifyTools"])),
      ]),
    // The one target that needs all of Foundation.
    .target(
      name: "AppSettingsFoundation", dependencies: ["AppSettings", "AppSettingsImport"]),
    .target(name: "AppSettingsTesting", dependencies: ["AppSettings"]),
    .target(
      name: "AppSettingsServiceLifecycle",
      dependencies: [
        "AppSettings", "AppSettingsObserve",
        .product(
          name: "ServiceLifecycle", package: "swift-service-lifecycle", condition: .when(traits: ["ServiceLifecycle"])),
      ]),
    .target(
      name: "AppSettingsConfiguration",
      dependencies: [
        "AppSettings", "AppSettingsObserve",
        .product(
          name: "Configuration", package: "swift-configuration", condition: .when(traits: ["Configuration"])),
      ]),
    .target(
      name: "AppSettingsSealed",
      dependencies: [
        "AppSettingsGarage",
        .product(name: "Crypto", package: "swift-crypto", condition: .when(traits: ["SealedRecords"])),
      ]),
    .target(
      name: "SettingsTools",
      dependencies: ["AppSettings", "AppSettingsImport", "AppSettingsSchema", "AppSettingsObserve"]),
    .executableTarget(
      name: "settings-cli",
      dependencies: [
        "AppSettings", "AppSettingsImport", "AppSettingsSchema", "AppSettingsObserve", "SettingsTools",
        .product(name: "ArgumentParser", package: "swift-argument-parser"),
      ]),
    .target(
      name: "TestSupport", dependencies: ["AppSettings", "AppSettingsGarage", "CSettingsSystem", "TestModels"],
      path: "Tests/TestSupport"),
    // What tests and the processes that they start have in common; without all of Foundation.
    .target(name: "TestModels", dependencies: ["AppSettings", "AppSettingsGarage"], path: "Tests/TestModels"),
    .executableTarget(
      name: "settings-probe", dependencies: ["AppSettings", "AppSettingsGarage", "TestModels"], path: "Tests/Probe"),
    .executableTarget(
      name: "settings-stress", dependencies: ["AppSettings", "AppSettingsObserve"], path: "Tests/Stress"),
    // The quick start, in an 'async' main and as top-level code.
    .executableTarget(
      name: "documentation-quick-start", dependencies: ["AppSettings", "AppSettingsObserve"],
      path: "Tests/QuickStart/Main"),
    .executableTarget(
      name: "documentation-quick-start-top-level", dependencies: ["AppSettings", "AppSettingsObserve"],
      path: "Tests/QuickStart/TopLevel"),
    .testTarget(name: "LayoutTests"),
    .testTarget(name: "SettingsTOMLTests", dependencies: ["SettingsTOML"], exclude: ["Differential", "Fixtures"]),
    .testTarget(
      name: "AppSettingsTests",
      dependencies: [
        "AppSettings", "AppSettingsImport", "AppSettingsGarage", "AppSettingsSchema",
        "AppSettingsTesting", "TestSupport", "settings-probe", .product(name: "Logging", package: "swift-log"),
      ],
      exclude: ["AppSettingsSchema/Fixtures"]),
    .testTarget(
      name: "AppSettingsObserveTests",
      dependencies: [
        "AppSettingsObserve", "AppSettingsImport", "AppSettingsFoundation", "TestSupport",
        "settings-cli", "settings-probe", "settings-stress",
      ], exclude: ["Fixtures"]),
    .testTarget(
      name: "AppSettingsFoundationTests",
      dependencies: [
        "AppSettingsFoundation", "AppSettingsImport", "TestSupport", "settings-cli",
        "settings-probe",
      ]),
    .testTarget(
      name: "AppSettingsAdapterTests",
      dependencies: [
        "AppSettingsServiceLifecycle", "AppSettingsConfiguration", "AppSettingsObserve", "TestSupport", "settings-cli",
        .product(
          name: "ServiceLifecycle", package: "swift-service-lifecycle", condition: .when(traits: ["ServiceLifecycle"])),
        .product(
          name: "ServiceLifecycleTestKit", package: "swift-service-lifecycle",
          condition: .when(traits: ["ServiceLifecycle"])),
        .product(
          name: "ConfigurationTesting", package: "swift-configuration", condition: .when(traits: ["Configuration"])),
      ]),
    .testTarget(
      name: "AppSettingsSealedTests",
      dependencies: [
        "AppSettingsSealed", "AppSettingsGarage", "TestSupport", .product(name: "Logging", package: "swift-log"),
        .product(name: "Crypto", package: "swift-crypto", condition: .when(traits: ["SealedRecords"])),
      ]),
    .testTarget(
      name: "SettingsToolsTests",
      dependencies: ["AppSettings", "AppSettingsSchema", "SettingsTools", "TestSupport", "settings-cli"]),
    .testTarget(name: "SettingsCLITests", dependencies: ["TestSupport", "settings-cli"], exclude: ["Fixtures"]),
    .testTarget(
      name: "DocumentationTests",
      dependencies: [
        "AppSettings", "AppSettingsImport", "AppSettingsGarage", "AppSettingsSchema",
        "AppSettingsFoundation", "AppSettingsObserve", "AppSettingsTesting", "SettingsTools", "TestSupport",
        "settings-cli", "documentation-quick-start", "documentation-quick-start-top-level",
      ],
      exclude: ["Fixtures", "Passages/Fixtures"]),
    // The fuzzers over fixed inputs; in the package Fuzz, libFuzzer runs them. They reach for what is internal, so that
    // they cannot be a library of this package.
    .testTarget(
      name: "FuzzTests",
      dependencies: [
        "SettingsTOML", "AppSettings", "AppSettingsImport", "AppSettingsFoundation",
        "TestModels",
      ],
      path: "Fuzz/Sources", exclude: ["fuzz"]),
    // The TOML conformance suite.
    .target(
      name: "TaggedJSON", dependencies: ["SettingsTOML"], path: "Conformance/Sources/TaggedJSON"),
    .executableTarget(
      name: "toml-test-decoder", dependencies: ["TaggedJSON"], path: "Conformance/Sources/toml-test-decoder"),
    .executableTarget(
      name: "toml-test-encoder", dependencies: ["TaggedJSON"], path: "Conformance/Sources/toml-test-encoder"),
    .executableTarget(
      name: "toml-test-runner", dependencies: ["TaggedJSON"], path: "Conformance/Sources/toml-test-runner"),
    // The fault suite. It uses what apps may use and no more.
    // What knows nothing of settings: traces, what they mean for a disk, and what a power failure may leave of it.
    .target(name: "CrashStates", path: "Faults/Sources/CrashStates", packageAccess: false),
    // Calls that Swift cannot make: 'fork' is not available to it.
    .target(name: "CFaults", path: "Faults/Sources/CFaults"),
    .executableTarget(
      name: "settings-faults",
      dependencies: [
        "CFaults", "CrashStates", "AppSettings", "AppSettingsImport", "AppSettingsGarage",
        "AppSettingsObserve", "SettingsTOML", .product(name: "Logging", package: "swift-log"),
      ],
      path: "Faults/Sources/settings-faults", packageAccess: false),
    .testTarget(
      name: "CrashStatesTests", dependencies: ["CrashStates"], path: "Faults/Tests/CrashStatesTests",
      packageAccess: false),
  ]
)

// The settings page, the fleet and the examples are built on request: with SETTINGS_TARGETS=all in the environment they
// are targets of this package, so that one build makes everything once. Nobody who depends on this package fetches what
// they depend on.
if Context.environment["SETTINGS_TARGETS"] == "all" {
  package.products += [
    .executable(name: "settings-page", targets: ["settings-page"]),
    .executable(name: "settings-fleet", targets: ["settings-fleet"]),
  ]
  package.dependencies += [
    // Only its core is used. 'Application', on top of it, wakes up every second for the Date header.
    .package(url: "https://github.com/hummingbird-project/hummingbird", from: "2.28.1", traits: []),
    .package(url: "https://github.com/apple/swift-http-types", from: "1.8.0", traits: []),
    .package(url: "https://github.com/apple/swift-nio", from: "2.101.0"),
    .package(url: "https://github.com/apple/swift-nio-extras", from: "1.34.1"),
    .package(url: "https://github.com/apple/swift-nio-http2", from: "1.46.0"),
    .package(url: "https://github.com/apple/swift-nio-ssl", from: "2.30.0"),
    .package(url: "https://github.com/swiftlang/swift-subprocess", from: "1.0.0", traits: []),
  ]
  package.targets += pageTargets() + fleetTargets() + exampleTargets()
  linkStatically(["settings-cli", "settings-page"], of: package.targets)
}

let cTargets = ["CSettingsSystem", "CFaults", "PageAssets", "CPageSystem", "CFleetSystem", "CEtcdTesting"]
for target in package.targets where target.type != .system && !cTargets.contains(target.name) {
  // As in the packages that people copy.
  if target.path?.hasPrefix("Examples/") == true { continue }
  target.swiftSettings =
    (target.swiftSettings ?? []) + [
      .enableUpcomingFeature("ExistentialAny"),  // SE-0335
      .enableUpcomingFeature("InternalImportsByDefault"),  // SE-0409
      .enableUpcomingFeature("MemberImportVisibility"),  // SE-0444
      .enableUpcomingFeature("NonisolatedNonsendingByDefault"),  // SE-0461
    ]
}

/// Links programs as an installation does, without shared libraries: what the tests start is what people have. More than
/// half of a start went into loading and relocating the libraries of Swift, and the tests start them thousands of times.
/// 'settings-probe' looks up fork(2) by its name, and 'settings-fleet' is run with a false clock: both need the dynamic
/// linker.
func linkStatically(_ programs: Set<String>, of targets: [Target]) {
  for target in targets {
    if programs.contains(target.name) {
      target.linkerSettings = [
        // The last one as in Scripts/install.
        .unsafeFlags([
          "-static-executable", "-use-ld=lld", "-Xlinker", "--wrap=swift_copyAuxiliaryExecutablePath",
        ]),
        .linkedLibrary("_FoundationCollections"), .linkedLibrary("_FoundationCShims"),
      ]
    } else if target.type == .test {
      // A bundle of tests takes the options of what it depends on, and loads libraries itself. 'swift build --build-tests'
      // makes the programs anyway.
      target.dependencies.removeAll { dependency in
        guard case .byNameItem(let name, _) = dependency else { return false }
        return programs.contains(name)
      }
    }
  }
}

func pageTargets() -> [Target] {
  [
    // The page itself, embedded by the C compiler, and compressed by zlib.
    .target(
      name: "PageAssets", path: "Page/Sources/PageAssets", exclude: ["assets"], linkerSettings: [.linkedLibrary("z")]),
    .target(name: "CPageSystem", path: "Page/Sources/CPageSystem"),
    .target(
      name: "SettingsPage",
      dependencies: [
        "PageAssets", "CPageSystem", "AppSettings", "SettingsTools",
        .product(name: "HummingbirdCore", package: "hummingbird"),
        .product(name: "Logging", package: "swift-log"),
        .product(name: "NIOCore", package: "swift-nio"),
        .product(name: "NIOPosix", package: "swift-nio"),
        .product(name: "NIOHTTPTypes", package: "swift-nio-extras"),
        .product(name: "HTTPTypes", package: "swift-http-types"),
      ],
      path: "Page/Sources/SettingsPage"),
    .executableTarget(
      name: "settings-page",
      dependencies: [
        "AppSettings", "SettingsPage", "SettingsTools", "CPageSystem",
        .product(name: "ArgumentParser", package: "swift-argument-parser"),
      ],
      path: "Page/Sources/settings-page"),
    .testTarget(
      name: "SettingsPageTests",
      dependencies: [
        "AppSettings", "SettingsPage", "SettingsTools", "settings-page", "settings-cli",
        .product(name: "HTTPTypes", package: "swift-http-types"),
      ],
      path: "Page/Tests/SettingsPageTests"),
  ]
}

func fleetTargets() -> [Target] {
  [
    .target(
      name: "EtcdClient",
      dependencies: [
        "AppSettings",
        .product(name: "NIOCore", package: "swift-nio"),
        .product(name: "NIOHPACK", package: "swift-nio-http2"),
        .product(name: "NIOHTTP2", package: "swift-nio-http2"),
        .product(name: "NIOPosix", package: "swift-nio"),
        .product(name: "NIOSSL", package: "swift-nio-ssl"),
        .product(name: "NIOTLS", package: "swift-nio"),
      ],
      path: "Fleet/Sources/EtcdClient"),
    // What the fleet decides: no input or output, no clock, no threads.
    .target(
      name: "SettingsFleet",
      dependencies: ["SettingsTOML", .product(name: "Crypto", package: "swift-crypto")],
      path: "Fleet/Sources/SettingsFleet"),
    // What the decisions have in common with the client.
    .target(
      name: "SettingsFleetEtcd", dependencies: ["EtcdClient", "SettingsFleet"],
      path: "Fleet/Sources/SettingsFleetEtcd"),
    .target(name: "CFleetSystem", path: "Fleet/Sources/CFleetSystem"),
    .executableTarget(
      name: "settings-fleet",
      dependencies: [
        "CFleetSystem", "EtcdClient", "SettingsFleet", "SettingsFleetEtcd", "AppSettings", "AppSettingsObserve",
        "AppSettingsSchema", "SettingsTOML", "SettingsTools",
        .product(name: "ArgumentParser", package: "swift-argument-parser"),
        .product(name: "Logging", package: "swift-log"),
        .product(name: "NIOCore", package: "swift-nio"),
        .product(name: "NIOHTTP1", package: "swift-nio"),
        .product(name: "NIOPosix", package: "swift-nio"),
        .product(name: "Subprocess", package: "swift-subprocess"),
      ],
      path: "Fleet/Sources/settings-fleet"),
    // Real clusters for the tests, the benchmarks and the faults.
    .target(
      name: "EtcdTesting",
      dependencies: [
        "CEtcdTesting", "EtcdClient",
        .product(name: "NIOCore", package: "swift-nio"),
        .product(name: "NIOPosix", package: "swift-nio"),
      ],
      path: "Fleet/Tests/EtcdTesting"),
    .target(name: "CEtcdTesting", path: "Fleet/Tests/CEtcdTesting"),
    .executableTarget(
      name: "fleet-faults", dependencies: ["EtcdClient", "EtcdTesting", "SettingsFleet", "SettingsFleetEtcd"],
      path: "Fleet/Faults"),
    .target(name: "BenchmarkHarness", path: "Benchmarks/Sources/BenchmarkHarness"),
    .executableTarget(
      name: "fleet-benchmarks",
      dependencies: [
        "BenchmarkHarness", "EtcdClient", "EtcdTesting", "SettingsFleet", "SettingsFleetEtcd",
        .product(name: "ArgumentParser", package: "swift-argument-parser"),
        .product(name: "NIOCore", package: "swift-nio"),
        .product(name: "NIOPosix", package: "swift-nio"),
        .product(name: "NIOSSL", package: "swift-nio-ssl"),
      ],
      path: "Fleet/Benchmarks"),
    .testTarget(
      name: "EtcdClientTests",
      dependencies: [
        "AppSettings", "EtcdClient", "EtcdTesting", .product(name: "NIOCore", package: "swift-nio"),
        .product(name: "NIOHPACK", package: "swift-nio-http2"),
        .product(name: "NIOHTTP2", package: "swift-nio-http2"),
        .product(name: "NIOPosix", package: "swift-nio"),
      ],
      path: "Fleet/Tests/EtcdClientTests"),
    .testTarget(
      name: "SettingsFleetTests", dependencies: ["SettingsFleet"], path: "Fleet/Tests/SettingsFleetTests"),
    .testTarget(
      name: "SettingsFleetCommandTests",
      dependencies: [
        "AppSettings", "SettingsFleet", "SettingsTools", "EtcdClient", "EtcdTesting", "settings-fleet", "settings-cli",
        .product(name: "ArgumentParser", package: "swift-argument-parser"),
        .product(name: "NIOCore", package: "swift-nio"), .product(name: "NIOPosix", package: "swift-nio"),
      ],
      path: "Fleet/Tests/SettingsFleetCommandTests"),
  ]
}

// Packages of their own, too, so that people can copy them: they use what apps may use and no more.
func exampleTargets() -> [Target] {
  [
    .executableTarget(
      name: "greeter-service", dependencies: ["AppSettings", "AppSettingsObserve"],
      path: "Examples/GreeterService/Sources", packageAccess: false),
    .executableTarget(
      name: "port-service",
      dependencies: [
        "AppSettings", "AppSettingsObserve", "AppSettingsServiceLifecycle",
        .product(name: "ServiceLifecycle", package: "swift-service-lifecycle"),
        .product(name: "Logging", package: "swift-log"),
      ],
      path: "Examples/PortService/Sources", packageAccess: false),
    .executableTarget(
      name: "desktop-app",
      dependencies: ["AppSettings", "AppSettingsObserve", "AppSettingsSchema", "SettingsTools"],
      path: "Examples/DesktopApp/Sources", packageAccess: false),
  ]
}
