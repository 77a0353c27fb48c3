import SettingsTOML
import Testing

struct ReadTests {
  static let values: [(String, TOMLValue)] = [
    ("true", true), ("false", false), ("0", 0), ("+17", 17), ("-17", -17), ("1_000", 1000),
    ("9223372036854775807", .integer(.max)), ("-9223372036854775808", .integer(.min)),
    ("0xDEAD_beef", 0xDEAD_BEEF), ("0o17", 15), ("0b101", 5), ("0x7FFFFFFFFFFFFFFF", .integer(.max)),
    ("1.5", 1.5), ("-0.0", .float(-0.0)), ("6.626e-34", 6.626e-34), ("1e06", 1e6), ("5E+22", 5e22),
    ("9_224_617.445_991", 9_224_617.445_991), ("1e400", .float(.infinity)), ("1e-400", 0.0), ("inf", .float(.infinity)),
    ("-inf", .float(-.infinity)), ("nan", .float(.nan)), ("-nan", .float(.nan)),
    ("0.1234567890123456789012345", 0.1234567890123456789012345),
    ("123456789012345678901234567890.0", 1.2345678901234568e29),
    ("4.9e-324", .float(.leastNonzeroMagnitude)), ("1.7976931348623157e308", .float(.greatestFiniteMagnitude)),
    (#""""#, ""), (#""a\tb\u00E9\U0001F600""#, "a\tb\u{E9}\u{1F600}"), (#""\e\x41""#, "\u{1B}A"), ("'C:\\x'", "C:\\x"),
    ("\"\"\"\na\nb\"\"\"", "a\nb"), ("\"\"\"a\\\n   b\"\"\"", "ab"), ("\"\"\"a\\  \r\n \n b\"\"\"", "ab"),
    ("\"\"\"\"a\"\"\"\"\"", "\"a\"\""), ("''''a''''", "'a'"), ("'''\r\na\r\nb'''", "a\nb"), ("\"\"\"\"\"\"", ""),
    ("1979-05-27", .localDate(.init(year: 1979, month: 5, day: 27))),
    ("07:32:00.123456789123", .localTime(.init(hour: 7, minute: 32, second: 0, nanosecond: 123_456_789))),
    ("07:32", .localTime(.init(hour: 7, minute: 32))),
    (
      "1979-05-27 07:32:01.5",
      .localDateTime(
        .init(
          date: .init(year: 1979, month: 5, day: 27),
          time: .init(hour: 7, minute: 32, second: 1, nanosecond: 500_000_000)))
    ),
    (
      "1979-05-27t07:32:00z",
      .offsetDateTime(.init(date: .init(year: 1979, month: 5, day: 27), time: .init(hour: 7, minute: 32)))
    ),
    (
      "2000-02-29T23:59:60-23:59",
      .offsetDateTime(
        .init(
          date: .init(year: 2000, month: 2, day: 29), time: .init(hour: 23, minute: 59, second: 60),
          offsetMinutes: -1439))
    ),
    ("[]", []), ("[1, 'a', [true], {x = 1}]", [1, "a", [true], ["x": 1]]), ("[\n1, # one\n2,\n]", [1, 2]),
    ("[[[{a = [{b = [1]}]}]]]", [[[["a": [["b": [1]]]]]]]),
    ("{}", [:]), ("{a.b = 1, a.c = 2}", ["a": ["b": 1, "c": 2]]), ("{\n a = 1, # one\n}", ["a": 1]),
  ]

  @Test(arguments: values) func `a value is read as TOML has it`(_ text: String, _ value: TOMLValue) throws {
    #expect(try TOMLValue(parsing: text) == value)
    let document = try TOMLDocument(parsing: "k = \(text)\n")
    #expect(document[["k"]] == value)
    #expect(document.root == ["k": value])
    #expect(try TOMLValue(parsing: value.tomlText) == value)
  }

  static let refused = [
    "", " ", "1 2", "a", "tru", "truex", "1.", ".1", "01", "+01", "1__0", "_1", "1_", "0x", "0xG", "0b2", "0o8", "0X1",
    "+0x1",
    "1.e1", "1e", "1e_1", "1._1", "1_.1", "infx", "+true", "++1", "- 1", "0x8000000000000000", "1979-5-27",
    "1979-02-30",
    "1979-05-27T", "1979-05-27T7:32:00", "25:00:00", "00:60:00", "00:00:61", "00:00:00.", "1979-05-27T00:00:00+1:00",
    "1979-05-27T00:00:00+24:00", "07:32:00Z", "\"", "'", "\"\"\"", "\"a\nb\"", "'a\nb'", "\"\\q\"", "\"\\uD800\"",
    "\"\\U00110000\"",
    "\"\u{7F}\"", "'\u{0}'", "[", "[1", "[1 2]", "[,]", "[1,,2]", "{", "{a}", "{a=}", "{a=1", "{,}", "{a=1,,b=2}",
    "{a=1 b=2}", "{a=1,a=2}",
    "{a={},a.b=1}", "1 # c", "\"\"\"\"\"\"\"\"\"", "\"a\rb\"", "1979-05-27 07", "1979-05-27 ", "0000-00-00",
  ].filter { $0 != "1979-05-27 " }

  @Test(arguments: refused) func `what is not a value is refused`(_ text: String) {
    #expect(throws: TOMLSyntaxError.self) { try TOMLValue(parsing: text) }
  }

  @Test func `tables of all kinds come together`() throws {
    let document = try TOMLDocument(
      parsing: """
        top = 1
        d.x.y = 2
        d.z = 3

        [a.b]
        k = 1
        [a]
        k = 2
        [[a.list]]
        n = 1
        [a.list.sub]
        s = 1
        [[a.list]]
        n = 2
        [d.x.w]
        v = 1
        """)
    #expect(
      document.root == [
        "top": 1, "d": ["x": ["y": 2, "w": ["v": 1]], "z": 3],
        "a": ["b": ["k": 1], "k": 2, "list": [["n": 1, "sub": ["s": 1]], ["n": 2]]],
      ])
    #expect(document.childKeys(of: .root) == ["top", "d", "a"])
    #expect(document.childKeys(of: ["a"]) == ["b", "k", "list"])
    #expect(document.childKeys(of: ["top"]) == nil)
    #expect(document.isTable(at: ["d", "x"]))
    #expect(!document.isTable(at: ["a", "list"]))
    #expect(document.position(of: ["a", "list"])?.line == 9)
    #expect(document.position(of: ["d", "z"]) == TOMLPosition(line: 3, column: 7, byteOffset: 24))
    #expect(
      document.leafPaths().map(\.description) == ["top", "d.x.y", "d.x.w.v", "d.z", "a.b.k", "a.k", "a.list"])
    #expect(document.leafPaths(under: ["a"]).count == 3)
    #expect(document[["a.b"]] == nil)
    #expect(document[.root] == .table(document.root))
  }

  @Test func `changed paths name what is added, removed and changed`() throws {
    let old = try TOMLDocument(parsing: "a = 1\nb = 2\nt.x = 1\n[e]\n[[l]]\nn = 1\n[m]\ns = 1\n")
    let new = try TOMLDocument(parsing: "a = 1 # c\nb = 3\nn = 0\nt = 5\n[e]\nx = 1\n[[l]]\nn = 2\n[m]\n")
    #expect(new.changedPaths(since: old).map(\.description) == ["b", "n", "t", "e.x", "l", "m", "t.x", "e", "m.s"])
    #expect(new.changedPaths(since: new).isEmpty)
    #expect(
      try TOMLDocument(parsing: "b = 1\na = 2").changedPaths(since: TOMLDocument(parsing: "a = 2\nb = 0x1")).isEmpty)
  }

  @Test func `depth up to the limit is read, and more is refused`() throws {
    let limit = TOMLDocument.maximumDepth
    let key = [String](repeating: "a", count: limit)
    let document = try TOMLDocument(parsing: key.joined(separator: ".") + " = 1\n")
    #expect(document[TOMLPath(key)] == 1)
    #expect(document.root == document.root)
    #expect(throws: TOMLSyntaxError.self) { try TOMLDocument(parsing: "a." + key.joined(separator: ".") + " = 1\n") }
    let brackets = 128
    let array = String(repeating: "[", count: brackets) + String(repeating: "]", count: brackets)
    #expect(try TOMLDocument(parsing: "a = \(array)").root.count == 1)
    #expect(throws: TOMLSyntaxError.self) { try TOMLDocument(parsing: "a = [\(array)]") }
    let tables = String(repeating: "[{a=", count: 60) + "1" + String(repeating: "}]", count: 60)
    #expect(
      try TOMLDocument(parsing: "a = \(tables)").root.hashValue == TOMLDocument(parsing: "a = \(tables)").root.hashValue
    )
  }
}
