import AppSettings
import AppSettingsGarage
import Foundation
import Testing
import TestSupport

/// What an app is told where something cannot be: word for word, with the file as it was.
struct GarageErrorTests {
  private let home = GarageHome()
  private var directory: String { (home.file as NSString).deletingLastPathComponent }

  /// What a call says that has to fail.
  private func failure(_ body: () throws -> Void) -> String? {
    settingsError(body).map { error in
      let text = ([error.message] + (error.cause.map { [$0] } ?? [])).joined(separator: "\n")
      return "\(error.code): "
        + text.replacingOccurrences(of: home.file, with: "FILE").replacingOccurrences(of: directory, with: "DIRECTORY")
    }
  }

  // MARK: What is in the file

  /// A call on a garage, and what it says of a number in the place of the pets.
  struct WrongRecordsCall: Sendable, CustomTestStringConvertible {
    let testDescription: String
    /// `nil` if it does not meet it.
    let message: String?
    let call: @Sendable (Garage) throws -> Void

    init(_ name: String, _ message: String?, _ call: @escaping @Sendable (Garage) throws -> Void) {
      (testDescription, self.message, self.call) = (name, message, call)
    }

    static let wrong =
      "Cannot use the records of 'Pet' in 'FILE': it is the integer 3, and records are tables. The file is unchanged."
    static let missing = "missingRecord: Cannot find Pet \"1\" in 'FILE': it is not parked. The file is unchanged."

    static let all = [
      WrongRecordsCall("retrieve", "invalidValue: " + wrong) { _ = try $0.retrieve(Pet.self, id: 1) },
      WrongRecordsCall("retrieveAll", "invalidValue: " + wrong) { _ = try $0.retrieveAll(Pet.self) },
      WrongRecordsCall("retrieveAll by status", "invalidValue: " + wrong) {
        _ = try $0.retrieveAll(Pet.self, withStatus: .synced)
      },
      WrongRecordsCall("park", "invalidValue: " + wrong) { try $0.park(Pet(id: 1, name: "a")) },
      WrongRecordsCall("deleteAll", "invalidValue: " + wrong) { try $0.deleteAll(Pet.self) },
      WrongRecordsCall("migrateAll from them", "invalidValue: " + wrong) {
        try $0.migrateAll(recordName: "Pet", to: Person.self)
      },
      WrongRecordsCall("migrateAll of none to them", nil) { try $0.migrateAll(from: Person.self, to: Pet.self) },
      WrongRecordsCall(
        "importGarageStorage",
        "migrationFailed: Cannot import the rows of GarageStorage: 1 failed. Nothing was written.\n" + wrong
      ) { try $0.importGarageStorage(rows: #"[{"gs_type":"Pet","gs_identifier":"1","gs_data":"{}"}]"#) },
      WrongRecordsCall("delete", missing) { try $0.delete(Pet(id: 1, name: "a")) },
      WrongRecordsCall("setSyncStatus", missing) { try $0.setSyncStatus(.synced, for: Pet(id: 1, name: "a")) },
      WrongRecordsCall("syncStatus", missing) { _ = try $0.syncStatus(of: Pet(id: 1, name: "a")) },
      // It deletes objects, and a number is not one.
      WrongRecordsCall("deleteAllObjects", nil) { try $0.deleteAll() },
      WrongRecordsCall("records by status", nil) {
        let records = try $0.records(withStatus: .synced)
        #expect(records.isEmpty)
      },
    ]
  }

  @Test(arguments: WrongRecordsCall.all)
  func `a number in the place of a type's records is named in every call`(_ call: WrongRecordsCall) throws {
    let text = "# top\nPet = 3\n"
    let garage = try home.garage(text)
    #expect(failure { try call.call(garage) } == call.message)
    #expect(home.text == text)
  }

  @Test func `a value in the place of one record is named, and the others are there`() throws {
    let text = "[Pet]\n1 = true\n\n[Pet.2]\nid = 2\nname = \"b\"\n"
    let garage = try home.garage(text)
    let message =
      "invalidValue: Cannot read Pet \"1\" in 'FILE': it is the boolean true, and a record is a table. The file is unchanged."
    #expect(failure { _ = try garage.retrieve(Pet.self, id: 1) } == message)
    #expect(failure { _ = try garage.retrieveAll(Pet.self) } == message)
    #expect(failure { try garage.park(Pet(id: 1, name: "a")) } == message)
    #expect(settingsError { _ = try garage.retrieve(Pet.self, id: 1) }?.position?.line == 2)
    var left: [String] = []
    #expect(try garage.retrieveAll(Pet.self) { left.append($0.message) }.map(\.id) == [2])
    #expect(left.count == 1)
    try garage.park(Pet(id: 2, name: "c"))
    #expect(home.text == text.replacingOccurrences(of: "\"b\"", with: "\"c\""))
  }

  @Test func `parking over a record that cannot be read keeps its text in a backup`() throws {
    let garage = try home.garage("[Pet.1]\nid = 1\nname = 5\n\n[Pet.2]\nid = 2\nname = \"b\"\n")
    try garage.park(Pet(id: 2, name: "c"))
    #expect(try garage.backups().isEmpty)
    let before = home.text
    try garage.park(Pet(id: 1, name: "a"))
    let backups = try garage.backups()
    #expect(backups.count == 1 && backups.first?.path.contains("before-overwriting-Pet") == true)
    #expect(home.home.text(of: try #require(backups.first).path) == before)
    #expect(home.text?.contains("name = \"a\"") == true)
  }

  static let ids = ["", "a.b", "\"", "a\nb", "../../x", "日本", "\u{1F600}"]

  @Test(arguments: ids) func `an error shows any id as TOML would`(id: String) throws {
    struct Thing: Codable, Identifiable, GarageNamed {
      static let recordName = "Thing"
      var id: String
      var value: Int
    }
    let garage = try home.garage()
    try garage.park(Thing(id: id, value: 1))
    let shown = TOMLValue.string(id).tomlText
    try home.home.write(
      try #require(home.text).replacingOccurrences(of: "value = 1", with: "value = \"x\""), to: home.file)
    garage.reload()
    #expect(
      failure { _ = try garage.retrieve(Thing.self, id: id) }
        == "invalidValue: Cannot read Thing \(shown) in 'FILE', line 3: Found the string \"x\" at 'value', but an integer is needed."
    )
    try garage.deleteAll(Thing.self)
    #expect(
      failure { try garage.delete(Thing.self, id: id) }
        == "missingRecord: Cannot find Thing \(shown) in 'FILE': it is not parked. The file is unchanged.")
  }

  @Test func `an error has the line of the part that it is about`() throws {
    struct Part: Codable, Hashable { var n: Int }
    struct Box: Codable, Identifiable, GarageNamed {
      static let recordName = "Box"
      var id: String
      var parts: [Part]
    }
    struct Coin: Codable, Hashable, GarageNamed {
      static let recordName = "Coin"
      var sides: [Int]
    }
    let garage = try home.garage(
      "[Box.a]\nid = \"a\"\n[[Box.a.parts]]\nn = 1\n[[Box.a.parts]]\nn = \"x\"\n\n"
        + "[Box.b]\nid = \"b\"\n[[Box.b.parts]]\n\n[[Coin]]\nsides = []\n[[Coin]]\nsides = [\n  1,\n  true,\n]\n")
    #expect(
      failure { _ = try garage.retrieve(Box.self, id: "a") }
        == "invalidValue: Cannot read Box \"a\" in 'FILE', line 6: Found the string \"x\" at 'parts[1].n', but an integer is needed."
    )
    #expect(failure { _ = try garage.retrieve(Box.self, id: "b") }?.contains("'FILE', line 10: Found nothing") == true)
    #expect(
      failure { _ = try garage.retrieveValues(Coin.self) }?.contains("'FILE', line 17: Found the boolean") == true)
  }

  @Test func `two records of one id are named, both of them, however that is written`() throws {
    struct Stamp: Codable, Identifiable, GarageNamed {
      static let recordName = "Stamp"
      var id: UUID
    }
    struct Word: Codable, Identifiable, GarageNamed {
      static let recordName = "Word"
      var id: String
    }
    let (lower, upper) = ("c73c089a-1309-48ce-87b9-ddf7d4f9c28a", "C73C089A-1309-48CE-87B9-DDF7D4F9C28A")
    let garage = try home.garage(
      "[Stamp.\(lower)]\nid = \"\(upper)\"\n\n[Stamp.\(upper)]\nid = \"\(upper)\"\n\n"
        + "[Word.\"\u{E9}\"]\nid = \"\u{E9}\"\n\n[Word.\"e\u{301}\"]\nid = \"e\u{301}\"\n")
    #expect(
      failure { _ = try garage.retrieveAll(Stamp.self) }
        == "invalidValue: Cannot read Stamp \"\(upper)\" in 'FILE': the id of Stamp \"\(lower)\" is the same in another notation. Remove one of them. The file is unchanged."
    )
    let words = failure { _ = try garage.retrieveAll(Word.self) }
    #expect(
      words.map { Array($0.utf8) }
        == Array(
          "invalidValue: Cannot read Word \"e\u{301}\" in 'FILE': the id of Word \"\u{E9}\" is the same in another notation. Remove one of them. The file is unchanged."
            .utf8))
    // Each can be deleted.
    try garage.delete(Stamp.self, id: try #require(UUID(uuidString: upper)))
    #expect(try garage.retrieveAll(Stamp.self).map(\.id.uuidString) == [upper])
    try garage.delete(Word.self, id: "e\u{301}")
    #expect(try garage.retrieveAll(Word.self).map { Array($0.id.utf8) } == [Array("\u{E9}".utf8)])
  }

  @Test func `a record whose own fields say another id is an error, not a second object of that id`() throws {
    let text =
      "[Pet.1]\nid = 1\nname = \"a\"\n\n# copied\n[Pet.2]\nid = 1\nname = \"b\"\n\n[Pet.03]\nid = 3\nname = \"c\"\n"
    let garage = try home.garage(text)
    let message =
      "invalidValue: Cannot read Pet \"2\" in 'FILE': its own fields say that its id is \"1\". Correct one of them. The file is unchanged."
    #expect(failure { _ = try garage.retrieve(Pet.self, id: 2) } == message)
    #expect(failure { _ = try garage.retrieveAll(Pet.self) } == message)
    #expect(settingsError { _ = try garage.retrieve(Pet.self, id: 2) }?.position?.line == 6)
    #expect(try garage.retrieve(Pet.self, id: 1)?.name == "a")
    #expect(try garage.retrieveAll(Pet.self) { _ in }.map(\.id) == [1])
    // Parking puts it right.
    try garage.park(Pet(id: 2, name: "b"))
    #expect(home.text == text.replacingOccurrences(of: "[Pet.2]\nid = 1", with: "[Pet.2]\nid = 2"))
  }

  @Test func `an id may be that of what is referred to`() throws {
    struct Place: Codable, Identifiable, GarageNamed {
      static let recordName = "Place"
      var id: Int { pet.id }
      @Reference var pet: Pet
    }
    let garage = try home.garage()
    try garage.park(Place(pet: Pet(id: 5, name: "Rex")))
    #expect(try home.garage().retrieveAll(Place.self).map(\.pet.name) == ["Rex"])
    #expect(try garage.retrieve(Place.self, id: 5)?.id == 5)
  }

  // MARK: What an object does

  /// Throws at reading and writing, depending on its id.
  struct Moody: Codable, Identifiable, GarageNamed {
    struct Refusal: Error {}
    static let recordName = "Moody"
    var id: Int
    var list: [Int?] = []
    init(id: Int, list: [Int?] = []) { (self.id, self.list) = (id, list) }
    init(from decoder: any Decoder) throws {
      id = try decoder.container(keyedBy: CodingKeys.self).decode(Int.self, forKey: .id)
      if id == 1 { throw Refusal() }
      throw DecodingError.dataCorrupted(.init(codingPath: decoder.codingPath, debugDescription: "it is odd"))
    }
    func encode(to encoder: any Encoder) throws {
      if id == 1 { throw Refusal() }
      if id == 2 { throw EncodingError.invalidValue(self, .init(codingPath: [], debugDescription: "it is even")) }
      var container = encoder.container(keyedBy: CodingKeys.self)
      try container.encode(list, forKey: .list)
    }
    private enum CodingKeys: CodingKey { case id, list }
  }

  @Test func `what a type's own code throws is told with type and id`() throws {
    let garage = try home.garage("[Moody.1]\nid = 1\n\n[Moody.2]\nid = 2\n")
    let before = home.text
    let start = "invalidValue: Cannot park Moody"
    let found = "Found one of type Moody, but a value that can be stored is needed"
    #expect(failure { try garage.park(Moody(id: 1)) } == "\(start) \"1\": \(found) (Refusal()). Nothing was written.")
    #expect(failure { try garage.park(Moody(id: 2)) } == "\(start) \"2\": \(found) (it is even). Nothing was written.")
    #expect(
      failure { try garage.park(Moody(id: 3, list: [1, nil])) }
        == "\(start) \"3\": Found nil at 'list[1]', but an integer is needed (TOML has no null: leave it out, or give the type "
        + "a bridge that stores another value in its place). Nothing was written.")
    let reading = "but a value of type Moody is needed"
    #expect(
      failure { _ = try garage.retrieve(Moody.self, id: 1) }
        == "invalidValue: Cannot read Moody \"1\" in 'FILE', line 1: Found a table with the key id, \(reading) (Refusal())."
    )
    #expect(
      failure { _ = try garage.retrieve(Moody.self, id: 2) }
        == "invalidValue: Cannot read Moody \"2\" in 'FILE', line 4: Found a table with the key id, \(reading) (it is odd)."
    )
    #expect(home.text == before)
  }

  @Test func `an object without an id of its own, or in line beyond any depth, is not parked`() throws {
    final class Anyone: Codable, Identifiable { var age = 1 }
    final class Deep: Codable {
      var next: Deep?
      init(_ next: Deep?) { self.next = next }
    }
    struct Box: Codable, Identifiable, GarageNamed {
      static let recordName = "Box"
      var id = 1
      var deep: Deep?
    }
    let garage = try home.garage()
    #expect(
      failure { try garage.park(Anyone()) }
        == "invalidKey: Cannot use the id of 'Anyone': it is of type 'ObjectIdentifier', but must be a String, a UUID, an integer or anything else that is LosslessStringConvertible. Declare an 'id'."
    )
    var deep: Deep?
    for _ in 0..<1500 { deep = Deep(deep) }
    #expect(
      failure { try garage.park(Box(deep: deep)) }
        == "invalidValue: Cannot park Box \"1\": Found a value nested deeper at 'deep.next.next.next.next.next.next.next … next.next.next.next', but a value of at most 1024 levels is needed (a value that holds itself has no end). Nothing was written."
    )
    #expect(home.text == nil)
    while let inner = deep?.next { deep = inner }
  }

  @Test func `values at the ends of their ranges come back, and parked again change nothing`() throws {
    struct Numbers: Codable, Identifiable, GarageNamed {
      static let recordName = "Numbers"
      var id: UInt64
      var double: Double
      var zero: Double
      var least: Int64
    }
    let garage = try home.garage()
    let numbers = Numbers(id: .max, double: .nan, zero: -0.0, least: .min)
    try garage.park(numbers)
    let before = home.text
    try garage.park(numbers)
    #expect(home.text == before)
    let again = try #require(try home.garage().retrieve(Numbers.self, id: .max))
    #expect(again.double.isNaN && again.zero.sign == .minus && again.least == .min)
  }

  @Test func `two types of one name, and names that are none, are errors that say whose`() throws {
    enum A { struct Thing: Codable, Identifiable, GarageNamed { static let recordName = "Thing"; var id = 1 } }
    enum B { struct Thing: Codable, Identifiable, GarageNamed { static let recordName = "Thing"; var id = 1 } }
    struct Empty: Codable, Identifiable, GarageNamed { static let recordName = ""; var id = 1 }
    struct Ours: Codable, Identifiable, GarageNamed {
      static let recordName = "Ours"
      static let formerNames = ["settings-version"]
      var id = 1
    }
    let garage = try home.garage()
    try garage.park(A.Thing())
    let (a, b) = (String(reflecting: A.Thing.self), String(reflecting: B.Thing.self))
    #expect(
      failure { try garage.park(B.Thing()) }
        == "invalidKey: Cannot keep '\(b)' as 'Thing': '\(a)' is kept under that name in this garage. Give one of them another 'recordName'."
    )
    let rule = "a record name must not be empty or begin with 'settings-'. Give it another 'recordName'."
    #expect(
      failure { try garage.park(Empty()) }
        == "invalidKey: Cannot keep '\(String(reflecting: Empty.self))' as '': \(rule)")
    #expect(
      failure { try garage.park(Ours()) }
        == "invalidKey: Cannot keep '\(String(reflecting: Ours.self))' as 'settings-version': \(rule)")
    #expect(home.text == "[Thing.1]\nid = 1\n")
  }

  @Test func `a former name that is the present one takes nothing away`() throws {
    struct Same: Codable, Identifiable, GarageNamed {
      static let recordName = "Same"
      static let formerNames = ["Same", "Old"]
      var id: Int
    }
    let garage = try home.garage("[Same.1]\nid = 1\n\n[Old.2]\nid = 2\n")
    try garage.park([Same(id: 1), Same(id: 2)])
    #expect(home.text == "[Same.1]\nid = 1\n\n[Same.2]\nid = 2\n")
    try garage.delete(Same.self, id: 1)
    #expect(try garage.retrieveAll(Same.self).map(\.id) == [2])
  }

  // MARK: One that fails beside others

  struct Tie: Codable, Hashable, GarageNamed {
    static let recordName = "Tie"
    var name: String
    @Reference var left: Pet
    @Reference var right: Pet
  }

  /// Three objects without an id, of which the first refers to two records that are gone.
  private func ties() throws -> Garage {
    let garage = try home.garage()
    let rex = Pet(id: 1, name: "Rex")
    try garage.parkValues([
      Tie(name: "broken", left: Pet(id: 8, name: "x"), right: Pet(id: 9, name: "y")),
      Tie(name: "good", left: rex, right: rex), Tie(name: "too", left: rex, right: rex),
    ])
    try garage.delete(Pet.self, id: 8)
    try garage.delete(Pet.self, id: 9)
    return garage
  }

  @Test func `an object that cannot be read hides none of the others`() throws {
    let garage = try ties()
    let rex = Pet(id: 1, name: "Rex")
    let before = home.text
    try garage.parkValue(Tie(name: "good", left: rex, right: rex))
    #expect(home.text == before)
    var left: [String] = []
    #expect(try garage.retrieveValues(Tie.self) { left.append($0.message) }.map(\.name) == ["good", "too"])
    #expect(left == ["Cannot read Tie in '\(home.file)': 'left' refers to Pet \"8\", which is missing."])
    try garage.setSyncStatus(.synced, forValue: Tie(name: "too", left: rex, right: rex))
    try garage.deleteValue(Tie(name: "good", left: rex, right: rex))
    #expect(try garage.retrieveValues(Tie.self) { _ in }.map(\.name) == ["too"])
  }

  @Test func `a migration that cannot read one says so of that one`() throws {
    let garage = try ties()
    let found = failure {
      try garage.migrateAll(from: Tie.self, to: Pet.self) { Pet(id: $0.name.count, name: $0.name) }
    }
    #expect(
      found
        == "migrationFailed: Cannot migrate 'Tie' to 'Pet' in 'FILE': 1 of 3 records failed. Nothing was written.\nCannot read Tie in 'FILE': 'left' refers to Pet \"8\", which is missing."
    )
  }

  @Test func `objects stay one for each record, whatever else cannot be read`() throws {
    let garage = try home.garage()
    let (a, b, c) = (Person("a"), Person("b"), Person("c"))
    (a.mother, c.mother) = (b, b)
    try garage.park([a, b, c])
    let text = try #require(home.text)
    try home.home.write(
      text.replacingOccurrences(of: "[Person.c]", with: "[Person.bad]\nid = 4\n\n[Person.c]"), to: home.file)
    garage.reload()
    let all = try garage.retrieveAll(Person.self) { _ in }
    #expect(all.map(\.id) == ["a", "b", "c"])
    #expect(all[0].mother === all[1] && all[2].mother === all[1])
  }
}
