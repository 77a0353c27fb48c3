import AppSettings
import Foundation
import Testing
import TestSupport

@Suite struct SettingsStoreTests {
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
    #expect(home.text() == "[editor]\n")
  }

  @Test func `removeAll removes every key but the reserved ones`() throws {
    try home.write("settings-version = 1\ntheme = \"dark\"\n[editor]\nfont-size = 20\n")
    let settings = try home.store()
    settings.resetAll()
    #expect(settings[.theme] == .system)
    try settings.flush()
    #expect(home.text() == "settings-version = 1\n")
  }

  @Test func `update works on fresh values in one write and returns the closure's result`() throws {
    let settings = try home.store()
    settings[.counter] = 1
    try settings.flush()
    try home.write("counter = 41\n")
    let result = try settings.update { transaction in
      transaction[.counter] += 1
      transaction[.name] = "n"
      return transaction[.counter]
    }
    #expect(result == 42)
    #expect(settings[.counter] == 42)
    #expect(home.text() == "counter = 42\nname = \"n\"\n")
  }

  @Test func `a throw inside update changes nothing`() throws {
    struct Stop: Error {}
    try home.write("counter = 1\n")
    let settings = try home.store()
    #expect(throws: Stop.self) {
      try settings.update { transaction in
        transaction[.counter] = 2
        throw Stop()
      }
    }
    #expect(settings[.counter] == 1)
    #expect(home.text() == "counter = 1\n")
    try settings.set(3, for: .counter)
  }

  @Test func `a refused value inside update makes all of it fail`() throws {
    let settings = try home.store()
    let error = #expect(throws: SettingsError.self) {
      try settings.update { transaction in
        transaction[.counter] = 2
        transaction[.fontSize] = 100
      }
    }
    #expect(error?.code == .invalidValue)
    #expect(home.text() == nil)
  }

  @Test func `update, set and flush inside update are an error and no deadlock`() throws {
    let settings = try home.store()
    try settings.update { _ in
      #expect(throws: SettingsError.self) { try settings.update { _ in } }
      let error = #expect(throws: SettingsError.self) { try settings.set(1, for: .counter) }
      #expect(error?.code == .nestedUpdate)
      #expect(throws: SettingsError.self) { try settings.flush() }
    }
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

  @Test func `writing a record keeps fields it does not know and removes those that became nil`() throws {
    try home.write("[profile]\nname = \"a\" # who\nport = 1\nnote = \"n\"\nfuture = true\n")
    let settings = try home.store()
    settings[.profile].note = nil
    settings[.profile].port = 2
    try settings.flush()
    #expect(home.text() == "[profile]\nname = \"a\" # who\nport = 2\nfuture = true\n")
  }

  @Test func `a property that a release added reads as the default's`() throws {
    try home.write("[profile]\nname = \"a\"\n")
    #expect(try home.store()[.profile] == AppProfile(name: "a", port: 80))
  }

  @Test func `a dictionary that lost a key loses it in the file`() throws {
    try home.write("[limits]\na = 1\nb = 2\n")
    let settings = try home.store()
    settings[.limits]["a"] = nil
    try settings.flush()
    #expect(home.text() == "[limits]\nb = 2\n")
    #expect(settings[.limits] == ["b": 2])
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

  @Test func `a failed background write takes the value back and flush throws`() throws {
    try home.write("counter = 5\nname = \"n\n")
    let settings = try home.store()
    settings[.counter] = 6
    let error = #expect(throws: SettingsError.self) { try settings.flush() }
    #expect(error?.code == .unparsable)
    #expect(settings[.counter] == 0)
    try settings.flush()
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
