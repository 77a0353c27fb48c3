import AppSettings
import Foundation
import SettingsTOML
import Testing
import TestSupport

extension SettingsKeys {
  fileprivate static let other = SettingsKey("other", default: 0)
}

/// A program that does not lock, at every step of one that does: the windows in which something used to be lost.
struct WindowTests {
  @Test func `a new file renamed in during a write is kept`() throws {
    try Exploration.every.run {
      let scenario = try Scenario()
      try scenario.writer("writer", .counter, 10)
      scenario.program(.renaming(scenario.home))
      return scenario
    }
  }

  @Test func `a save in place beside a write is kept, and shows no default`() throws {
    try Exploration.interruptions(2, full: 4).run {
      let scenario = try Scenario()
      try scenario.writer("writer", .counter, 10)
      scenario.program(.inPlace(scenario.home))
      return scenario
    }
  }

  @Test func `a removal during a write holds, and observers hear of it`() throws {
    try Exploration.every.run {
      let scenario = try Scenario()
      try scenario.writer("writer", .counter, 10)
      scenario.program(.removing(scenario.home))
      return scenario
    }
  }

  @Test func `a write during which the directory is replaced is where the path leads`() throws {
    try Exploration.interruptions(2, full: 4).run {
      let scenario = try Scenario()
      try scenario.writer("writer", .counter, 10)
      scenario.program(.replacingDirectory(scenario.home))
      return scenario
    }
  }

  @Test func `a write during which a link to the directory is turned is where the path leads`() throws {
    try Exploration.every.run {
      let scenario = try Scenario(isLinked: true)
      try scenario.writer("writer", .counter, 10)
      scenario.program(try .retargeting(scenario.home))
      return scenario
    }
  }

  @Test func `a file mended while it is recovered is kept`() throws {
    try Exploration.every.run {
      let scenario = try Scenario(text: "# broken\nmark = 0\nname = \n")
      try scenario.own("recover", isLoaded: false) { _ = try $0.recover() }
      scenario.program(.renaming(scenario.home, text: "# mended\nmark = 1\nname = \"b\"\n"))
      return scenario
    }
  }

  private static let migrations = [
    Migration(2, "name") { try $0.set(.string("migrated"), at: ["migrated"]) }
  ]

  @Test func `a new file renamed in during a migration is kept`() throws {
    try Exploration.interruptions(2).run {
      let scenario = try Scenario()
      try scenario.own("reader", isLoaded: false, migrations: Self.migrations) { _ = $0[.counter] }
      scenario.program(.renaming(scenario.home))
      return scenario
    }
  }

  @Test func `a new file renamed in during an undo is kept, here or in a backup`() throws {
    try Exploration.interruptions(2).run {
      let scenario = try Scenario()
      _ = try scenario.home.store(migrations: Self.migrations)[.counter]
      try scenario.own("undo") { try $0.restore() }
      var program = Scenario.Program.renaming(scenario.home)
      program.saves = nil
      scenario.program(program)
      scenario.check = { scenario in
        let texts = scenario.backups + [scenario.home.text() ?? ""]
        return texts.contains { $0.contains("mark = 1\n") } ? [] : ["what the editor has saved is lost"]
      }
      return scenario
    }
  }
}
