import AppSettings
import Foundation
import Testing
import TestSupport

/// Records of administrators' files, locks and overrides.
struct RecordLayerTests {
  let home = ScratchHome()
  private var system: String { home.path + "/etc/xdg/org.example.test/settings.toml" }

  @Test func `an administrator's records come first, and the user's fields count above theirs`() throws {
    try home.write("[servers.a]\nregion = \"s\"\nport = 1\n[servers.b]\nregion = \"s\"\n", to: system)
    try home.write("[servers.c]\nregion = \"u\"\n[servers.a]\nregion = \"u\"\n")
    let settings = try home.store()
    #expect(
      settings[.servers].all == [
        Server(id: "a", region: "u", port: 1), Server(id: "b", region: "s"), Server(id: "c", region: "u"),
      ])
    #expect(settings[.servers].origin(of: "b").layer.kind == .system)
    #expect(settings[.servers].origin(of: "b").position?.line == 4)
    #expect(settings[.servers].origin(of: "c").layer.kind == .user)
  }

  @Test func `an administrator's record cannot be removed or renamed, which says where it is`() async throws {
    try home.write("[servers.a]\nregion = \"s\"\n", to: system)
    try home.write("[servers.a]\nregion = \"u\"\n[servers.b]\nregion = \"u\"\n")
    let settings = try home.store()
    let before = home.text()
    let message = "the record 'servers.a': it is in '\(system)', line 1, for all users. "
    let error = await #expect(throws: SettingsError.self) { try await settings[.servers].remove("a") }
    #expect(error?.code == .readOnly)
    #expect(
      error?.message == "Cannot remove \(message)Reset it to drop your own changes to it. Nothing was changed.")
    let renaming = await #expect(throws: SettingsError.self) { try await settings[.servers].rename("a", to: "c") }
    #expect(renaming?.code == .readOnly && renaming?.message.hasPrefix("Cannot rename \(message)") == true)
    #expect(throws: SettingsError.self) { try settings.update { $0[.servers]["a"] = nil } }
    settings[.servers]["a"] = nil
    #expect(settings.currentProblems.map(\.code) == [.readOnly])
    // Nor can another one take its name.
    let taking = await #expect(throws: SettingsError.self) { try await settings[.servers].rename("b", to: "a") }
    #expect(taking?.code == .existingRecord)
    try await settings.flush()
    #expect(home.text() == before)
    #expect(settings[.servers]["a"]?.region == "u")
    settings[.servers].reset("a")
    try await settings.flush()
    #expect(settings[.servers]["a"]?.region == "s")
    #expect(home.text() == "[servers.b]\nregion = \"u\"\n")
  }

  @Test func `a locked record, and one of a locked table, cannot be written`() throws {
    try home.write("settings-locked = [\"servers.a\", \"slots\"]\n[servers.a]\nregion = \"s\"\n", to: system)
    let settings = try home.store()
    let error = #expect(throws: SettingsError.self) { try settings[.servers].put(Server(id: "a", region: "u")) }
    #expect(error?.code == .locked)
    #expect(throws: SettingsError.self) { try settings[.slots].put(Slot(id: 1, label: "")) }
    settings[.slots][2] = Slot(id: 2, label: "")
    #expect(settings[.slots].all.isEmpty)
    // As it is, it may be put, and so may others.
    #expect(try !settings[.servers].put(Server(id: "a", region: "s")))
    try settings[.servers].put(Server(id: "b"))
    #expect(settings[.servers].ids == ["a", "b"])
    #expect(settings[.servers].origin(of: "a").isLocked)
  }

  @Test func `what the user has of a locked record can be reset, and not removed as the record`() throws {
    try home.write("settings-locked = [\"servers.a\", \"slots\"]\n[servers.a]\nregion = \"s\"\n", to: system)
    let own = "[servers.a]\nregion = \"u\"\n[servers.b]\nregion = \"u\"\n"
    try home.write(own + "[slots.1]\nlabel = \"u\"\n")
    let settings = try home.store()
    #expect(settingsError { try settings[.slots].remove(1) }?.code == .locked)
    settings[.slots].reset(1)
    try settings.flush()
    #expect(home.text() == own)
    settings[.servers].reset("a")
    try settings.flush()
    #expect(home.text() == "[servers.b]\nregion = \"u\"\n")
    #expect(settings[.servers].all == [Server(id: "a", region: "s"), Server(id: "b", region: "u")])
    #expect(settings.currentProblems.isEmpty, "\(settings.currentProblems)")
  }

  @Test func `with one field locked, the others can be set`() throws {
    try home.write("settings-locked = [\"servers.a.region\"]\n[servers.a]\nregion = \"s\"\n", to: system)
    let settings = try home.store()
    settings[.servers]["a"]?.port = 5
    #expect(settings[.servers]["a"] == Server(id: "a", region: "s", port: 5))
    try settings.flush()
    #expect(settings.currentProblems.isEmpty)
    let error = #expect(throws: SettingsError.self) { try settings[.servers].put(Server(id: "a", region: "u")) }
    #expect(error?.code == .locked)
    #expect(settings[.servers]["a"] == Server(id: "a", region: "s", port: 5))
  }

  @Test func `an override replaces a record that is there, or all of them, and is never written`() throws {
    try home.write("[servers.a]\nregion = \"u\"\n")
    let prefix = "ORG_EXAMPLE_TEST_SETTINGS__SERVERS"
    func store(_ variables: [String: String]) throws -> SettingsStore {
      SettingsStore(
        at: try home.location(), overrides: .environment(app: "org.example.test", variables: variables), logger: .silent
      )
    }
    let one = try store([prefix + "__A": "{ region = \"env\" }", prefix + "__B": "{ region = \"env\" }"])
    #expect(one[.servers].all == [Server(id: "a", region: "env")])
    #expect(one[.servers]["a"]?.region == "env")
    #expect(one[.servers]["b"] == nil)
    let all = try store([prefix: "{ x = { region = \"env\" } }"])
    #expect(all[.servers].all == [Server(id: "x", region: "env")])
    #expect(all[.servers]["x"]?.region == "env")
    #expect(all[.servers]["a"] == nil)
    #expect(home.text() == "[servers.a]\nregion = \"u\"\n")
  }

  @Test func `records are kept by a migration that renames their table`() throws {
    try home.write("[hosts-old.a]\nregion = \"u\"  # c\n")
    let migrations = [
      Migration(2, "name servers what they are", [.rename("hosts-old", to: "servers")])
    ]
    let settings = try home.store(migrations: migrations)
    #expect(settings[.servers].ids == ["a"])
    #expect(home.text()?.contains("[servers.a]\nregion = \"u\"  # c\n") == true)
  }
}
