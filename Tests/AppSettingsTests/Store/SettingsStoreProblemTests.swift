import AppSettings
import Foundation
import Testing
import TestSupport

/// What is wrong with values and files, and what secrets do not appear in.
struct SettingsStoreProblemTests {
  let home = ScratchHome()

  @Test func `an undecodable value reads as the default, is reported with its place, and stays`() throws {
    try home.write("[editor]\nfont-size = \"four\"\nwrap = true\n")
    let settings = try home.store()
    #expect(settings[.fontSize] == 12)
    #expect(settings[.fontSize] == 12)
    #expect(
      settings.currentProblems.map(\.message) == [
        "Cannot read 'editor.font-size': settings.toml has the string \"four\" at line 2, column 13, but the key needs "
          + "an integer from 6 to 72. Using the default 12."
      ])
    let error = #expect(throws: SettingsError.self) { try settings.value(for: .fontSize) }
    #expect(error?.code == .invalidValue)
    #expect(error?.position?.line == 2)
    #expect(settings.isSet(.fontSize))
    try settings.set(false, for: .wrap)
    #expect(home.text() == "[editor]\nfont-size = \"four\"\nwrap = false\n")
  }

  @Test func `a mended value is no problem any more, whoever mends it`() throws {
    let old = SettingsKey("width", default: 1, .formerly("tab_size"))
    try home.write("tab_size = true\n\n[editor]\nfont-size = \"four\"\nwrap = 1\n")
    let settings = try home.store()
    _ = (settings[.fontSize], settings[.wrap], settings[old])
    #expect(settings.currentProblems.map(\.path) == [["editor", "font-size"], ["editor", "wrap"], ["width"]])
    try settings.set(14, for: .fontSize)
    #expect(settings.currentProblems.map(\.path) == [["editor", "wrap"], ["width"]])
    try home.write("tab_size = 4\n\n[editor]\nfont-size = 14\nwrap = true\n")
    settings.reload()
    #expect(settings.currentProblems.map(\.path) == [["width"]])
    #expect(settings[old] == 4)
    #expect(settings.currentProblems.isEmpty)
    try home.write("[editor]\nwrap = 1\n")
    settings.reload()
    _ = settings[.wrap]
    #expect(settings.currentProblems.map(\.path) == [["editor", "wrap"]])
  }

  @Test func `a secret appears in no problem and no error`() throws {
    try home.write("[sync]\ntoken = 12345\n")
    chmod(home.file, 0o600)
    let settings = try home.store()
    #expect(settings[.token] == nil)
    let texts = settings.currentProblems.map(\.message)
    #expect(texts.count == 1 && texts.allSatisfy { !$0.contains("12345") })
    let error = #expect(throws: SettingsError.self) { try settings.value(for: .token) }
    #expect(error?.description.contains("12345") == false)
  }

  @Test func `a secret in a file that others may open is a problem until that is mended`() throws {
    try home.write("[sync]\ntoken = \"t-12345\"\n")
    chmod(home.file, 0o640)
    let settings = try home.store()
    #expect(settings[.token] == "t-12345")
    #expect(
      settings.currentProblems.map(\.message) == [
        "The secret 'sync.token' is in '\(home.file)', which other users may open (mode 640). "
          + "Run 'chmod go= \(home.file)'."
      ])
    chmod(home.file, 0o600)
    settings.reload()
    #expect(settings.currentProblems.isEmpty)
    // What this package makes is closed from the beginning.
    let fresh = ScratchHome()
    let other = try fresh.store()
    try other.set("t", for: .token)
    #expect(other[.token] == "t")
    #expect(other.currentProblems.isEmpty)
  }

  @Test func `a file that does not parse refuses writes, stays, and keeps the last good values`() throws {
    try home.write("counter = 5\n")
    let settings = try home.store()
    #expect(settings[.counter] == 5)
    try home.write("counter = = 5\n")
    let error = #expect(throws: SettingsError.self) { try settings.set(6, for: .counter) }
    #expect(error?.code == .unparsable)
    #expect(error?.description.contains("settings.toml:1:11") == true)
    #expect(settings[.counter] == 5)
    #expect(home.text() == "counter = = 5\n")
    try home.write("counter = 7\n")
    settings.reload()
    #expect(settings[.counter] == 7)
    #expect(settings.currentProblems.filter { $0.code == .unparsable }.isEmpty)
  }
}
