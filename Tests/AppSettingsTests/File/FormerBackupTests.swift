import AppSettings
import AppSettingsMigrations
import Foundation
import Testing
import TestSupport

/// What older releases kept stays within reach.
struct FormerBackupTests {
  let home = ScratchHome()
  private var former: String { home.path + "/state/org.example.test/backups" }
  private static let second = "20200101T00000"

  private func store(_ location: SettingsLocation? = nil) throws -> SettingsStore {
    SettingsStore(
      at: try location ?? home.location(), migrations: .none, logger: .silent, acceptsAnyVersion: true,
      system: Syscalls())
  }

  private func texts(_ location: SettingsLocation? = nil) throws -> [String?] {
    try store(location).backups.map { home.text(of: $0.path) }
  }

  private func keep(_ text: String, _ number: Int = 0, _ name: String = "settings", in directory: String? = nil) throws
  {
    let base = "\(name).\(Self.second)\(number / 10)Z-00\(number % 10).before-v2-was-v1.toml"
    try home.write(text, to: (directory ?? former) + "/" + base)
  }

  @Test func `old backups come after all new ones, and undo takes one if there is no other`() throws {
    try keep("a = 1\n", 1)
    try keep("a = 2\n", 11)
    try keep("other = 1\n", 12, "settings.extra")
    try home.write("settings-version = 2\n")
    try store().restore()
    #expect(home.text() == "a = 2\n")
    #expect(try texts() == ["settings-version = 2\n", "a = 2\n", "a = 1\n"])
  }

  @Test func `old backups are the first to be pruned, and those of other names stay`() throws {
    for number in 0..<5 {
      try keep("old \(number)", number)
      try keep("extra \(number)", number, "settings.extra")
    }
    let backups = Backups(of: try home.location(), system: Syscalls())
    for number in 0..<8 { try backups.save(Array("new \(number)".utf8), reason: "test") }
    #expect(try texts() == (0..<8).reversed().map { "new \($0)" } + ["old 4", "old 3"])
    #expect(home.names(in: former).filter { $0.hasPrefix("settings.extra.") }.count == 5)
  }

  @Test func `what may be of the app's state is listed, not pruned, and restored by name only`() throws {
    try keep("a = 1\n")
    let state = try SettingsLocation(app: "org.example.test", scope: .state, environment: home.environment)
    try home.write("b = 1\n", to: state.file)
    try home.write("settings-version = 2\n")
    for location in [try home.location(), state] {
      let settings = try store(location)
      let backup = try #require(try settings.backups.first)
      #expect(backup.mayBeOfAnotherFile)
      let text = home.text(of: location.file)
      let error = #expect(throws: SettingsError.self) { try settings.restore() }
      #expect(error?.message.contains("may be of another file") == true)
      #expect(home.text(of: location.file) == text)
    }
    let backups = Backups(of: try home.location(), system: Syscalls())
    for number in 0..<12 { try backups.save(Array("\(number)".utf8), reason: "test") }
    #expect(try store().backups.count == 11)
    try store().restore(try store().backups.last)
    #expect(home.text() == "a = 1\n")
  }

  @Test func `old backups by path are found by the same path, and are unsure where dots made two files one`() throws {
    let file = home.path + "/w/p/x.toml"
    let directory = home.backups(of: file)
    try keep("a = 1\n", 0, "x", in: directory)
    try home.write("settings-version = 2\n", to: file)
    let location = try SettingsLocation(file: file, environment: home.environment)
    #expect(try store(location).backups.map(\.mayBeOfAnotherFile) == [false])
    let other = home.path + "/w/x.toml"
    try home.write("", to: other)
    #expect(try store(location).backups.map(\.mayBeOfAnotherFile) == [true])
    let spelled = try SettingsLocation(file: home.path + "/w/p/../x.toml", environment: home.environment)
    #expect(try store(spelled).backups.map(\.mayBeOfAnotherFile) == [true])
    try FileManager.default.removeItem(atPath: file)
    #expect(try store(spelled).backups.map(\.mayBeOfAnotherFile) == [false])
    #expect(try texts(spelled) == ["a = 1\n"])
  }

  @Test func `temporary files of old backups go with the next backup, and those of other names stay`() throws {
    let stray = ".settings.20200101T000000Z-000.before-v2-was-v1.toml.settings-new"
    let other = ".settings.extra.20200101T000000Z-000.before-v2-was-v1.toml.settings-new"
    try home.write("stray", to: former + "/" + stray)
    try home.write("other", to: former + "/" + other)
    try Backups(of: try home.location(), system: Syscalls()).save([], reason: "test")
    #expect(home.names(in: former) == [other])
  }

  @Test func `an old after-commit list is done once, by each file that may be meant`() throws {
    try home.write("versions = [2]\n", to: former + "/settings.after-commit/due.toml")
    let runs = Monitor(0)
    let migrations = SettingsMigrations {
      Migration(2, "drop the cache") { Remove("cache") }.afterCommit { _ in runs.withLock { $0 += 1 } }
    }
    for scope in [SettingsLocation.Scope.config, .state] {
      let location = try SettingsLocation(app: "org.example.test", scope: scope, environment: home.environment)
      try home.write("settings-version = 2\na = 1\n", to: location.file)
      for _ in 0..<2 {
        let settings = SettingsStore(
          at: location, migrations: migrations, logger: .silent, acceptsAnyVersion: false, system: Syscalls())
        #expect(settings[SettingsKey("a", default: 0)] == 1)
      }
    }
    #expect(runs.withLock { $0 } == 2)
  }
}
