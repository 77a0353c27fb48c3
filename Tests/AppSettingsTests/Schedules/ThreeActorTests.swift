import AppSettings
import Foundation
import SettingsTOML
import Testing
import TestSupport

extension SettingsKeys {
  fileprivate static let other = SettingsKey("other", default: 0)
}

/// Three actors around one file, in random schedules. A failure names its seed.
struct ThreeActorTests {
  /// The actor beside two writers.
  enum Third: String, CaseIterable, Sendable {
    case writer, migratingReader, renaming, inPlace, removing, replacingDirectory, retargeting

    /// All programs are of one release: a file must not be newer than any of them.
    var migrations: [Migration] {
      guard self == .migratingReader else { return [] }
      return [Migration(2, "x") { try $0.set(.integer(1), at: ["migrated"]) }]
    }

    func join(_ scenario: Scenario) throws {
      let home = scenario.home
      switch self {
      case .writer: try scenario.writer("C", SettingsKey("third", default: 0), 30)
      case .migratingReader: try scenario.own("C", isLoaded: false, migrations: migrations) { _ = $0[.counter] }
      case .renaming: scenario.program(.renaming(home))
      case .inPlace: scenario.program(.inPlace(home))
      case .removing: scenario.program(.removing(home))
      case .replacingDirectory: scenario.program(.replacingDirectory(home))
      case .retargeting: scenario.program(try .retargeting(home))
      }
    }
  }

  /// - Parameter step: The step at which A is killed.
  private static func explore(_ third: Third, killing step: () -> Int? = { nil }) throws {
    func make() throws -> Scenario {
      let scenario = try Scenario(isLinked: third == .retargeting)
      let isLoaded = third != .migratingReader
      try scenario.writer("A", .counter, 10, isLoaded: isLoaded, diesAt: step(), migrations: third.migrations)
      try scenario.writer("B", .other, 20, isLoaded: isLoaded, migrations: third.migrations)
      try third.join(scenario)
      return scenario
    }
    try Exploration.three.run(make)
  }

  @Test(arguments: Third.allCases)
  func `two writers and another actor lose nothing`(third: Third) throws {
    try Self.explore(third)
  }

  @Test(arguments: Third.allCases)
  func `a writer, one that is killed, and another actor lose nothing`(third: Third) throws {
    var step = 0
    func explore() throws {
      try Self.explore(third) {
        step = step % 24 + 1
        return step
      }
    }
    guard [.renaming, .inPlace].contains(third) else { return try explore() }
    // Accepted, and said in docs/durability.md: who is killed when another program's save has just met its own can no
    // longer merge the two.
    withKnownIssue("a kill in the moment in which two writes meet", isIntermittent: true) { try explore() }
  }
}
