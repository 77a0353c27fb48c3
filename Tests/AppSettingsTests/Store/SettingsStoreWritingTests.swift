import AppSettings
import Foundation
import Testing
import TestSupport

/// What a set, a reset and a removal write.
struct SettingsStoreWritingTests {
  let home = ScratchHome()

  @Test func `set says whether the file changed`() throws {
    let settings = try home.store()
    #expect(try settings.set(14, for: .fontSize))
    #expect(try !settings.set(14, for: .fontSize))
    #expect(try settings.set(15, for: .fontSize))
  }

  @Test func `async set writes without blocking`() async throws {
    let settings = try home.store()
    #expect(try await settings.set("a", for: .name))
    #expect(home.text() == "name = \"a\"\n")
  }

  @Test func `setting a scalar keeps comments, spacing and unknown keys`() throws {
    try home.write("# mine\ntheme   = 'light'  # bright\n\n[other]\nx = { a = 1 }\n")
    let settings = try home.store()
    try settings.set(.dark, for: .theme)
    #expect(home.text() == "# mine\ntheme   = 'dark'  # bright\n\n[other]\nx = { a = 1 }\n")
  }

  @Test func `setting an equal value leaves the file alone`() throws {
    try home.write("theme = 'dark'\n")
    let before = try FileManager.default.attributesOfItem(atPath: home.file)[.systemFileNumber] as? Int
    #expect(try !home.store().set(.dark, for: .theme))
    #expect(try FileManager.default.attributesOfItem(atPath: home.file)[.systemFileNumber] as? Int == before)
  }

  @Test func `setting nil removes an optional key`() throws {
    try home.write("[sync]\ntoken = \"t\"\nother = 1\n")
    let settings = try home.store()
    #expect(settings[.token] == "t")
    settings[.token] = nil
    #expect(settings[.token] == nil)
    try settings.flush()
    #expect(home.text() == "[sync]\nother = 1\n")
  }

  @Test func `reset shows the default again and removes the user's value only`() throws {
    try home.write("theme = \"dark\"\n[editor]\nfont-size = 20\n")
    let settings = try home.store()
    settings.reset(.theme, .fontSize)
    #expect(settings[.theme] == .system)
    #expect(settings[.fontSize] == 12)
    try settings.flush()
    #expect(home.text() == "")
  }

  @Test func `removeAll removes every key but the reserved ones`() throws {
    try home.write("settings-version = 1\ntheme = \"dark\"\n[editor]\nfont-size = 20\n")
    let settings = try home.store()
    settings.resetAll()
    #expect(settings[.theme] == .system)
    try settings.flush()
    #expect(home.text() == "settings-version = 1\n")
  }

  @Test func `a value outside its constraint is refused and nothing is written`() throws {
    let settings = try home.store()
    let error = #expect(throws: SettingsError.self) { try settings.set(100, for: .fontSize) }
    #expect(error?.code == .invalidValue)
    #expect(error?.message.contains("from 6 to 72") == true)
    settings[.fontSize] = 100
    #expect(settings[.fontSize] == 12)
    #expect(settings.currentProblems.count == 1)
    #expect(home.text() == nil)
  }

  @Test func `writing a record keeps fields it does not know and removes those that became nil`() throws {
    try home.write("[profile]\nname = \"a\" # who\nport = 1\nnote = \"n\"\nfuture = true\n")
    let settings = try home.store()
    settings[.profile].note = nil
    settings[.profile].port = 2
    try settings.flush()
    #expect(home.text() == "[profile]\nname = \"a\" # who\nport = 2\nfuture = true\n")
  }

  @Test func `a dictionary that lost a key loses it in the file`() throws {
    try home.write("[limits]\na = 1\nb = 2\n")
    let settings = try home.store()
    settings[.limits]["a"] = nil
    try settings.flush()
    #expect(home.text() == "[limits]\nb = 2\n")
    #expect(settings[.limits] == ["b": 2])
  }

  @Test func `a failed background write takes the value back and flush throws`() throws {
    try home.write("counter = 5\nname = \"n\n")
    let settings = try home.store()
    settings[.counter] = 6
    let error = #expect(throws: SettingsError.self) { try settings.flush() }
    #expect(error?.code == .unparsable)
    #expect(settings[.counter] == 0)
    try settings.flush()
  }

  @Test func `many readers and writers of one store agree in the end`() async throws {
    let settings = try home.store()
    await withTaskGroup(of: Void.self) { group in
      for number in 0..<8 {
        group.addTask {
          for index in 0..<50 {
            settings[SettingsKey("task-\(number).value-\(index)", default: -1)] = index
            _ = settings[.counter]
            settings[.counter] = index
          }
        }
      }
    }
    try await settings.flush()
    let other = try home.store()
    for number in 0..<8 {
      for index in 0..<50 { #expect(other[SettingsKey("task-\(number).value-\(index)", default: -1)] == index) }
    }
  }
}
