import AppSettings
import AppSettingsGarage
import Foundation
import Testing
import TestSupport

// The cases of GarageStorage's guide "Migrating from Objective-C to Swift", named after its sections.

/// What the guide's `MCItem`, and a person with relations, had written.
private let rows = #"""
  [
    {"gs_type": "MCItem", "gs_identifier": "83917", "gs_syncStatus": 3,
     "gs_data": "{\"itemID\":\"i-1\",\"label\":\"Lamp\",\"dateCreated\":{\"gs_type\":\"gs_transformableType\",\"gs_transformableType\":\"gs_transformableDate\",\"gs_transformableData\":\"2015-06-01T08:00:00Z\"}}"},
    {"gs_type": "MCPerson", "gs_identifier": "Joan", "gs_syncStatus": 1,
     "gs_data": "{\"name\":\"Joan\",\"address\":{\"gs_identifier\":\"kGSAnonymousObject\",\"gs_type\":\"MCAddress\",\"kGSAnonymousDataKey\":\"{\\\"street\\\":\\\"Main St\\\",\\\"zip\\\":\\\"01234\\\"}\"},\"siblings\":[{\"gs_identifier\":\"Sam\",\"gs_type\":\"MCPerson\"}]}"},
    {"gs_type": "MCPerson", "gs_identifier": "Sam", "gs_syncStatus": 0,
     "gs_data": "{\"name\":\"Sam\",\"siblings\":[{\"gs_identifier\":\"Joan\",\"gs_type\":\"MCPerson\"}]}"}
  ]
  """#

private let created = Date(timeIntervalSince1970: 1_433_145_600)

private struct LegacyItem: Codable, Hashable, GarageNamed {
  static let recordName = "MCItem"
  var itemID: String
  var label: String
  var dateCreated: Date
}

private final class Item: Codable, Identifiable, GarageNamed {
  static let recordName = "Item"
  let id: String
  let label: String
  let dateCreated: Date

  init(id: String, label: String, dateCreated: Date) {
    self.id = id
    self.label = label
    self.dateCreated = dateCreated
  }
}

private final class Relative: Codable, Identifiable, GarageNamed {
  static let recordName = "Relative"
  var id: String { name }
  var name: String
  var address: Address?
  @References var siblings: [Relative]
}

struct GarageStorageGuideTests {
  private let home = GarageHome()

  private func imported() throws -> Garage {
    let garage = try home.garage()
    try garage.importGarageStorage(rows: rows)
    return garage
  }

  @Test func `in place: a type with the exact same properties needs no migration`() throws {
    struct SameItem: Codable, Hashable, GarageNamed {
      static let recordName = "MCPlain"
      var label: String
      var dateCreated: Date
    }
    final class SamePerson: Codable, Identifiable, GarageNamed {
      static let recordName = "MCPerson"
      var id: String { name }
      var name: String
      var address: Address?
    }
    let person = try #require(try imported().retrieve(SamePerson.self, id: "Joan"))
    #expect(person.name == "Joan" && person.address == Address(street: "Main St", zip: "01234"))
  }

  @Test func `in place: convert identifiable objects, map the identifying attribute to id`() throws {
    let garage = try imported()
    #expect(try garage.migrateAll(recordName: "MCPerson", to: Relative.self) == 2)
    let joan = try #require(try garage.retrieve(Relative.self, id: "Joan"))
    #expect(joan.siblings.map(\.name) == ["Sam"] && joan.siblings.first?.siblings.first === joan)
    #expect(try garage.retrieveAll(Relative.self, withStatus: .notSynced).map(\.id) == ["Joan"])
    joan.siblings.first?.siblings = []
  }

  @Test func `in place: a nested object without an identifying attribute becomes a struct, in line`() throws {
    let garage = try imported()
    try garage.migrateAll(recordName: "MCPerson", to: Relative.self)
    #expect(try garage.retrieve(Relative.self, id: "Joan")?.address == Address(street: "Main St", zip: "01234"))
    #expect(home.text?.contains("[Relative.Joan.address]\nstreet = \"Main St\"\nzip = \"01234\"\n") == true)
    for person in try garage.retrieveAll(Relative.self) { person.siblings = [] }
  }

  @Test func `lightweight migration with the old type, and with its class name`() throws {
    struct PlainItem: Codable, Hashable, GarageNamed {
      static let recordName = "PlainItem"
      var itemID: String
      var label: String
      var dateCreated: Date
    }
    let byType = try imported()
    #expect(try byType.migrateValues(recordName: LegacyItem.recordName, to: PlainItem.self) == 1)
    let expected = PlainItem(itemID: "i-1", label: "Lamp", dateCreated: created)
    #expect(try byType.retrieveValues(PlainItem.self) == [expected])
    try byType.deleteAll()
    try byType.importGarageStorage(rows: rows)
    #expect(try byType.migrateValues(recordName: "MCItem", to: PlainItem.self) == 1)
    #expect(try byType.retrieveValues(PlainItem.self) == [expected])
    #expect(try byType.syncStatus(ofValue: expected) == .synced)
  }

  @Test func `after migrating, CodingKeys and init(from:) map old names and hierarchies to new ones`() throws {
    struct Later: Codable, Identifiable, Equatable, GarageNamed {
      static let recordName = "Later"
      var id: String
      var title: String
      enum CodingKeys: String, CodingKey { case id, title }
      enum OldKeys: String, CodingKey { case itemID, label }
      init(from decoder: any Decoder) throws {
        let old = try decoder.container(keyedBy: OldKeys.self)
        let new = try decoder.container(keyedBy: CodingKeys.self)
        id = try new.decodeIfPresent(String.self, forKey: .id) ?? old.decode(String.self, forKey: .itemID)
        title = try new.decodeIfPresent(String.self, forKey: .title) ?? old.decode(String.self, forKey: .label)
      }
    }
    let garage = try imported()
    #expect(try garage.migrateAll(recordName: "MCItem", to: Later.self) == 1)
    #expect(try garage.retrieve(Later.self, id: "i-1")?.title == "Lamp")
    // What the new type asked for under its old name is gone, what it never asked for is kept.
    #expect(
      home.text?.contains(
        "[Later.i-1]\nid = \"i-1\"\ntitle = \"Lamp\"\ndateCreated = 2015-06-01T08:00:00Z\nsettings-sync = \"synced\"\n")
        == true, "\(home.text ?? "")")
  }

  @Test func `replacement: map from the old type to a new one by code`() throws {
    let garage = try imported()
    try garage.migrateAll(from: LegacyItem.self, to: Item.self) { old in
      Item(id: old.itemID, label: old.label, dateCreated: old.dateCreated)
    }
    let item = try #require(try garage.retrieve(Item.self, id: "i-1"))
    #expect(item.label == "Lamp" && item.dateCreated == created)
    #expect(try garage.syncStatus(of: item) == .synced)
    #expect(home.text?.contains("MCItem") == false)
    #expect(try garage.backups().count == 1)
  }

  @Test func `replacement: the guide's own function, as one update`() throws {
    let garage = try imported()
    // The guide's objects were never asked for by their ids, which are hashes: they have none here.
    try garage.migrateValues(recordName: "MCItem", to: LegacyItem.self)
    func migrateAllItems() throws {
      try garage.update { garage in
        let oldItems = try garage.retrieveValues(LegacyItem.self)
        guard !oldItems.isEmpty else { return }
        try garage.park(oldItems.map { Item(id: $0.itemID, label: $0.label, dateCreated: $0.dateCreated) })
        try garage.deleteAll(LegacyItem.self)
      }
    }
    try migrateAllItems()
    #expect(try garage.retrieveAll(Item.self).map(\.id) == ["i-1"])
    #expect(try garage.retrieveValues(LegacyItem.self).isEmpty)
    let before = home.text
    try migrateAllItems()
    #expect(home.text == before)
  }

  @Test func `a syncable type skips its syncStatus by CodingKeys, and the garage keeps the status`() throws {
    final class Synced: Codable, Identifiable, GarageNamed {
      static let recordName = "Synced"
      var id: String { name }
      var name: String
      var syncStatus = Garage.SyncStatus.undetermined
      enum CodingKeys: String, CodingKey { case name }
    }
    let garage = try imported()
    try garage.migrateAll(recordName: "MCPerson", to: Synced.self)
    let joan = try #require(try garage.retrieve(Synced.self, id: "Joan"))
    #expect(try garage.syncStatus(of: joan) == .notSynced)
  }

  @Test func `migration code may stay in place: where there is nothing to migrate it does nothing`() throws {
    let garage = try imported()
    try garage.migrateAll(recordName: "MCPerson", to: Relative.self)
    let before = home.text
    #expect(try garage.migrateAll(recordName: "MCPerson", to: Relative.self) == 0)
    let count = try garage.migrateAll(from: Old.self, to: Item.self) {
      Item(id: $0.id, label: "", dateCreated: created)
    }
    #expect(count == 0)
    #expect(home.text == before)
    let fresh = GarageHome()
    #expect(try fresh.garage().migrateAll(recordName: "MCPerson", to: Relative.self) == 0)
    #expect(fresh.home.names(in: fresh.home.path) == [])
  }

  private struct Old: Codable, Identifiable { var id: String }
}
