import AppSettings
import Foundation
import Testing
import TestSupport

/// A table goes with its last key, but not one that is itself a value.
struct EmptiedTableTests {
  let home = ScratchHome()
  private static let servers = SettingsRecordKey<Server>("net.servers")
  private static let plugins = SettingsKey<[String: Int]>("ui.plugins", default: ["spell": 1])

  @Test func `resetting the last key of a table removes the table, and those around it`() throws {
    try home.write("name = \"n\"\n\n[a]\n\n[a.b]\nc = 1\n\n[z]\ny = 1\n")
    let settings = try home.store()
    settings.reset(SettingsKey("a.b.c", default: 0))
    try settings.flush()
    #expect(home.text() == "name = \"n\"\n\n[z]\ny = 1\n")
  }

  @Test func `a table with a comment of its own stays`() throws {
    let text = "# The editor.\n[editor]\nfont-size = 20\n\n[sync] # with the server\ntoken = \"t\"\n"
    try home.write(text)
    let settings = try home.store()
    settings.reset(.fontSize, .token)
    try settings.flush()
    #expect(home.text() == "# The editor.\n[editor]\n\n[sync] # with the server\n")
  }

  @Test func `a table that loses a key and gets another in one write keeps its place`() throws {
    try home.write("[editor]\nfont-size = 20\n\n[sync]\nx = 1\n")
    let settings = try home.store()
    try settings.update { transaction in
      transaction.reset(.fontSize)
      transaction[.wrap] = true
    }
    #expect(home.text() == "[editor]\nwrap = true\n\n[sync]\nx = 1\n")
  }

  @Test func `a dictionary without entries stays an empty dictionary`() throws {
    for text in ["[ui]\n\n[ui.plugins]\na = 1\n", "[ui]\nplugins = { a = 1 }\n", "[ui]\nplugins.a = 1\n"] {
      try home.write(text)
      let settings = try home.store()
      try settings.set([:], for: Self.plugins)
      #expect(settings[Self.plugins] == [:], "\(text)")
      #expect(try home.store()[Self.plugins] == [:], "\(home.text() ?? "")")
      settings.reset(Self.plugins)
      try settings.flush()
      #expect(home.text() == "", "\(text)")
    }
  }

  @Test func `an entry that is reset by its name leaves its dictionary, if the store knows that`() throws {
    try home.write("[ui.plugins]\na = 1\n")
    let settings = try home.store()
    #expect(settings[Self.plugins] == ["a": 1])
    try settings.reset(named: "ui.plugins.a")
    try settings.flush()
    #expect(settings[Self.plugins] == [:])
    #expect(home.text() == "[ui.plugins]\n")
  }

  @Test func `the table of records stays without records`() throws {
    try home.write("[net]\n\n[net.servers]\n\n[net.servers.a]\nregion = \"eu\"\n")
    let settings = try home.store()
    #expect(settings[Self.servers].ids == ["a"])
    try settings[Self.servers].remove("a")
    #expect(home.text() == "[net]\n\n[net.servers]\n")
  }

  @Test func `an empty table that a value is set to stays`() throws {
    try home.write("[a]\nb = 1\n")
    let settings = try home.store()
    try settings.update { transaction in
      transaction.reset(SettingsKey("a.b", default: 0))
      transaction[SettingsKey<[String: Int]>("a", default: ["x": 1])] = [:]
    }
    #expect(settings[SettingsKey<[String: Int]>("a", default: ["x": 1])] == [:])
    #expect(try TOMLDocument(parsing: home.text() ?? "")[["a"]] == [:])
  }

  // MARK: Migrations

  private func migrated(_ text: String, _ steps: [MigrationStep]) throws -> String {
    var document = try TOMLDocument(parsing: text)
    let migration = Migration(2, "test", steps)
    try document.edit { try migration.run(on: &$0) }
    return document.text
  }

  @Test func `a migration removes the tables that its steps have emptied`() throws {
    let text = "[old]\na = 1\n\n[gone]\nb = 2\n\n[kept] # mine\nc = 3\n"
    let result = try migrated(
      text,
      [
        .rename("old.a", to: "new.a"),
        .remove("gone.b"),
        .remove("kept.c"),
      ])
    #expect(result == "[kept] # mine\n\n[new]\na = 1\n")
  }

  @Test func `a table that one step empties and another fills keeps its place`() throws {
    let result = try migrated(
      "[a]\nold = 1\n\n[z]\n",
      [
        .remove("a.old"),
        .setDefault("a.new", 2),
      ])
    #expect(result == "[a]\nnew = 2\n\n[z]\n")
  }

  @Test func `a record that a migration empties stays, without the tables in it`() throws {
    let result = try migrated(
      "[servers.a]\n[servers.a.tls]\non = true\n\n[[list]]\nx = 1\n",
      [
        .forEach("servers", [.remove("tls.on")]),
        .forEach("list", [.remove("x")]),
      ])
    #expect(result == "[servers.a]\n\n[[list]]\n")
  }

  @Test func `a value that takes the place of its table is not taken for an emptied one`() throws {
    #expect(try migrated("[a.b]\n", [.rename("a.b", to: "a")]) == "[a]\n")
    #expect(try migrated("[a.b]\nx = 1\n", [.unwrap("a", taking: "b")]) == "[a]\nx = 1\n")
  }

  @Test func `a key that is not there leaves its empty table as it is`() throws {
    let text = "b = {}\n\n[t.u]\n"
    try home.write(text)
    let settings = try home.store()
    settings.reset(SettingsKey("b.x", default: 0), SettingsKey("t.u.v", default: 0))
    try settings.flush()
    #expect(home.text() == text)
  }
}
