import AppSettings
import Foundation
import Testing
import TestSupport

struct RecordBadInputTests {
  let home = ScratchHome()

  // MARK: Ids

  static let ids = [
    "", " ", ".", "a.b", "..", "\"", "'", "a\"b'c", "\\", "\n", "a\r\nb", "\t", "\0", "\u{7F}", "/", "../../etc/passwd",
    "#", "[x]", "= 1", "é", "e\u{301}", "日本", "\u{1F468}\u{200D}\u{1F469}", "\u{202E}x", "\u{FEFF}", "\u{10FFFF}",
    "settings-version", "id", "true", "1979-05-27", String(repeating: "x", count: 5000),
  ]

  @Test(arguments: ids) func `any text is an id`(_ id: String) throws {
    let settings = try home.store()
    try settings[.servers].put(Server(id: id, region: "x"))
    settings[.servers][id]?.port = 5
    try settings.flush()
    let other = try home.store()
    #expect(other[.servers][id] == Server(id: id, region: "x", port: 5))
    #expect(other[.servers].ids.map { Array($0.utf8) } == [Array(id.utf8)])
    try other[.servers].rename(id, to: id + "2")
    #expect(other[.servers].ids.map { Array($0.utf8) } == [Array((id + "2").utf8)])
    try other[.servers].rename(id + "2", to: id)
    #expect(try other[.servers].remove(id))
    #expect(other[.servers].all.isEmpty)
    #expect(other.currentProblems.isEmpty && settings.currentProblems.isEmpty)
  }

  @Test func `all of them are there together`() throws {
    let settings = try home.store()
    for (number, id) in Self.ids.enumerated() { settings[.servers][id] = Server(id: id, port: number) }
    try settings.flush()
    let other = try home.store()
    #expect(other[.servers].all.map(\.port) == Array(0..<Self.ids.count))
    try other.update { transaction in
      for id in Self.ids { transaction[.servers][id]?.region = "new" }
    }
    #expect(try home.store()[.servers].all.allSatisfy { $0.region == "new" })
    for id in Self.ids { #expect(settings[.servers][id] != nil) }
  }

  @Test func `ids that Swift takes for equal are two records, as TOML says`() throws {
    let (composed, decomposed) = ("\u{E9}", "e\u{301}")
    #expect(composed == decomposed)
    let settings = try home.store()
    settings[.servers][composed] = Server(id: composed, port: 1)
    settings[.servers][decomposed] = Server(id: decomposed, port: 2)
    #expect(settings[.servers].all.map(\.port) == [1, 2])
    try settings.flush()
    #expect(settings[.servers].all.map(\.port) == [1, 2])
    #expect(settings[.servers][composed]?.port == 1)
    #expect(settings[.servers][decomposed]?.port == 2)
    try settings[.servers].remove(composed)
    #expect(settings[.servers].all.map(\.port) == [2])
    try settings[.servers].rename(decomposed, to: composed)
    #expect(settings[.servers][composed]?.port == 2)
    #expect(settings.currentProblems.isEmpty)
  }

  @Test func `an integer that is written otherwise is no id, and stays`() throws {
    try home.write("[slots.01]\nlabel = \"a\"\n[slots.1]\nlabel = \"b\"\n[slots.x]\nlabel = \"c\"\n")
    let settings = try home.store()
    #expect(settings[.slots].all == [Slot(id: 1, label: "b")])
    #expect(
      settings.currentProblems.map(\.message) == [
        "Cannot read the record 'slots.01': settings.toml has the key \"01\" at line 1, column 8, but a key that stands "
          + "for an integer is needed. The record is left out, and stays unchanged in the file.",
        "Cannot read the record 'slots.x': settings.toml has the key \"x\" at line 5, column 8, but a key that stands "
          + "for an integer is needed. The record is left out, and stays unchanged in the file.",
      ])
    try settings[.slots].put(Slot(id: 1, label: "d"))
    #expect(home.text() == "[slots.01]\nlabel = \"a\"\n[slots.1]\nlabel = \"d\"\n[slots.x]\nlabel = \"c\"\n")
  }

  @Test func `a UUID in lower case is an id, and is edited where it is`() throws {
    let id = try #require(UUID(uuidString: "0B0D3A52-9C6C-4C33-8E4B-6F2C2A3B1C11"))
    let lower = id.uuidString.lowercased()
    try home.write("[devices.\(lower)]\nname = \"a\"\n")
    let settings = try home.store()
    #expect(settings[.devices][id] == Device(id: id, name: "a"))
    #expect(settings[.devices][UUID()] == nil)
    try settings[.devices].put(Device(id: id, name: "b"))
    #expect(home.text() == "[devices.\(lower)]\nname = \"b\"\n")
    #expect(settings[.devices].origin(of: id).position?.line == 1)
    #expect(try settings.update { $0[.devices][id]?.name } == "b")
    #expect(try settings[.devices].remove(id))
    #expect(settings[.devices].all.isEmpty)
    #expect(settings.currentProblems.isEmpty)
  }

  @Test func `of two keys for one UUID the one as it is written counts, and the other is a problem`() throws {
    let id = try #require(UUID(uuidString: "0B0D3A52-9C6C-4C33-8E4B-6F2C2A3B1C11"))
    let (upper, lower) = (id.uuidString, id.uuidString.lowercased())
    let mixed = "0B0D3A52-9C6C-4C33-8E4B-6f2c2a3b1c11"
    let text = "[devices.\(lower)]\nname = \"a\"\n[devices.\(upper)]\nname = \"b\"\n[devices.\(mixed)]\nname = \"c\"\n"
    try home.write(text)
    let settings = try home.store()
    #expect(settings[.devices].all == [Device(id: id, name: "b")])
    #expect(settings[.devices][id]?.name == "b")
    #expect(settings.currentProblems.map(\.position?.line) == [1, 5])
    #expect(settings.currentProblems[0].message.contains("which is the same id as \"\(upper)\""))
    // Without that, the first.
    try home.write("[devices.\(lower)]\nname = \"a\"\n[devices.\(mixed)]\nname = \"c\"\n")
    settings.reload()
    #expect(settings[.devices].all == [Device(id: id, name: "a")])
    #expect(settings[.devices][id]?.name == "a")
    #expect(settings.currentProblems.map(\.position?.line) == [3])
  }

  // MARK: Tables

  static let others = [
    ("3", "the integer 3"), ("\"x\"", "the string \"x\""), ("[]", "an empty array"), ("[{a = 1}]", "the array"),
  ]

  @Test(arguments: others)
  func `something else in the place of all is a problem, and stays`(_ value: String, _ found: String) throws {
    try home.write("servers = \(value)  # c\n")
    let settings = try home.store()
    #expect(settings[.servers].all.isEmpty)
    #expect(settings[.servers]["a"] == nil)
    let problem = try #require(settings.currentProblems.first)
    #expect(problem.code == .invalidValue && problem.position?.line == 1)
    #expect(problem.message.hasPrefix("Cannot read the records 'servers': settings.toml has \(found)"))
    #expect(problem.message.hasSuffix("There are no records until that is corrected."))
    let error = #expect(throws: SettingsError.self) { try settings[.servers].put(Server(id: "a")) }
    #expect(error?.code == .invalidValue && error?.position?.line == 1)
    settings[.servers]["a"] = Server(id: "a")
    #expect(settings[.servers]["a"] == nil)
    #expect(throws: SettingsError.self) { try settings.update { try $0[.servers].put(Server(id: "a")) } }
    #expect(try !settings[.servers].remove("a"))
    try settings.flush()
    #expect(home.text() == "servers = \(value)  # c\n")
    // Taken away on purpose, there is a place.
    settings.reset(.servers)
    settings[.servers]["a"] = Server(id: "a")
    try settings.flush()
    #expect(try home.store()[.servers].ids == ["a"])
  }

  @Test func `something else above the records is refused as well`() throws {
    try home.write("history = 1\n")
    let settings = try home.store()
    #expect(settings[.releases].all.isEmpty)
    let error = #expect(throws: SettingsError.self) { try settings[.releases].put(Release(ReleaseNumber(1, 0), "")) }
    #expect(error?.message.contains("has an integer for 'history' at line 1") == true)
    #expect(home.text() == "history = 1\n")
  }

  @Test func `a record that is no table is a problem, and a put replaces it with a backup`() throws {
    try home.write("[servers]\nwork = 1\n[servers.home]\nregion = \"x\"\n")
    let settings = try home.store()
    #expect(settings[.servers].ids == ["home"])
    #expect(
      settings.currentProblems.map(\.message) == [
        "Cannot read the record 'servers.work': settings.toml has the integer 1 at line 2, column 8, but a table is "
          + "needed. The record is left out, and stays unchanged in the file."
      ])
    #expect(throws: SettingsError.self) { try settings[.servers].value(for: "work") }
    try settings[.servers].put(Server(id: "work"))
    #expect(Set(settings[.servers].ids) == ["home", "work"])
    #expect(settings.currentProblems.isEmpty)
    #expect(home.names(in: home.backups).count == 1)
  }

  @Test func `a record that does not decode is reported with its line, kept, and the others are there`() throws {
    let text = "[servers.a]\nregion = \"x\"\n\n[servers.b]\nregion = \"y\"\nport = \"high\"  # c\n\n[servers.c]\n"
    try home.write(text + "region = \"z\"\n")
    let settings = try home.store()
    #expect(settings[.servers].ids == ["a", "c"])
    #expect(settings[.servers]["b"] == nil)
    let problem = try #require(settings.currentProblems.first)
    #expect(settings.currentProblems.count == 1)
    #expect(
      problem.message
        == "Cannot read the record 'servers.b': settings.toml has the string \"high\" at line 6, column 8 (in 'port'), "
        + "but an integer is needed. The record is left out, and stays unchanged in the file.")
    #expect(problem.path == ["servers", "b"] && problem.position?.line == 6)
    let error = #expect(throws: SettingsError.self) { try settings[.servers].value(for: "b") }
    #expect(error?.position?.line == 6)
    try settings[.servers].put(Server(id: "a", region: "w"))
    #expect(try #require(home.text()).contains("port = \"high\"  # c"))
    #expect(home.names(in: home.backups).isEmpty)
    // Corrected, it is back, and the problem is over.
    try home.write(try #require(home.text()).replacingOccurrences(of: "\"high\"", with: "7"))
    settings.reload()
    #expect(settings[.servers]["b"]?.port == 7)
    #expect(settings.currentProblems.isEmpty)
    #expect(settings[.servers].ids == ["a", "b", "c"])
  }

  @Test func `of thousands that do not decode the first are reported, and how many there are`() throws {
    try home.write((0..<3000).map { "[servers.s\($0)]\nregion = \($0)\n" }.joined())
    let settings = try home.store()
    #expect(settings[.servers].all.isEmpty)
    #expect(settings.currentProblems.count == 21)
    #expect(
      settings.currentProblems.last?.message
        == "Cannot read the records 'servers': 3000 of them cannot be read. The first 20 are reported one by one.")
    try home.write("[servers.s1]\nregion = \"x\"\n")
    settings.reload()
    #expect(settings[.servers].count == 1)
    #expect(settings.currentProblems.isEmpty)
  }

  @Test func `a put over a record that does not decode keeps the old text in a backup`() throws {
    let text = "[servers.b]\nport = \"high\"\nregion = \"x\"\n"
    try home.write(text)
    let settings = try home.store()
    settings[.servers]["b"] = Server(id: "b", port: 1)
    try settings.flush()
    #expect(settings[.servers]["b"] == Server(id: "b", port: 1))
    let directory = home.backups
    #expect(home.names(in: directory).map { home.text(of: directory + "/" + $0) } == [text])
    // All removed at once: the same.
    try home.write(text)
    settings.reload()
    settings.reset(.servers)
    try settings.flush()
    #expect(home.names(in: directory).count == 2)
  }

  @Test func `a stored id that is not the key is a problem, and a put puts it right`() throws {
    try home.write("[servers.a]\nid = \"b\"  # c\nregion = \"x\"\n[hosts.a]\nhost = \"b\"\n")
    let settings = try home.store()
    #expect(settings[.servers].all.isEmpty && settings[.hosts].all.isEmpty)
    #expect(settings[.servers]["b"] == nil)
    #expect(
      settings.currentProblems.map(\.message) == [
        "Cannot read the record 'servers.a': settings.toml has the string \"b\" at line 2, column 6 (in 'id'), but the id of "
          + "the table's key is needed (it is \"a\"). The record is left out, and stays unchanged in the file.",
        "Cannot read the record 'hosts.a': settings.toml has a record with the id \"b\" at line 4, column 1, but the id of "
          + "the table's key is needed (it is \"a\"). The record is left out, and stays unchanged in the file.",
      ])
    try settings[.servers].put(Server(id: "a", region: "y"))
    #expect(settings[.servers].all == [Server(id: "a", region: "y")])
    #expect(try #require(home.text()).hasPrefix("[servers.a]\nregion = \"y\"\n"))
  }

  @Test func `a record is refused under another id than its own`() throws {
    let settings = try home.store()
    settings[.servers]["a"] = Server(id: "b")
    #expect(settings[.servers].all.isEmpty)
    #expect(
      settings.currentProblems.map(\.message) == [
        "Cannot set 'servers.a' to a record with the id \"b\": the key needs a record with the id of its key "
          + "(\"a\"). Nothing was changed."
      ])
    #expect(home.text() == nil)
  }

  @Test func `a record that is stored as no table is refused`() throws {
    struct Word: Codable, Identifiable, Sendable {
      var id: String
      init(id: String) { self.id = id }
      init(from decoder: any Decoder) throws { id = try decoder.singleValueContainer().decode(String.self) }
      func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(id)
      }
    }
    let settings = try home.store()
    let error = #expect(throws: SettingsError.self) {
      try settings[SettingsRecordKey<Word>("words")].put(Word(id: "a"))
    }
    #expect(error?.code == .invalidValue)
    #expect(home.text() == nil)
  }

  @Test func `the ids and fields of secret records, and the names in other secrets, are in no message`() throws {
    try home.write("[secret-servers.hunter2]\nregion = 12345\n[secret-ports]\nhunter2 = \"x\"\n")
    chmod(home.file, 0o600)
    let settings = try home.store()
    #expect(settings[.secretServers].all.isEmpty)
    #expect(settings[.secretServers]["hunter2"] == nil)
    #expect(settings[SettingsKey("secret-ports", default: [String: Int](), .secret)].isEmpty)
    let messages = settings.currentProblems.map(\.message)
    #expect(messages.count == 2 && !messages.contains { $0.contains("12345") || $0.contains("hunter2") }, "\(messages)")
    #expect(messages.contains { $0.contains("Cannot read the record in 'secret-servers': ") }, "\(messages)")
    #expect(messages.contains { $0.contains("(in '(secret)')") }, "\(messages)")
    chmod(home.file, 0o644)
    let exposed = try home.store()
    try home.write("[secret-servers.a]\nregion = \"x\"\n")
    #expect(exposed[.secretServers]["a"] != nil)
    #expect(exposed.currentProblems.map(\.code) == [.exposedSecret])
  }

  @Test func `the id of a secret record is in no problem, whatever fails, and in no name of a backup`() throws {
    try home.write("[secret-servers.hunter2]\nid = \"hunter3\"\nregion = \"x\"\n[secret-servers.hunter4]\n")
    chmod(home.file, 0o644)
    try home.write(
      "settings-locked = [\"secret-servers.hunter8.region\"]\n[secret-servers.hunter5]\nregion = \"x\"\n"
        + "[secret-servers.hunter8]\nregion = \"x\"\n", to: home.systemFile("settings.toml"))
    let settings = try home.store()
    #expect(settings[.secretServers]["hunter2"] == nil)
    // Of a store of its own, since a listing reports all.
    let exposed = try home.store()
    _ = exposed[.secretServers]["hunter4"]
    var problems = settings.currentProblems + exposed.currentProblems
    let changes: [(id: String, server: Server?)] = [
      ("hunter5", nil), ("hunter6", Server(id: "hunter7")), ("hunter2", Server(id: "hunter2")),
      ("hunter8", Server(id: "hunter8", region: "y")),
    ]
    for (id, server) in changes {
      settings[.secretServers][id] = server
      problems += settings.currentProblems
    }
    try? settings.flush()
    let codes = Set(problems.map(\.code))
    #expect(codes.isSuperset(of: [.readOnly, .exposedSecret, .invalidValue, .locked]), "\(problems)")
    #expect(!problems.contains { $0.message.contains("hunter") }, "\(problems.map(\.message))")
    #expect(home.names(in: home.backups).contains { $0.contains("before-overwriting-secret-servers") })
    #expect(!home.names(in: home.backups).contains { $0.contains("hunter") })
  }

  @Test func `the id of a locked secret record is in no refusal`() throws {
    try home.write(
      "settings-locked = [\"secret-servers.hunter2\", \"secret-servers.hunter4\"]\n",
      to: home.systemFile("settings.toml"))
    try home.write("[secret-servers.hunter2]\nregion = \"x\"\n[secret-servers.hunter3]\nregion = \"x\"\n")
    chmod(home.file, 0o600)
    let settings = try home.store()
    for (id, new) in [("hunter2", "hunter5"), ("hunter3", "hunter4")] {
      let error = #expect(throws: SettingsError.self) { try settings[.secretServers].rename(id, to: new) }
      #expect(error?.code == .locked && error?.message.contains("hunter") == false, "\(String(describing: error))")
    }
  }

  @Test func `a file that does not parse gives no record away`() throws {
    try home.write("[servers.a]\nregion = \"x\"\n")
    let settings = try home.store()
    #expect(settings[.servers].count == 1)
    try home.write("[servers.a\n")
    settings.reload()
    #expect(settings[.servers].ids == ["a"])
    #expect(throws: SettingsError.self) { try settings[.servers].put(Server(id: "b")) }
    #expect(home.text() == "[servers.a\n")
    #expect(settings[.servers].ids == ["a"])
  }
}
