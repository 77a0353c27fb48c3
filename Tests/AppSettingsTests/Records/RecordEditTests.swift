import AppSettings
import Foundation
import Testing
import TestSupport

/// Before, edit, after: as whole texts.
struct RecordEditTests {
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

  @Test func `a record is made and removed in place, in a transaction too`() throws {
    func exchange(_ record: inout Server?) { record = record == nil ? Server(id: "new", region: "us") : nil }
    let made = "[servers.new]\nregion = \"us\"\n"
    for isInTransaction in [false, true] {
      let text = try edited { settings in
        guard isInTransaction else {
          exchange(&settings[.servers]["work"])
          return exchange(&settings[.servers]["new"])
        }
        try settings.update {
          exchange(&$0[.servers]["work"])
          exchange(&$0[.servers]["new"])
        }
      }
      #expect(text.contains(made) && !text.contains("[servers.work]") && text.contains("[servers.home]"), "\(text)")
    }
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
    #expect(taken?.code == .existingRecord)
    #expect(
      taken?.message
        == "Cannot rename the record 'servers.work' to 'servers.home': that one exists already at line 14. "
        + "Nothing was changed.")
    let own = #expect(throws: SettingsError.self) { try settings[.hosts].rename("a", to: "b") }
    #expect(own?.code == .invalidValue)
    #expect(own?.message.contains("its own fields determine its id") == true)
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
    let key = SettingsRecordKey<Bare>("bare")
    let settings = try home.store()
    #expect(try settings[key].put(Bare(id: "a")))
    #expect(try settings[key].put(Bare(id: "b")))
    #expect(home.text() == "[bare.a]\n\n[bare.b]\n")
    #expect(try home.store()[key].ids == ["a", "b"])
    try settings[key].remove("a")
    #expect(settings[key].ids == ["b"])
  }

  // MARK: Many at once

  private static let some = (0..<30).map { number in
    Server(id: "s\(number)", region: "r\(number)", port: number.isMultiple(of: 2) ? number : nil)
  }

  /// What a text becomes if edits are made one by one, and in one update.
  private func texts(
    _ text: String, _ edits: [(inout SettingsTransaction.RecordTable<Server>) throws -> Void]
  ) throws -> (String?, String?) {
    try home.write(text)
    let oneByOne = try home.store()
    for edit in edits { try oneByOne.update { try edit(&$0[.servers]) } }
    let first = home.text()
    try home.write(text)
    let together = try home.store()
    try together.update { transaction in
      for edit in edits { try edit(&transaction[.servers]) }
    }
    #expect(together[.servers].all == oneByOne[.servers].all)
    return (first, home.text())
  }

  @Test(arguments: ["", text, "theme = 1\n", "[servers]\na = { region = \"x\" }\n", "servers.a.region = \"x\"\n"])
  func `new records of one update are written as one by one`(_ text: String) throws {
    let (first, together) = try texts(text, Self.some.map { server in { try $0.put(server) } })
    #expect(first == together)
    #expect(together?.contains("r29") == true)
  }

  @Test func `records that come, change and go in one update do so as one by one`() throws {
    let text = Self.text + Self.some.map { "\n# of \($0.id)\n[servers.\($0.id)]\nregion = \"x\"\n" }.joined()
    var edits: [(inout SettingsTransaction.RecordTable<Server>) throws -> Void] = []
    for number in 0..<30 {
      let id = "s\(number)"
      switch number % 6 {
      case 0, 1: edits.append { try $0.remove(id) }
      case 2: edits.append { $0[id]?.region = "new" }
      case 3: edits.append { try $0.rename(id, to: id + "x") }
      default: edits.append { try $0.put(Server(id: id + "y")) }
      }
    }
    edits.append { try $0.remove("work") }
    edits.append { try $0.remove("home") }
    edits.append { try $0.put(Server(id: "work")) }
    let (first, together) = try texts(text, edits)
    #expect(first == together)
  }

  @Test func `of many that were set in the background, one that cannot be written takes no other with it`() throws {
    try home.write("name = \"n\"\n")
    let settings = try home.store()
    #expect(settings[.name] == "n")
    let below = SettingsKey("name.first", default: "")
    for server in Self.some.prefix(10) { settings[.servers][server.id] = server }
    settings[below] = "x"
    for server in Self.some.suffix(10) { settings[.servers][server.id] = server }
    #expect(throws: SettingsError.self) { try settings.flush() }
    #expect(settings[.servers].count == 20)
    #expect(try home.store()[.servers].all == Array(Self.some.prefix(10) + Self.some.suffix(10)))
    #expect(home.text()?.hasPrefix("name = \"n\"\n") == true)
  }
}
