import AppSettingsImport
import Foundation
import SettingsTOML
import TestModels
import Testing
import TestSupport

@testable import AppSettings

/// Secrets through every door of the library, and nothing of them in the history.
struct HistorySecretTests {
  private struct Account: Codable, Identifiable, Sendable {
    var id: String
    var user = ""
    var password = ""
  }

  private let token = SettingsKey("api.token", default: "", .secret)
  private let pins = SettingsKey("pins", default: [String: String](), .secret)
  private let accounts = SettingsRecordKey<Account>("accounts", .secret)
  private let moved = SettingsKey("vault.key", default: "", .secret, .formerly("key"))
  private let theme = SettingsKey("theme", default: "light")

  /// 10,000 with `SETTINGS_FULL=1`.
  private static let rounds = ProcessInfo.processInfo.environment["SETTINGS_FULL"] == "1" ? 1250 : 15

  private func contents(of home: ScratchHome) throws -> Data {
    var all = Data()
    for case let name as String in FileManager.default.enumerator(atPath: home.path + "/state") ?? .init()
    where name.contains(".history/") {
      all += FileManager.default.contents(atPath: home.path + "/state/" + name) ?? Data()
    }
    return all
  }

  @Test func `no secret is in the history, whatever door it came through`() throws {
    var secrets: [String] = []
    func secret() -> String {
      let secret = "s3c\(UInt64.random(in: 0 ... .max))\(["", "é", "\"q", "\\x"].randomElement()!)"
      secrets.append(secret)
      return secret
    }
    let migrations = [Migration(2, "move", [.rename("password", to: "api.token")])]
    for _ in 0..<Self.rounds {
      let home = ScratchHome()
      var known = secrets.count
      // A file of an earlier release, and one that a person has edited before any key was used.
      try home.write(
        "password = '\(secret().replacing("'", with: ""))'\nunknown = \"\(secret().filter { $0.isLetter || $0.isNumber })\"\ntheme = \"light\"\n# api.token = \"old\"\n"
      )
      secrets[known] = secrets[known].replacing("'", with: "")
      secrets[known + 1] = secrets[known + 1].filter { $0.isLetter || $0.isNumber }
      let settings = try home.store(migrations: migrations)
      try settings.set("dark", for: theme)
      try settings.set(secret(), for: token)
      settings[token] = secret()
      try settings.flush()
      let (pin, password) = (secret(), secret())
      try settings.update { settings in
        settings[pins] = ["a": pin]
        settings[theme] = "blue"
      }
      try settings[accounts].put(Account(id: "one", user: "u", password: password))
      try settings.set(secret(), for: moved)
      known = secrets.count
      try home.write(
        (home.text() ?? "") + "\n[vault.more]\nx = \"\(secret().filter { $0.isLetter || $0.isNumber })\"\n")
      secrets[known] = secrets[known].filter { $0.isLetter || $0.isNumber }
      try settings.set("red", for: theme)
      _ = try? settings.undo(token)
      try settings.undo(theme)
      settings.reset(token)
      try settings.flush()
      _ = try? settings.restore()
      let history = try contents(of: home)
      #expect(!history.isEmpty)
      var said = try settings.history().map(\.description).joined(separator: "\n")
      for entry in try settings.history() { said += (try? settings.formerText(after: entry.id)) ?? "" }
      said += settings.core.problems.current.map(\.message).joined(separator: "\n")
      for secret in secrets.suffix(12) {
        let escaped = secret.replacing("\\", with: "\\\\").replacing("\"", with: "\\\"")
        for text in [secret, escaped, escaped.replacing("\\", with: "\\\\").replacing("\"", with: "\\\"")] {
          #expect(history.range(of: Data(text.utf8)) == nil, "\(text)")
          #expect(!said.contains(text), "\(text)")
        }
      }
    }
  }

  @Test func `a key that becomes a secret takes the history with it`() throws {
    let home = ScratchHome()
    let plain = SettingsKey("api.token", default: "")
    try home.store().set("hush", for: plain)
    #expect(try contents(of: home).range(of: Data("hush".utf8)) != nil)
    // A writer was killed while it made the journal shorter.
    let folder = home.path + "/state/app-settings/files\(home.file).history/"
    try FileManager.default.copyItem(atPath: folder + "journal", toPath: folder + ".journal.settings-new")
    let settings = try home.store()
    _ = settings[token]
    try settings.set("dark", for: theme)
    #expect(try contents(of: home).range(of: Data("hush".utf8)) == nil)
    #expect(try settings.history().count == 1)
  }

  @Test func `that a key is a secret survives a power failure`() throws {
    let home = ScratchHome()
    let synced = Monitor<[String]>([])
    let system = Syscalls.tracing(into: synced) { call, path in call == .fsync ? path.lastPart : nil }
    let settings = try home.store(system: system)
    try settings.set("dark", for: theme)
    #expect(!synced.withLock { $0.contains("keys") })
    _ = settings[token]
    for value in ["light", "dark", "light"] { try settings.set(value, for: theme) }
    #expect(synced.withLock { $0.filter { $0 == "keys" }.count } == 1)
  }

  @Test func `what is noted of secrets that have gone is overwritten`() throws {
    let home = ScratchHome()
    let present = home.path + "/state/app-settings/files\(home.file).history/present"
    func note(_ text: String) throws -> [UInt8] {
      try home.write(text)
      try home.store().set("t\(text.count)", for: theme)
      return Array(try #require(FileManager.default.contents(atPath: present)))
    }
    let long = try note((0..<50).map { "token-\($0) = \"\(String(repeating: "x", count: $0))\"\n" }.joined())
    let short = try note("other = 1\n")
    #expect(short.count == long.count)
    let end = try #require(short.lastIndex { $0 != 0 })
    #expect(end < long.count - 500)
  }

  @Test func `a table that becomes a secret takes what was kept beside a secret in it`() throws {
    let home = ScratchHome()
    let former = try home.store()
    _ = former[token]
    try former.set("hush", for: SettingsKey("api.user", default: ""))
    #expect(try contents(of: home).range(of: Data("hush".utf8)) != nil)
    let settings = try home.store()
    _ = settings[SettingsKey("api", default: [String: String](), .secret)]
    try settings.set("dark", for: theme)
    #expect(try contents(of: home).range(of: Data("hush".utf8)) == nil)
  }

  /// A file that nobody had declared anything of; then a release declares other keys, and the next one the secret.
  @Test func `a key that becomes a secret takes what was kept before anything was declared`() throws {
    let home = ScratchHome()
    let plain = SettingsStore(at: try home.location(), migrations: .none, logger: .silent, acceptsAnyVersion: true)
    try plain.core.commit { _ in [Edit(path: ["pins", "a"], value: .string("hush"))] }
    #expect(try contents(of: home).range(of: Data("hush".utf8)) != nil)
    try home.store().set("dark", for: theme)
    let settings = try home.store()
    _ = settings[pins]
    try settings.set("blue", for: theme)
    try settings.set(["a": "other"], for: pins)
    #expect(try contents(of: home).range(of: Data("hush".utf8)) == nil)
    #expect(try settings.history().last?.id ?? 0 > 2 && settings.historyLosses.isEmpty)
  }

  /// In the digest of its checkpoint, in what says that it is one, and in its end.
  @Test(arguments: [3, 19, -2])
  func `so does it where that part of the journal is damaged`(place: Int) throws {
    let home = ScratchHome()
    let plain = SettingsStore(at: try home.location(), migrations: .none, logger: .silent, acceptsAnyVersion: true)
    try plain.core.commit { _ in [Edit(path: ["pins", "a"], value: .string("hush"))] }
    try home.store().set("dark", for: theme)
    let journal = URL(fileURLWithPath: home.path + "/state/app-settings/files\(home.file).history/journal")
    var bytes = Array(try Data(contentsOf: journal))
    let breaks = bytes.indices.filter { bytes[$0] == 0x0A }
    bytes[place < 0 ? breaks[1] + place : breaks[0] + 1 + place] ^= 1
    try Data(bytes).write(to: journal)
    let settings = try home.store()
    _ = settings[pins]
    try settings.set("blue", for: theme)
    #expect(try contents(of: home).range(of: Data("hush".utf8)) == nil)
  }

  /// Keys are declared, but not yet the one that the comment is about.
  @Test(arguments: [
    "# The PIN was hush\ntheme = \"a\"\n", "theme = \"a\" # C:\\new pin: hush\n",
    "# x\n# pin: hush\n# y\ntheme = \"a\"\n", "# the pin: hush\n# z\ntheme = \"a\"\n",
  ])
  func `a key that becomes a secret takes the comments about it with it`(text: String) throws {
    let home = ScratchHome()
    // Some from the beginning, and one by an editor, into comments that are there.
    try home.write(
      text.contains("# y")
        ? "# x\n# y\ntheme = \"a\"\n" : text.contains("# z") ? text.replacingOccurrences(of: "pin", with: "pan") : text)
    try home.store().set("b", for: theme)
    try home.write(text)
    try home.store().set("c", for: theme)
    #expect(try contents(of: home).range(of: Data("hush".utf8)) != nil)
    let settings = try home.store()
    _ = settings[SettingsKey("db.pin", default: "", .secret)]
    for value in ["d", "e"] { try settings.set(value, for: theme) }
    #expect(try contents(of: home).range(of: Data("hush".utf8)) == nil)
    #expect(try settings.history().map(\.id).min() ?? 0 > 2 && settings.historyLosses.isEmpty)
  }

  @Test func `a key that becomes a secret leaves a history that has nothing about it`() throws {
    let home = ScratchHome()
    try home.write("# about y\nspinner = \"#1\" # x\ntheme = \"a\"\n")
    let former = try home.store()
    _ = former[SettingsKey("spinner", default: "")]
    try former.set("b", for: theme)
    let settings = try home.store()
    _ = settings[SettingsKey("pin", default: "", .secret)]
    try settings.set("c", for: theme)
    #expect(try settings.history().count == 2)
  }

  /// A process of an older release runs on, and does not know that the key is a secret now.
  @Test func `what one process has declared counts for one that began before`() throws {
    let home = ScratchHome()
    let older = try home.store()
    try older.set("hush", for: SettingsKey("api.token", default: ""))
    try older.set("dark", for: theme)
    let newer = try home.store()
    _ = newer[token]
    try newer.set("blue", for: theme)
    try older.set("red", for: theme)
    try older.set("whisper", for: SettingsKey("api.token", default: ""))
    let all = try contents(of: home)
    #expect(all.range(of: Data("hush".utf8)) == nil && all.range(of: Data("whisper".utf8)) == nil)
    #expect(try newer.history().first?.changes.first?.isHidden == true)
  }

  @Test func `a write within an inline table around a secret one of dotted keys is kept without values`() throws {
    let home = ScratchHome()
    let login = SettingsKey("db.auth", default: [String: String](), .secret)
    let port = SettingsKey("db.port", default: 1)
    try home.write("db = { auth.user = \"ada\", auth.password = \"hush\", port = 1 }\n")
    let settings = try home.store()
    #expect(settings[login] == ["user": "ada", "password": "hush"])
    try settings.set(2, for: port)
    try settings.update { $0[login]["password"] = "whisper" }
    try settings.set("dark", for: theme)
    let all = try contents(of: home)
    for text in ["ada", "hush", "whisper"] { #expect(all.range(of: Data(text.utf8)) == nil, "\(text)") }
    let changes = try settings.history().map { $0.changes.map { "\($0.path) \($0.isHidden)" } }
    #expect(changes == [["theme false"], ["db true"], ["db true"]])
  }

  @Test func `a comment is kept from when the secret below it is gone, and only if it stays in the file`() throws {
    let home = ScratchHome()
    let secrets = ["code", "pin"].map { SettingsKey($0, default: "", .secret) }
    try home.write("# top\npin = \"x\"\n# hush\ncode = \"x\"\ntheme = \"a\"\n")
    let settings = try home.store()
    for key in secrets { _ = settings[key] }
    try settings.set("b", for: theme)
    #expect(try contents(of: home).range(of: Data("# top".utf8)) == nil)
    for key in secrets { settings.reset(key) }
    try settings.flush()
    #expect(home.text() == "# top\ntheme = \"b\"\n")
    try settings.set("c", for: theme)
    #expect(try !settings.formerText(after: 1).contains("top"))
    #expect(try settings.formerText(after: settings.history().first?.id ?? 0).hasPrefix("# top\n"))
    #expect(try contents(of: home).range(of: Data("hush".utf8)) == nil)
  }

  /// The length of a secret is nowhere but in `present`, which says how the file is now.
  @Test func `the journal is the same, however long a secret is`() throws {
    let journals = try ["x", String(repeating: "long", count: 100)].map { secret in
      let home = ScratchHome()
      let settings = try home.store()
      _ = settings[token]
      try settings.set("dark", for: theme)
      try settings.set(secret, for: token)
      try settings.set("blue", for: theme)
      try settings.set(secret + secret, for: token)
      try settings.set("red", for: theme)
      let journal = try #require(home.text(of: home.path + "/state/app-settings/files\(home.file).history/journal"))
      return journal.replacing(/(?m)^[0-9a-f]{16} |"t":\d+|"file":\[\d+,\d+,\d+/, with: "")
    }
    #expect(journals[0] == journals[1])
  }
}

extension String {
  fileprivate var lastPart: String { (self as NSString).lastPathComponent }
}
