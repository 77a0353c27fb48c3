import AppSettings
import AppSettingsGarage
import Foundation
import Testing
import TestSupport

private struct Place: Codable, Hashable, GarageNamed {
  static let recordName = "Place"
  var street: String
}

/// What GarageStorage's rows may be besides plain rows of records.
struct GarageStorageImportTests {
  private let home = GarageHome()

  @Test(arguments: ["", "\n", " \r\n\t"])
  func `no text is what an empty table prints, and has no rows`(text: String) throws {
    let garage = try home.garage()
    let report = try garage.importGarageStorage(rows: text)
    #expect(report.taken.isEmpty)
    #expect(report.notes.isEmpty)
    #expect(home.text == nil)
  }

  @Test func `the rows that sqlite3 prints of a store, and of an empty one`() throws {
    let sqlite = "/usr/bin/sqlite3"
    guard FileManager.default.isExecutableFile(atPath: sqlite) else {
      return print("sqlite3 is not installed; what it prints is not tried")
    }
    let file = home.home.path + "/MyGarage.sqlite"
    func run(_ statement: String) throws -> String {
      try ChildProcess.run(sqlite, ["-json", file, statement], environment: home.home.environment).output
    }
    _ = try run(
      """
      CREATE TABLE ZGSCOREDATAOBJECT (Z_PK INTEGER PRIMARY KEY, Z_ENT INTEGER, Z_OPT INTEGER, ZGS_SYNCSTATUS INTEGER,
      ZGS_VERSION INTEGER, ZGS_CREATIONDATE TIMESTAMP, ZGS_DATA VARCHAR, ZGS_IDENTIFIER VARCHAR, ZGS_TYPE VARCHAR)
      """)
    let garage = try home.garage()
    let all = "SELECT * FROM ZGSCOREDATAOBJECT"
    #expect(try garage.importGarageStorage(rows: run(all)).taken.isEmpty)
    _ = try run(
      """
      INSERT INTO ZGSCOREDATAOBJECT VALUES (1, 1, 1, 3, NULL, 454838400.5, '{"street":"Größe \\"x\\""}', '-46116', 'Place'),
      (2, 1, 1, NULL, NULL, NULL, '{"street":"Mill Rd"}', '7', 'Place')
      """)
    #expect(try garage.importGarageStorage(rows: run(all)).taken == ["Place": 2])
    try garage.migrateValues(recordName: "Place", to: Place.self)
    #expect(try garage.retrieveValues(Place.self).map(\.street) == ["Größe \"x\"", "Mill Rd"])
  }

  @Test func `rows come in beside objects without an id that are parked, each once`() throws {
    let garage = try home.garage()
    try garage.parkValue(Place(street: "Mill Rd"))
    let rows = #"""
      [{"gs_type": "Place", "gs_identifier": "1", "gs_data": "{\"street\":\"Mill Rd\"}"},
       {"gs_type": "Place", "gs_identifier": "2", "gs_data": "{\"street\":\"High St\"}", "gs_syncStatus": 3}]
      """#
    for _ in 1...2 {
      #expect(try garage.importGarageStorage(rows: rows).taken == ["Place": 2])
      #expect(try garage.retrieveValues(Place.self).map(\.street) == ["Mill Rd", "High St"])
      #expect(try garage.syncStatus(ofValue: Place(street: "High St")) == .synced)
    }
    try garage.migrateValues(recordName: "Place", to: Place.self)
    #expect(try garage.retrieveValues(Place.self).count == 2)
  }

  @Test func `decimal numbers of any length stay exact, and those that are kept as text are named`() throws {
    let kept = [
      "0.1", "1.50", "1e2", "-0.0", "0.10000000000000001", "9007199254740993", "18446744073709551615", "123456789.125",
      "1E-7", "5e-100", "0.30000000000000004",
    ]
    let long = ["0.1234567890123456789", "12345678901234567.89", "-3.00000000000000000001", "99999999999999999999"]
    let json = (kept + long).joined(separator: ", ")
    let row = "{\"text\": \"0.1234567890123456789\", \"list\": [\(json)]}"
    let rows = try JSONSerialization.data(
      withJSONObject: [["gs_type": "Amounts", "gs_identifier": "1", "gs_data": row]])
    let garage = try home.garage()
    let report = try garage.importGarageStorage(rows: String(decoding: rows, as: UTF8.self))
    #expect(
      report.notes
        == long.map {
          "Row 0, Amounts \"1\": the number \($0) is kept as text, because a floating-point number would round it."
        })
    let amounts = try #require(try garage.retrieve(Amounts.self, id: "1"))
    // With 17 digits it is how a floating-point number was written.
    #expect(amounts.list == (kept + long).map { $0 == "0.10000000000000001" ? 0.1 : Decimal(string: $0)! })
    // A type that has floating-point numbers today gets them as it is migrated to, rounded as they are.
    try garage.migrateAll(recordName: "Amounts", to: Rounded.self)
    let rounded = try #require(try garage.retrieve(Rounded.self, id: "1"))
    #expect(rounded.list == (kept + long).map { Double($0)! })
    #expect(rounded.text == "0.1234567890123456789")
  }

  @Test(arguments: ["1.5e-9223372036854775808", "1e-9223372036854775807", "1e-99999999999999999999"])
  func `a number with the smallest power of ten is kept as text, too`(number: String) throws {
    let rows = try JSONSerialization.data(
      withJSONObject: [["gs_type": "Amounts", "gs_identifier": "1", "gs_data": "{\"text\": \(number)}"]])
    let report = try home.garage().importGarageStorage(rows: String(decoding: rows, as: UTF8.self))
    #expect(
      report.notes == [
        "Row 0, Amounts \"1\": the number \(number) is kept as text, because a floating-point number would round it."
      ])
  }

  @Test func `references to rows of objects without an id become these objects, and the rows values`() throws {
    let garage = try home.garage()
    let rows = #"""
      [{"gs_type": "Guest", "gs_identifier": "Ann",
        "gs_data": "{\"name\":\"Ann\",\"home\":{\"gs_type\":\"Place\",\"gs_identifier\":\"-46\"},\"others\":[{\"gs_type\":\"Place\",\"gs_identifier\":\"47\"}]}"},
       {"gs_type": "Place", "gs_identifier": "-46", "gs_data": "{\"street\":\"Mill Rd\"}", "gs_syncStatus": 3},
       {"gs_type": "Place", "gs_identifier": "47", "gs_data": "{\"street\":\"High St\"}"},
       {"gs_type": "Place", "gs_identifier": "48", "gs_data": "{\"street\":\"High St\"}"}]
      """#
    try garage.importGarageStorage(rows: rows, valueTypes: ["Place"])
    let ann = try #require(try garage.retrieve(Guest.self, id: "Ann"))
    #expect(ann.home == Place(street: "Mill Rd") && ann.others == [Place(street: "High St")])
    #expect(try garage.retrieveValues(Place.self).map(\.street) == ["Mill Rd", "High St"])
    #expect(try garage.syncStatus(ofValue: Place(street: "Mill Rd")) == .synced)
  }

  @Test func `the data of objects in line is decrypted, too`() throws {
    let garage = try home.garage()
    let inner = String(#"{"street":"Mill Rd"}"#.reversed())
    let object: [String: Any] = [
      "name": "Ann", "others": [],
      "home": [
        "gs_identifier": "kGSAnonymousObject", "gs_type": "Place", "kGSAnonymousDataKey": inner,
      ],
    ]
    let data = String(decoding: try JSONSerialization.data(withJSONObject: object), as: UTF8.self)
    let row = ["gs_type": "Guest", "gs_identifier": "Ann", "gs_data": String(data.reversed())]
    let rows = String(decoding: try JSONSerialization.data(withJSONObject: [row]), as: UTF8.self)
    try garage.importGarageStorage(rows: rows) { String($0.reversed()) }
    #expect(try garage.retrieve(Guest.self, id: "Ann")?.home == Place(street: "Mill Rd"))
  }

  @Test func `an object that holds itself is refused, however it was made`() throws {
    let garage = try home.garage()
    let rows = #"""
      [{"gs_type": "Place", "gs_identifier": "1",
        "gs_data": "{\"a\":{\"gs_type\":\"Place\",\"gs_identifier\":\"1\"},\"b\":{\"gs_type\":\"Place\",\"gs_identifier\":\"1\"}}"}]
      """#
    let error = settingsError { try garage.importGarageStorage(rows: rows, valueTypes: ["Place"]) }
    #expect(
      error?.code == .migrationFailed && error?.cause?.contains("refers to too many objects, or to itself") == true)
    #expect(home.text == nil)
  }

  @Test(arguments: ["0.12345678901234567890.1", "+1.2345678901234567890", "01.2345678901234567890"])
  func `what is no number of JSON is none in quotes`(number: String) throws {
    let garage = try home.garage()
    let rows = #"[{"gs_type": "A", "gs_identifier": "1", "gs_data": "{\"x\": \#(number)}"}]"#
    #expect(settingsError { try garage.importGarageStorage(rows: rows) }?.code == .migrationFailed)
  }

  @Test func `rows under the name of a class in its module become a type of today`() throws {
    let garage = try home.garage()
    try garage.importGarageStorage(
      rows: #"""
        [{"gs_type": "MyApp.Person", "gs_identifier": "Joan", "gs_syncStatus": 1,
          "gs_data": "{\"name\":\"Joan\",\"boss\":{\"gs_type\":\"MyApp.Person\",\"gs_identifier\":\"Ann\"}}"},
         {"gs_type": "MyApp.Person", "gs_identifier": "Ann", "gs_syncStatus": 0, "gs_data": "{\"name\":\"Ann\"}"}]
        """#)
    // Found as they are, and moved when they are next parked.
    #expect(try garage.retrieve(Employee.self, id: "Joan")?.boss?.name == "Ann")
    #expect(try garage.migrateAll(recordName: "MyApp.Person", to: Employee.self) == 2)
    #expect(try garage.retrieve(Employee.self, id: "Joan")?.boss?.name == "Ann")
    #expect(try garage.retrieveAll(Employee.self, withStatus: .notSynced).map(\.name) == ["Joan"])
    #expect(home.text?.contains("MyApp") == false)
  }
}

private struct Amounts: Codable, Identifiable, GarageNamed {
  static let recordName = "Amounts"
  var id: String { "1" }
  var text: String
  var list: [Decimal]
}

private struct Rounded: Codable, Identifiable, GarageNamed {
  static let recordName = "Rounded"
  var id: String { "1" }
  var text: String
  var list: [Double]
}

private final class Employee: Codable, Identifiable, GarageNamed {
  static let recordName = "Employee"
  static let formerNames = ["MyApp.Person"]
  var id: String { name }
  var name: String
  @Reference var boss: Employee?
}

private struct Guest: Codable, Identifiable, GarageNamed {
  static let recordName = "Guest"
  var id: String { name }
  var name: String
  var home: Place
  var others: [Place]
}
