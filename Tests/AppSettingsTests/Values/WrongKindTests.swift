import AppSettings
import FoundationEssentials
import Testing

/// Every type against a value of every kind that TOML has: it is read, or refused with the kind and what is needed.
struct WrongKindTests {
  static let samples: [(kind: String, value: TOMLValue, found: String)] = [
    ("string", "~", "the string \"~\""),
    ("integer", 70_000_000_000, "the integer 70000000000"),
    ("float", 1.5, "the float 1.5"),
    ("boolean", true, "the boolean true"),
    ("offset date-time", .offsetDateTime(dateTime), "the date-time 1979-05-27T07:32:00.5+01:30"),
    (
      "local date-time", .localDateTime(TOMLLocalDateTime(date: date, time: time)),
      "the date-time 1979-05-27T07:32:00.5"
    ),
    ("local date", .localDate(date), "the date 1979-05-27"),
    ("local time", .localTime(time), "the time 07:32:00.5"),
    ("array", ["a", false], "the array [\"a\", false]"),
    ("empty array", [], "an empty array"),
    ("table", ["a": 1, "b c": 2], "a table with the keys a, \"b c\""),
    ("empty table", [:], "an empty table"),
  ]

  static let date = TOMLLocalDate(year: 1979, month: 5, day: 27)
  static let time = TOMLLocalTime(hour: 7, minute: 32, second: 0, nanosecond: 500_000_000)
  static let dateTime = TOMLOffsetDateTime(date: date, time: time, offsetMinutes: 90)

  struct Case: Sendable, CustomTestStringConvertible {
    let testDescription: String
    let expected: String
    let accepted: Set<String>
    let read: @Sendable (TOMLValue) throws -> Void

    init<T: SettingsSerializable>(_ type: T.Type, _ expected: String, accepts accepted: String...) {
      testDescription = "\(type)"
      self.expected = expected
      self.accepted = Set(accepted)
      read = { _ = try T.settingsBridge.read($0) }
    }
  }

  static let cases: [Case] = [
    Case(Bool.self, "a boolean", accepts: "boolean"),
    Case(Int.self, "an integer", accepts: "integer"),
    Case(Int8.self, "an integer from -128 to 127"),
    Case(Int16.self, "an integer from -32768 to 32767"),
    Case(Int32.self, "an integer from -2147483648 to 2147483647"),
    Case(Int64.self, "an integer", accepts: "integer"),
    Case(UInt.self, "an integer from 0 to 18446744073709551615", accepts: "integer"),
    Case(UInt8.self, "an integer from 0 to 255"),
    Case(UInt16.self, "an integer from 0 to 65535"),
    Case(UInt32.self, "an integer from 0 to 4294967295"),
    Case(UInt64.self, "an integer from 0 to 18446744073709551615", accepts: "integer"),
    Case(Double.self, "a number", accepts: "integer", "float"),
    Case(Float.self, "a number", accepts: "integer", "float"),
    Case(String.self, "a string", accepts: "string"),
    Case(Substring.self, "a string", accepts: "string"),
    Case(Character.self, "a string of one character", accepts: "string"),
    Case(Date.self, "a date and time with an offset (1979-05-27T07:32:00Z)", accepts: "offset date-time"),
    Case(Data.self, "a string in Base64"),
    Case(URL.self, "a URL as a string", accepts: "string"),
    Case(UUID.self, "a UUID as a string"),
    Case(Decimal.self, "a decimal number as a string", accepts: "integer", "float"),
    Case(Duration.self, "a duration, like \"90s\" or \"1h 30m\"", accepts: "integer", "float"),
    Case(TimeZone.self, "a time zone's identifier"),
    Case(TOMLOffsetDateTime.self, "a date and time with an offset (1979-05-27T07:32:00Z)", accepts: "offset date-time"),
    Case(TOMLLocalDateTime.self, "a date and time without an offset", accepts: "local date-time"),
    Case(TOMLLocalDate.self, "a date without a time", accepts: "local date"),
    Case(TOMLLocalTime.self, "a time of day", accepts: "local time"),
    Case(TOMLTable.self, "a table", accepts: "table", "empty table"),
    Case(Int?.self, "an integer", accepts: "integer"),
    Case([Date].self, "an array of dates and times with an offset", accepts: "array", "empty array"),
    Case([[Int]].self, "an array of arrays of integers", accepts: "array", "empty array"),
    Case([Int8].self, "an array of integers from -128 to 127", accepts: "array", "empty array"),
    Case(Set<String>.self, "an array of strings", accepts: "array", "empty array"),
    Case([String: Bool].self, "a table of booleans", accepts: "table", "empty table"),
    Case([Int: [String: Double]].self, "a table of tables of numbers", accepts: "table", "empty table"),
    Case([Level].self, "an array whose elements are each one of 1, 3", accepts: "array", "empty array"),
    Case([String: Level].self, "a table whose values are each one of 1, 3", accepts: "table", "empty table"),
    Case(Range<Int>.self, "an array of two integers, the lower first", accepts: "array"),
    Case(ClosedRange<Date>.self, "an array of two dates and times with an offset, the lower first", accepts: "array"),
    Case([Range<Int>].self, "an array of arrays of two integers, the lower first", accepts: "array", "empty array"),
    Case(Theme.self, "a string that is a raw value of Theme"),
    Case(Level.self, "one of 1, 3"),
    Case(Toppings.self, "an integer", accepts: "integer"),
    Case(CodableToppings.self, "an integer from 0 to 255"),
    Case(Version.self, "a string that describes a value of type Version"),
    Case(Frog.self, "a string", accepts: "string"),
  ]

  @Test(arguments: cases) func `a type refuses every kind of value but its own`(_ testCase: Case) {
    for (kind, value, found) in Self.samples where !testCase.accepted.contains(kind) {
      do {
        try testCase.read(value)
        Issue.record("\(kind) was read")
      } catch let error as SettingsValueError {
        #expect(error.expected == testCase.expected)
        #expect(error.found == found)
        #expect(error.path.isEmpty)
        #expect(!error.isMissing)
      } catch {
        Issue.record("\(kind): \(error)")
      }
    }
  }

  @Test(arguments: cases) func `a type reads the kinds of value that it has`(_ testCase: Case) {
    for (kind, value, _) in Self.samples where testCase.accepted.contains(kind) {
      do {
        try testCase.read(value)
      } catch let error as SettingsValueError {
        // The elements of the sample may be of a wrong kind, but then that is what the error is about.
        #expect(error.path.count == 1, "\(error)")
      } catch {
        Issue.record("\(kind): \(error)")
      }
    }
  }

  @Test func `any value reads as a settings value`() throws {
    for (_, value, _) in Self.samples { try expectRoundTrip(value, value) }
    #expect(SettingsValue.settingsBridge.expected == "a value")
  }
}
