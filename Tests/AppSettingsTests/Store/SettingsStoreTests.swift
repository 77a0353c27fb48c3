import AppSettings
import Foundation
import Testing
import TestSupport

/// What a store reads, and what it is.
struct SettingsStoreTests {
  let home = ScratchHome()

  @Test func `reading a key without a file gives the default and creates nothing`() throws {
    let settings = try home.store()
    #expect(settings[.theme] == .system)
    #expect(settings.fontSize == 12)
    #expect(settings[\.recent] == [])
    #expect(settings[.token] == nil)
    #expect(!settings.isSet(.theme))
    #expect(home.names(in: home.path).isEmpty)
  }

  @Test func `setting by subscript, key path and member is visible at once and written by flush`() throws {
    let settings = try home.store()
    settings[.theme] = .dark
    settings[\.wrap] = true
    settings.fontSize += 1
    #expect(settings.theme == .dark)
    #expect(settings[.wrap])
    #expect(settings[\.fontSize] == 13)
    try settings.flush()
    #expect(home.text() == "theme = \"dark\"\n\n[editor]\nwrap = true\nfont-size = 13\n")
  }

  @Test func `every kind of value survives the way through the file`() throws {
    let settings = try home.store()
    let date = Date(timeIntervalSince1970: 1_700_000_000.123456)
    settings[.recent] = [URL(string: "file:///a%20b")!, URL(string: "https://example.org/?q=1")!]
    settings[.ratio] = 2
    settings[.limits] = ["a": 1, "b c": 2]
    settings[.profile] = AppProfile(name: "x", port: 8080, note: "n")
    settings[.since] = date
    settings[.token] = "t"
    try settings.flush()
    let other = try home.store()
    #expect(other[.recent] == [URL(string: "file:///a%20b")!, URL(string: "https://example.org/?q=1")!])
    #expect(other[.ratio] == 2)
    #expect(other[.limits] == ["a": 1, "b c": 2])
    #expect(other[.profile] == AppProfile(name: "x", port: 8080, note: "n"))
    #expect(other[.since] == date)
    #expect(other[.token] == "t")
    #expect(home.text()?.contains("ratio = 2.0") == true)
  }

  @Test func `a property that a release added reads as the default's`() throws {
    try home.write("[profile]\nname = \"a\"\n")
    #expect(try home.store()[.profile] == AppProfile(name: "a", port: 80))
  }

  @Test func `an outside change is seen after reload and merged by the next write`() throws {
    let settings = try home.store()
    settings[.counter] = 1
    try settings.flush()
    try home.write("counter = 2\nname = \"other\"\n")
    #expect(settings[.counter] == 1)
    settings.reload()
    #expect(settings[.counter] == 2)
    try home.write("counter = 3\nname = \"other\"\n")
    try settings.set(.dark, for: .theme)
    #expect(settings[.counter] == 3)
    #expect(home.text() == "counter = 3\nname = \"other\"\ntheme = \"dark\"\n")
  }

  @Test func `an administrator's value shows below the user's, and a lock forbids setting`() throws {
    let system = home.path + "/etc/xdg/org.example.test/settings.toml"
    try home.write(
      "settings-locked = [\"editor.wrap\"]\ntheme = \"light\"\n[editor]\nwrap = true\nfont-size = 8\n", to: system)
    try home.write("font-size = 9\n[editor]\nwrap = false\nfont-size = 10\n")
    let settings = try home.store()
    #expect(settings[.theme] == .light)
    #expect(settings[.fontSize] == 10)
    #expect(settings[.wrap])
    let error = #expect(throws: SettingsError.self) { try settings.set(false, for: .wrap) }
    #expect(error?.code == .locked)
    #expect(error?.message.contains("\(system)', line 1") == true)
    settings.reset(.fontSize)
    #expect(settings[.fontSize] == 8)
    #expect(settings.snapshot.layer(of: ["editor", "font-size"]).kind == .system)
  }

  @Test func `drop-ins come after their file in the order of their names`() throws {
    let directory = home.path + "/etc/xdg/org.example.test"
    try home.write("name = \"file\"\ncounter = 1\n", to: directory + "/settings.toml")
    try home.write("name = \"b\"\n", to: directory + "/settings.d/b.toml")
    try home.write("name = \"a\"\ncounter = 2\n", to: directory + "/settings.d/a.toml")
    try home.write("name = \"no\"\n", to: directory + "/settings.d/c.conf")
    let settings = try home.store()
    #expect(settings[.name] == "b")
    #expect(settings[.counter] == 2)
  }

  @Test func `a store in memory behaves like one with a file`() throws {
    let settings = SettingsStore(inMemory: "counter = 1\n", logger: .silent)
    #expect(settings[.counter] == 1)
    settings[.counter] += 1
    try settings.flush()
    try settings.update { $0[.counter] += 1 }
    #expect(settings[.counter] == 3)
  }

  @Test func `a dynamic default is computed at each read and not before`() {
    final class Calls: @unchecked Sendable { var count = 0 }  // used by this test's thread only
    let calls = Calls()
    let key = SettingsKey<Int>("dynamic") {
      calls.count += 1
      return calls.count
    }
    let settings = SettingsStore(inMemory: "", logger: .silent)
    #expect(calls.count == 0)
    #expect(settings[key] == 1)
    #expect(settings[key] == 2)
  }

  @Test(arguments: ["", "..", "a/b", "a/../b", "/etc", ".hidden", "a..b", "-a", "a b", "ä"])
  func `an app id that is no name is refused`(id: String) {
    let error = #expect(throws: SettingsError.self) { try SettingsStore(app: id) }
    #expect(error?.code == .invalidLocation)
  }

  @Test func `an app id that is too long is an error that says so`() {
    let error = settingsError { _ = try SettingsLocation(app: String(repeating: "a", count: 201)) }
    #expect(error?.code == .invalidLocation)
    #expect(error?.message.hasSuffix("…': it has 201 bytes, and the limit is 200.") == true)
    #expect(throws: Never.self) { try SettingsLocation(app: String(repeating: "a", count: 200)) }
  }
}
