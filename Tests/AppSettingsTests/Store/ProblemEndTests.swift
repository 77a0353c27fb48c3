import AppSettings
import Foundation
import Testing
import TestSupport

/// A problem ends when its cause is gone, and is told again when it returns.
struct ProblemEndTests {
  let home = ScratchHome()
  private let level = SettingsKey("level", default: 0)

  @Test func `a write that fails is a problem until one succeeds, and one again when it fails again`() throws {
    let fails = Lock(false)
    let settings = try home.store(
      system: Syscalls { (call, _) throws(Errno) in
        if call == .rename, fails.withLock({ $0 }) { throw Errno(ENOSPC) }
        return nil
      })
    for value in [1, 3] {
      try settings.set(value, for: level)
      #expect(settings.currentProblems == [])
      fails.withLock { $0 = true }
      settings[level] = value + 1
      _ = try? settings.flush()
      #expect(settings.currentProblems.map(\.code) == [.io])
      #expect(settings[level] == value)
      fails.withLock { $0 = false }
    }
    try settings.set(5, for: level)
    #expect(settings.currentProblems == [])
  }

  @Test func `a lock that is gone is no problem any more when the key is set`() throws {
    let system = home.path + "/etc/xdg/org.example.test/settings.toml"
    try home.write("settings-locked = [\"level\"]\nlevel = 1\n", to: system)
    let settings = try home.store()
    settings[level] = 7
    #expect(settings.currentProblems.map(\.code) == [.locked])
    try home.write("level = 1\n", to: system)
    settings.reload()
    settings[level] = 8
    #expect(settings.currentProblems == [])
  }

  @Test func `a migration that failed is stored when the file is corrected`() throws {
    try home.write("level = \"x\"\n")
    let settings = try home.store(migrations: [
      Migration(2, "make the level a number", [.convert("level", .integer)])
    ])
    #expect(settings[level] == 0)
    #expect(settings.currentProblems.contains { $0.code == .migrationFailed })
    try home.write("level = \"7\"\n")
    settings.reload()
    #expect(settings[level] == 7)
    #expect(settings.currentProblems == [])
    guard case .current = try settings.migrationStatus() else {
      Issue.record("the file is of an earlier version")
      return
    }
    #expect(home.text() == "settings-version = 2\nlevel = 7\n")
  }

  @Test func `a text that is put in place and cannot be migrated is a problem, also the second time`() throws {
    let settings = try home.store(migrations: [
      Migration(2, "make the level a number", [.convert("level", .integer)])
    ])
    for text in ["level = \"x\"\n", "level = \"x\"\nother = 1\n"] {
      try settings.set(3, for: level)
      #expect(settings.currentProblems == [])
      for _ in 0..<2 {
        try settings.core.commit(backingUp: "before-restore") { _ in
          Array((text + "# \(UInt32.random(in: 0 ... .max))\n").utf8)
        }
        #expect(settings.currentProblems.map(\.code).contains(.migrationFailed))
        #expect(settings[level] == 0)
      }
      try settings.core.commit(backingUp: "before-restore") { _ in Array("settings-version = 2\n".utf8) }
    }
  }

  @Test func `a file of the present version ends the problem of one that could not be migrated`() throws {
    try home.write("settings-version = 0\nlevel = 3\n")
    let settings = try home.store(migrations: [Migration(2, "copy", [.copy("level", to: "old")])])
    _ = settings[level]
    #expect(!settings.currentProblems.isEmpty)
    try home.write("settings-version = 2\nlevel = 4\n")
    settings.reload()
    #expect(settings[level] == 4)
    #expect(settings.currentProblems == [])
  }
}
