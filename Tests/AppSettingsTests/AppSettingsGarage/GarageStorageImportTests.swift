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

  @Test func `numbers that are rounded are named, and those that are kept are not`() throws {
    let kept = [
      "0.1", "1.50", "1e2", "-0.0", "0.10000000000000001", "9007199254740993", "18446744073709551615", "123456789.125",
      "1E-7", "5e-324", "0.30000000000000004",
    ]
    let rounded = ["0.1234567890123456789", "12345678901234567.89", "-3.00000000000000000001", "99999999999999999999"]
    let json = (kept + rounded).joined(separator: ", ")
    let row = "{\"text\": \"0.1234567890123456789\", \"list\": [\(json)]}"
    let rows = try JSONSerialization.data(
      withJSONObject: [["gs_type": "A", "gs_identifier": "1", "gs_data": row]])
    let report = try home.garage().importGarageStorage(rows: String(decoding: rows, as: UTF8.self))
    #expect(report.notes.count == rounded.count, "\(report.notes)")
    for (note, number) in zip(report.notes, rounded) {
      #expect(note.hasPrefix("Row 0, A \"1\": the number \(number) was rounded to "))
    }
  }
}
