import AppSettings
import Foundation
import Testing
import TestSupport

/// The entries of `settings-locked`: one that is wrong unlocks nothing else.
struct LockEntryTests {
  let home = ScratchHome()
  private var system: String { home.path + "/etc/xdg/org.example.test/settings.toml" }

  /// A store below an administrator's file.
  private func store(_ text: String) throws -> SettingsStore {
    try home.write(text, to: system)
    return try home.store()
  }

  @Test func `an invalid entry of settings-locked is a problem with its place, and the others hold`() throws {
    let settings = try store(
      "\nsettings-locked = [\"name\", \"a..hunter2\", 3, \"counter\", \"\", 'a.\"hunter2\\q\"']\nname = \"admin\"\n")
    #expect(settings[.name] == "admin")
    #expect(settingsError { try settings.set("mine", for: .name) }?.code == .locked)
    #expect(settingsError { try settings.set(1, for: .counter) }?.code == .locked)
    try settings.set(20, for: .fontSize)
    let problems = settings.currentProblems
    #expect(problems.map(\.code) == Array(repeating: .invalidValue, count: 4))
    #expect(problems.allSatisfy { $0.file == system && $0.position?.line == 2 })
    let start = "Cannot use entry 2 of 'settings-locked' of '\(system)': it is not a key path: "
    #expect(problems[0].message.hasPrefix(start))
    #expect(problems[0].message.hasSuffix("It locks nothing; the other entries are used."))
    #expect(problems[1].message.contains("entry 3") && problems[1].message.contains("it is an integer"))
    #expect(problems[2].message.contains("entry 5") && problems[3].message.contains("entry 6"))
    // What was meant may be a name within a secret table.
    #expect(problems.allSatisfy { !$0.message.contains("hunter2") })
  }

  @Test(arguments: ["\"name\"", "true", "{ name = true }"])
  func `settings-locked that is no array is a problem`(value: String) throws {
    let settings = try store("settings-locked = \(value)\n")
    try settings.set("mine", for: .name)
    #expect(settings.currentProblems.map(\.code) == [.invalidValue])
    #expect(settings.currentProblems[0].message.hasSuffix("This file locks nothing."))
    #expect(settings.currentProblems[0].position?.line == 1)
  }
}
