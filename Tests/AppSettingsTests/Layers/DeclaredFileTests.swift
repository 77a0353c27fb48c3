import AppSettings
import Foundation
import SettingsTOML
import Testing
import TestSupport

/// The person's declared files, and the mirror of a fleet: layers around the user's file that are only read.
struct DeclaredFileTests {
  private let home = ScratchHome()
  private let theme = SettingsKey("theme", default: "none")

  private func origin(_ settings: SettingsStore) -> String { settings.origin(of: theme).layer.description }

  @Test func `declared files are above administrators' and below the user's`() throws {
    try home.write("theme = 'system'\n", to: home.systemFile("settings.toml"))
    try home.write("theme = 'drop-in'\n", to: home.systemFile("settings.d/50.toml"))
    try home.write("theme = 'fleet'\n", to: home.path + "/fleet/org.example.test/settings.d/10.toml")
    #expect(try home.store()[theme] == "fleet")
    #expect(try home.store().origin(of: theme).layer.kind == .system)
    try home.write("theme = 'a'\n", to: home.file("settings.d/a.toml"))
    try home.write("theme = 'b'\n", to: home.file("settings.d/b.toml"))
    try home.write("theme = 'hidden'\n", to: home.file("settings.d/.c.toml"))
    try home.write("theme = 'no TOML'\n", to: home.file("settings.d/d.txt"))
    let settings = try home.store()
    #expect(settings[theme] == "b")
    #expect(settings.origin(of: theme).description == "declared \(home.file("settings.d/b.toml")):1")
    try settings.set("user", for: theme)
    #expect(origin(settings) == "user \(home.file)")
    #expect(home.text(of: home.file("settings.d/b.toml")) == "theme = 'b'\n")
    settings.reset(theme)
    try settings.flush()
    #expect(settings[theme] == "b")
  }

  @Test func `the fleet's directory has drop-ins only, and its locks hold`() throws {
    try home.write("theme = 'no'\n", to: home.path + "/fleet/org.example.test/settings.toml")
    #expect(try home.store()[theme] == "none")
    try home.write(
      "settings-locked = ['theme']\ntheme = 'fleet'\n", to: home.path + "/fleet/org.example.test/settings.d/10.toml")
    try home.write("theme = 'declared'\n", to: home.file("settings.d/a.toml"))
    let settings = try home.store()
    #expect(settings[theme] == "fleet")
    #expect(settingsError { try settings.set("mine", for: theme) }?.code == .locked)
  }

  @Test func `only administrators' files lock`() throws {
    try home.write("settings-locked = ['theme']\ntheme = 'declared'\n", to: home.file("settings.d/a.toml"))
    let settings = try home.store()
    try settings.set("mine", for: theme)
    #expect(settings[theme] == "mine")
  }

  @Test func `directories for this system, machine and host come after, in this order`() throws {
    let id = MachineFacts.systemID(Syscalls()) ?? "none"
    let names = MachineFacts.names
    let host = names.host.split(separator: ".", omittingEmptySubsequences: false)[0]
    func expect(_ value: String, _ sourceLocation: SourceLocation = #_sourceLocation) throws {
      #expect(try home.store()[theme] == value, sourceLocation: sourceLocation)
    }
    try home.write("theme = 'plain'\n", to: home.file("settings.d/z.toml"))
    for other in ["@os=other", "@arch=other", "@host=other", "@os", "@moon=full", "@os=\(id)x"] {
      try home.write("theme = '\(other)'\n", to: home.file("settings.d/\(other)/a.toml"))
    }
    try expect("plain")
    if id != "none" {
      try home.write("theme = 'os'\n", to: home.file("settings.d/@os=\(id)/a.toml"))
      try expect("os")
    }
    try home.write("theme = 'arch'\n", to: home.file("settings.d/@arch=\(names.machine)/a.toml"))
    try expect("arch")
    try home.write("theme = 'host'\n", to: home.file("settings.d/@host=\(host)/a.toml"))
    try expect("host")
    let origin = try home.store().origin(of: theme)
    #expect(origin.layer == SettingsLayer(.declared, file: home.file("settings.d/@host=\(host)/a.toml")))
  }

  @Test func `os-release is read as it is written`() {
    #expect(MachineFacts.systemID(in: "NAME=x\nID=debian\n") == "debian")
    #expect(MachineFacts.systemID(in: "VERSION_ID=1\nID=\"opensuse-leap\"") == "opensuse-leap")
    #expect(MachineFacts.systemID(in: "ID='arch'\n") == "arch")
    #expect(MachineFacts.systemID(in: "ID=\n") == nil)
    #expect(MachineFacts.systemID(in: "ID_LIKE=debian") == nil)
  }

  @Test func `links into a read-only tree work, and nothing is written there`() throws {
    try home.write("theme = 'linked'\n", to: home.path + "/store/1/a.toml")
    try FileManager.default.createDirectory(atPath: home.file(""), withIntermediateDirectories: true)
    symlink(home.path + "/store/1", home.file("settings.d"))
    chmod(home.path + "/store/1", 0o500)
    chmod(home.path + "/store/1/a.toml", 0o400)
    let settings = try home.store()
    #expect(settings[theme] == "linked")
    try settings.set("mine", for: theme)
    #expect(home.text(of: home.path + "/store/1/a.toml") == "theme = 'linked'\n")
  }

  @Test func `a declared file is migrated in memory`() throws {
    let migrations = [Migration(2, "rename colour to theme", [.rename("colour", to: "theme")])]
    try home.write("colour = 'old'\n", to: home.file("settings.d/a.toml"))
    let settings = try home.store(migrations: migrations)
    #expect(settings[theme] == "old")
    #expect(home.text(of: home.file("settings.d/a.toml")) == "colour = 'old'\n")
    #expect(home.text() == nil)
  }

  @Test func `a declared file that cannot be used is left out, with a problem that has its place`() throws {
    try home.write("theme = \n", to: home.file("settings.d/a.toml"))
    try home.write("theme = 'b'\n", to: home.file("settings.d/b.toml"))
    let settings = try home.store()
    #expect(settings[theme] == "b")
    let problem = try #require(settings.currentProblems.first)
    #expect(problem.code == .unparsable && problem.file == home.file("settings.d/a.toml"))
  }

  @Test func `each store has its own declared files, and state and administrators' stores have none`() throws {
    try home.write("theme = 'window'\n", to: home.file("window.d/a.toml"))
    try home.write("theme = 'settings'\n", to: home.file("settings.d/a.toml"))
    #expect(try home.store(name: "window")[theme] == "window")
    func value(at location: SettingsLocation) -> String {
      SettingsStore(at: location, migrations: .none, logger: .silent, acceptsAnyVersion: false, system: Syscalls())[
        theme]
    }
    #expect(
      value(at: try SettingsLocation(app: "org.example.test", scope: .state, environment: home.environment)) == "none")
    #expect(
      value(at: try SettingsLocation(administratorsOf: "org.example.test", environment: home.environment)) == "none")
  }
}
