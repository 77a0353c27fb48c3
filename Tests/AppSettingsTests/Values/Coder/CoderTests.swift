import AppSettings
import Foundation
import Testing

/// The coder as the standard library's protocol has it, apart from bridges.
struct CoderTests {
  private func expectCoding<T: Codable & Equatable>(
    _ value: T, _ stored: TOMLValue, sourceLocation: SourceLocation = #_sourceLocation
  ) throws {
    #expect(try SettingsEncoder().encode(value) == stored, sourceLocation: sourceLocation)
    #expect(try SettingsDecoder().decode(T.self, from: stored) == value, sourceLocation: sourceLocation)
  }

  private func expectDecodingError<T: Decodable>(
    _ type: T.Type, _ stored: TOMLValue, _ message: String, sourceLocation: SourceLocation = #_sourceLocation
  ) {
    expectError(message, sourceLocation: sourceLocation) { try SettingsDecoder().decode(type, from: stored) }
  }

  @Test func `every type of the protocol comes back`() throws {
    try expectCoding(
      Everything(
        bool: true, string: "s", double: 2, float: 0.1, int: -1, int8: -8, int16: -16, int32: -32, int64: .min, uint: 1,
        uint8: 8, uint16: 16, uint32: 32, uint64: .max),
      [
        "bool": true, "string": "s", "double": 2.0, "float": 0.1, "int": -1, "int8": -8, "int16": -16, "int32": -32,
        "int64": .integer(.min), "uint": 1, "uint8": 8, "uint16": 16, "uint32": 32, "uint64": "18446744073709551615",
      ])
    let optionals = Optionals(
      bool: false, string: "", double: 0.5, float: 1, int: 1, int8: 1, int16: 1, int32: 1, int64: 1, uint: 1, uint8: 1,
      uint16: 1, uint32: 1, uint64: 1, date: Date(timeIntervalSince1970: 0), array: [1])
    #expect(try SettingsDecoder().decode(from: SettingsEncoder().encode(optionals)) == optionals)
    try expectCoding(Optionals(), [:])
    try expectCoding(Wrapper(value: true), true)
    try expectCoding(Wrapper(value: Int8(1)), 1)
    try expectCoding(Wrapper(value: Float(0.1)), 0.1)
    try expectCoding([Everything].init(), [])
  }

  @Test func `an error in a field names it`() {
    for name in ["bool", "string", "double", "float", "int", "int8", "uint64"] {
      var table: TOMLTable = [
        "bool": true, "string": "s", "double": 2.0, "float": 0.1, "int": -1, "int8": -8, "int16": -16, "int32": -32,
        "int64": 1, "uint": 1, "uint8": 8, "uint16": 16, "uint32": 32, "uint64": 1,
      ]
      table[name] = []
      #expect(throws: SettingsValueError.self) { try SettingsDecoder().decode(Everything.self, from: .table(table)) }
      do {
        _ = try SettingsDecoder().decode(Everything.self, from: .table(table))
      } catch {
        #expect((error as? SettingsValueError)?.path == [name])
        #expect((error as? SettingsValueError)?.found == "an empty array")
      }
      table[name] = nil
      do {
        _ = try SettingsDecoder().decode(Everything.self, from: .table(table))
      } catch {
        #expect((error as? SettingsValueError)?.path == [name])
        #expect((error as? SettingsValueError)?.found == "nothing")
        #expect((error as? SettingsValueError)?.isMissing == true)
      }
      table[name] = .localTime(TOMLLocalTime(hour: 1, minute: 2))
      #expect(throws: SettingsValueError.self) { try SettingsDecoder().decode(Optionals.self, from: .table(table)) }
    }
  }

  @Test func `types with a bridge have their own form inside a Codable type`() throws {
    try expectCoding(
      Native(
        date: Date(timeIntervalSince1970: 0.5), data: Data([1, 2]), url: try #require(URL(string: "a:b")), decimal: 1.5,
        duration: .seconds(90), frog: CodableFrog(name: "f"), frogs: [CodableFrog(name: "g")], period: .halfHour,
        set: ["b", "a"],
        keyed: [.dark: 1], range: 1...2, zone: try #require(TimeZone(secondsFromGMT: 0)), any: ["x": [1, "two"]]),
      [
        "date": .offsetDateTime(
          TOMLOffsetDateTime(
            date: TOMLLocalDate(year: 1970, month: 1, day: 1),
            time: TOMLLocalTime(hour: 0, minute: 0, second: 0, nanosecond: 500_000_000))),
        "data": "AQI=", "url": "a:b", "decimal": "1.5", "duration": "90s", "frog": "f", "frogs": ["g"],
        "period": "30 Minutes", "set": ["a", "b"], "keyed": ["dark": 1], "range": [1, 2], "zone": "GMT",
        "any": ["x": [1, "two"]],
      ])
    expectDecodingError(
      [Native].self, [["date": 5]],
      "Found the integer 5 at '[0].date', but a date and time with an offset (1979-05-27T07:32:00Z) is needed.")
  }

  @Test func `enumerations of every kind come back`() throws {
    try expectCoding(Bare.two, ["two": [:]])
    try expectCoding(
      [Message.text("a"), .move(x: 1, y: nil), .quit], [["text": ["_0": "a"]], ["move": ["x": 1]], ["quit": [:]]])
    try expectCoding(Raw.b, "b")
    expectDecodingError(
      [String: Raw].self, ["k": "z"], "Found the string \"z\" at 'k', but one of \"a\", \"b\" is needed.")
    expectDecodingError(
      [Message].self, [["move": ["y": 1]]], "Found nothing at '[0].move.x', but an integer is needed.")
    expectDecodingError(
      [Message].self, [["move": ["x": "1"]]], "Found the string \"1\" at '[0].move.x', but an integer is needed.")
    #expect(throws: SettingsValueError.self) {
      try SettingsDecoder().decode(Message.self, from: ["quit": [:], "text": [:]])
    }
    #expect(throws: SettingsValueError.self) { try SettingsDecoder().decode(Message.self, from: ["run": [:]]) }
  }

  @Test func `nested containers and superclasses come back`() throws {
    let matrix = Matrix(rows: [[1, 2], [3]], title: "m", tags: ["a": true])
    try expectCoding(matrix, ["rows": [[1, 2], [3]], "info": ["title": "m", "tags": ["a": true]]])
    expectDecodingError(
      [Matrix].self, [["rows": [[1], [2, "x"]], "info": ["title": "m", "tags": [:]]]],
      "Found the string \"x\" at '[0].rows[1][1]', but an integer is needed.")
    expectDecodingError(
      Matrix.self, ["rows": [], "info": ["title": 1, "tags": [:]]],
      "Found the integer 1 at 'info.title', but a string is needed.")
    expectDecodingError(
      Matrix.self, ["rows": [], "info": ["title": "a"]], "Found nothing at 'info.tags', but a table is needed.")
    expectDecodingError(
      Matrix.self, ["rows": [1], "info": [:]], "Found the integer 1 at 'rows[0]', but an array is needed.")
    try expectCoding(Dog(name: "Rex", trick: "sit"), ["super": ["name": "Rex"], "trick": "sit"])
    expectDecodingError(
      Dog.self, ["super": ["name": 1], "trick": "sit"], "Found the integer 1 at 'super.name', but a string is needed.")
    expectDecodingError(Dog.self, ["trick": "sit"], "Found nothing at 'super.name', but a string is needed.")
    try expectCoding(Pair(first: 1, second: "b"), [1, "b"])
    expectDecodingError(Pair.self, [1], "Found nothing at '[1]', but a string is needed.")
    expectDecodingError(Pair.self, [], "Found nothing at '[0]', but an integer is needed.")
  }

  @Test func `recursive and generic types come back`() throws {
    try expectCoding(
      Tree(
        value: 1, children: [Tree(value: 2, children: []), Tree(value: 3, children: [Tree(value: 4, children: [])])]),
      [
        "value": 1,
        "children": [
          ["value": 2, "children": []], ["value": 3, "children": [["value": 4, "children": []]]],
        ],
      ])
    expectDecodingError(
      Tree.self, ["value": 1, "children": [["value": 2, "children": [["value": true, "children": []]]]]],
      "Found the boolean true at 'children[0].children[0].value', but an integer is needed.")
  }

  @Test func `dictionaries have table keys where their keys have text`() throws {
    try expectCoding([1: Raw.a], ["1": "a"])
    try expectCoding(["a b": Raw.a], ["a b": "a"])
    try expectCoding([RawKey.x: Raw.a], ["x": "a"])
  }

  @Test func `user info and the coding path reach every type, also through arrays and dictionaries`() throws {
    let key = try #require(CodingUserInfoKey(rawValue: "key"))
    var decoder = SettingsDecoder()
    decoder.userInfo[key] = 5
    let stored: TOMLValue = ["list": [["a": [:]]], "single": [:]]
    let seen = try decoder.decode(Seen.self, from: stored)
    #expect(seen.single == Spy(path: ["single"], info: "5"))
    #expect(seen.list == [["a": Spy(path: ["list", "[0]", "a"], info: "5")]])
    var encoder = SettingsEncoder()
    encoder.userInfo[key] = 6
    #expect(
      try encoder.encode(seen)
        == [
          "list": [["a": ["path": ["list", "[0]", "a"], "info": "6"]]], "single": ["path": ["single"], "info": "6"],
        ])
    let bridge = SettingsBridge<Seen>.codable(userInfo: [key: 7])
    #expect(try bridge.read(stored).single.info == "7")
  }

  @Test func `a nil that has no place is an error`() throws {
    expectError("Found nil, but a value that can be stored is needed.") { try SettingsEncoder().encode(Int?.none) }
    expectError("Found nil at 'a[1]', but an integer is needed\(nullReason).") {
      try SettingsEncoder().encode(["a": [1, Int?.none]])
    }
    expectError("Found nil at 'a[0]', but a value is needed\(nullReason).") {
      try SettingsEncoder().encode(["a": [Raw?.none]])
    }
    try expectCoding(Wrapper(value: Int?.some(1)), 1)
  }

  @Test func `errors that a type throws keep their place and become the reason`() {
    expectDecodingError(
      [String: Picky].self, ["a": ["number": 13]],
      "Found the integer 13 at 'a.number', but a value of type Lucky is needed (unlucky).")
    expectDecodingError(
      [Picky].self, [["number": 14]],
      "Found a table with the key number at '[0]', but a value of type Picky is needed (Complaint()).")
    expectError("Found one of type Picky at 'p.number', but a value that can be stored is needed (too large).") {
      try SettingsEncoder().encode(["p": Picky(number: 100)])
    }
    expectError("Found a date inf seconds from 2001-01-01 at '[0].when', but a date in the years 0 to 9999 is needed.")
    {
      try SettingsEncoder().encode([["when": Date(timeIntervalSinceReferenceDate: .infinity)]])
    }
  }

  @Test func `another type can be tried where an element was refused`() throws {
    try expectCoding(Mixed(values: ["1", "a", "2"]), [1, "a", 2])
  }

  @Test func `values of any type go through other coders too`() throws {
    let value: SettingsValue = ["a": [1, 2.5, true, "s", [:]]]
    let data = try JSONEncoder().encode(value)
    #expect(try JSONDecoder().decode(SettingsValue.self, from: data) == value)
    #expect(try JSONDecoder().decode(TOMLTable.self, from: data) == value.table)
    #expect(try SettingsBridge<SettingsValue>.codable.read(value) == value)
    #expect(try SettingsBridge<SettingsValue>.codable.write(value) == value)
    let date = TOMLValue.localDate(TOMLLocalDate(year: 2024, month: 1, day: 2))
    #expect(try String(decoding: JSONEncoder().encode([date]), as: UTF8.self) == "[\"2024-01-02\"]")
  }
}
