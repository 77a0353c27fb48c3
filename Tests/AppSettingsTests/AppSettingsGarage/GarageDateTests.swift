import AppSettings
import AppSettingsGarage
import Foundation
import Testing
import TestSupport

private let rounds = Lock(0)

private struct Visits: Codable, Identifiable {
  struct Visit: Codable {
    var at: Date
    var note: String
  }
  var id: String
  var visits: [Visit]

  init(from decoder: any Decoder) throws {
    rounds.withLock { $0 += 1 }
    let container = try decoder.container(keyedBy: CodingKeys.self)
    id = try container.decode(String.self, forKey: .id)
    visits = try container.decode([Visit].self, forKey: .visits)
  }
  enum CodingKeys: String, CodingKey { case id, visits }
}

private let calendarRounds = Lock(0)

private struct Calendar: Codable, Identifiable {
  struct Entry: Codable {
    var at: Date
    var note: String
    var others: [String: Date]
  }
  var id: String
  var days: [String: Date]
  var entries: [Int: Entry]

  init(from decoder: any Decoder) throws {
    calendarRounds.withLock { $0 += 1 }
    let container = try decoder.container(keyedBy: CodingKeys.self)
    id = try container.decode(String.self, forKey: .id)
    days = try container.decode([String: Date].self, forKey: .days)
    entries = try container.decode([Int: Entry].self, forKey: .entries)
  }
  enum CodingKeys: String, CodingKey { case id, days, entries }
}

private struct DatesAndTexts: Codable, Identifiable {
  enum Part: Codable, Equatable {
    case text(String)
    case date(Date)

    init(from decoder: any Decoder) throws {
      let container = try decoder.container(keyedBy: CodingKeys.self)
      if try container.decode(Bool.self, forKey: .isDate) {
        self = .date(try container.decode(Date.self, forKey: .value))
      } else {
        self = .text(try container.decode(String.self, forKey: .value))
      }
    }
    func encode(to encoder: any Encoder) throws {}
    enum CodingKeys: String, CodingKey { case isDate, value }
  }
  var id: String
  var parts: [Part]
}

/// Dates that an older form has as strings.
struct GarageDateTests {
  private let home = GarageHome()
  private let day = "2020-01-02T00:00:00Z"

  @Test func `many dates in the elements of an array take a few rounds of reading`() throws {
    let visit = "{ at = \"\(day)\", note = \"\(day)\" }"
    let list = Array(repeating: visit, count: 500).joined(separator: ", ")
    let garage = try home.garage("[Old.a]\nid = \"a\"\nvisits = [\(list)]\n")
    #expect(try garage.migrateAll(recordName: "Old", to: Visits.self) == 1)
    #expect(rounds.withLock { $0 } < 10)
    let found = try #require(try garage.retrieve(Visits.self, id: "a"))
    #expect(found.visits.count == 500)
    #expect(found.visits.allSatisfy { $0.at == Date(timeIntervalSince1970: 1_577_923_200) && $0.note == day })
  }

  @Test func `many dates in the entries of dictionaries take a few rounds of reading`() throws {
    func table(_ value: String) -> String { "{ \((0..<200).map { "\($0) = \(value)" }.joined(separator: ", ")) }" }
    let entry = "{ at = \"\(day)\", note = \"\(day)\", others = { x = \"\(day)\", y = \"\(day)\" } }"
    let garage = try home.garage("[Old.a]\nid = \"a\"\ndays = \(table("\"\(day)\""))\nentries = \(table(entry))\n")
    #expect(try garage.migrateAll(recordName: "Old", to: Calendar.self) == 1)
    #expect(calendarRounds.withLock { $0 } < 20)
    let found = try #require(try garage.retrieve(Calendar.self, id: "a"))
    let date = Date(timeIntervalSince1970: 1_577_923_200)
    #expect(found.days.count == 200 && found.days.values.allSatisfy { $0 == date })
    #expect(found.entries.count == 200 && found.entries.values.allSatisfy { $0.at == date && $0.note == day })
    #expect(found.entries.values.allSatisfy { $0.others == ["x": date, "y": date] })
  }

  @Test func `a string that is a date stays one where its element of the array has a text there`() throws {
    let parts = [false, true, false].map { "{ isDate = \($0), value = \"\(day)\" }" }.joined(separator: ", ")
    let garage = try home.garage("[DatesAndTexts.a]\nid = \"a\"\nparts = [\(parts)]\n")
    let found = Lock<[DatesAndTexts.Part]>([])
    try garage.migrateAll(from: DatesAndTexts.self, to: Pet.self) { old in
      found.withLock { $0 = old.parts }
      return Pet(id: 1, name: "")
    }
    let date = DatesAndTexts.Part.date(Date(timeIntervalSince1970: 1_577_923_200))
    #expect(found.withLock { $0 } == [.text(day), date, .text(day)])
  }
}
