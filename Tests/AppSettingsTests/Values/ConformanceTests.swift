import AppSettings
import Testing

/// What is to be written for a type to be storable, and how it is stored then. That this file compiles is half the test.
struct ConformanceTests {
  @Test func `an enumeration with raw values is stored as its raw value`() throws {
    try expectRoundTrip(Theme.dark, "dark")
    try expectRoundTrip(Level.high, 3)
  }

  @Test func `a Codable struct is stored as a table`() throws {
    try expectRoundTrip(Profile(name: "Ada", age: 36), ["name": "Ada", "age": 36])
  }

  @Test func `a type that is Codable and RawRepresentable is stored as its raw value`() throws {
    try expectRoundTrip(Period.halfHour, "30 Minutes")
    try expectRoundTrip([Period.halfHour: [Period.tenMinutes]], ["30 Minutes": ["10 Minutes"]])
  }

  @Test func `an option set is stored as its raw value`() throws {
    try expectRoundTrip(Toppings([.cheese, .olives]), 5)
    try expectRoundTrip(CodableToppings(rawValue: 2), 2)
  }

  @Test func `a type that describes itself is stored as its description`() throws {
    try expectRoundTrip(Version(1, 2), "1.2")
    expectRefusal(
      Version.self, "1.x", "Found the string \"1.x\", but a string that describes a value of type Version is needed.")
  }

  @Test func `a struct stored as its bare name takes three lines, arrays of it none`() throws {
    try expectRoundTrip(Frog(name: "Froggy"), "Froggy")
    try expectRoundTrip([Frog(name: "a"), Frog(name: "b")], ["a", "b"])
    try expectRoundTrip(["x": [Frog(name: "a")]], ["x": ["a"]])
    expectRefusal([Frog].self, ["a", 1], "Found the integer 1 at '[1]', but a string is needed.")
  }

  @Test func `a collection of one's own takes one line`() throws {
    try expectRoundTrip(Stack([1, 2, 3]), [1, 2, 3])
    try expectRoundTrip(CodableStack([1, 2]), [1, 2])
    expectRefusal(Stack<Int>.self, [1, "a"], "Found the string \"a\" at '[1]', but an integer is needed.")
  }

  @Test func `a set algebra of one's own takes one line, and reads a repetition once`() throws {
    try expectRoundTrip(Bag(["b", "a"]), ["a", "b"])
    #expect(try Bag<String>.settingsBridge.read(["a", "b", "a"]) == Bag(["a", "b"]))
  }
}

enum Theme: String, SettingsSerializable { case light, dark }

enum Level: Int, CaseIterable, SettingsSerializable { case low = 1, high = 3 }

struct Profile: Codable, Hashable, SettingsSerializable {
  var name: String
  var age: Int
}

enum Period: String, Codable, Hashable, SettingsSerializable {
  case tenMinutes = "10 Minutes"
  case halfHour = "30 Minutes"
}

struct Toppings: OptionSet, SettingsSerializable {
  let rawValue: Int
  static let cheese = Toppings(rawValue: 1)
  static let olives = Toppings(rawValue: 4)
}

struct CodableToppings: OptionSet, Codable, SettingsSerializable { let rawValue: UInt8 }

struct Version: LosslessStringConvertible, Hashable, SettingsSerializable {
  var major, minor: Int

  init(_ major: Int, _ minor: Int) { (self.major, self.minor) = (major, minor) }

  init?(_ description: String) {
    let parts = description.split(separator: ".").compactMap { Int($0) }
    guard parts.count == 2 else { return nil }
    self.init(parts[0], parts[1])
  }

  var description: String { "\(major).\(minor)" }
}

struct Frog: Hashable, SettingsSerializable {
  let name: String
  static let settingsBridge = String.settingsBridge.map(read: Frog.init(name:), write: \.name)
}

struct Stack<Element>: Sequence, Equatable where Element: Equatable {
  var elements: [Element]
  init(_ elements: [Element]) { self.elements = elements }
  func makeIterator() -> IndexingIterator<[Element]> { elements.makeIterator() }
}

extension Stack: Sendable where Element: Sendable {}
extension Stack: SettingsSerializable where Element: SettingsSerializable {
  static var settingsBridge: SettingsBridge<Self> {
    [Element].settingsBridge.map(read: { Self($0) }, write: { Array($0) })
  }
}

struct CodableStack<Element: Codable & Equatable>: Sequence, Codable, Equatable {
  var elements: [Element]
  init(_ elements: [Element]) { self.elements = elements }
  func makeIterator() -> IndexingIterator<[Element]> { elements.makeIterator() }
}

extension CodableStack: Sendable where Element: Sendable {}
extension CodableStack: SettingsSerializable where Element: SettingsSerializable {
  static var settingsBridge: SettingsBridge<Self> {
    [Element].settingsBridge.map(read: { Self($0) }, write: { Array($0) })
  }
}

struct Bag<Element: Hashable>: SetAlgebra, Sequence {
  var elements: Set<Element> = []
  init() {}
  func makeIterator() -> Set<Element>.Iterator { elements.makeIterator() }
  func contains(_ member: Element) -> Bool { elements.contains(member) }
  func union(_ other: Bag) -> Bag { Bag(elements.union(other.elements)) }
  func intersection(_ other: Bag) -> Bag { Bag(elements.intersection(other.elements)) }
  func symmetricDifference(_ other: Bag) -> Bag { Bag(elements.symmetricDifference(other.elements)) }
  mutating func insert(_ new: Element) -> (inserted: Bool, memberAfterInsert: Element) { elements.insert(new) }
  mutating func remove(_ member: Element) -> Element? { elements.remove(member) }
  mutating func update(with new: Element) -> Element? { elements.update(with: new) }
  mutating func formUnion(_ other: Bag) { elements.formUnion(other.elements) }
  mutating func formIntersection(_ other: Bag) { elements.formIntersection(other.elements) }
  mutating func formSymmetricDifference(_ other: Bag) { elements.formSymmetricDifference(other.elements) }
}

extension Bag: Sendable where Element: Sendable {}
extension Bag: SettingsSerializable where Element: SettingsSerializable {
  static var settingsBridge: SettingsBridge<Self> {
    Set<Element>.settingsBridge.map(read: { Self($0) }, write: { Set($0) })
  }
}
