import AppSettings
import Foundation
import TestSupport
import Testing

/// Before, edit, after: as whole texts.
@Suite struct RecordEditTests {
  let home = ScratchHome()

  private static let text = """
    # Settings of the editor.
    theme = "dark"

    # Two servers.
    [servers.work]   # the old one
    region = "us"    # far away
    colour = "red"   # of another program
    port = 80

      [servers.work.limits]
      rate = 5

    # Not to be touched.
    [servers.home]
    region = 'eu'

    [editor]
    wrap = true

    """

  private func edited(_ body: (SettingsStore) throws -> Void) throws -> String {
    try home.write(Self.text)
    let settings = try home.store()
    try body(settings)
    try settings.flush()
    #expect(settings.currentProblems.isEmpty)
    #expect(try home.store()[.servers].all == settings[.servers].all)
    return try #require(home.text())
  }

  private func replacing(_ old: String, by new: String) -> String {
    Self.text.replacingOccurrences(of: old, with: new)
  }

  @Test func `a put of what is there changes nothing`() throws {
    #expect(try edited { try $0[.servers].put(Server(id: "work", region: "us", port: 80)) } == Self.text)
  }

  @Test func `a put changes the fields that differ, and keeps unknown ones and comments`() throws {
    #expect(
      try edited { try $0[.servers].put(Server(id: "work", region: "eu", port: 80)) }
        == replacing("\"us\"    #", by: "\"eu\"    #"))
    #expect(
      try edited { $0[.servers]["work"]?.port = 8080 } == replacing("port = 80", by: "port = 8080"))
  }

  @Test func `a field that became nil is removed`() throws {
    #expect(try edited { $0[.servers]["work"]?.port = nil } == replacing("port = 80\n", by: ""))
  }

  @Test func `a new record comes after the last one`() throws {
    #expect(
      try edited { try $0[.servers].put(Server(id: "lab", region: "x")) }
        == replacing("region = 'eu'\n", by: "region = 'eu'\n\n[servers.lab]\nregion = \"x\"\n"))
  }

  @Test func `a record is removed with its tables and its comment`() throws {
    let after = try edited { try $0[.servers].remove("work") }
    #expect(
      after == """
        # Settings of the editor.
        theme = "dark"

        # Not to be touched.
        [servers.home]
        region = 'eu'

        [editor]
        wrap = true

        """)
  }

  @Test func `a rename changes the headers alone`() throws {
    #expect(
      try edited { try $0[.servers].rename("work", to: "office 2") }
        == replacing("[servers.work", by: "[servers.\"office 2\""))
  }

  @Test func `a rename of a record with its id among its fields changes that, too`() throws {
    try home.write("[servers.a]  # c\nid = 'a'  # d\nregion = \"eu\"\n")
    let settings = try home.store()
    try settings[.servers].rename("a", to: "b")
    #expect(home.text() == "[servers.b]  # c\nid = 'b'  # d\nregion = \"eu\"\n")
    #expect(settings[.servers].all == [Server(id: "b")])
  }

  @Test func `a rename of an inline record keeps its line`() throws {
    try home.write("[servers]\n# first\na = { region = \"x\" }  # c\nb = { region = \"y\" }\n")
    let settings = try home.store()
    try settings[.servers].rename("a", to: "z")
    #expect(home.text() == "[servers]\n# first\nz = { region = \"x\" }  # c\nb = { region = \"y\" }\n")
  }

  @Test func `a rename after other edits of the same update takes those along`() throws {
    let after = try edited { settings in
      try settings.update { transaction in
        transaction[.servers]["work"]?.region = "ap"
        try transaction[.servers].rename("work", to: "lab")
        transaction[.servers]["lab"]?.port = 81
      }
    }
    #expect(
      after
        == replacing("[servers.work", by: "[servers.lab").replacingOccurrences(of: "\"us\"", with: "\"ap\"")
        .replacingOccurrences(of: "port = 80", with: "port = 81"))
  }

  @Test func `a rename is refused where there is a record, and where the fields say the id`() throws {
    try home.write(Self.text + "\n[hosts.a]\nhost = \"a\"\n")
    let settings = try home.store()
    let before = home.text()
    let taken = #expect(throws: SettingsError.self) { try settings[.servers].rename("work", to: "home") }
    #expect(taken?.code == .invalidKey)
    #expect(
      taken?.message
        == "Cannot rename the record 'servers.work' to 'servers.home': there is one already at line 14. "
        + "Nothing was changed.")
    let own = #expect(throws: SettingsError.self) { try settings[.hosts].rename("a", to: "b") }
    #expect(own?.code == .invalidValue)
    #expect(own?.message.contains("its own fields say what its id is") == true)
    #expect(try !settings[.servers].rename("none", to: "any"))
    #expect(try !settings[.servers].rename("work", to: "work"))
    #expect(home.text() == before)
  }

  @Test func `an id in the file stays, and one that is not there is not added`() throws {
    try home.write("[servers.a]\nid = \"a\"\nregion = \"x\"\n[servers.b]\nregion = \"y\"\n")
    let settings = try home.store()
    settings[.servers]["a"]?.region = "1"
    settings[.servers]["b"]?.region = "2"
    try settings.flush()
    #expect(home.text() == "[servers.a]\nid = \"a\"\nregion = \"1\"\n[servers.b]\nregion = \"2\"\n")
  }

  @Test func `a record of nothing but its id is an empty table`() throws {
    struct Bare: Codable, Identifiable, Sendable { var id: String }
    let key = SettingsRecords<Bare>("bare")
    let settings = try home.store()
    #expect(try settings[key].put(Bare(id: "a")))
    #expect(try settings[key].put(Bare(id: "b")))
    #expect(home.text() == "[bare.a]\n\n[bare.b]\n")
    #expect(try home.store()[key].ids == ["a", "b"])
    try settings[key].remove("a")
    #expect(settings[key].ids == ["b"])
  }
}
