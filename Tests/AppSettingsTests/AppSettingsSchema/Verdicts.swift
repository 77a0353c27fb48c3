import AppSettings
import AppSettingsSchema
import Foundation
import TestSupport

/// Keys of every type and constraint, and values to ask them about.
enum Verdicts {
  /// `SETTINGS_VERDICTS=full` runs the long form; `SETTINGS_VERDICT_SEED` repeats the one that a failure names.
  static let isFull = ProcessInfo.processInfo.environment["SETTINGS_VERDICTS"] == "full"

  static func random() -> SeededRandom {
    SeededRandom(SeededRandom.seed(from: "SETTINGS_VERDICT_SEED", isFull: isFull))
  }

  enum Theme: String, CaseIterable, SettingsSerializable { case light, dark }
  enum Size: Int, CaseIterable, SettingsSerializable { case small = 1, large = 2 }
  enum Level: String, CaseIterable, Comparable, SettingsSerializable {
    case low, medium, high
    static func < (a: Level, b: Level) -> Bool { allCases.firstIndex(of: a)! < allCases.firstIndex(of: b)! }
  }
  struct Flags: OptionSet, SettingsSerializable { let rawValue: UInt8 }
  struct Window: Codable, SettingsSerializable, Hashable {
    var width = 640
    var title: String? = "t"
  }
  struct Either: Codable, SettingsSerializable {
    var text = ""
    init() {}
    init(from decoder: any Decoder) throws {
      if let text = try? decoder.singleValueContainer().decode(String.self) {
        self.text = text
      } else {
        text = try decoder.container(keyedBy: CodingKeys.self).decode(String.self, forKey: .text)
      }
    }
  }
  /// `"1.10"` is above `"1.9"`.
  struct Version: Comparable, SettingsSerializable {
    var parts: [Int]
    static func < (a: Version, b: Version) -> Bool { a.parts.lexicographicallyPrecedes(b.parts) }
    static let settingsBridge = String.settingsBridge.map(
      expecting: "a version",
      read: { text in
        let parts = text.split(separator: ".").compactMap { Int($0) }
        return parts.isEmpty ? nil : Version(parts: parts)
      }, write: { $0.parts.map(String.init).joined(separator: ".") })
  }
  struct Host: Codable, Identifiable, Sendable {
    var id = 0
    var port: UInt16 = 80
  }
  struct Slot: Codable, Identifiable, Sendable { var id: UInt8 = 0 }
  struct Mark: Codable, Identifiable, Sendable { var id = UUID() }

  /// What only the app knows of a key's values: `true` for a value that the app refuses and no schema can.
  struct Subject: Sendable {
    let key: SettingsKeys
    var onlyTheAppKnows: @Sendable (TOMLValue) -> Bool = { _ in false }
  }

  private static let date = Date(timeIntervalSinceReferenceDate: 700_000_000)
  private static let id = UUID(uuidString: "6D5BA0B4-2F0E-4F6B-9B0A-0D2F0C5F3C11")!
  private static func url(_ text: String) -> URL { URL(string: text)! }

  static let subjects: [Subject] =
    numbers.map { Subject(key: $0) } + texts.map { Subject(key: $0) } + collections.map { Subject(key: $0) } + [
      Subject(key: SettingsKey("even", default: 2, .satisfying("that is even") { $0 % 2 == 0 })) {
        if case .integer(let number) = $0 { number % 2 != 0 } else { false }
      },
      Subject(key: SettingsKey<Version?>("version")) { !isVersion($0) },
      Subject(key: SettingsKey("version-in", default: Version(parts: [2]), .in(Version(parts: [1, 9])...))) {
        !isVersion($0) || (try? Version.settingsBridge.read($0)).map { $0 < Version(parts: [1, 9]) } ?? true
      },
      Subject(key: SettingsKey("versions", default: Version(parts: [1])...Version(parts: [2]))) { value in
        guard case .array(let bounds) = value, bounds.count == 2, bounds.allSatisfy(isText) else { return false }
        return (try? ClosedRange<Version>.settingsBridge.read(value)) == nil
      },
      // The fields that an element has to have.
      Subject(key: SettingsKey<[Window]>("windows", default: [])) { ofTables($0) },
      Subject(key: SettingsKey<[Window]>("windows-known", default: [Window()])) { isMissing($0, "width") },
      Subject(key: SettingsKey<[String: Window]>("named", default: [:])) { ofTables($0) },
      Subject(key: SettingsKey<[String: Window]>("named-known", default: ["a": Window()])) { isMissing($0, "width") },
      Subject(key: SettingsKey<Window?>("maybe-window")) { if case .table = $0 { true } else { false } },
      Subject(key: SettingsKey<Either?>("either")) { !isText($0) },
      // Its dates are equal only with the same offset.
      Subject(key: SettingsKey<TOMLOffsetDateTime?>("offset")),
      Subject(key: SettingsRecordKey<Mark>("marks")), Subject(key: SettingsRecordKey<Slot>("slots", over: Slot())),
      Subject(key: SettingsRecordKey<Host>("hosts", over: Host())),
    ]

  private static func isText(_ value: TOMLValue) -> Bool { if case .string = value { true } else { false } }
  private static func isVersion(_ value: TOMLValue) -> Bool {
    !isText(value) || (try? Version.settingsBridge.read(value)) != nil
  }
  private static func parts(_ value: TOMLValue) -> [TOMLValue]? {
    switch value {
    case .array(let elements): elements
    case .table(let table): table.map(\.value)
    default: nil
    }
  }
  private static func ofTables(_ value: TOMLValue) -> Bool {
    parts(value).map { parts in parts.allSatisfy { $0.table != nil } && !parts.isEmpty } ?? false
  }
  private static func isMissing(_ value: TOMLValue, _ field: String) -> Bool {
    parts(value)?.contains { part in part.table.map { $0[field] == nil } ?? false } ?? false
  }

  private static let numbers: [SettingsKeys] = [
    SettingsKey("int", default: 1), SettingsKey("int-from", default: 20, .in(20...)),
    SettingsKey("int-below", default: 1, .in(..<100)), SettingsKey<Int8>("int8", default: 1),
    SettingsKey<UInt8>("uint8", default: 1, .in(..<200)), SettingsKey<UInt16>("uint16", default: 1, .oneOf([1, 80])),
    SettingsKey<UInt64>("uint64", default: 1), SettingsKey<UInt64>("uint64-from", default: 6, .in(5...)),
    SettingsKey<UInt64>("uint64-big", default: .max, .in((UInt64(Int64.max) + 5)...)),
    SettingsKey<UInt>("uint", default: 1, .in(1...10)), SettingsKey<Int?>("maybe-int", .in(1...9)),
    SettingsKey("double", default: 1.5), SettingsKey("double-in", default: 1.5, .in(0..<8)),
    SettingsKey("double-of", default: 1.5, .oneOf([1.5, 2, .nan])), SettingsKey<Float>("float", default: 1),
    SettingsKey<Float>("float-in", default: 0, .in(0...0.1)), SettingsKey("bool", default: true),
    SettingsKey<Flags>("flags", default: []), SettingsKey<Size>("size", default: .small),
    SettingsKey<Decimal>("decimal", default: 1), SettingsKey<Decimal>("decimal-in", default: 1, .in(0...9.99)),
    SettingsKey<Decimal>("decimal-of", default: 1.5, .oneOf([1.5, 20])), SettingsKey<Duration?>("duration"),
    SettingsKey<Duration>("duration-in", default: .seconds(5), .in(.seconds(1) ... .seconds(60))),
    SettingsKey<Duration>("duration-of", default: .seconds(60), .oneOf([.seconds(60), .seconds(3600)])),
    SettingsKey<Date?>("date"), SettingsKey("date-in", default: date, .in(date...)),
    SettingsKey("date-of", default: date, .oneOf([date])), SettingsKey<TOMLLocalDate?>("local-date"),
    SettingsKey<TOMLLocalTime?>("local-time"), SettingsKey<TOMLLocalDateTime?>("local-date-time"),
  ]

  private static let texts: [SettingsKeys] = [
    SettingsKey("string", default: ""), SettingsKey("string-in", default: "c", .in("b"..."m")),
    SettingsKey("string-of", default: "b", .oneOf(["b", "e\u{301}"])),
    SettingsKey("string-count", default: "b", .count(1...3)),
    SettingsKey("word", default: "b", .matching("[a-z]+")), SettingsKey("digits", default: "1", .matching("\\d+")),
    SettingsKey("line", default: "1", .matching("(?i)a.c|[^a-z]{0,3}")),
    SettingsKey<Substring>("substring", default: "b", .count(1...)),
    SettingsKey("slow", default: "ab", .matching("(a+)+b")), SettingsKey<Character>("character", default: "b"),
    SettingsKey<Character>("character-in", default: "b", .in("a"..."f")), SettingsKey<URL?>("url"),
    SettingsKey("url-of", default: url("http://x"), .oneOf([url("http://x"), url("http://y/%C3%A9")])),
    SettingsKey<UUID?>("uuid"), SettingsKey("uuid-of", default: id, .oneOf([id])), SettingsKey<Data?>("data"),
    SettingsKey("data-count", default: Data([1]), .count(1...2)), SettingsKey<TimeZone?>("zone"),
    SettingsKey<Theme>("theme", default: .dark), SettingsKey<Level>("level", default: .low),
    SettingsKey<Level>("level-in", default: .low, .in(.low ... .medium)),
    SettingsKey<Theme>("theme-where", default: .dark, .satisfying("that is dark") { $0 == .dark }),
  ]

  private static let collections: [SettingsKeys] = [
    SettingsKey<[Int]>("ints", default: []), SettingsKey<[Int]>("ints-in", default: [], .each(.in(1...9))),
    SettingsKey<[Int]>("ints-count", default: [], .count(...2)),
    SettingsKey<[String]>("words", default: [], .each(.matching("[a-z]+"))),
    SettingsKey<[[Int8]]>("nested", default: []), SettingsKey<[Theme]>("themes", default: []),
    SettingsKey<Set<Int>>("set-int", default: []),
    SettingsKey<Set<Double>>("set-double", default: []), SettingsKey<Set<Float>>("set-float", default: []),
    SettingsKey<Set<Decimal>>("set-decimal", default: []), SettingsKey<Set<Date>>("set-date", default: []),
    SettingsKey<Set<UUID>>("set-uuid", default: []), SettingsKey<Set<String>>("set-string", default: [], .count(...2)),
    SettingsKey<Set<URL>>("set-url", default: []), SettingsKey<Set<Data>>("set-data", default: []),
    SettingsKey<Set<Duration>>("set-duration", default: []), SettingsKey<Set<Character>>("set-character", default: []),
    SettingsKey<Set<[Double]>>("set-array", default: []), SettingsKey<Set<TOMLValue>>("set-any", default: []),
    SettingsKey<Set<Bool>>("set-bool", default: []), SettingsKey("range", default: 1...9),
    SettingsKey("range-half", default: 1.0..<9), SettingsKey<ClosedRange<Date>?>("range-date"),
    SettingsKey<ClosedRange<Decimal>?>("range-decimal"), SettingsKey("range-text", default: "a"..."z"),
    SettingsKey<ClosedRange<Duration>?>("range-duration"), SettingsKey<[String: Int]>("table", default: [:]),
    SettingsKey<[String: UInt16]>("table-count", default: [:], .count(...1)),
    SettingsKey<[Int: String]>("by-int", default: [:]),
    SettingsKey<[UInt8: Bool]>("by-byte", default: [:]), SettingsKey<[UInt64: Bool]>("by-uint64", default: [:]),
    SettingsKey<[UUID: Int]>("by-uuid", default: [:]), SettingsKey<[Theme: Int]>("by-theme", default: [:]),
    SettingsKey<[Size: Int]>("by-size", default: [:]), SettingsKey<[Decimal: Int]>("by-decimal", default: [:]),
    SettingsKey<[Double: Int]>("by-double", default: [:]), SettingsKey<[Bool: Int]>("by-bool", default: [:]),
    SettingsKey<[Date: Int]>("by-date", default: [:]), SettingsKey<[Character: Int]>("by-character", default: [:]),
    SettingsKey<[String: [Int]]>("lists", default: [:]), SettingsKey<[String: [String: Float]]>("tables", default: [:]),
    SettingsKey("window", default: Window()), SettingsKey<TOMLValue?>("any"),
    SettingsKey<[TOMLValue]>("anys", default: []),
    SettingsKey<TOMLTable>("any-table", default: [:]),
  ]

  static let schema = SettingsSchema(app: "org.example.verdicts", keys: subjects.map(\.key))

  // MARK: Values

  static let scalars: [TOMLValue] =
    [
      "", "a", "b", "c", "z", "dark", "light", "low", "medium", "high", "A", "aaa", "abcd", "aac", "é", "e\u{301}", "👩‍🚀",
      "\r\n",
      "a b", "1", "+5", "05", "1.5", "1.50", "15e-1", "1e400", "NaN", "nan", "12 monkeys", "١", "1s", "60s", "1m",
      "60m",
      "1h", "3600", "1h 30m", "5m 3h", "2d", "http://x", "http://x/", "http://y/é", "http://y/%C3%A9", "no url", "../x",
      "6D5BA0B4-2F0E-4F6B-9B0A-0D2F0C5F3C11", "6d5ba0b4-2f0e-4f6b-9b0a-0d2f0c5f3c11", "6D5BA0B4", "AQ==", "AQ", "A Q==",
      "AQID", "Europe/Berlin", "GMT+0530", "GMT+05", "UTC", "Mars/Phobos", "US/Eastern", "PST", "x y", "1.10", "1.9",
      "0.1",
      "9223372036854775808", "9223372036854775807", "18446744073709551615", "18446744073709551616", "2026-01-31",
      .string(String(repeating: "a", count: 30)), .string(String(repeating: "a", count: 10) + "b"),
      "2001-01-01T00:00:00Z",
      "true", "aXc", "-",
    ] + [
      0, 1, 2, 5, 9, 10, 19, 20, 80, 99, 100, 127, 128, 199, 200, 255, 256, 3600, -1, 65_535, 65_536,
      9_007_199_254_740_993,
      .integer(.max), .integer(.min),
    ] + [
      0.0, -0.0, 0.1, 0.100000001, 0.11, 1.0, 1.5, 2.0, 7.99, 8.0, 9.99, 1e300, -1e300, 3.4028235e38, 3.4028236e38,
      60.0,
      .float(.nan), .float(.infinity), .float(-.infinity), 1e-50,
    ] + [true, false]
    + [
      "2023-03-08T20:26:40Z", "2023-03-08T22:26:40+02:00", "2023-03-08T20:26:39Z", "2023-03-08 20:26:40.5Z",
      "2026-01-31",
      "07:32:00", "07:32:00.5", "2026-01-31T07:32:00", "1979-05-27T00:00:60Z",
    ].compactMap { try? TOMLValue(parsing: $0) }

  static let parts: [TOMLValue] = [
    [], [1], [1, 9], [9, 1], [1, 1], [1, 1.0], [1.0, 1.5], ["1.5", 1.5], ["1.5", "1.50"], [10, 1], ["1", 2], [1, 2, 3],
    [.float(.nan), .float(.nan)], [0.0, -0.0], ["a", "b"], ["b", "a"], ["a", "a"], ["a", "B"], ["a", "b", "c"],
    ["a", 1],
    ["é", "e\u{301}"], ["60s", "1m"], ["1m", "1h"], ["http://x", "http://x"], ["http://y/é", "http://y/%C3%A9"],
    ["6D5BA0B4-2F0E-4F6B-9B0A-0D2F0C5F3C11", "6d5ba0b4-2f0e-4f6b-9b0a-0d2f0c5f3c11"], ["AQ==", "A Q=="],
    ["1.9", "1.10"],
    ["1.10", "1.9"], [[1], [1.0]], [[1], [2]], [[1, 300], []], [true, false], [false, true], [true, true],
    [0.1, 0.100000001],
    [[:]], [["width": 1]], [["width": 1], ["width": 1]], [["width": "w"]], [5], [:], ["a": 1], ["a": 1, "b": 2],
    ["a": 1.5],
    ["a": "x"], ["a": [:]], ["a": ["width": 3]], ["a": ["width": "w"]], ["a": [1]], ["a": 5], ["a": ["b": 1e300]],
    ["1": "x"],
    ["1": 1], ["+5": "x"], ["05": "x"], ["+5": [:]], ["05": [:]], ["300": true], ["1": true],
    ["18446744073709551615": true],
    ["6D5BA0B4-2F0E-4F6B-9B0A-0D2F0C5F3C11": 1], ["6d5ba0b4-2f0e-4f6b-9b0a-0d2f0c5f3c11": 1],
    ["6D5BA0B4-2F0E-4F6B-9B0A-0D2F0C5F3C11": 1, "6d5ba0b4-2f0e-4f6b-9b0a-0d2f0c5f3c11": 2],
    ["6D5BA0B4-2F0E-4F6B-9B0A-0D2F0C5F3C11": [:]], ["dark": 1], ["red": 1], ["1.5": 1, "1.50": 2], ["1.5": 1],
    ["true": 1],
    ["2023-03-08T20:26:40Z": 1], ["é": 1], ["ab": 1], ["1": [:]], ["1": ["port": 70_000]], ["1": ["id": 1]],
    ["300": [:]],
    ["x": [:]], ["width": 1], ["width": "w"], ["width": 1, "title": 5], ["title": "t", "more": 1], ["text": "a"],
    ["-1": [:]],
    .array(["2023-03-08T20:26:40Z", "2023-03-08T22:26:40+02:00"].compactMap { try? TOMLValue(parsing: $0) }),
    .array(["2023-03-08T22:26:41+02:00", "2023-03-08T20:26:40Z"].compactMap { try? TOMLValue(parsing: $0) }),
  ]

  /// A value made of those above.
  static func random(_ random: inout SeededRandom, depth: Int = 2) -> TOMLValue {
    switch random.next() % (depth > 0 ? 8 : 5) {
    case 0: return parts.randomElement(using: &random)!
    case 5, 6: return .array((0..<random.next() % 4).map { _ in Self.random(&random, depth: depth - 1) })
    case 7:
      var table = TOMLTable()
      for _ in 0..<random.next() % 3 {
        let names = ["a", "1", "+1", "2.0", "width", "title", "dark", "é", "", "300", "true"]
        table[names.randomElement(using: &random)!] = Self.random(&random, depth: depth - 1)
      }
      return .table(table)
    default: return mutated(scalars.randomElement(using: &random)!, &random)
    }
  }

  /// Mostly the value itself.
  private static func mutated(_ value: TOMLValue, _ random: inout SeededRandom) -> TOMLValue {
    guard random.next() % 3 == 0 else { return value }
    switch value {
    case .string(var text):
      let place = text.indices.randomElement(using: &random) ?? text.startIndex
      text.insert(
        contentsOf: ["0", "1", "a", ".", " ", "-", "=", "\u{301}", ":"].randomElement(using: &random)!, at: place)
      return .string(text)
    case .integer(let number): return .integer(number &+ Int64(random.next() % 3) &- 1)
    case .float(let number):
      return .float([number.nextUp, number.nextDown, -number, number * 10].randomElement(using: &random)!)
    default: return value
    }
  }
}
