import AppSettings
import AppSettingsGarage
import Foundation
import Testing
import TestSupport

struct GarageTests {
  private let home = GarageHome()

  @Test func `parking makes a table by type and id, and retrieving gives the object back`() throws {
    let garage = try home.garage()
    try garage.park(Pet(id: 7, name: "Rex", nick: "R"))
    #expect(home.text == "[Pet.7]\nid = 7\nname = \"Rex\"\nnick = \"R\"\n")
    #expect(try garage.retrieve(Pet.self, id: 7) == Pet(id: 7, name: "Rex", nick: "R"))
    #expect(try home.garage().retrieve(Pet.self, id: 7)?.name == "Rex")
    #expect(try garage.retrieve(Pet.self, id: 8) == nil)
    #expect(try garage.identifier(of: Pet(id: 9, name: "")) == "9")
    #expect(home.home.names(in: home.home.path + "/data/org.example.test") == ["garage.toml"])
  }

  @Test func `reading and opening make nothing`() throws {
    let garage = try home.garage()
    #expect(try garage.retrieveAll(Pet.self).isEmpty)
    try garage.deleteAll(Pet.self)
    try garage.deleteAll()
    try garage.park([Pet]())
    #expect(home.home.names(in: home.home.path) == [])
  }

  @Test func `parking again replaces, keeps comments, other records and unknown fields, and drops what became nil`()
    throws
  {
    let old = """
      # all pets
      [Pet.7]  # mine
      id = 7
      name = "Rex"  # the dog
      nick = "R"
      from-the-future = [1, 2]

      # another
      [Pet.8]
      name = "Mia"
      id = 8

      """
    let garage = try home.garage(old)
    try garage.park(Pet(id: 7, name: "Max"))
    #expect(
      home.text
        == old.replacingOccurrences(of: "\"Rex\"", with: "\"Max\"").replacingOccurrences(of: "nick = \"R\"\n", with: "")
    )
    let before = home.text
    try garage.park(Pet(id: 7, name: "Max"))
    #expect(home.text == before)
  }

  @Test func `parking leaves as they are stored the fields whose value is the same`() throws {
    struct Visit: Codable, Identifiable, GarageNamed {
      static let recordName = "Visit"
      var id: Int
      var at: Date
      var weight: Double
      var tag: UUID
      var past: [Date]
      var count: Int
    }
    let old = """
      [Visit.1]
      id = 1
      at = 2024-10-05T17:08:34+02:00 # alarm
      weight = 10
      tag = "6f1c2f0e-2f3e-4c62-8a34-0b9d0f3a5b11"
      past = [2024-10-05 17:08:34Z, 2024-10-06T01:00:00+01:00]
      count = 1

      """
    let garage = try home.garage(old)
    var visit = try #require(try garage.retrieve(Visit.self, id: 1))
    try garage.park(visit)
    #expect(home.text == old)
    visit.count = 2
    visit.past.append(Date(timeIntervalSince1970: 0))
    try garage.park(visit)
    #expect(
      home.text
        == old.replacing("count = 1", with: "count = 2")
        .replacing("+01:00]", with: "+01:00, 1970-01-01T00:00:00Z]"))
  }

  @Test func `parking all is one write, in order, and a failure among them writes nothing`() throws {
    struct Odd: Codable, Identifiable {
      var id: Int
      var date: Date
    }
    let renames = Counter()
    let garage = try home.garage(
      system: .counting(.rename, into: renames))
    try garage.park((0..<1000).map { Pet(id: $0, name: "\($0)") })
    #expect(renames.value == 1)
    #expect(try garage.retrieveAll(Pet.self).map(\.id) == Array(0..<1000))
    let before = home.text
    let found = settingsError {
      try garage.park([Odd(id: 1, date: Date()), Odd(id: 2, date: .distantFuture.addingTimeInterval(1e12))])
    }
    #expect(found?.code == .invalidValue && found?.message.contains("Odd \"2\"") == true)
    #expect(found?.message.contains("'date'") == true, "\(found!)")
    #expect(home.text == before)
  }

  @Test func `deleting removes one record, or throws if it is not parked`() throws {
    let garage = try home.garage()
    try garage.park([Pet(id: 1, name: "a"), Pet(id: 2, name: "b"), Pet(id: 3, name: "c")])
    try garage.delete(Pet(id: 2, name: ""))
    try garage.delete(Pet.self, id: 3)
    #expect(home.text == "[Pet.1]\nid = 1\nname = \"a\"\n")
    #expect(settingsError { try garage.delete(Pet(id: 2, name: "b")) }?.code == .missingRecord)
    #expect(
      settingsError { try garage.delete(Pet.self, id: 2) }?.message
        == "Cannot find Pet \"2\" in '\(home.file)': it is not parked. The file is unchanged.")
    try garage.delete(Pet.self, id: 1)
    #expect(try garage.retrieveAll(Pet.self).isEmpty)
  }

  @Test func `deleting all of a type, or all there is, leaves the rest of the file`() throws {
    let garage = try home.garage("# top\n\nversion = 1\n")
    try garage.park([Pet(id: 1, name: "a"), Pet(id: 2, name: "b")])
    try garage.parkValue(Address(street: "s", zip: "z"))
    try garage.deleteAll(Pet.self)
    #expect(home.text == "# top\n\nversion = 1\n\n[[Address]]\nstreet = \"s\"\nzip = \"z\"\n")
    try garage.deleteAll()
    #expect(home.text == "# top\n\nversion = 1\n")
  }

  // MARK: Without an id

  @Test func `objects without an id are known by what they are`() throws {
    let garage = try home.garage()
    let (a, b) = (Address(street: "a", zip: "1"), Address(street: "b", zip: "2"))
    try garage.parkValue(a)
    try garage.parkValues([b, a, b])
    #expect(home.text == "[[Address]]\nstreet = \"a\"\nzip = \"1\"\n\n[[Address]]\nstreet = \"b\"\nzip = \"2\"\n")
    #expect(try garage.retrieveValues(Address.self) == [a, b])
    try garage.deleteValue(a)
    #expect(home.text == "[[Address]]\nstreet = \"b\"\nzip = \"2\"\n")
    #expect(settingsError { try garage.deleteValue(a) }?.code == .missingRecord)
    try garage.deleteValue(b)
    #expect(try garage.retrieveValues(Address.self).isEmpty)
    #expect(home.text == "")
  }

  @Test func `equality decides, whatever else the object holds, and what cannot be read is kept`() throws {
    struct Tag: Codable, Hashable, GarageNamed {
      static let recordName = "Tag"
      var name: String
      var count: Int
      static func == (lhs: Tag, rhs: Tag) -> Bool { lhs.name == rhs.name }
      func hash(into hasher: inout Hasher) { hasher.combine(name) }
    }
    let garage = try home.garage("[[Tag]]\nname = \"a\"\ncount = 1\n\n[[Tag]]\nname = 3\n")
    try garage.parkValues([Tag(name: "a", count: 9), Tag(name: "b", count: 2)])
    #expect(home.text?.hasSuffix("[[Tag]]\nname = 3\n\n[[Tag]]\nname = \"b\"\ncount = 2\n") == true)
    #expect(settingsError { _ = try garage.retrieveValues(Tag.self) }?.message.contains("'name'") == true)
    var failed = 0
    #expect(try garage.retrieveValues(Tag.self) { _ in failed += 1 }.map(\.count) == [1, 2])
    #expect(failed == 1)
  }

  @Test func `a type that has an id and is Hashable is kept by its id`() throws {
    let garage = Garage(inMemory: "")
    try garage.park(Pet(id: 1, name: "a"))
    try garage.park(Pet(id: 1, name: "b"))
    #expect(try garage.retrieveAll(Pet.self) == [Pet(id: 1, name: "b")])
  }

  // MARK: Types

  struct Hotel { struct Room: Codable, Identifiable { var id: Int } }
  struct Ship { struct Room: Codable, Identifiable { var id: Int } }

  @Test func `nested types have names of their own`() throws {
    let garage = try home.garage()
    try garage.park(Hotel.Room(id: 1))
    try garage.park(Ship.Room(id: 1))
    #expect(
      home.text == "[\"GarageTests.Hotel.Room\".1]\nid = 1\n\n[\"GarageTests.Ship.Room\".1]\nid = 1\n")
    try garage.delete(Hotel.Room(id: 1))
    #expect(try garage.retrieveAll(Ship.Room.self).count == 1)
  }

  @Test func `two types with one name are a clear error`() throws {
    struct First: Codable, Identifiable, GarageNamed {
      static let recordName = "Thing"
      var id: Int
    }
    struct Second: Codable, Identifiable, GarageNamed {
      static let recordName = "Thing"
      var id: Int
    }
    struct Reserved: Codable, Identifiable, GarageNamed {
      static let recordName = "settings-thing"
      var id: Int
    }
    let garage = try home.garage()
    try garage.park(First(id: 1))
    let before = home.text
    let found = settingsError { try garage.park(Second(id: 1)) }
    #expect(found?.code == .invalidKey)
    #expect(found?.message.contains("First") == true && found?.message.contains("Second") == true)
    #expect(settingsError { try garage.park(Reserved(id: 1)) }?.code == .invalidKey)
    #expect(home.text == before)
  }

  @Test func `records of a former name are found, and move with their comments when parked`() throws {
    struct Customer: Codable, Identifiable, GarageNamed {
      static let recordName = "Customer"
      static let formerNames = ["MCCustomer"]
      var id: String
      var age: Int
    }
    let garage = try home.garage(
      "# first\n[MCCustomer.a]\nid = \"a\"  # a\nage = 1\nsettings-sync = \"synced\"\n\n[MCCustomer.b]\nid = \"b\"\nage = 2\n"
    )
    #expect(try garage.retrieve(Customer.self, id: "a")?.age == 1)
    #expect(try garage.retrieveAll(Customer.self).map(\.age) == [1, 2])
    try garage.park(Customer(id: "a", age: 5))
    #expect(try garage.retrieveAll(Customer.self).map(\.age).sorted() == [2, 5])
    #expect(
      home.text?.contains("# first\n[Customer.a]\nid = \"a\"  # a\nage = 5\nsettings-sync = \"synced\"\n") == true)
    #expect(home.text?.contains("MCCustomer.a") == false)
    #expect(try garage.syncStatus(of: Customer(id: "a", age: 0)) == .synced)
    try garage.update { garage in
      try? garage.update { garage in
        try garage.park(Customer(id: "b", age: 7))
        throw CancellationError()
      }
      try garage.park(Customer(id: "c", age: 3))
    }
    #expect(home.text?.contains("[MCCustomer.b]\nid = \"b\"\nage = 2\n") == true)
    try garage.delete(Customer.self, id: "b")
    #expect(try garage.retrieveAll(Customer.self).map(\.id) == ["a", "c"])
  }

  @Test func `a record hides one of a former name whose id is the same in other letters`() throws {
    struct Customer: Codable, Identifiable, GarageNamed {
      static let recordName = "Customer"
      static let formerNames = ["MCCustomer"]
      var id: UUID
      var age: Int
    }
    let id = UUID()
    let (upper, lower) = (id.uuidString, id.uuidString.lowercased())
    for (present, former) in [(upper, lower), (lower, upper)] {
      let garage = try home.garage(
        "[MCCustomer.\(former)]\nid = \"\(former)\"\nage = 1\n\n[Customer.\(present)]\nid = \"\(present)\"\nage = 2\n")
      #expect(try garage.retrieveAll(Customer.self).map(\.age) == [2])
      #expect(try garage.retrieve(Customer.self, id: id)?.age == 2)
      try garage.park(Customer(id: id, age: 3))
      #expect(home.text == "[Customer.\(present)]\nid = \"\(present)\"\nage = 3\n")
    }
  }

  @Test func `ids of many types are text`() throws {
    struct UserID: RawRepresentable, Codable, Hashable { var rawValue: Int }
    struct ByUUID: Codable, Identifiable { var id: UUID }
    struct ByRaw: Codable, Identifiable { var id: UserID }
    struct ByDouble: Codable, Identifiable { var id: Double }
    final class ByAddress: Codable, Identifiable {}
    let garage = Garage(inMemory: "")
    let uuid = UUID()
    #expect(try garage.identifier(of: ByUUID(id: uuid)) == uuid.uuidString)
    #expect(try garage.identifier(of: ByRaw(id: UserID(rawValue: 3))) == "3")
    #expect(try garage.identifier(of: ByDouble(id: 1.5)) == "1.5")
    try garage.park(ByUUID(id: uuid))
    #expect(try garage.retrieve(ByUUID.self, id: uuid)?.id == uuid)
    let found = settingsError { try garage.park(ByAddress()) }
    #expect(found?.code == .invalidKey && found?.message.contains("Declare an 'id'") == true)
  }

  // MARK: Batches

  @Test func `an update is one write, shows what it did, and a throw writes nothing`() throws {
    struct Stop: Error {}
    let renames = Counter()
    let garage = try home.garage(
      system: .counting(.rename, into: renames))
    try garage.update { garage in
      try garage.park(Pet(id: 1, name: "a"))
      try garage.park(Pet(id: 2, name: "b"))
      try garage.delete(Pet.self, id: 1)
      try garage.parkValue(Address(street: "s", zip: "z"))
      #expect(try garage.retrieveAll(Pet.self).map(\.id) == [2])
      #expect(home.text == nil)
      // One that fails within is taken back alone.
      #expect(throws: Stop.self) {
        try garage.update { garage in
          try garage.park(Pet(id: 2, name: "changed"))
          try garage.park(Pet(id: 3, name: "c"))
          try garage.deleteAll(Address.self)
          throw Stop()
        }
      }
      #expect(try garage.retrieveAll(Pet.self).map(\.name) == ["b"])
      #expect(try garage.retrieveValues(Address.self).count == 1)
    }
    #expect(renames.value == 1)
    let before = home.text
    #expect(before == "[Pet.2]\nid = 2\nname = \"b\"\n\n[[Address]]\nstreet = \"s\"\nzip = \"z\"\n")
    #expect(throws: Stop.self) {
      try garage.update { garage in
        try garage.deleteAll()
        try garage.park(Pet(id: 9, name: "z"))
        throw Stop()
      }
    }
    #expect(home.text == before)
    #expect(try garage.retrieveAll(Pet.self).map(\.id) == [2])
    #expect(try garage.update { _ in 5 } == 5)
  }

  @Test func `the garage itself is read as it was within an update, and refuses to be written`() throws {
    let garage = try home.garage()
    try garage.park(Pet(id: 1, name: "a"))
    try garage.update { transaction in
      try transaction.park(Pet(id: 2, name: "b"))
      #expect(try garage.retrieveAll(Pet.self).map(\.id) == [1])
      #expect(settingsError { try garage.park(Pet(id: 3, name: "c")) }?.code == .nestedUpdate)
      #expect(settingsError { try garage.update { try $0.deleteAll() } }?.code == .nestedUpdate)
    }
    #expect(try garage.retrieveAll(Pet.self).map(\.id) == [1, 2])
  }

  @Test func `a transaction that is used after its update traps`() async {
    await #expect(processExitsWith: .failure) {
      let garage = Garage(inMemory: "")
      let saved = try garage.update { $0 }
      try saved.deleteAll()
    }
  }

  @Test func `updates of tasks run one after the other, and none is lost`() async throws {
    let garage = try home.garage()
    try garage.park(Pet(id: 0, name: ""))
    try await withThrowingTaskGroup(of: Int.self) { group in
      for number in 1...16 {
        group.addTask {
          try await garage.update { transaction in
            let all = try transaction.retrieve(Pet.self, id: 0)?.name ?? ""
            try transaction.park([Pet(id: 0, name: all + "."), Pet(id: number, name: "")])
            return number
          }
        }
      }
      let sum = try await group.reduce(0, +)
      #expect(sum == 136)
    }
    #expect(try garage.retrieve(Pet.self, id: 0)?.name == String(repeating: ".", count: 16))
    #expect(try home.garage().retrieveAll(Pet.self).count == 17)
    struct Stop: Error {}
    let before = home.text
    await #expect(throws: Stop.self) {
      try await garage.update { transaction -> Void in
        try transaction.deleteAll()
        throw Stop()
      }
    }
    #expect(home.text == before)
  }

  @Test func `threads that park at once lose nothing`() async throws {
    let garage = try home.garage()
    await withTaskGroup(of: Void.self) { group in
      for number in 0..<32 {
        group.addTask { try? garage.park(Pet(id: number, name: "\(number)")) }
      }
    }
    #expect(try garage.retrieveAll(Pet.self).count == 32)
    #expect(try home.garage().retrieveAll(Pet.self).count == 32)
  }

  @Test func `a garage begins each write with what others have parked, and reads it after a reload`() throws {
    let (one, other) = (try home.garage(), try home.garage())
    try one.park(Pet(id: 1, name: "a"))
    #expect(try other.retrieve(Pet.self, id: 1)?.name == "a")
    try one.park(Pet(id: 2, name: "b"))
    other.reload()
    #expect(try other.retrieveAll(Pet.self).count == 2)
    try one.park(Pet(id: 3, name: "c"))
    try other.park(Pet(id: 4, name: "d"))
    #expect(try other.retrieveAll(Pet.self).map(\.id) == [1, 2, 3, 4])
  }
}
