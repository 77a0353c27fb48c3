import AppSettings
import AppSettingsGarage
import Foundation
import Testing
import TestSupport

private struct Old: Codable, Identifiable, GarageNamed {
  static let recordName = "MCItem"
  var id: String
  var label: String
}

private struct New: Codable, Identifiable, Equatable, GarageNamed {
  static let recordName = "Item"
  var id: String
  var label: String
  var made: Date?
}

struct GarageMigrationTests {
  private let home = GarageHome()

  private let two = """
    # the first
    [MCItem.a]
    id = "a"
    label = "A"  # its label
    settings-sync = "synced"
    other = 5

    [MCItem.b]
    id = "b"
    label = "B"
    made = "2019-11-10T14:11:21+01:00"

    """

  @Test func `records get the new name with status, comments and unknown fields, after a backup, in one write`() throws
  {
    let renames = Counter()
    let garage = try home.garage(
      two,
      system: .counting(.rename, into: renames))
    #expect(try garage.migrateAll(from: Old.self, to: New.self) == 2)
    // The backup is one of them, and a write has two.
    #expect(renames.value == 3)
    #expect(
      home.text
        == two.replacingOccurrences(of: "MCItem", with: "Item")
        .replacingOccurrences(of: "\"2019-11-10T14:11:21+01:00\"", with: "2019-11-10T13:11:21Z"))
    #expect(try garage.syncStatus(of: New(id: "a", label: "")) == .synced)
    let backup = try #require(try garage.backups().first)
    #expect(home.home.text(of: backup.path) == two && backup.reason == "before-migrating-MCItem")
    // Once more: there is nothing left to do.
    #expect(try garage.migrateAll(from: Old.self, to: New.self) == 0)
    #expect(try garage.backups().count == 1)
    try garage.restore(backup)
    #expect(home.text == two)
  }

  @Test func `where any record cannot be read nothing is written, and all that cannot are listed`() throws {
    let text =
      "[MCItem.a]\nid = \"a\"\nlabel = 1\n\n[MCItem.b]\nid = \"b\"\nlabel = \"B\"\n\n[MCItem.c]\nlabel = \"C\"\n"
    let garage = try home.garage(text)
    let found = settingsError { try garage.migrateAll(recordName: "MCItem", to: New.self) }
    #expect(found?.code == .migrationFailed)
    #expect(found?.message.contains("2 of 3 records") == true)
    let lines = found?.cause?.split(separator: "\n") ?? []
    #expect(lines.count == 2)
    #expect(lines.first?.contains("MCItem \"a\"") == true && lines.first?.contains("'label'") == true)
    #expect(lines.last?.contains("MCItem \"c\"") == true && lines.last?.contains("'id'") == true)
    #expect(home.text == text)
    #expect(try garage.backups().isEmpty)
    #expect(try garage.retrieveAll(New.self).isEmpty)
  }

  @Test func `no backup, no migration`() throws {
    let garage = try home.garage(two)
    try home.home.write("in the way", to: home.home.path + "/state")
    let found = settingsError { try garage.migrateAll(from: Old.self, to: New.self) }
    #expect(found?.code == .io)
    #expect(home.text == two)
  }

  @Test func `a record that is there already fails, is kept or is replaced`() throws {
    let text = two + "\n[Item.b]\nid = \"b\"\nlabel = \"there\"\n"
    let garage = try home.garage(text)
    let found = settingsError { try garage.migrateAll(from: Old.self, to: New.self) }
    #expect(found?.code == .migrationFailed && found?.cause?.contains("Item \"b\": the record exists already") == true)
    #expect(home.text == text)
    let kept = try home.garage(text)
    #expect(try kept.migrateAll(from: Old.self, to: New.self, onConflict: .keep) == 1)
    #expect(try kept.retrieveAll(New.self).map(\.label).sorted() == ["A", "there"])
    let replaced = try home.garage(text)
    #expect(try replaced.migrateAll(from: Old.self, to: New.self, onConflict: .replace) == 2)
    #expect(try replaced.retrieveAll(New.self).map(\.label).sorted() == ["A", "B"])
    #expect(home.text?.contains("MCItem") == false)
  }

  @Test func `two old records that become one are a conflict`() throws {
    let text = "[MCItem.1]\nid = \"x\"\nlabel = \"A\"\n\n[MCItem.2]\nid = \"x\"\nlabel = \"B\"\n"
    let garage = try home.garage(text)
    let found = settingsError { try garage.migrateAll(from: Old.self, to: New.self) }
    #expect(found?.cause == "Cannot make MCItem \"2\" Item \"x\": MCItem \"1\" becomes that too.")
    try garage.migrateAll(from: Old.self, to: New.self, onConflict: .replace)
    #expect(home.text == "[Item.x]\nid = \"x\"\nlabel = \"B\"\n")
  }

  @Test func `references follow, to each other even where ids change`() throws {
    struct Node: Codable, Identifiable, GarageNamed {
      static let recordName = "Node"
      var id: String
      @Reference var next: Node?
      @References var others: [Node]
    }
    struct Holder: Codable, Identifiable, GarageNamed {
      static let recordName = "Holder"
      var id: Int
      @Reference var node: Node
    }
    let garage = try home.garage(
      """
      [Holder.1]
      id = 1
      node = "b"

      [MCNode.4711]
      id = "a"
      next = "b"
      others = ["4711", "b"]

      [MCNode.b]
      id = "b"
      next = "4711"
      others = []

      """)
    #expect(try garage.migrateAll(recordName: "MCNode", to: Node.self) == 2)
    let a = try #require(try garage.retrieve(Node.self, id: "a"))
    #expect(a.next?.id == "b" && a.next?.next?.id == "a" && a.others.map(\.id) == ["a", "b"])
    #expect(try garage.retrieve(Holder.self, id: 1)?.node.id == "b")
  }

  @Test func `records become objects without an id, and objects become records`() throws {
    struct Place: Codable, Hashable, GarageNamed {
      static let recordName = "Place"
      var street: String
    }
    struct Spot: Codable, Identifiable, GarageNamed {
      static let recordName = "Spot"
      var id: String { street }
      var street: String
    }
    let garage = try home.garage(
      "[MCPlace.\"-81\"]\nstreet = \"s\"\nsettings-sync = \"syncing\"\n\n[MCPlace.9]\nstreet = \"s\"\n\n[MCPlace.7]\nstreet = \"t\"\n"
    )
    #expect(try garage.migrateValues(recordName: "MCPlace", to: Place.self) == 3)
    #expect(home.text == "[[Place]]\nstreet = \"s\"\nsettings-sync = \"syncing\"\n\n[[Place]]\nstreet = \"t\"\n")
    #expect(try garage.migrateAll(from: Place.self, to: Spot.self) == 2)
    #expect(home.text == "[Spot.s]\nstreet = \"s\"\nsettings-sync = \"syncing\"\n\n[Spot.t]\nstreet = \"t\"\n")
  }

  @Test func `records may be replaced by code, which may fail`() throws {
    struct Broken: Error {}
    let garage = try home.garage(two)
    let before = home.text
    let found = settingsError {
      try garage.migrateAll(from: Old.self, to: New.self) { old in
        if old.id == "b" { throw Broken() }
        return New(id: old.id, label: old.label)
      }
    }
    #expect(found?.code == .migrationFailed && found?.cause?.contains("MCItem \"b\"") == true)
    #expect(home.text == before)
    #expect(
      try garage.migrateAll(from: Old.self, to: New.self) { New(id: "new-\($0.id)", label: $0.label.lowercased()) } == 2
    )
    #expect(try garage.retrieveAll(New.self).map(\.id) == ["new-a", "new-b"])
    #expect(try garage.retrieveAll(New.self, withStatus: .synced).map(\.label) == ["a"])
  }

  @Test func `several migrations in one update are one, and one that fails takes the others along`() throws {
    let garage = try home.garage(two + "\n[Bad.1]\nid = 3\n")
    let before = home.text
    let found = settingsError {
      try garage.update { garage in
        try garage.migrateAll(from: Old.self, to: New.self)
        try garage.migrateAll(recordName: "Bad", to: Pet.self)
      }
    }
    #expect(found?.code == .migrationFailed)
    #expect(home.text == before)
  }

  @Test func `ten thousand records are migrated in one go`() throws {
    let garage = try home.garage()
    try garage.park((0..<10_000).map { Old(id: "\($0)", label: "label \($0)") })
    #expect(try garage.migrateAll(from: Old.self, to: New.self) == 10_000)
    #expect(try garage.retrieveAll(New.self).count == 10_000)
    #expect(home.text?.contains("MCItem") == false)
  }

  // MARK: GarageStorage's rows

  @Test func `rows of GarageStorage are taken over, with their three old forms`() throws {
    let rows = #"""
      [
        {"gs_type": "MCPerson", "gs_identifier": "Joan", "gs_version": 1, "gs_syncStatus": 3, "gs_creationDate": null,
         "gs_data": "{\"name\":\"Joan\",\"birthdate\":{\"gs_type\":\"gs_transformableType\",\"gs_transformableType\":\"gs_transformableDate\",\"gs_transformableData\":\"1970-01-02T00:00:00Z\"},\"brother\":{\"gs_identifier\":\"Sam\",\"gs_type\":\"MCPerson\"},\"siblings\":[{\"gs_identifier\":\"Sam\",\"gs_type\":\"MCPerson\"}],\"address\":{\"gs_identifier\":\"kGSAnonymousObject\",\"gs_type\":\"MCAddress\",\"kGSAnonymousDataKey\":\"{\\\"street\\\":\\\"S\\\",\\\"since\\\":{\\\"gs_type\\\":\\\"gs_transformableType\\\",\\\"gs_transformableType\\\":\\\"gs_transformableDate\\\",\\\"gs_transformableData\\\":\\\"1971-01-02T00:00:00+01:00\\\"}}\",\"gs_syncStatus\":2},\"tags\":[\"a\",null],\"none\":null}"},
        {"ZGS_TYPE": "MCPerson", "ZGS_IDENTIFIER": "Sam", "ZGS_SYNCSTATUS": 1, "Z_PK": 2, "ZGS_DATA": "{\"name\":\"Sam\"}"}
      ]
      """#
    let garage = try home.garage()
    let report = try garage.importGarageStorage(rows: rows)
    #expect(report.taken == ["MCPerson": 2])
    #expect(report.notes == ["Row 0, MCPerson \"Joan\": the null at 'tags.\"[1]\"' was left out."])
    #expect(
      home.text == """
        [MCPerson.Joan]
        name = "Joan"
        birthdate = 1970-01-02T00:00:00Z
        brother = "Sam"
        siblings = ["Sam"]
        tags = ["a"]
        settings-sync = "synced"

        [MCPerson.Joan.address]
        street = "S"
        since = 1971-01-02T00:00:00+01:00
        syncStatus = 2

        [MCPerson.Sam]
        name = "Sam"
        settings-sync = "not-synced"

        """)
    // Again: nothing differs, so nothing is written, and nothing fails.
    let before = home.text
    try garage.importGarageStorage(rows: rows)
    #expect(home.text == before)
  }

  @Test func `rows that cannot be taken are all named, and nothing is written`() throws {
    let garage = try home.garage("[A.1]\nx = 1\n")
    let before = home.text
    let found = settingsError {
      try garage.importGarageStorage(
        rows: #"""
          [{"gs_type": "A", "gs_identifier": "1", "gs_data": "{}"},
           {"gs_type": "A", "gs_identifier": "2", "gs_data": "{\"a\":"},
           {"gs_type": "A", "gs_identifier": "3"},
           {"gs_identifier": "4", "gs_data": "{}"},
           {"gs_type": "A", "gs_data": "{}"},
           {"gs_type": "A", "gs_identifier": "6", "gs_data": "[1]"},
           {"gs_type": "A", "gs_identifier": "7", "gs_data": "{}", "gs_syncStatus": 9},
           {"gs_type": "settings-a", "gs_identifier": "8", "gs_data": "{}"},
           {"gs_type": "A", "gs_identifier": "9", "gs_data": "{\"d\":{\"gs_type\":\"gs_transformableType\"}}"},
           7, {"gs_type": "A", "gs_identifier": "good", "gs_data": "{}"}]
          """#)
    }
    #expect(found?.code == .migrationFailed)
    #expect(found?.cause?.split(separator: "\n").count == 10, "\(found?.cause ?? "")")
    #expect(home.text == before)
    for text in ["{", "{}", "null", "[1, null]"] {
      #expect(settingsError { try garage.importGarageStorage(rows: text) }?.code == .migrationFailed, "\(text)")
    }
    #expect(home.text == before)
    let row = #"[{"gs_type": "A", "gs_identifier": "1", "gs_data": "{\"x\": 2}"}]"#
    #expect(try garage.importGarageStorage(rows: row, onConflict: .keep).notes.count == 1)
    #expect(home.text == before)
    try garage.importGarageStorage(rows: row, onConflict: .replace)
    #expect(home.text == "[A.1]\nx = 2\n")
    // Data that a delegate had encrypted.
    struct NoKey: Error {}
    #expect(
      settingsError { try garage.importGarageStorage(rows: row) { _ in throw NoKey() } }?.cause?.contains("NoKey")
        == true)
    try garage.importGarageStorage(rows: row, onConflict: .replace) { _ in #"{"x": 3}"# }
    #expect(home.text == "[A.1]\nx = 3\n")
  }
}
