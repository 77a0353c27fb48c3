import AppSettings
import Foundation
import TestSupport
import Testing

// The blocks of docs/coming-from-garagestorage.md, compiled.

private enum Shop {
  struct Address: Codable, Hashable {
    var street: String
    var zip: String
  }

  final class Person: Codable, Identifiable, GarageRecord {
    static let recordName = "Person"
    static let formerNames = ["MCPerson"]
    var id: String { name }
    var name: String
    var address: Address?
    @Reference var brother: Person?
    @References var siblings: [Person]

    init(name: String) { self.name = name }
  }

  struct LegacyItem: Codable, Hashable, GarageRecord {
    static let recordName = "MCItem"
    var itemID: String
    var label: String
    var dateCreated: Date
  }

  struct Item: Codable, Identifiable, GarageRecord {
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

  try garage.batch {
    try garage.delete(sam)
    try garage.park(Person(name: "Ann"))
  }
  #expect(again?.siblings.first?.name == "Sam" && everyone.count == 2 && toSend.count == 1)
}

private func migrateInPlace(_ garage: Garage, rows: String) throws {
  typealias Person = Shop.Person
  try garage.batch {
    try garage.importGarageStorage(rows: rows)
    try garage.migrateAll(fromOldClassName: "MCPerson", to: Person.self)
  }
}

private func migrateByReplacement(_ garage: Garage) throws {
  typealias LegacyItem = Shop.LegacyItem
  typealias Item = Shop.Item
  try garage.migrateAll(from: LegacyItem.self, to: Item.self) { old in
    Item(id: old.itemID, label: old.label, dateCreated: old.dateCreated)
  }
}

@Suite struct GarageDocumentationTests {
  @Test func `the guide's code does what the guide says`() throws {
    let garage = Garage(inMemory: "")
    try parkAndRetrieve(garage)
    #expect(try garage.retrieveAll(Shop.Person.self) { _ in }.map(\.name) == ["Ann"])
    try garage.deleteAllObjects()
    try migrateInPlace(
      garage,
      rows: #"""
        [{"gs_type": "MCPerson", "gs_identifier": "Joan", "gs_data": "{\"name\":\"Joan\",\"siblings\":[]}"},
         {"gs_type": "MCItem", "gs_identifier": "7",
          "gs_data": "{\"itemID\":\"i\",\"label\":\"L\",\"dateCreated\":\"2015-06-01T08:00:00Z\"}"}]
        """#)
    try migrateByReplacement(garage)
    #expect(try garage.retrieve(Shop.Person.self, id: "Joan") != nil)
    #expect(try garage.retrieve(Shop.Item.self, id: "i")?.label == "L")
  }
}
