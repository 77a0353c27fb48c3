import AppSettings
import AppSettingsGarage
import Foundation
import Testing
import TestSupport

// The blocks of docs/coming-from-garagestorage.md, compiled.

private enum Shop {
  struct Address: Codable, Hashable, GarageNamed {
    static let recordName = "Address"
    var street: String
    var zip: String
  }

  final class Person: Codable, Identifiable, GarageNamed {
    static let recordName = "Person"
    static let formerNames = ["MCPerson", "Shop.Person"]
    var id: String { name }
    var name: String
    var address: Address?
    @Reference var brother: Person?
    @References var siblings: [Person]

    init(name: String) { self.name = name }
  }

  struct Visit: Codable, Identifiable {
    var id: String
    var day: Date

    private enum CodingKeys: String, CodingKey { case id, day }

    init(from decoder: any Decoder) throws {
      let fields = try decoder.container(keyedBy: CodingKeys.self)
      id = try fields.decode(String.self, forKey: .id)
      day = Date(timeIntervalSince1970: try fields.decode(Double.self, forKey: .day))
    }

    func encode(to encoder: any Encoder) throws {
      var fields = encoder.container(keyedBy: CodingKeys.self)
      try fields.encode(id, forKey: .id)
      try fields.encode(day.timeIntervalSince1970, forKey: .day)
    }
  }

  struct Order: Codable, Identifiable, GarageNamed {
    static let recordName = "Order"
    var id: String
    var placed: Date
    var lines: [Date] = []
  }

  struct Customer: Codable, Identifiable, GarageNamed {
    static let recordName = "Customer"
    var id: UUID
    var name: String
    var since: Date
    var balance: Decimal
  }

  struct LegacyItem: Codable, Hashable, GarageNamed {
    static let recordName = "MCItem"
    var itemID: String
    var label: String
    var dateCreated: Date
  }

  struct Item: Codable, Identifiable, GarageNamed {
    static let recordName = "Item"
    var id: String
    var label: String
    var dateCreated: Date
  }
}

private func openGarage() throws -> Garage {
  let garage = try Garage(app: "org.example.shop", name: "my-garage")
  return garage
}

private func parkAndRetrieve(_ garage: Garage) throws {
  typealias Person = Shop.Person
  let joan = Person(name: "Joan")
  let sam = Person(name: "Sam")
  joan.siblings = [sam]
  try garage.park(joan)  // and Sam with her

  let again = try garage.retrieve(Person.self, id: "Joan")
  let everyone = try garage.retrieveAll(Person.self)

  try garage.setSyncStatus(.notSynced, for: joan)
  let toSend = try garage.retrieveAll(Person.self, withStatus: .notSynced)

  try garage.update { transaction in
    try transaction.delete(sam)
    try transaction.park(Person(name: "Ann"))
  }
  #expect(again?.siblings.first?.name == "Sam" && everyone.count == 2 && toSend.count == 1)
}

private func parkSyncable(
  _ garage: Garage, _ joan: Shop.Person, send: (any Codable & Identifiable) throws -> Void
) throws {
  typealias Person = Shop.Person
  typealias Visit = Shop.Visit
  try garage.update { transaction in
    try transaction.park(joan)
    try transaction.setSyncStatus(.notSynced, for: joan)
  }
  for object in try garage.retrieveAll([Person.self, Visit.self], withStatus: .notSynced) { try send(object) }
}

private func takeEncrypted(_ garage: Garage, rows: String, decrypted: (String) throws -> String) throws {
  let report = try garage.importGarageStorage(rows: rows, onConflict: .keep) { data in try decrypted(data) }
  #expect(report.taken == ["Order": 1])
}

private func migrateDates(_ garage: Garage) throws {
  typealias Order = Shop.Order
  try garage.migrateAll(recordName: "Order", to: Order.self)
}

private func takeMappableObjects(_ garage: Garage, rows: String) throws {
  typealias Person = Shop.Person
  let report = try garage.update { transaction in
    let report = try transaction.importGarageStorage(rows: rows, valueTypes: ["MCItem"])
    try transaction.migrateAll(recordName: "Shop.Person", to: Person.self)
    return report
  }
  for note in report.notes { print(note) }
  print(report.taken["Shop.Person"] ?? 0)
  #expect(report.taken == ["Shop.Person": 2, "MCItem": 2] && report.notes.isEmpty)
}

private func takeCodables(_ garage: Garage, rows: String) throws {
  typealias Customer = Shop.Customer
  try garage.update { transaction in
    try transaction.importGarageStorage(rows: rows, valueTypes: ["Address"])
    try transaction.migrateAll(recordName: "Customer", to: Customer.self)
  }
}

private func migrateByReplacement(_ garage: Garage) throws {
  typealias LegacyItem = Shop.LegacyItem
  typealias Item = Shop.Item
  try garage.migrateAll(from: LegacyItem.self, to: Item.self) { old in
    Item(id: old.itemID, label: old.label, dateCreated: old.dateCreated)
  }
}

struct ComingFromGarageStorage {
  private func export(_ name: String) throws -> String {
    try String(contentsOfFile: Repository.root + "/Tests/DocumentationTests/Fixtures/exports/" + name, encoding: .utf8)
  }

  @Test func `the rows of Codable types, as sqlite3 prints them`() throws {
    let garage = Garage(inMemory: "")
    try takeCodables(garage, rows: try export("garagestorage-1.json"))
    let id = try #require(UUID(uuidString: "7C9A8B50-0B5F-4F3B-9B1E-2C1A5D0E4F11"))
    let joan = try #require(try garage.retrieve(Shop.Customer.self, id: id))
    #expect(joan.since == Date(timeIntervalSince1970: 1_573_391_481))
    #expect(joan.balance == Decimal(string: "1234567890.1234567891"))
    #expect(try garage.retrieveValues(Shop.Address.self).map(\.street) == ["Main St", "High St"])
    #expect(try garage.syncStatus(of: joan) == .syncing)
  }

  @Test func `the guide's code does what the guide says`() throws {
    let garage = Garage(inMemory: "")
    try parkAndRetrieve(garage)
    #expect(try garage.retrieveAll(Shop.Person.self) { _ in }.map(\.name) == ["Ann"])
    try garage.deleteAll()
    try takeMappableObjects(garage, rows: try export("garagestorage-0.json"))
    #expect(try garage.retrieveValues(Shop.LegacyItem.self).map(\.label) == ["Lamp", "Chair"])
    try migrateByReplacement(garage)
    let created = Date(timeIntervalSince1970: 1_433_145_600)
    #expect(try garage.retrieve(Shop.Item.self, id: "i-1")?.label == "Lamp")
    #expect(try garage.retrieve(Shop.Item.self, id: "i-2")?.dateCreated == created)
    #expect(try garage.retrieve(Shop.Person.self, id: "Joan")?.address == Shop.Address(street: "Main St", zip: "01234"))
    #expect(try garage.retrieve(Shop.Person.self, id: "Joan")?.siblings.map(\.name) == ["Sam"])
    #expect(try garage.retrieveAll(Shop.Person.self, withStatus: .notSynced).map(\.name) == ["Joan"])
    let joan = try #require(try garage.retrieve(Shop.Person.self, id: "Joan"))
    var sent: [any Codable & Identifiable] = []
    try parkSyncable(garage, joan) { sent.append($0) }
    #expect(sent.count == 1 && sent[0] is Shop.Person)
  }

  @Test func `encrypted rows, and rows that Codable types have written, are taken as the guide says`() throws {
    let garage = Garage(inMemory: "")
    let rows = #"""
      [{"gs_type": "Order", "gs_identifier": "o1",
        "gs_data": "{'id':'o1','placed':'2019-11-10T14:11:21+01:00','lines':['2020-01-01T00:00:00Z','2020-01-02T00:00:00Z']}"}]
      """#
    try takeEncrypted(garage, rows: rows) { $0.replacingOccurrences(of: "'", with: "\"") }
    #expect(settingsError { _ = try garage.retrieve(Shop.Order.self, id: "o1") }?.code == .invalidValue)
    try migrateDates(garage)
    let order = try #require(try garage.retrieve(Shop.Order.self, id: "o1"))
    #expect(order.placed == Date(timeIntervalSince1970: 1_573_391_481) && order.lines.count == 2)
    let visit = try JSONDecoder().decode(Shop.Visit.self, from: Data(#"{"id":"v","day":86400}"#.utf8))
    try garage.park(visit)
    #expect(try garage.retrieve(Shop.Visit.self, id: "v")?.day == visit.day)
  }
}
