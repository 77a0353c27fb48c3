import AppSettings
import AppSettingsGarage
import FoundationEssentials
import Testing
import TestSupport

struct GarageBadInputTests {
  private let home = GarageHome()

  struct Item: Codable, Identifiable, Equatable {
    var id: String
    var value: Int
  }

  static let ids = [
    "", ".", "..", "a.b.c", "\"", "'", "\"\"\"", "a\nb", "\r\n", "/", "../../etc/passwd", "\\", "\\u0041", "#", "[x]",
    "=",
    " ", "\t", "\u{0}", "\u{7F}", "\u{1F600}", "é", "e\u{301}", "\u{FEFF}", "\u{202E}abc", "日本語", "settings-version",
    "settings-sync", "true", "1979-05-27", String(repeating: "x", count: 5000),
  ]

  @Test func `any id is kept as it is, beside all others`() throws {
    let garage = try home.garage()
    for (index, id) in Self.ids.enumerated() {
      // Two ways to write one letter are one id for Swift.
      if id == "e\u{301}", Self.ids[index - 1] == id { continue }
      try garage.park(Item(id: id, value: index))
    }
    let again = try home.garage()
    for (index, id) in Self.ids.enumerated() where !id.unicodeScalars.contains("\u{301}") {
      #expect(try again.retrieve(Item.self, id: id)?.value == index, "\(id.debugDescription)")
    }
    #expect(try again.retrieveAll(Item.self).count == Self.ids.count - 1)
    for id in Self.ids where !id.unicodeScalars.contains("\u{301}") { try again.delete(Item.self, id: id) }
    #expect(try again.retrieveAll(Item.self).isEmpty)
    #expect(home.text == "")
  }

  @Test func `one letter written in two ways is one id, and two such records are an error that names both`() throws {
    let garage = try home.garage("[\"GarageBadInputTests.Item\".\"\u{E9}\"]\nid = \"\u{E9}\"\nvalue = 1\n")
    #expect(try garage.retrieve(Item.self, id: "e\u{301}")?.value == 1)
    try garage.park(Item(id: "e\u{301}", value: 2))
    #expect(try garage.retrieveAll(Item.self).map(\.value) == [2])
    let text = try #require(home.text)
    let both = try home.garage(text + "\n[\"GarageBadInputTests.Item\".\"e\u{301}\"]\nid = \"e\u{301}\"\nvalue = 3\n")
    let found = settingsError { _ = try both.retrieveAll(Item.self) }
    #expect(found?.code == .invalidValue && found?.message.contains("the same in another notation") == true)
    #expect(found?.position?.line == 5)
    // Each can still be had by its own letters.
    #expect(try both.retrieve(Item.self, id: "\u{E9}")?.value == 2)
  }

  @Test func `a UUID is found in either case`() throws {
    struct Thing: Codable, Identifiable, GarageNamed {
      static let recordName = "Thing"
      var id: UUID
      var value: Int
    }
    let id = UUID()
    let text = "[Thing.\(id.uuidString.lowercased())]\nid = \"\(id.uuidString.lowercased())\"\nvalue = 1\n"
    let garage = try home.garage(text)
    #expect(try garage.retrieve(Thing.self, id: id)?.value == 1)
    try garage.park(Thing(id: id, value: 2))
    #expect(try garage.retrieveAll(Thing.self).map(\.value) == [2])
    let both = try home.garage(text + "\n[Thing.\(id.uuidString)]\nid = \"\(id.uuidString)\"\nvalue = 3\n")
    #expect(settingsError { _ = try both.retrieveAll(Thing.self) }?.code == .invalidValue)
  }

  @Test(arguments: ["Pet = 3\n", "Pet = \"x\"\n", "Pet = [1, 2]\n", "Pet.1 = 3\n", "[Pet]\n1 = true\n"])
  func `records that are no tables are errors with their line, and nothing is written over them`(text: String) throws {
    let garage = try home.garage("# top\n" + text)
    let found = settingsError { _ = try garage.retrieve(Pet.self, id: 1) }
    #expect(found?.code == .invalidValue && found?.position != nil, "\(String(describing: found))")
    #expect(settingsError { _ = try garage.retrieveAll(Pet.self) }?.code == .invalidValue)
    #expect(settingsError { try garage.park(Pet(id: 1, name: "a")) }?.code == .invalidValue)
    #expect(settingsError { try garage.parkValue(Address(street: "", zip: "")) } == nil)
    #expect(home.text?.hasPrefix("# top\n" + text) == true)
  }

  @Test func `a type with an id does not meddle with objects without one, nor the other way round`() throws {
    struct ByID: Codable, Identifiable, GarageNamed {
      static let recordName = "Address"
      var id: Int
    }
    let objects = try home.garage("[[Address]]\nstreet = \"s\"\nzip = \"z\"\n")
    #expect(settingsError { _ = try objects.retrieve(ByID.self, id: 1) }?.code == .invalidValue)
    #expect(settingsError { try objects.park(ByID(id: 1)) }?.code == .invalidValue)
    let records = try home.garage("[Address.1]\nid = 1\n")
    #expect(settingsError { _ = try records.retrieveValues(Address.self) }?.code == .invalidValue)
    #expect(settingsError { try records.parkValue(Address(street: "s", zip: "z")) }?.code == .invalidValue)
    #expect(home.text == "[Address.1]\nid = 1\n")
  }

  @Test func `properties named as what the garage notes are kept apart from it`() throws {
    struct Sly: Codable, Identifiable, Equatable {
      var id: Int
      var sync: String
      var sealed: String
      var version: Int
      enum CodingKeys: String, CodingKey {
        case id
        case sync = "settings-sync"
        case sealed = "settings-sealed"
        case version = "settings-settings-version"
      }
    }
    let garage = try home.garage()
    let sly = Sly(id: 1, sync: "mine", sealed: "also mine", version: 3)
    try garage.park(sly)
    try garage.setSyncStatus(.syncing, for: sly)
    #expect(try home.garage().retrieve(Sly.self, id: 1) == sly)
    #expect(try home.garage().syncStatus(of: sly) == .syncing)
    #expect(home.text?.contains("settings-settings-sync = \"mine\"\n") == true)
    try garage.park(Sly(id: 1, sync: "x", sealed: "y", version: 4))
    #expect(try garage.retrieveAll(Sly.self, withStatus: .syncing).map(\.version) == [4])
  }

  @Test func `a file that does not parse is an error for reading and writing, and unchanged`() throws {
    let garage = try home.garage("[Pet.1\n")
    #expect(settingsError { _ = try garage.retrieveAll(Pet.self) }?.code == .unparsable)
    #expect(settingsError { try garage.park(Pet(id: 1, name: "a")) }?.code == .unparsable)
    #expect(home.text == "[Pet.1\n")
    try home.home.write("[Pet.1]\nid = 1\nname = \"a\"\n", to: home.file)
    #expect(try garage.retrieveAll(Pet.self).count == 1)
    // Damaged later: what was read last stays.
    try home.home.write("[Pet.1\n", to: home.file)
    garage.reload()
    #expect(try garage.retrieveAll(Pet.self).count == 1)
    #expect(garage.currentProblems.map(\.code) == [.unparsable])
    #expect(settingsError { try garage.park(Pet(id: 1, name: "b")) }?.code == .unparsable)
    let moved = try #require(try garage.recover())
    #expect(home.home.text(of: moved.path) == "[Pet.1\n" && home.text == nil)
  }

  @Test func `a file that may not be read or written, or is of a later version, is an error`() throws {
    let newer = try home.garage("settings-version = 4\n\n[Pet.1]\nid = 1\nname = \"a\"\n")
    #expect(try newer.retrieveAll(Pet.self).count == 1)
    #expect(settingsError { try newer.park(Pet(id: 2, name: "b")) }?.code == .newerVersion)
    let broken = try home.garage(
      "[Pet.1]\nid = 1\nname = \"a\"\n",
      system: .failing(.rename, with: 28))
    let found = settingsError { try broken.park(Pet(id: 2, name: "b")) }
    #expect(
      found?.code == .io && found?.message.contains("The file is unchanged") == true, "\(String(describing: found))")
    #expect(try broken.retrieveAll(Pet.self).map(\.id) == [1])
    #expect(home.text == "[Pet.1]\nid = 1\nname = \"a\"\n")
    #expect(home.home.names(in: home.home.path + "/data/org.example.test") == ["garage.toml"])
  }

  @Test func `records as a person may write them are read and edited in their form`() throws {
    let garage = try home.garage(
      "Pet = { 1 = { id = 1, name = \"a\" }, \"2\" = { id = 2, name = \"b\" } }\n")
    #expect(try garage.retrieveAll(Pet.self).map(\.name) == ["a", "b"])
    try garage.park(Pet(id: 1, name: "c"))
    try garage.park(Pet(id: 3, name: "d"))
    try garage.delete(Pet.self, id: 2)
    #expect(
      home.text == "Pet = { 1 = { id = 1, name = \"c\" }, 3 = { id = 3, name = \"d\" } }\n", "\(home.text ?? "")")
    let dotted = try home.garage("Pet.1.id = 1\nPet.1.name = \"a\"  # a\nPet.2.id = 2\nPet.2.name = \"b\"\n")
    try dotted.park(Pet(id: 1, name: "c"))
    try dotted.park(Pet(id: 3, name: "d"))
    try dotted.delete(Pet.self, id: 2)
    #expect(try home.garage().retrieveAll(Pet.self).map(\.name) == ["c", "d"])
    #expect(home.text?.hasPrefix("Pet.1.id = 1\nPet.1.name = \"c\"  # a\n") == true)
  }
}
