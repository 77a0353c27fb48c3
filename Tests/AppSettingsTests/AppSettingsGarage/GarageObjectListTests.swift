import AppSettings
import AppSettingsGarage
import Foundation
import Testing
import TestModels
import TestSupport

private let reads = Lock(0)

private struct ListedNote: Codable, Hashable {
  var text: String

  init(_ number: Int) { text = "note \(number)" }

  init(from decoder: any Decoder) throws {
    reads.withLock { $0 += 1 }
    text = try decoder.container(keyedBy: CodingKeys.self).decode(String.self, forKey: .text)
  }
  enum CodingKeys: String, CodingKey { case text }
}

private struct ListedMark: Codable, Hashable { var number: Int }

private struct ListedVisit: Codable, Hashable {
  var day: Int
  @Reference var host: Pet

  init(day: Int, host: Pet) {
    self.day = day
    self.host = host
  }

  init(from decoder: any Decoder) throws {
    reads.withLock { $0 += 1 }
    let container = try decoder.container(keyedBy: CodingKeys.self)
    day = try container.decode(Int.self, forKey: .day)
    _host = try container.decode(Reference<Pet>.self, forKey: .host)
  }
  enum CodingKeys: String, CodingKey { case day, host }
}

/// Objects without an id that are parked and deleted one by one in a batch.
@Suite(.serialized) struct GarageObjectListTests {
  private let home = GarageHome()

  @Test func `many objects in one update are read once`() throws {
    let garage = try home.garage()
    try garage.parkValues((0..<100).map(ListedNote.init))
    reads.withLock { $0 = 0 }
    try garage.update { garage in
      for number in 0..<100 { try garage.parkValue(ListedNote(number)) }
      for number in 0..<50 { try garage.deleteValue(ListedNote(2 * number)) }
      for number in 100..<150 { try garage.parkValue(ListedNote(number)) }
    }
    #expect(reads.withLock { $0 } < 300)
    let numbers = (0..<50).map { 2 * $0 + 1 } + (100..<150)
    #expect(try garage.retrieveValues(ListedNote.self) == numbers.map { ListedNote($0) })
  }

  @Test func `objects of two types that are parked in turns are read once`() throws {
    let garage = try home.garage()
    try garage.parkValues((0..<100).map(ListedNote.init))
    reads.withLock { $0 = 0 }
    try garage.update { garage in
      for number in 0..<50 {
        try garage.parkValue(ListedMark(number: number))
        try garage.parkValue(ListedNote(100 + number))
      }
    }
    #expect(reads.withLock { $0 } < 300)
    #expect(try garage.retrieveValues(ListedNote.self) == (0..<150).map(ListedNote.init))
    #expect(try garage.retrieveValues(ListedMark.self).map(\.number) == Array(0..<50))
  }

  private func text(_ numbers: some Sequence<Int>) -> String {
    numbers.map { "# above \($0)\n[[ListedMark]] # mark\nnumber =  \($0) # \($0)\n" }.joined(separator: "\n")
  }

  @Test func `deleting some objects leaves the text of the others`() throws {
    let garage = try home.garage("# head\n\n" + text(0..<9))
    try garage.update { garage in for number in [0, 3, 4, 8] { try garage.deleteValue(ListedMark(number: number)) } }
    #expect(home.text == "# head\n\n" + text([1, 2, 5, 6, 7]))
  }

  @Test func `the comment that a file begins with stays when the first object is deleted`() throws {
    let garage = try home.garage(text(0..<2))
    try garage.deleteValue(ListedMark(number: 0))
    #expect(home.text == "# above 0\n\n" + text([1]))
  }

  @Test func `what fails within an update is taken back, and the rest finds what is there`() throws {
    let garage = try home.garage([1, 1, 2].map { "[[ListedMark]]\nnumber = \($0)\n" }.joined(separator: "\n"))
    try garage.update { garage in
      try? garage.update { garage in
        try garage.deleteValue(ListedMark(number: 1))
        try garage.parkValue(ListedMark(number: 3))
        try garage.deleteValue(ListedMark(number: 4))
      }
      #expect(try garage.retrieveValues(ListedMark.self).map(\.number) == [1, 1, 2])
      // All that are equal, and none a second time.
      try garage.deleteValue(ListedMark(number: 1))
      #expect(throws: SettingsError.self) { try garage.deleteValue(ListedMark(number: 1)) }
      try garage.parkValue(ListedMark(number: 5))
      #expect(try garage.retrieveValues(ListedMark.self).map(\.number) == [2, 5])
      try garage.setSyncStatus(.syncing, forValue: ListedMark(number: 5))
      try garage.deleteValue(ListedMark(number: 2))
      try garage.deleteValue(ListedMark(number: 5))
      #expect(try garage.retrieveValues(ListedMark.self).isEmpty)
      try garage.parkValue(ListedMark(number: 1))
    }
    #expect(try home.garage().retrieveValues(ListedMark.self).map(\.number) == [1])
  }

  @Test(arguments: [0, 1, 4])
  func `deleting an object and parking another leaves the comments of the others`(deleted: Int) throws {
    let garage = try home.garage("# head\n\n" + text(0..<5) + "\n[Pet.1]\nid = 1\nname = \"a\"\n")
    try garage.update { garage in
      try garage.deleteValue(ListedMark(number: deleted))
      try garage.parkValue(ListedMark(number: 9))
    }
    #expect(
      home.text
        == "# head\n\n" + text((0..<5).filter { $0 != deleted })
        + "\n[[ListedMark]]\nnumber = 9\n\n[Pet.1]\nid = 1\nname = \"a\"\n")
  }

  @Test func `an update that changes, deletes and parks objects leaves each its comments`() throws {
    let garage = try home.garage("# head\n\n" + text(0..<4))
    try garage.update { garage in
      try garage.setSyncStatus(.synced, forValue: ListedMark(number: 2))
      for number in [0, 3] { try garage.deleteValue(ListedMark(number: number)) }
      for number in 7...8 { try garage.parkValue(ListedMark(number: number)) }
    }
    let changed = text([2]) + "settings-sync =  \"synced\"\n"
    #expect(
      home.text == "# head\n\n" + text([1]) + "\n" + changed
        + "\n[[ListedMark]]\nnumber = 7\n\n[[ListedMark]]\nnumber = 8\n")
  }

  @Test func `objects in the place of all others get none of their comments`() throws {
    let garage = try home.garage("# head\n\n" + text(0..<2))
    try garage.update { garage in
      for number in 0..<2 { try garage.deleteValue(ListedMark(number: number)) }
      try garage.parkValue(ListedMark(number: 5))
    }
    #expect(home.text == "# head\n\n[[ListedMark]]\nnumber = 5\n")
  }

  @Test func `deleting and parking sealed objects leaves the comments of the others`() throws {
    func garage() throws -> Garage { Garage(at: try home.location, cipher: .toy(1), system: Syscalls()) }
    try garage().parkValues((0..<4).map(ListedMark.init))
    var count = -1
    let lines = (home.text ?? "").split(separator: "\n", omittingEmptySubsequences: false).map { line in
      guard line == "[[ListedMark]]" else { return line + "" }
      count += 1
      return "# above \(count)\n" + line
    }
    try home.home.write(lines.joined(separator: "\n"), to: home.file)
    let other = try garage()
    try other.update { other in
      try other.deleteValue(ListedMark(number: 1))
      try other.parkValue(ListedMark(number: 9))
    }
    #expect(try garage().retrieveValues(ListedMark.self).map(\.number) == [0, 2, 3, 9])
    let comments = (home.text ?? "").split(separator: "\n").filter { $0.hasPrefix("#") }
    #expect(comments == ["# above 0", "# above 2", "# above 3"])
  }

  @Test func `a status set for one object after another in one update reads all of them once`() throws {
    let garage = try home.garage()
    try garage.parkValues((0..<100).map(ListedNote.init))
    reads.withLock { $0 = 0 }
    try garage.update { garage in
      for number in 0..<100 {
        try garage.setSyncStatus(.syncing, forValue: ListedNote(number))
        #expect(try garage.syncStatus(ofValue: ListedNote(number)) == .syncing)
      }
    }
    #expect(reads.withLock { $0 } < 300)
    #expect(try garage.retrieveValues(ListedNote.self, withStatus: .syncing).count == 100)
  }

  // MARK: Records that objects refer to

  private let visit = ListedVisit(day: 1, host: Pet(id: 1, name: "a"))

  @Test(arguments: ["", "[Pet.1]\nid = 1\n\n"])
  func `an object whose record comes within the update is found from then on`(record: String) throws {
    let garage = try home.garage(record + "[[ListedVisit]]\nday = 1\nhost = \"1\"\n")
    try garage.update { garage in
      #expect(throws: SettingsError.self) { try garage.deleteValue(visit) }
      try garage.park(Pet(id: 1, name: "a"))
      try garage.parkValue(visit)
      #expect(try garage.retrieveValues(ListedVisit.self) == [visit])
      try garage.deleteValue(visit)
      try garage.parkValue(visit)
      try garage.setSyncStatus(.synced, forValue: visit)
    }
    #expect(try home.garage().retrieveValues(ListedVisit.self, withStatus: .synced) == [visit])
    #expect(try home.garage().retrieveValues(ListedVisit.self) == [visit])
  }

  @Test func `an object is not found again when its record is taken back`() throws {
    struct Failure: Error {}
    let garage = try home.garage("[[ListedVisit]]\nday = 1\nhost = \"1\"\n")
    try garage.update { garage in
      #expect(throws: SettingsError.self) { try garage.deleteValue(visit) }
      try? garage.update { garage in
        try garage.park(Pet(id: 1, name: "a"))
        try garage.setSyncStatus(.synced, forValue: visit)
        throw Failure()
      }
      #expect(throws: SettingsError.self) { try garage.deleteValue(visit) }
    }
  }

  @Test func `objects whose records come one by one are each read once more`() throws {
    let garage = try home.garage(
      (0..<100).map { "[[ListedVisit]]\nday = \($0)\nhost = \"\($0)\"\n" }.joined(separator: "\n"))
    reads.withLock { $0 = 0 }
    try garage.update { garage in
      for number in 0..<100 {
        let pet = Pet(id: number, name: "a")
        try garage.park(pet)
        try garage.setSyncStatus(.synced, forValue: ListedVisit(day: number, host: pet))
      }
    }
    #expect(reads.withLock { $0 } < 500)
    #expect(try garage.retrieveValues(ListedVisit.self, withStatus: .synced).count == 100)
  }
}
