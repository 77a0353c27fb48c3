import AppSettings
import Foundation
import Synchronization
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

  // MARK: Readers at once

  /// A store during whose next reading of a file something happens, when the text has been read.
  private func store(reading file: String, _ action: @escaping @Sendable (SettingsStore) throws -> Void) throws -> (
    store: SettingsStore, arm: Counter
  ) {
    let armed = Counter(isRunning: false)
    let opened = Lock<SettingsStore?>(nil)
    let settings = try home.store(
      migrations: [Migration(2, "copy", [.copy("level", to: "old")])],
      system: .before(.lease, counting: armed, where: { $0.hasSuffix(file) }) { _ in
        armed.stop()
        try? opened.withLock { $0 }.map(action)
      })
    opened.withLock { $0 = settings }
    _ = settings[level]
    return (settings, armed)
  }

  @Test func `a reader that a later one overtakes reports nothing that is over`() throws {
    let (good, file) = ("settings-version = 2\nlevel = 1\n", home.file)
    try home.write(good)
    let (settings, arm) = try store(reading: "settings.toml") { settings in
      try? FileManager.default.removeItem(atPath: file)
      try? Data(good.utf8).write(to: URL(fileURLWithPath: file), options: .atomic)
      settings.core.look(.saveEnded)
    }
    try home.write("settings-version = 9\nlevel = 2\n")
    arm.start()
    settings.core.look(.saveEnded)
    #expect(arm.value == 1)
    #expect(settings.currentProblems == [] && settings[level] == 1)
  }

  @Test(arguments: [false, true])
  func `the files around the own one are read again only if another reader has found news`(isNew: Bool) throws {
    let file = home.systemFile("settings.toml")
    try home.write("level = 1\n", to: file)
    let stamp = Lock<UInt64>(0)
    let (settings, arm) = try store(reading: file) { settings in
      if isNew { try? Data("level = 2\n".utf8).write(to: URL(fileURLWithPath: file), options: .atomic) }
      settings.core.lookAround(.saveEnded)
      stamp.withLock { $0 = settings.core.stamp.load(ordering: .relaxed) }
    }
    arm.start()
    settings.core.lookAround(.saveEnded)
    #expect(settings[level] == (isNew ? 2 : 1))
    #expect(stamp.withLock { $0 } == settings.core.stamp.load(ordering: .relaxed))
  }
}
