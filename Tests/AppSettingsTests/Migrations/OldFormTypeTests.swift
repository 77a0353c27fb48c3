import AppSettings
import Foundation
import Testing
import TestSupport

/// Which strings are taken for JSON, and what of each type's JSON is read.
struct OldFormTypeTests {
  let home = ScratchHome()

  /// Migrates a string of JSON, twice.
  private func migrated<Value: Sendable & Equatable & SettingsSerializable>(
    _ json: String, as type: Value.Type, _ stored: TOMLValue?, sourceLocation: SourceLocation = #_sourceLocation
  ) throws {
    let home = ScratchHome()
    try home.write("a = 1\nk = \(TOMLValue.string(json).tomlText)\n")
    let settings = try home.store()
    let key = SettingsKey<Value?>("k")
    let isNative = stored == .string(json)
    #expect(try settings.migrate(key, from: .json) == !isNative, sourceLocation: sourceLocation)
    let document = try TOMLDocument(parsing: home.text() ?? "")
    #expect(document[["k"]] == stored && document[["a"]] == 1, sourceLocation: sourceLocation)
    if let stored {
      #expect(try settings.value(for: key) == Value.settingsBridge.read(stored), sourceLocation: sourceLocation)
    }
    #expect(try !settings.migrate(key, from: .json), sourceLocation: sourceLocation)
    #expect(try TOMLDocument(parsing: home.text() ?? "").root == document.root, sourceLocation: sourceLocation)
  }

  @Test func `a string that the type can be read from is native and stays`() throws {
    for text in ["\"quoted\"", "null", "[1]", "{}", "5", "true", "\"null\"", " \"x\" "] {
      try migrated(text, as: String.self, .string(text))
      try migrated(text, as: Substring.self, .string(text))
      try migrated(text, as: OldName.self, .string(text))
    }
    try migrated("19.50", as: Decimal.self, "19.50")
    try migrated("18446744073709551615", as: UInt64.self, "18446744073709551615")
    try migrated("\"", as: Character.self, "\"")
  }

  @Test func `a string that the type cannot be read from is JSON`() throws {
    try migrated("\"10 Minutes\"", as: OldPeriod.self, "10 Minutes")
    try migrated("\"x\"", as: Character.self, "x")
    try migrated("\"https://example.org/\"", as: URL.self, "https://example.org/")
    try migrated("700000000.25", as: Date.self, try TOMLValue(parsing: "2023-03-08T20:26:40.25Z"))
    try migrated("12", as: Int8.self, 12)
    try migrated("1.5", as: Double.self, 1.5)
    try migrated("null", as: [String].self, nil)
    try migrated("[1, 5]", as: Range<Int>.self, [1, 5])
  }

  @Test func `of any value, arrays and objects are taken out of a string`() throws {
    try migrated(
      "[1, \"[2]\", {\"a\": 18446744073709551615}]", as: SettingsValue.self, [1, "[2]", ["a": "18446744073709551615"]])
    for text in ["\"quoted\"", "null", "5", "text", "[1", "{"] {
      try migrated(text, as: SettingsValue.self, .string(text))
    }
  }

  @Test func `collections of one's own are JSON of their elements`() throws {
    let date = try TOMLValue(parsing: "2023-03-08T20:26:40.25Z")
    try migrated("[700000000.25]", as: Stack<Date>.self, [date])
    try migrated("[700000000.25, 700000000.25]", as: Bag<Date>.self, [date])
    try migrated("[\"AQID\"]", as: Stack<Data>.self, ["AQID"])
    try migrated("[[0, 1500000000000000000]]", as: Stack<Duration>.self, ["1.5s"])
    try migrated("[\"a\", \"b\"]", as: Stack<Frog>.self, ["a", "b"])
    try migrated("[[700000000.25], []]", as: Stack<[Date]>.self, [[date], []])
    try migrated("[1.5, 2]", as: Stack<Decimal>.self, ["1.5", "2"])
    try migrated("[123456789012345678901234.5]", as: Stack<Decimal>.self, ["123456789012345678901234.5"])
  }

  @Test func `collections with a coding of their own are read by it, or as JSON of their elements`() throws {
    for json in [#"{"elements":["b","a"]}"#, #"["b","a","b"]"#] {
      try migrated(json, as: CodableBag.self, ["a", "b"])
      try migrated("[\(json)]", as: [CodableBag].self, [["a", "b"]])
      try migrated(#"{"x":\#(json)}"#, as: [String: CodableBag].self, ["x": ["a", "b"]])
    }
    for json in [#"{"elements":[2,1]}"#, "[2,1]"] {
      try migrated(json, as: CodableStack<Int>.self, [2, 1])
      try migrated("[\(json)]", as: [CodableStack<Int>].self, [[2, 1]])
    }
    try migrated("6", as: Flags.self, 6)
    // As an earlier release of Defaults stored them: each element as a string.
    let home = ScratchHome()
    try home.write(#"k = ['{"elements":["b"]}', '["a"]']"# + "\n")
    let settings = try home.store()
    let key = SettingsKey<[CodableBag]>("k", default: [])
    #expect(try settings.migrate(key, from: .json))
    #expect(settings[key] == [CodableBag(["b"]), CodableBag(["a"])])
  }

  @Test func `a superclass without fields of its own needs none in the JSON`() throws {
    for json in [#"{"super":{},"trick":"sit"}"#, #"{"trick":"sit"}"#, #"{"super":null,"trick":"sit"}"#] {
      try migrated(json, as: Trained.self, ["super": [:], "trick": "sit"])
      try migrated("[\(json)]", as: [Trained].self, [["super": [:], "trick": "sit"]])
      let settings = SettingsStore(inMemory: "k = \(TOMLValue.string(json).tomlText)\n")
      let key = SettingsKey<Trained?>("k")
      #expect(try settings.migrate(key, from: .json(Trained.self) { $0 }))
      #expect(settings[key]?.trick == "sit")
    }
  }

  @Test func `dictionaries whose keys have no coding of their own are JSON of their entries`() throws {
    let date = try TOMLValue(parsing: "2023-03-08T20:26:40.25Z")
    try migrated(#"{"u7": {"at": 700000000.25}}"#, as: [UniqueID: Visit].self, ["u7": ["at": date]])
    try migrated(#"["u7", {"at": 700000000.25}]"#, as: [UniqueID: Visit].self, ["u7": ["at": date]])
    try migrated(#"{"1": 700000000.25}"#, as: [Int: Date].self, ["1": date])
    try migrated(#"{"x": [700000000.25]}"#, as: [Character: Stack<Date>].self, ["x": [date]])
  }

  // MARK: What no longer is

  @Test func `a raw value whose case is gone is kept, and the error says which`() throws {
    for (type, text) in [("period", "\"2 Hours\""), ("periods", "[\"10 Minutes\",\"2 Hours\"]")] {
      let before = "# mine\nk = \(TOMLValue.string(text).tomlText)\nother = 1\n"
      try home.write(before)
      let settings = try home.store()
      let error = settingsError {
        if type == "period" {
          try settings.migrate(SettingsKey<NewPeriod?>("k"), from: .json)
        } else {
          try settings.migrate(SettingsKey<[NewPeriod]>("k", default: []), from: .json)
        }
      }
      #expect(error?.code == .migrationFailed && error?.position?.line == 2)
      #expect(
        error?.message.contains("\"2 Hours\", but must be \"10 Minutes\". The file") == true,
        "\(error?.message ?? "")")
      #expect(home.text() == before)
    }
  }

  @Test func `a migration that meets a case that is gone reports it at each start, and keeps the value`() throws {
    let before = "k = '\"2 Hours\"'\nother = 1\n"
    try home.write(before)
    let key = SettingsKey<NewPeriod>("k", default: .tenMinutes)
    let migrations = [Migration(2, "native period", [.migrate(key, from: .json)])]
    for _ in 0..<2 {
      let settings = try home.store(migrations: migrations)
      #expect(settings[key] == .tenMinutes)
      #expect(settings[SettingsKey("other", default: 0)] == 1)
      #expect(settings.currentProblems.contains { $0.message.contains("\"2 Hours\"") })
      #expect(home.text() == before)
    }
    // Mended by hand, it goes on.
    try home.write("k = '\"10 Minutes\"'\nother = 1\n")
    let settings = try home.store(migrations: migrations)
    #expect(settings[key] == .tenMinutes && settings.currentProblems.isEmpty)
    #expect(home.text() == "settings-version = 2\nk = '10 Minutes'\nother = 1\n")
  }

  @Test(arguments: [
    ("1e300", ValueConversion.integer), ("nan", .integer), ("inf", .rounded), ("9223372036854775807", .scaled(by: 2)),
    ("'1e999999999999'", .integer), ("'0x8000000000000000'", .integer), ("{ a = 1 }", .string), ("[[1], 'x']", .float),
    ("2", .boolean), ("9007199254740993", .float),
    ("9007199254740993", .scaled(by: 0.5)), ("1e308", .scaled(by: 1000)), ("'1e999'", .float),
    ("'9007199254740993.5'", .integer), ("1979-05-27", .integer),
    ("'\u{e9}'", .boolean), ("[1, [2, { a = 3 }]]", .joined(by: ",")),
  ])
  func `a conversion that cannot succeed fails, and the value stays`(literal: String, conversion: ValueConversion)
    throws
  {
    let before = "a = 1\nk = \(literal)\n"
    try home.write(before)
    let migrations = [Migration(2, "convert", [.convert("k", conversion)])]
    let settings = try home.store(migrations: migrations)
    #expect(settings[SettingsKey("a", default: 0)] == 1)
    if literal == "inf" { return }
    #expect(settings.currentProblems.contains { $0.message.contains("'k'") })
    #expect(home.text() == before)
  }
}

/// A set with a `Codable` conformance of its own.
private struct CodableBag: SetAlgebra, Sequence, Codable, Hashable, SettingsSerializable {
  static let settingsBridge = Set<String>.settingsBridge.map(read: { Self($0) }, write: { Set($0) })
  var elements: Set<String> = []
  init() {}
  init(_ elements: some Sequence<String>) { self.elements = Set(elements) }
  func contains(_ member: String) -> Bool { elements.contains(member) }
  func union(_ other: Self) -> Self { Self(elements.union(other.elements)) }
  func intersection(_ other: Self) -> Self { Self(elements.intersection(other.elements)) }
  func symmetricDifference(_ other: Self) -> Self { Self(elements.symmetricDifference(other.elements)) }
  mutating func insert(_ new: String) -> (inserted: Bool, memberAfterInsert: String) { elements.insert(new) }
  mutating func remove(_ member: String) -> String? { elements.remove(member) }
  mutating func update(with new: String) -> String? { elements.update(with: new) }
  mutating func formUnion(_ other: Self) { elements.formUnion(other.elements) }
  mutating func formIntersection(_ other: Self) { elements.formIntersection(other.elements) }
  mutating func formSymmetricDifference(_ other: Self) { elements.formSymmetricDifference(other.elements) }
  func makeIterator() -> Set<String>.Iterator { elements.makeIterator() }
}

private struct Flags: OptionSet, Codable, SettingsSerializable { var rawValue: Int }

private class Creature: Codable {
  init() {}
}

private final class Trained: Creature, Equatable, SettingsSerializable, @unchecked Sendable {  // never changes
  let trick: String
  private enum CodingKeys: CodingKey { case trick }

  init(trick: String) {
    self.trick = trick
    super.init()
  }

  required init(from decoder: any Decoder) throws {
    let container = try decoder.container(keyedBy: CodingKeys.self)
    trick = try container.decode(String.self, forKey: .trick)
    try super.init(from: container.superDecoder())
  }

  override func encode(to encoder: any Encoder) throws {
    var container = encoder.container(keyedBy: CodingKeys.self)
    try container.encode(trick, forKey: .trick)
    try super.encode(to: container.superEncoder())
  }

  static func == (a: Trained, b: Trained) -> Bool { a.trick == b.trick }
}

private struct OldName: RawRepresentable, Codable, Hashable, SettingsSerializable { var rawValue: String }

private enum OldPeriod: String, Codable, SettingsSerializable { case tenMinutes = "10 Minutes" }

private enum NewPeriod: String, CaseIterable, SettingsSerializable { case tenMinutes = "10 Minutes" }

private struct UniqueID: Hashable, SettingsSerializable {
  var number: Int
  static let settingsBridge = String.settingsBridge.map(
    expecting: "an id like \"u7\"",
    read: { text in text.first == "u" ? Int(text.dropFirst()).map { UniqueID(number: $0) } : nil },
    write: { "u\($0.number)" })
}

private struct Visit: Codable, Hashable, SettingsSerializable { var at: Date }
