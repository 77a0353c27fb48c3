import AppSettings
import Foundation
import Testing
import TestSupport

/// Each file has its own backups and after-commit list, and has them whatever leads to it.
struct BackupIdentityTests {
  let home = ScratchHome()
  private let migrations = [Migration(2, "rename old", [.rename("old", to: "new")])]
  private let value = SettingsKey("new", default: 0)

  private func store(_ location: SettingsLocation, _ migrations: [Migration]? = nil) -> SettingsStore {
    SettingsStore(
      at: location, migrations: SettingsMigrations(migrations ?? self.migrations), logger: .silent,
      acceptsAnyVersion: false,
      system: Syscalls())
  }

  private func location(_ path: String) throws -> SettingsLocation {
    try SettingsLocation(file: path, environment: home.environment)
  }

  private func app(_ name: String = "settings", _ scope: SettingsLocation.Scope = .config) throws -> SettingsLocation {
    try SettingsLocation(app: "org.example.test", name: name, scope: scope, environment: home.environment)
  }

  private func link(_ path: String, to target: String) throws {
    try FileManager.default.createDirectory(
      atPath: (path as NSString).deletingLastPathComponent, withIntermediateDirectories: true)
    try FileManager.default.createSymbolicLink(atPath: path, withDestinationPath: target)
  }

  @Test func `stores of two scopes do not take each other's backups`() throws {
    let places = [try app(), try app("settings", .state), try app("settings", .data)]
    for (number, place) in places.enumerated() {
      try home.write("old = \(number + 1)\n", to: place.file)
      #expect(store(place)[value] == number + 1)
    }
    #expect(Set(places.map(\.backupsDirectory)).count == 3)
    for (number, place) in places.enumerated() {
      #expect(try store(place).backups().count == 1)
      try store(place).restore()
      #expect(home.text(of: place.file) == "old = \(number + 1)\n")
    }
  }

  @Test func `a name that begins with another's pushes no backup of it out`() throws {
    let extra = try app("settings.extra")
    for number in 0..<12 {
      try home.write("= \(number)\n", to: extra.file)
      #expect(try store(extra).recover() != nil)
    }
    try home.write("= mine\n")
    let kept = try #require(try store(try app()).recover())
    #expect(home.text(of: kept.path) == "= mine\n")
    #expect(try store(try app()).backups() == [kept])
    #expect(try store(extra).backups().count == 10)
  }

  @Test func `two paths that differ by dots alone are two files`() throws {
    try home.write("old = 1\n", to: home.path + "/w/x.toml")
    try home.write("old = 2\n", to: home.path + "/w/p/x.toml")
    try store(try location(home.path + "/w/p/../x.toml")).migrate()
    let other = store(try location(home.path + "/w/p/x.toml"))
    #expect(try other.backups().isEmpty)
    #expect(throws: SettingsError.self) { try other.restore() }
    #expect(home.text(of: home.path + "/w/p/x.toml") == "old = 2\n")
    try store(try location(home.path + "/w/x.toml")).restore()
    #expect(home.text(of: home.path + "/w/x.toml") == "old = 1\n")
  }

  @Test func `an app's file has the same backups by the app, by its path, and through links`() throws {
    let target = home.path + "/dotfiles/editor.toml"
    try home.write("old = 1\n", to: target)
    try link(home.file, to: target)
    try link(home.path + "/short", to: home.path + "/dotfiles")
    #expect(store(try app())[value] == 1)
    let backups = try store(try app()).backups()
    #expect(backups.count == 1)
    for path in [home.file, target, home.path + "/short/editor.toml", home.path + "/config/../dotfiles/./editor.toml"] {
      #expect(try store(try location(path)).backups() == backups, "\(path)")
      #expect(try location(path).backupsDirectory == home.backups(of: target))
    }
    try store(try location(home.path + "/short/editor.toml")).restore()
    #expect(home.text(of: target) == "old = 1\n")
  }

  @Test func `a failed hook of one store is not struck off by another's`() throws {
    struct Failed: Error {}
    let runs = Monitor<[String]>([])
    func migrations(_ name: String, fails: Bool) -> [Migration] {
      [
        Migration(2, "rename old", [.rename("old", to: "new")]).afterCommit { _ in
          if fails { throw Failed() }
          runs.withLock { $0.append(name) }
        }
      ]
    }
    try home.write("old = 1\n")
    try home.write("old = 1\n", to: try app("settings", .state).file)
    #expect(store(try app(), migrations("config", fails: true))[value] == 1)
    #expect(store(try app("settings", .state), migrations("state", fails: false))[value] == 1)
    #expect(runs.withLock { $0 } == ["state"])
    #expect(store(try app(), migrations("config", fails: false))[value] == 1)
    #expect(runs.withLock { $0 } == ["state", "config"])
    #expect(store(try app(), migrations("config", fails: false))[value] == 1)
    #expect(runs.withLock { $0 } == ["state", "config"])
  }
}
