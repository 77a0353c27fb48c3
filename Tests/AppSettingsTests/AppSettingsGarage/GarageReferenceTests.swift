import AppSettings
import AppSettingsGarage
import FoundationEssentials
import Testing
import TestSupport

struct GarageReferenceTests {
  private let home = GarageHome()

  @Test func `children with an id are records of their own, those without stay in line`() throws {
    let garage = try home.garage()
    let (sam, joan, ann) = (
      Person("sam", age: 9, address: Address(street: "s", zip: "1")), Person("joan"), Person("ann")
    )
    sam.mother = joan
    sam.friends = [ann, joan]
    try garage.park(sam)
    #expect(
      home.text == """
        [Person.sam]
        id = "sam"
        age = 9
        mother = "joan"
        friends = ["ann", "joan"]

        [Person.sam.address]
        street = "s"
        zip = "1"

        [Person.joan]
        id = "joan"
        age = 0
        friends = []

        [Person.ann]
        id = "ann"
        age = 0
        friends = []

        """)
    let again = try #require(try home.garage().retrieve(Person.self, id: "sam"))
    #expect(again.address == sam.address && again.mother?.id == "joan" && again.friends.map(\.id) == ["ann", "joan"])
    #expect(again.mother === again.friends[1])
    #expect(again.mother?.friends.isEmpty == true && again.mother?.mother == nil)
    // Deleting is shallow.
    try garage.delete(sam)
    #expect(try garage.retrieveAll(Person.self).map(\.id) == ["joan", "ann"])
  }

  @Test func `objects in a circle are parked and come back as one circle`() throws {
    let garage = try home.garage()
    let (a, b) = (Person("a"), Person("b"))
    (a.mother, b.mother) = (b, a)
    a.friends = [a, b]
    try garage.park(a)
    let all = try garage.retrieveAll(Person.self)
    #expect(all.map(\.id) == ["a", "b"])
    #expect(all[0].mother === all[1] && all[1].mother === all[0] && all[0].friends.first === all[0])
    // What came back can be parked again, and is the same.
    let before = home.text
    try garage.park(all[0])
    #expect(home.text == before)
    for person in [a, b] + all { (person.mother, person.friends) = (nil, []) }
  }

  struct Employee: Codable, Identifiable, Equatable {
    var id: Int
    var name: String
    @Reference var boss: Employee?
  }

  @Test func `values may refer to values of their own type`() throws {
    let garage = try home.garage()
    let boss = Employee(id: 1, name: "B")
    try garage.park([Employee(id: 2, name: "x", boss: boss), Employee(id: 3, name: "y", boss: boss)])
    let all = try garage.retrieveAll(Employee.self)
    #expect(all.map(\.id) == [2, 3, 1] && all[0].boss?.name == "B" && all[2].boss == nil)
    // In a circle too.
    var (one, two) = (Employee(id: 10, name: "1"), Employee(id: 11, name: "2"))
    two.boss = one
    one.boss = two
    try garage.park([one, two])
    let circle = try #require(try garage.retrieve(Employee.self, id: 10))
    #expect(circle.boss?.boss?.boss?.id == 11)
    let before = home.text
    try garage.park(circle)
    #expect(home.text == before)
  }

  @Test func `of two values with one id that differ, the one that is handed over counts, or none does`() throws {
    let garage = try home.garage()
    let (old, new) = (Employee(id: 1, name: "old"), Employee(id: 1, name: "new"))
    try garage.park([Employee(id: 2, name: "x", boss: old), new])
    #expect(try garage.retrieve(Employee.self, id: 1)?.name == "new")
    let before = home.text
    let found = settingsError {
      try garage.park([Employee(id: 2, name: "x", boss: old), Employee(id: 3, name: "y", boss: new)])
    }
    #expect(found?.code == .invalidValue && found?.message.contains("Employee \"1\"") == true)
    #expect(home.text == before)
  }

  struct Room: Codable, Identifiable {
    var id: Int
    @Reference var owner: Pet
    var inner = Inner()
    struct Inner: Codable {
      @References var pets: [Pet] = []
    }
  }

  @Test func `a required target that is missing is an error with type, id and path`() throws {
    let garage = try home.garage()
    try garage.park(Room(id: 1, owner: Pet(id: 5, name: "Rex")))
    #expect(try garage.retrieve(Room.self, id: 1)?.owner.name == "Rex")
    try garage.delete(Pet.self, id: 5)
    let found = settingsError { _ = try garage.retrieve(Room.self, id: 1) }
    #expect(found?.code == .missingRecord)
    #expect(
      found?.message
        == "Cannot read GarageReferenceTests.Room \"1\" in '\(home.file)': 'owner' refers to Pet \"5\", which is missing."
    )
    try garage.park(Pet(id: 5, name: "Rex"))
    var room = try #require(try garage.retrieve(Room.self, id: 1))
    room.inner.pets = [Pet(id: 6, name: "a"), Pet(id: 7, name: "b")]
    try garage.park(room)
    #expect(try garage.retrieve(Room.self, id: 1)?.inner.pets.map(\.name) == ["a", "b"])
    try garage.delete(Pet.self, id: 7)
    #expect(
      settingsError { _ = try garage.retrieve(Room.self, id: 1) }?.message
        .contains("'inner.pets[1]' refers to Pet \"7\"") == true)
    // Others of the type can still be had.
    try garage.park(Room(id: 2, owner: Pet(id: 5, name: "Rex")))
    var failures: [SettingsError] = []
    #expect(try garage.retrieveAll(Room.self) { failures.append($0) }.map(\.id) == [2])
    #expect(failures.map(\.code) == [.missingRecord])
  }

  @Test func `an optional reference that leads nowhere is nil, and its id stays until it is set`() throws {
    let garage = try home.garage("[Person.sam]\nid = \"sam\"\nage = 3\nmother = \"joan\"\nfriends = []\n")
    let sam = try #require(try garage.retrieve(Person.self, id: "sam"))
    #expect(sam.mother == nil && sam.$mother == "joan")
    sam.age = 4
    try garage.park(sam)
    #expect(home.text == "[Person.sam]\nid = \"sam\"\nage = 4\nmother = \"joan\"\nfriends = []\n")
    sam.mother = nil
    try garage.park(sam)
    #expect(home.text == "[Person.sam]\nid = \"sam\"\nage = 4\nfriends = []\n")
  }

  @Test func `a graph of 10,000 objects in one chain and many rings is one write, and comes back`() throws {
    let renames = Counter()
    let garage = try home.garage(
      system: .counting(.rename, into: renames))
    let people = (0..<10_000).map { Person("person \($0)", age: $0) }
    for (index, person) in people.enumerated() where index > 0 {
      people[index - 1].mother = person
      person.friends = [people[index / 2]]
    }
    try garage.park(people[0])
    #expect(renames.value == 1)
    let again = try #require(try home.garage().retrieve(Person.self, id: "person 0"))
    var count = 0
    var last: Person? = again
    while let person = last {
      guard person.age == count else { break }
      count += 1
      last = person.mother
    }
    #expect(count == 10_000 && last == nil)
    #expect(again.mother?.friends.first === again)
    // Taken apart by hand: the last one of a chain would take the others with it in a deep recursion.
    for first in [people[0], again] {
      var next: Person? = first
      while let person = next {
        next = person.mother
        (person.mother, person.friends) = (nil, [])
      }
    }
  }

  /// Counts how many there are.
  final class Counted: Codable, Identifiable, GarageNamed {
    static let recordName = "Counted"
    static let living = Lock(0)
    let id: Int
    @Reference var next: Counted
    init(from decoder: any Decoder) throws {
      let fields = try decoder.container(keyedBy: CodingKeys.self)
      id = try fields.decode(Int.self, forKey: .id)
      _next = try fields.decode(Reference<Counted>.self, forKey: .next)
      Self.living.withLock { $0 += 1 }
    }
    deinit { Self.living.withLock { $0 -= 1 } }
    private enum CodingKeys: CodingKey { case id, next }
  }

  @Test func `of a retrieve that fails nothing stays in memory, be it in a circle or in a chain of 10,000`() throws {
    func text(_ count: Int, last: Int) -> String {
      (0..<count).map { "[Counted.\($0)]\nid = \($0)\nnext = \"\($0 == count - 1 ? last : $0 + 1)\"\n" }.joined()
    }
    // A circle and, from it, a way to what is not there.
    let circle = try home.garage(text(3, last: 0) + "[Counted.3]\nid = 3\nnext = \"77\"\n")
    var left: [String] = []
    let all = try circle.retrieveAll(Counted.self) { left.append($0.message) }
    #expect(all.map(\.id) == [0, 1, 2] && left.count == 1)
    #expect(all[0].next === all[1] && all[2].next === all[0])
    let before = Counted.living.withLock { $0 }
    #expect(settingsError { _ = try circle.retrieveAll(Counted.self) }?.code == .missingRecord)
    #expect(Counted.living.withLock { $0 } == before)
    let chain = try home.garage(text(10_000, last: 10_000))
    #expect(settingsError { _ = try chain.retrieve(Counted.self, id: 0) }?.code == .missingRecord)
    #expect(settingsError { _ = try chain.retrieveAll(Counted.self) }?.code == .missingRecord)
    #expect(Counted.living.withLock { $0 } == before)
  }

  @Test func `references are written in line by other coders, and compared by id`() throws {
    let boss = Employee(id: 1, name: "B")
    let data = try JSONEncoder().encode(Employee(id: 2, name: "x", boss: boss))
    let object = try #require(String(data: data, encoding: .utf8))
    #expect(object.contains("\"boss\":{"))
    #expect(try JSONDecoder().decode(Employee.self, from: data).boss?.name == "B")
    #expect(try JSONDecoder().decode(Employee.self, from: Data(#"{"id":1,"name":"n"}"#.utf8)).boss == nil)
    #expect(Employee(id: 2, name: "x", boss: boss) == Employee(id: 2, name: "x", boss: Employee(id: 1, name: "other")))
    let table = try SettingsEncoder().encode(Employee(id: 2, name: "x", boss: boss))
    #expect(table.table?["boss"] == ["id": 1, "name": "B"])
  }

  @Test func `a reference that is no id, or to something that cannot be read, is an error with its path`() throws {
    let garage = try home.garage(
      "[Person.a]\nid = \"a\"\nage = 1\nmother = true\n\n[Person.b]\nid = \"b\"\nage = 1\nmother = \"c\"\n\n[Person.c]\nid = \"c\"\n"
    )
    #expect(settingsError { _ = try garage.retrieve(Person.self, id: "a") }?.message.contains("'mother'") == true)
    let found = settingsError { _ = try garage.retrieve(Person.self, id: "b") }
    #expect(found?.code == .invalidValue)
    #expect(found?.message.contains("Person \"c\"") == true && found?.message.contains("'age'") == true)
    #expect(found?.position?.line == 11)
  }

  @Test func `an object that refers to one that cannot be read cannot be read either`() throws {
    final class Owner: Codable, Identifiable, GarageNamed {
      static let recordName = "Owner"
      var id: String
      @Reference var friend: Owner?
      @Reference var pet: Pet
    }
    let garage = try home.garage(
      "[Pet.1]\nid = 1\nname = \"Rex\"\n\n[Owner.a]\nid = \"a\"\npet = 8\n\n"
        + "[Owner.b]\nid = \"b\"\nfriend = \"a\"\npet = 1\n\n[Owner.c]\nid = \"c\"\npet = 1\n")
    var left: [String] = []
    #expect(try garage.retrieveAll(Owner.self) { left.append($0.message) }.map(\.id) == ["c"])
    let reason = "Cannot read Owner \"a\" in '\(home.file)': 'pet' refers to Pet \"8\", which is missing."
    #expect(left == [reason, reason])
  }
}
