import AppSettings
import Foundation
import SettingsTOML
import Testing
import TestSupport

extension SettingsKeys {
  fileprivate static let other = SettingsKey("other", default: 0)
}

/// Two actors around one file, in every schedule of their system calls.
struct TwoActorTests {
  // MARK: Programs that lock

  @Test(arguments: [true, false])
  func `two writers lose nothing of each other, in any order`(areLoaded: Bool) throws {
    // Writers that read the file first take many more steps.
    try Exploration.interruptions(areLoaded ? 2 : 1, full: 3).run {
      let scenario = try Scenario()
      try scenario.writer("A", .counter, 10, isLoaded: areLoaded)
      try scenario.writer("B", .other, 20, isLoaded: areLoaded)
      return scenario
    }
  }

  @Test func `two transactions on one number lose nothing of each other, in any order`() throws {
    try Exploration.interruptions(2).run {
      let scenario = try Scenario()
      for name in ["A", "B"] { try scenario.own(name) { try $0.update { $0[.counter] += 1 } } }
      scenario.check = { $0.home.text()?.contains("counter = 3\n") == true ? [] : ["an increment is lost"] }
      return scenario
    }
  }

  @Test func `a writer killed at any step blocks nobody`() throws {
    for step in 1...200 {
      nonisolated(unsafe) var wasKilled = false
      try Exploration.exhaustive(preemptions: Exploration.isFull ? 2 : 0).run {
        let scenario = try Scenario()
        try scenario.writer("A", .counter, 10, diesAt: step)
        try scenario.writer("B", .other, 20)
        scenario.check = { scenario in
          if scenario.story.contains("killed before") { wasKilled = true }
          let text = scenario.home.text() ?? ""
          return text.contains("counter = 1\n") || text.contains("counter = 10\n")
            ? [] : ["neither old nor new: \(text)"]
        }
        return scenario
      }
      if !wasKilled { return #expect(step > 8) }
    }
    Issue.record("a write of more than 200 steps")
  }

  // MARK: Migrations

  private static let old = Scenario.base + "runs = 0\n"
  private static let migrations = [
    Migration(2, "count runs") { document in
      guard case .integer(let runs)? = document[["runs"]] else { return }
      try document.set(.integer(runs + 1), at: ["runs"])
    }
  ]

  /// Checks that the file was migrated once, with one backup of the old text.
  private static func checkMigrated(_ scenario: Scenario) -> [String] {
    let text = scenario.home.text() ?? ""
    var faults: [String] = []
    if !text.contains("settings-version = 2\n") || !text.contains("runs = 1\n") { faults.append("not migrated once") }
    let backups = scenario.backups
    if backups.count != 1 || !backups[0].contains("runs = 0\n") { faults.append("backups: \(backups)") }
    return faults
  }

  @Test func `two readers that migrate do it once, in any order`() throws {
    try Exploration.interruptions(1).run {
      let scenario = try Scenario(text: Self.old)
      for name in ["A", "B"] {
        try scenario.own(name, isLoaded: false, migrations: Self.migrations) { _ = $0[.counter] }
      }
      scenario.check = Self.checkMigrated
      return scenario
    }
  }

  @Test func `a reader that migrates and a writer lose nothing of each other, in any order`() throws {
    try Exploration.interruptions(1).run {
      let scenario = try Scenario(text: Self.old)
      try scenario.own("reader", isLoaded: false, migrations: Self.migrations) { _ = $0[.counter] }
      try scenario.writer("writer", .other, 20, isLoaded: false, migrations: Self.migrations)
      scenario.check = Self.checkMigrated
      return scenario
    }
  }

  @Test func `an undo and a writer end in one of their two orders`() throws {
    try Exploration.interruptions(1).run {
      let scenario = try Scenario(text: Self.old)
      _ = try scenario.home.store(migrations: Self.migrations)[.counter]
      try scenario.own("undo", migrations: Self.migrations) { try $0.restore() }
      try scenario.own("writer", migrations: Self.migrations) { try $0.set(20, for: .other) }
      scenario.check = { scenario in
        let text = scenario.home.text() ?? ""
        // Either the undo came last and kept what it replaced, or the writer did and migrated again.
        if text.hasPrefix(Self.old), !text.contains("other = 20") {
          return scenario.backups.contains { $0.contains("other = 20") } ? [] : ["the set is in no backup"]
        }
        return text.contains("runs = 1\n") && text.contains("other = 20\n") ? [] : ["neither order: \(text)"]
      }
      return scenario
    }
  }
}
