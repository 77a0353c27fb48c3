import AppSettings
import Foundation
import Testing
import TestSupport

/// Storing a value that is what it was changes no byte of the file, part by part.
struct SameBytesTests {
  let home = ScratchHome()

  // MARK: Single values

  /// A type, and texts of its values that it would write in another way.
  struct Form: Sendable, CustomTestStringConvertible {
    let texts: [String]
    let testDescription: String
    /// Stores the value under `v` as it was read.
    let storeAgain: @Sendable (SettingsStore) throws -> Bool

    init<Value: SettingsSerializable & Sendable>(_ type: Value.Type, _ texts: String...) {
      self.texts = texts
      testDescription = "\(type)"
      let key = SettingsKey<Value>("v", default: { fatalError("The stored value cannot be read.") })
      storeAgain = { try $0.set($0.value(for: key), for: key) }
    }
  }

  private static let lowerCase = "0fdfbd92-9a4a-4cd5-8d57-7c7a4d1b0a3e"

  @Test(
    arguments: [
      Form(
        Date.self, "2024-10-05T17:08:34+02:00", "2024-10-05 17:08:34.123456789Z", "2024-10-05t17:08:34.500z",
        "2016-12-31T23:59:60Z"),
      Form(Double.self, "10", "1_0.50", "1e3", "-0", "+inf", "9_007_199_254_740_993"),
      Form(Float.self, "10", "0.10000000149011612"),
      Form(Duration.self, "90", "1.5", "\"90s\"", "\"1h 30m\"", "\"1m 0s\""),
      Form(Decimal.self, "\"1.50\"", "1.50", "7", "1e2"),
      Form(UUID.self, "\"\(lowerCase)\""),
      Form(Int.self, "0x1F", "1_000_000"),
      Form(String.self, "'a'", "\"\"\"\na\"\"\"", "\"\\u00e9\""),
      Form(Optional<Date>.self, "2024-10-05T17:08:34+02:00"),
      Form([Date].self, "[\n  2024-10-05T17:08:34+02:00,  # first\n  2024-10-05T15:08:34Z,\n]", "[]"),
      Form([Double].self, "[1, 2.50, 3]  # own"),
      Form([[Double]].self, "[[1, 2], [3.0]]"),
      Form(Set<Date>.self, "[2025-01-01T00:00:00+02:00, 2024-01-01T00:00:00+02:00]"),
      Form(Set<Double>.self, "[3, 1, 2.0]"),
      Form([String: Double].self, "{ b = 1, a = 2.50 }"),
      Form([UUID: Double].self, "{ \(lowerCase) = 1 }"),
      Form([String: [Date]].self, "{ b = [2024-10-05T17:08:34+02:00] }"),
      Form(ClosedRange<Double>.self, "[1, 2]"),
      Form(Shade.self, "1", "1.0"),
      Form(Temperature.self, "20"),
    ])
  func `a value stored again as it was read keeps its text`(form: Form) throws {
    for text in form.texts {
      let whole = "# Kept.\nv = \(text)\nw = 1\n"
      try home.write(whole)
      let settings = try home.store()
      #expect(try !form.storeAgain(settings))
      #expect(home.text() == whole)
      #expect(settings.currentProblems.isEmpty)
    }
  }

  enum Shade: Double, SettingsSerializable { case light = 0.5, dark = 1 }

  struct Temperature: SettingsSerializable, Equatable {
    var celsius: Double
    static let settingsBridge = Double.settingsBridge.map(read: Self.init, write: \.celsius)
  }

  @Test func `a value that is another is written in its own form`() throws {
    try home.write("a = 10\nb = 2024-10-05T17:08:34+02:00  # c\n")
    let settings = try home.store()
    try settings.set(11, for: SettingsKey("a", default: 0.0))
    let date = Date(timeIntervalSince1970: 1_728_140_915)
    try settings.set(date, for: SettingsKey("b", default: Date.distantPast))
    #expect(home.text() == "a = 11.0\nb = 2024-10-05T15:08:35Z  # c\n")
  }

  @Test func `an older form of a value is written in the new one`() throws {
    let bridge = Double.settingsBridge.fallingBack(
      to: String.settingsBridge.map(read: { Double($0) ?? 0 }, write: { "\($0)" }))
    let key = SettingsKey("v", default: 0, bridge: bridge)
    try home.write("v = \"2.5\"\n")
    let settings = try home.store()
    try settings.set(settings[key], for: key)
    #expect(home.text() == "v = 2.5\n")
  }

  @Test func `a value under a former name moves as it is stored`() throws {
    try home.write("old = 10  # own\n")
    let settings = try home.store()
    let key = SettingsKey("v", default: 0.0, .formerly("old"))
    try settings.set(settings[key], for: key)
    #expect(home.text()?.hasPrefix("v = 10") == true && home.text()?.contains("10.0") == false)
  }

  // MARK: Elements and entries

  @Test func `elements that stay keep their text, wherever others come and go`() throws {
    let key = SettingsKey<[Date]>("v", default: [])
    try home.write("v = [\n  2024-10-05T17:08:34+02:00,  # one\n  2024-10-06T17:08:34+02:00,  # two\n]\n")
    let settings = try home.store()
    settings[key].append(Date(timeIntervalSince1970: 0))
    try settings.flush()
    #expect(
      home.text() == "v = [\n  2024-10-05T17:08:34+02:00,  # one\n  2024-10-06T17:08:34+02:00,  # two\n"
        + "  1970-01-01T00:00:00Z,\n]\n")
    settings[key].removeFirst()
    try settings.flush()
    #expect(home.text()?.contains("2024-10-06T17:08:34+02:00,  # two\n  1970-01-01T00:00:00Z,\n]\n") == true)
    #expect(try home.store()[key].count == 2)
  }

  @Test func `elements of sets and entries of dictionaries that stay keep their text`() throws {
    let set = SettingsKey<Set<Double>>("s", default: [])
    let dictionary = SettingsKey<[UUID: Double]>("d", default: [:])
    let nested = SettingsKey<[String: [String: Double]]>("n", default: [:])
    try home.write("s = [3, 1]\nd = { \(Self.lowerCase) = 1 }\n\n[n.a]\nx = 1  # own\ny = 2\n")
    let settings = try home.store()
    settings[set].insert(2)
    settings[dictionary][UUID(uuidString: "FFFFFFFF-0000-0000-0000-000000000000")!] = 2
    settings[nested]["a"]?["y"] = 3
    try settings.flush()
    #expect(
      home.text()
        == "s = [3, 1, 2.0]\nd = { \(Self.lowerCase) = 1, FFFFFFFF-0000-0000-0000-000000000000 = 2.0 }\n\n"
        + "[n.a]\nx = 1  # own\ny = 3.0\n")
    settings[dictionary][UUID(uuidString: Self.lowerCase)!] = 4
    try settings.flush()
    #expect(home.text()?.contains("d = { \(Self.lowerCase) = 4.0, FFFF") == true)
    #expect(try home.store()[dictionary].count == 2)
  }

  // MARK: Fields

  struct Money: Codable, Equatable, Sendable, SettingsSerializable {
    var site = "none"
    var amount = Decimal(0)
    var at = Date(timeIntervalSince1970: 0)
    var ratio = 0.5
    var wait = Duration.seconds(1)
    var id = UUID(uuid: (0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0))
    var inner: Inner?
    var counts: [UUID: Double] = [:]
    var added = 1.0
  }

  struct Inner: Codable, Equatable, Sendable, SettingsSerializable {
    var at = Date(timeIntervalSince1970: 0)
    var marks: [Double] = []
    var name = ""
  }

  private static let money = SettingsKey("money", default: Money())
  private static let text = """
    [money]  # mine
    site = 'a'
    amount = "1.50"
    at = 2024-10-05T17:08:34+02:00  # alarm
    ratio = 1
    wait = 90
    id = "\(lowerCase)"
    note = 1e3
    counts = { \(lowerCase) = 1 }

    [money.inner]
    at = 2024-10-05 17:08:34+02:00
    marks = [1, 2]
    name = "b"  # name

    """

  @Test func `untouched fields of a struct keep their text, at any depth`() throws {
    try home.write(Self.text)
    let settings = try home.store()
    #expect(try !settings.set(settings[Self.money], for: Self.money))
    #expect(home.text() == Self.text)
    settings[Self.money].site = "c"
    try settings.flush()
    #expect(home.text() == Self.text.replacing("site = 'a'", with: "site = 'c'"))
    settings[Self.money].inner?.name = "d"
    try settings.update { $0[Self.money].inner?.marks[1] = 3 }
    let changed = Self.text.replacing("site = 'a'", with: "site = 'c'")
      .replacing("\"b\"  # name", with: "\"d\"  # name")
      .replacing("[1, 2]", with: "[1, 3.0]")
    #expect(home.text() == changed)
    settings[Self.money].counts[UUID(uuidString: Self.lowerCase)!] = 5
    settings[Self.money].added = 2
    settings[Self.money].inner = nil
    try settings.flush()
    let other = try home.store()[Self.money]
    #expect(other == settings[Self.money])
    #expect(other.counts.count == 1 && other.added == 2 && other.inner == nil && other.amount == Decimal(1.5))
    #expect(home.text()?.contains("ratio = 1\nwait = 90\n") == true)
  }

  @Test func `so do those of elements, entries, optionals and records`() throws {
    let list = SettingsKey<[Inner]>("list", default: [])
    let entries = SettingsKey<[String: Inner]>("entries", default: [:])
    let one = SettingsKey<Inner?>("one")
    let records = SettingsRecordKey<Server>("servers")
    let text = """
      [[list]]
      at = 2024-10-05T17:08:34+02:00  # first
      marks = [1]
      name = "a"

      [[list]]
      at = 2024-10-05T17:08:34+02:00
      marks = [2]
      name = "b"

      [entries.x]
      at = 2024-10-05T17:08:34+02:00
      marks = []
      name = "e"

      [one]
      at = 2024-10-05T17:08:34+02:00
      marks = [3]
      name = "o"

      [servers.s]
      since = 2024-10-05T17:08:34+02:00
      name = "r"

      """
    try home.write(text)
    let settings = try home.store()
    settings[list][1].name = "B"
    settings[entries]["x"]?.name = "E"
    settings[one]?.name = "O"
    settings[records]["s"]?.name = "R"
    try settings.flush()
    var changed = text
    for name in ["b", "e", "o", "r"] { changed = changed.replacing("\"\(name)\"", with: "\"\(name.uppercased())\"") }
    #expect(home.text() == changed)
    settings[list].remove(at: 0)
    try settings.flush()
    #expect(home.text()?.contains("at = 2024-10-05T17:08:34+02:00\nmarks = [2]\nname = \"B\"") == true)
  }

  struct Server: Codable, Identifiable, Sendable, Equatable {
    var id = ""
    var since = Date(timeIntervalSince1970: 0)
    var name = ""
  }
}
