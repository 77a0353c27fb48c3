import AppSettings
import AppSettingsImport
import AppSettingsSchema
import Foundation
import Testing
import TestSupport

/// The schema refuses what the app refuses, as far as a schema can know, and never what the app takes.
struct SchemaTypeTests {
  static let values: [TOMLValue] = [
    "dark", "light", "de", "de-AT", "", "A", "1s", "61s", "2m", "http://example.org/x", "no url", "19.99", "é",
    0, 1, 12, 39, 40, 80, 199, 200, -1, .integer(.max), .integer(.min), 1.5, 8.0, -0.5, .float(.nan), .float(.infinity),
    true, [], [1, 9], [9, 1], ["a"], ["a", "a"], ["a", "B"], [1, "a"], ["http://x", "http://y"],
    .array(Array(repeating: "http://x", count: 11)), [:], ["http": 80], ["http": 65_536], ["http": "80"],
    ["width": 1], ["width": "wide"], ["width": 640, "title": "t", "scale": 2, "tint": "dark", "new": 1],
    ["tint": "red"], ["7": [:]], ["7": ["port": 443, "address": "a", "extra": 1]], ["7": ["port": 65_536]], ["7": 1],
    ["x": [:]], ["6D5BA0B4-2F0E-4F6B-9B0A-0D2F0C5F3C11": [:]], ["7": ["id": 7]],
    .localDate(TOMLLocalDate(year: 2026, month: 1, day: 31)),
    .offsetDateTime(
      TOMLOffsetDateTime(
        date: TOMLLocalDate(year: 2026, month: 1, day: 31), time: TOMLLocalTime(hour: 12, minute: 0), offsetMinutes: 0)),
  ]

  /// What only the app knows: `columns` has to be even.
  static let knownByTheApp: [String: [TOMLValue]] = ["columns": [199, .integer(.max)]]

  @Test(arguments: SchemaKeys.all.map(\.description))
  func `a schema refuses the values that the app refuses`(name: String) throws {
    let key = try #require(SchemaKeys.all.first { $0.description == name })
    let read = try SettingsSchema.readText(SchemaKeys.schema.text)
    let type = try #require(read.keys.first { $0.path == key.path }).type
    for value in Self.values where !Self.knownByTheApp[name, default: []].contains(value) {
      let appRefuses = (try? key.check(value)) == nil
      let schemaRefuses = (try? type.check(value)) == nil
      #expect(appRefuses == schemaRefuses, "\(name) = \(value.tomlText), app refuses: \(appRefuses)")
    }
  }

  @Test func `what is expected says the order of elements, and the end of the largest integers`() {
    var list = SchemaType.array(of: SchemaType(.integer))
    (list.isOrdered, list.maximumCount) = (true, 3)
    #expect(list.expected == "an array of integers with at most 3 elements in ascending order")
    var number = SchemaType(.integer)
    number.minimum = "9223372036854775808"
    #expect(number.expected == "an integer from 9223372036854775808 to 18446744073709551615")
  }

  @Test func `a number beyond the range of Float is refused with that range`() {
    var scale = SchemaType(.float32)
    scale.minimum = 0.0
    func expected(_ value: TOMLValue) -> String? {
      do throws(SettingsValueError) {
        try scale.check(value)
        return nil
      } catch {
        return error.expected
      }
    }
    #expect(expected(1e39) == "a number from -3.4028235e+38 to 3.4028235e+38")
    #expect(expected(-1.0) == "a number from 0.0" && expected("1") == "a number from 0.0")
    #expect(expected(.float(.infinity)) == nil)
  }

  struct TextCase: Sendable, CustomTestStringConvertible {
    let key: SettingsKeys
    let text: String
    let value: TOMLValue?
    var testDescription: String { "\(key) = \(text)" }

    init(_ key: SettingsKeys, _ text: String, _ value: TOMLValue?) {
      self.key = key
      self.text = text
      self.value = value
    }
  }

  static let texts: [TextCase] = [
    TextCase(SchemaKeys.theme, "dark", "dark"), TextCase(SchemaKeys.theme, "\"dark\"", nil),
    TextCase(SchemaKeys.fontSize, "14", 14), TextCase(SchemaKeys.fontSize, "0x10", 16),
    TextCase(SchemaKeys.fontSize, "100", nil), TextCase(SchemaKeys.fontSize, "14.0", nil),
    TextCase(SchemaKeys.wrap, "yes", true), TextCase(SchemaKeys.wrap, "off", false),
    TextCase(SchemaKeys.wrap, "1", nil), TextCase(SchemaKeys.zoom, "2", 2.0), TextCase(SchemaKeys.zoom, "8", nil),
    TextCase(SchemaKeys.locale, "12", nil), TextCase(SchemaKeys.locale, "de", "de"),
    TextCase(SchemaKeys.recent, "[\"http://x\"]", ["http://x"]), TextCase(SchemaKeys.recent, "http://x", nil),
    TextCase(SchemaKeys.pause, "30s", "30s"), TextCase(SchemaKeys.pause, "30", 30),
    TextCase(SchemaKeys.pause, "2m", nil),
    TextCase(SchemaKeys.price, "12.50", "12.50"), TextCase(SchemaKeys.price, "a lot", nil),
    TextCase(SchemaKeys.window, "{ width = 1 }", ["width": 1]), TextCase(SchemaKeys.window, "{ width = 'w' }", nil),
    TextCase(SchemaKeys.token, "12", "12"), TextCase(SchemaKeys.token, "true", "true"),
    TextCase(SchemaKeys.token, "a\nb\u{1}", "a\nb\u{1}"),
    TextCase(SchemaKeys.since, "2026-01-31", nil),
    TextCase(SchemaKeys.anything, "12", 12), TextCase(SchemaKeys.anything, "a b", "a b"),
  ]

  @Test(arguments: texts) func `a text is read as the type of the key`(_ c: TextCase) throws {
    let type = SchemaKey(c.key).type
    #expect((try? type.value(of: c.text)) == c.value)
    if let value = c.value { #expect(throws: Never.self) { try c.key.check(value) } }
  }

  @Test(arguments: [
    ("9223372036854775808", 0x1p63), ("-9223372036854775809", -0x1p63), ("+18446744073709551616", 0x1p64),
    ("9_223_372_036_854_775_808", 0x1p63), (String(repeating: "9", count: 400), nil), ("-", nil), ("", nil),
    ("0x10000000000000000", nil), ("007", nil), ("07:32:00", nil), ("9223372036854775808 # a", nil),
  ])
  func `a float is read from whole numbers that no integer holds, if it can hold them`(
    _ text: String, _ number: Double?
  ) {
    let type = SchemaKey(SettingsKey("zoom", default: 1.5)).type
    let value = number.map(TOMLValue.float)
    #expect((try? type.value(of: text)) == value)
    // As JSON has it.
    #expect(type.restoring(.string(text), from: .typed) == value ?? .string(text))
  }

  @Test func `a text for a key that may hold anything is like what the key has`() throws {
    #expect(try SchemaType.any.value(of: "12", like: "x") == "12")
    #expect(try SchemaType.any.value(of: "12", like: 1.5) == 12.0)
    #expect(try SchemaType.any.value(of: "9223372036854775808", like: 1.5) == .float(0x1p63))
    #expect(try SchemaType.any.value(of: "yes", like: true) == true)
    #expect(try SchemaType.any.value(of: "yes", like: 3) == "yes")
  }

  @Test func `what is needed is said as the app says it`() throws {
    for key in SchemaKeys.all where SchemaKey(key).type.fields == nil {
      #expect(SchemaKey(key).type.expected == key.expected)
    }
    #expect(
      SchemaKey(SchemaKeys.window).type.expected == "a table with fields such as 'width', 'title', 'scale', 'tint'")
  }

  @Test func `arrays and tables of every type are said as the app says them`() {
    func check<Value: SettingsSerializable & Sendable>(_: Value.Type) {
      let keys: [AnySettingsKey] = [
        SettingsKey<[Value]>("k", default: []), SettingsKey<[String: Value]>("k", default: [:]),
      ]
      for key in keys { #expect(key.schemaType.derivedWords == key.expected) }
    }
    check(String.self)
    check(Int.self)
    check(Float.self)
    check(Bool.self)
    check(TOMLOffsetDateTime.self)
    check(TOMLLocalDateTime.self)
    check(TOMLLocalDate.self)
    check(TOMLLocalTime.self)
    check(Duration.self)
    check(URL.self)
    check(UUID.self)
    check(Data.self)
    check(Decimal.self)
    check(Character.self)
    check(TimeZone.self)
  }

  struct Node: Codable, SettingsSerializable {
    var name = ""
    var children: [Node] = []
    static let settingsBridge = SettingsBridge.codable(over: Node())
  }

  struct Loose: Codable, SettingsSerializable {
    var value = "x"
    init() {}
    init(from decoder: any Decoder) throws {
      let fields = try decoder.container(keyedBy: CodingKeys.self)
      value =
        (try? "\(fields.decode(Int.self, forKey: .value))") ?? (try? fields.decode(String.self, forKey: .value)) ?? ""
    }
  }

  @Test func `a type that holds itself, and one that reads several forms, have a type`() throws {
    let node = SchemaKey(SettingsKey("node", default: Node(name: "a", children: [Node()])))
    #expect(node.type.fields?.map(\.name) == ["name", "children"])
    let loose = SchemaKey(SettingsKey("loose", default: Loose()))
    #expect(throws: Never.self) { try loose.type.check(["value": 1]) }
    #expect(throws: Never.self) { try loose.type.check(["value": "x"]) }
  }

  @Test func `a value that an older form of the type reads is no error where it stands`() throws {
    let key = SettingsKey(
      "level", default: 1,
      bridge: Int.settingsBridge.fallingBack(
        to: String.settingsBridge.map(expecting: "a word", read: { Int($0) }, write: { "\($0)" }))
    )
    let type = SchemaKey(key).type
    #expect(throws: Never.self) { try type.check("7", isStored: true) }
    #expect(throws: SettingsValueError.self) { try type.check("7") }
  }
}

extension SettingsSchema {
  /// The schema of a text.
  static func readText(_ text: String) throws -> SettingsSchema {
    let home = ScratchHome()
    try home.write(text, to: home.path + "/s.toml")
    return try #require(try SettingsSchema.read(home.path + "/s.toml"))
  }
}
