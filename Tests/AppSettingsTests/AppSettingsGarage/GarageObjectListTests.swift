import AppSettings
import AppSettingsGarage
import Foundation
import Testing
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

/// Objects without an id that are parked and deleted one by one in a batch.
@Suite(.serialized) struct GarageObjectListTests {
  private let home = GarageHome()

  @Test func `many objects in a batch are read once`() throws {
    let garage = try home.garage()
    try garage.parkAll((0..<100).map(ListedNote.init))
    reads.withLock { $0 = 0 }
    try garage.batch {
      for number in 0..<100 { try garage.park(ListedNote(number)) }
      for number in 0..<50 { try garage.delete(ListedNote(2 * number)) }
      for number in 100..<150 { try garage.park(ListedNote(number)) }
    }
    #expect(reads.withLock { $0 } < 300)
    let numbers = (0..<50).map { 2 * $0 + 1 } + (100..<150)
    #expect(try garage.retrieveAll(ListedNote.self) == numbers.map { ListedNote($0) })
  }

  @Test func `objects of two types that are parked in turns are read once`() throws {
    let garage = try home.garage()
    try garage.parkAll((0..<100).map(ListedNote.init))
    reads.withLock { $0 = 0 }
    try garage.batch {
      for number in 0..<50 {
        try garage.park(ListedMark(number: number))
        try garage.park(ListedNote(100 + number))
      }
    }
    #expect(reads.withLock { $0 } < 300)
    #expect(try garage.retrieveAll(ListedNote.self) == (0..<150).map(ListedNote.init))
    #expect(try garage.retrieveAll(ListedMark.self).map(\.number) == Array(0..<50))
  }

  @Test func `deleting some objects leaves the text of the others`() throws {
    func text(_ numbers: some Sequence<Int>) -> String {
      numbers.map { "# above \($0)\n[[ListedMark]] # mark\nnumber =  \($0) # \($0)\n" }.joined(separator: "\n")
    }
    let garage = try home.garage(text(0..<9))
    try garage.batch { for number in [0, 3, 4, 8] { try garage.delete(ListedMark(number: number)) } }
    #expect(home.text == text([1, 2, 5, 6, 7]))
  }

  @Test func `what fails within a batch is taken back, and the rest finds what is there`() throws {
    let garage = try home.garage([1, 1, 2].map { "[[ListedMark]]\nnumber = \($0)\n" }.joined(separator: "\n"))
    try garage.batch {
      try? garage.batch {
        try garage.delete(ListedMark(number: 1))
        try garage.park(ListedMark(number: 3))
        try garage.delete(ListedMark(number: 4))
      }
      #expect(try garage.retrieveAll(ListedMark.self).map(\.number) == [1, 1, 2])
      // All that are equal, and none a second time.
      try garage.delete(ListedMark(number: 1))
      #expect(throws: SettingsError.self) { try garage.delete(ListedMark(number: 1)) }
      try garage.park(ListedMark(number: 5))
      #expect(try garage.retrieveAll(ListedMark.self).map(\.number) == [2, 5])
      try garage.setSyncStatus(.syncing, for: ListedMark(number: 5))
      try garage.delete(ListedMark(number: 2))
      try garage.delete(ListedMark(number: 5))
      #expect(try garage.retrieveAll(ListedMark.self).isEmpty)
      try garage.park(ListedMark(number: 1))
    }
    #expect(try home.garage().retrieveAll(ListedMark.self).map(\.number) == [1])
  }
}
