import Foundation
import TestModels
import Testing
import TestSupport

@testable import AppSettings

/// What the history says of the writes of a store, and of others.
struct HistoryTests {
  let home = ScratchHome()
  private let theme = SettingsKey("theme", default: "light")
  private let size = SettingsKey("editor.font-size", default: 12)
  private let token = SettingsKey("api.token", default: "", .secret)

  private var folder: String { home.path + "/state/app-settings/files\(home.file).history" }
  private var journal: String { folder + "/journal" }

  private func texts(_ entries: [SettingsHistoryEntry]) -> [String] { entries.map(\.description) }

  @Test func `a write while the history is read is in it as what it is`() throws {
    let writer = try home.store()
    try writer.set("dark", for: theme)
    let theme = theme
    let reader = try home.store(
      system: .before(.open, at: .nth(1), where: { $0.hasSuffix("/journal") }) { _ in
        _ = try? writer.set("light", for: theme)
      })
    #expect(
      texts(try reader.history()) == [
        #"#2 set by org.example.test: theme "dark" -> "light""#, #"#1 set by org.example.test: theme (none) -> "dark""#,
      ])
  }

  @Test func `reading makes nothing, and a first write makes an entry`() throws {
    let settings = try home.store()
    #expect(settings[theme] == "light")
    #expect(try settings.history().isEmpty)
    #expect(home.names(in: home.path + "/state") == [])
    let before = Date()
    try settings.set("dark", for: theme)
    let entry = try #require(try settings.history().first)
    #expect(entry.description == #"#1 set by org.example.test: theme (none) -> "dark""#)
    #expect(entry.actor.process == Int(getpid()) && entry.actor.user == Int(getuid()))
    #expect(abs(entry.time.timeIntervalSince(before)) < 60 && !entry.isUnrecorded)
    #expect(try FileManager.default.attributesOfItem(atPath: journal)[.posixPermissions] as? Int == 0o600)
    #expect(try FileManager.default.attributesOfItem(atPath: folder)[.posixPermissions] as? Int == 0o700)
  }

  @Test func `the history lists sets, resets, updates and changes by others, also of one key`() throws {
    let settings = try home.store()
    try settings.set("dark", for: theme)
    try settings.update { settings in
      settings[theme] = "blue"
      settings[size] = 14
    }
    let text = try #require(home.text())
    try home.write(text.replacingOccurrences(of: "14", with: "20"))
    try settings.set("red", for: theme)
    settings.reset(theme)
    try settings.flush()
    #expect(
      texts(try settings.history()) == [
        ##"#5 reset by org.example.test: theme "red" -> (none)"##,
        ##"#4 set by org.example.test: theme "blue" -> "red""##,
        "#3 outside: editor.font-size 14 -> 20",
        ##"#2 update by org.example.test: theme "dark" -> "blue", editor.font-size (none) -> 14"##,
        ##"#1 set by org.example.test: theme (none) -> "dark""##,
      ])
    #expect(try settings.history(of: size).map(\.id) == [3, 2])
    #expect(try settings.history(of: theme, limit: 2).map(\.id) == [5, 4])
    #expect(try settings.history(since: Date().addingTimeInterval(60)).isEmpty)
    #expect(try settings.history(since: Date(timeIntervalSince1970: 1e300)).isEmpty)
    #expect(try settings.history(since: Date(timeIntervalSince1970: -1e300)).count == 5)
    let other = try home.store()
    #expect(try other.history() == settings.history())
  }

  @Test func `a change by others is told before it is recorded`() throws {
    let settings = try home.store()
    try settings.set("dark", for: theme)
    try home.write("theme = \"vim\"\n")
    let entry = try #require(try settings.history().first)
    #expect(entry.isUnrecorded && entry.description == ##"#2 outside: theme "dark" -> "vim""##)
    #expect(abs(entry.time.timeIntervalSinceNow + 60) < 30)
    #expect(try settings.history(of: size).isEmpty)
    #expect(try settings.formerText(after: 2) == "theme = \"vim\"\n")
  }

  @Test func `any former text is had byte for byte, also by another process`() throws {
    let settings = try home.store()
    try home.write("# mine\n\ntheme = 'light' # kept\n\n[editor]\nfont-size=0x0C\n")
    var expected: [Int: String] = [:]
    expected[0] = home.text()
    _ = settings[theme] + "\(settings[size])"
    for number in 1...200 {
      if number % 3 == 0 {
        try settings.set(number, for: size)
      } else {
        try settings.set("t\(number)\(String(repeating: "é", count: number % 7 * 50))", for: theme)
      }
      expected[number] = home.text()
    }
    let other = try home.store()
    for number in 0...200 { #expect(try other.formerText(after: number) == expected[number]) }
    #expect(throws: SettingsError.self) { try other.formerText(after: 201) }
    #expect(try other.history(of: size).map(\.id) == (1...200).reversed().filter { $0 % 3 == 0 })
  }

  @Test func `a damaged end is left out, and what follows it counts`() throws {
    let settings = try home.store()
    try settings.set("dark", for: theme)
    try settings.set("blue", for: theme)
    var bytes = try #require(FileManager.default.contents(atPath: journal))
    bytes.removeLast(20)
    try bytes.write(to: URL(fileURLWithPath: journal))
    let other = try home.store()
    #expect(
      texts(try other.history()) == [
        // Numbers that the process may have used are not used again.
        ##"#18 outside: theme "dark" -> "blue""##, ##"#1 set by org.example.test: theme (none) -> "dark""##,
      ])
    try other.set("red", for: theme)
    #expect(
      texts(try other.history()) == [
        ##"#19 set by org.example.test: theme "blue" -> "red""##, ##"#18 outside: theme "dark" -> "blue""##,
        ##"#1 set by org.example.test: theme (none) -> "dark""##,
      ])
    #expect(other.historyLosses == [18])
  }

  @Test(arguments: ["", "\0\0\0\0\0\0\0\0", "rubbish\n", "app-settings history 1 00000000000000000000\nrubbish\n"])
  func `a journal of which nothing is left begins anew`(_ damage: String) throws {
    let settings = try home.store()
    try settings.set("dark", for: theme)
    try Data(damage.utf8).write(to: URL(fileURLWithPath: journal))
    let other = try home.store()
    #expect(try other.history().isEmpty)
    try other.set("blue", for: theme)
    #expect(
      texts(try other.history()).map { $0.dropFirst(3) } == [##"set by org.example.test: theme "dark" -> "blue""##])
    #expect(try settings.history().count == 1)
  }

  @Test func `a journal of a newer release stays as it is`() throws {
    let settings = try home.store()
    try settings.set("dark", for: theme)
    let version = "app-settings history 3 something"
    let newer = "\(version) \(TextDigest(of: Array(version.utf8)).text)\n"
    try Data(newer.utf8).write(to: URL(fileURLWithPath: journal))
    let other = try home.store()
    try other.set("blue", for: theme)
    #expect(other[theme] == "blue" && home.text(of: journal) == newer)
    #expect(other.core.problems.current.contains { $0.message.contains("could not record") })
    #expect(throws: SettingsError.self) { try other.history() }
  }

  @Test func `a state directory that cannot be written fails no write, and is told once`() throws {
    try FileManager.default.createDirectory(atPath: home.path + "/state", withIntermediateDirectories: true)
    try Data().write(to: URL(fileURLWithPath: home.path + "/state/app-settings"))
    let settings = try home.store()
    try settings.set("dark", for: theme)
    try settings.set("blue", for: theme)
    #expect(home.text() == "theme = \"blue\"\n")
    #expect(settings.core.problems.current.filter { $0.message.contains("could not record") }.count == 1)
  }

  @Test func `the file's settings-history turns it off and removes it`() throws {
    let settings = try home.store()
    try settings.set("dark", for: theme)
    try home.write("settings-history = false\ntheme = \"dark\"\n")
    try settings.set("blue", for: theme)
    #expect(!FileManager.default.fileExists(atPath: journal))
    #expect(try settings.history().isEmpty)
    try home.write("theme = \"blue\"\n")
    try settings.set("red", for: theme)
    #expect(try settings.history().count == 1)
  }

  @Test func `a program that keeps no history, and the scope of state`() throws {
    let location = try home.location()
    let settings = SettingsStore(at: location, history: .off, logger: .silent)
    try settings.set("dark", for: theme)
    #expect(!FileManager.default.fileExists(atPath: folder))
  }

  @Test func `it stays within its bounds, and begins with a text`() throws {
    let settings = SettingsStore(at: try home.location(), history: .limited(toBytes: 150_000), logger: .silent)
    var texts: [Int: String] = [:]
    for number in 1...1000 {
      try settings.set("value \(number)", for: theme)
      texts[number] = home.text()
    }
    let size = try #require(FileManager.default.attributesOfItem(atPath: journal)[.size] as? Int)
    #expect(size < 220_000 && size > 60_000)
    let entries = try settings.history()
    let last = try #require(entries.last)
    #expect(entries.count == 1000 - last.id + 1 && last.id > 1)
    for number in stride(from: last.id - 1, through: 1000, by: 37) {
      #expect(try settings.formerText(after: number) == texts[number])
    }
    #expect(throws: SettingsError.self) { try settings.formerText(after: last.id - 2) }
    #expect(try home.store().history(of: theme) == entries)
  }

  @Test func `a migration is an entry of its own`() throws {
    try home.write("name = \"Ann\"\n")
    let migrations = [Migration(2, "rename", [.rename("name", to: "user")])]
    let key = SettingsKey("user", default: "", .formerly("name"))
    let settings = try home.store(migrations: migrations)
    #expect(settings[key] == "Ann")
    try settings.set("Bob", for: key)
    let entries = try settings.history()
    #expect(entries.map(\.reason) == [.set, .migration])
  }

  @Test func `a time finds the entry of it`() throws {
    let settings = try home.store()
    var times: [Date] = []
    for number in 1...30 {
      try settings.set("\(number)", for: theme)
      times.append(try #require(try settings.history(limit: 1).first).time)
    }
    // Several may be of one millisecond: the last of them counts.
    let now = Date()
    for time in times { #expect(try settings.historyNumber(at: time, asked: now) == times.lastIndex(of: time)! + 1) }
    #expect(try settings.historyNumber(at: times[0].addingTimeInterval(-1), asked: now) == nil)
    #expect(try settings.historyNumber(at: now, asked: now) == 30)
  }

  @Test func `values that nobody has declared are left out until somebody does`() throws {
    try home.write("# of mine\nmine = \"hush\"\ntheme = \"light\"\n")
    let settings = try home.store()
    try settings.set("dark", for: theme)
    let kept = try settings.formerText(after: 1)
    #expect(!kept.contains("hush") && kept.contains("theme = \"dark\""))
    let mine = SettingsKey("mine", default: "")
    _ = settings[mine]
    try settings.set("blue", for: theme)
    #expect(try settings.formerText(after: 2) == home.text())
    #expect(try settings.formerText(after: 2).contains("# of mine\nmine = \"hush\""))
  }

  @Test func `a file of which nothing is known is kept as it is, but for names that say what they hold`() throws {
    try home.write("a = 1\n")
    let settings = SettingsStore(
      at: try home.location(), migrations: .none, logger: .silent, acceptsAnyVersion: true)
    try settings.core.commit { _ in
      [Edit(path: ["b"], value: .integer(2)), Edit(path: ["Password"], value: .string("hush"))]
    }
    #expect(try settings.formerText(after: 1).hasPrefix("a = 1\nb = 2\nPassword = \"(not"))
  }
}
