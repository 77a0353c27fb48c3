import AppSettings
import AppSettingsFoundation
import AppSettingsObserve
import Foundation
import Testing
import TestSupport

/// Every type through the whole house: absent, stored, written and read back, as an optional, observed, and refused.
@Suite(.timeLimit(.minutes(10))) struct EveryTypeTests {
  @Test(arguments: types) func `a value that is absent reads as the default, or nil`(_ type: TypeCase) throws {
    try type.absent()
  }

  @Test(arguments: types) func `a stored value is read from the file`(_ type: TypeCase) throws { try type.stored() }

  @Test(arguments: types) func `a value that is set is in the file and comes back`(_ type: TypeCase) throws {
    try type.roundTrip()
  }

  @Test(arguments: types) func `an optional is set, and removed by nil`(_ type: TypeCase) throws { try type.optional() }

  @Test(arguments: types) func `a change is observed, by whoever it is`(_ type: TypeCase) async throws {
    try await type.observed()
  }

  @Test(arguments: types) func `a bad text is told with its place, stays, and is backed up`(_ type: TypeCase) throws {
    #expect(!type.bad.isEmpty || type.testDescription == "TOMLValue")
    for bad in type.bad { try type.refuses(bad) }
  }

  static let types: [TypeCase] = numbers + texts + collections + ownTypes + foundationTypes

  private static func integer<T: FixedWidthInteger & SettingsSerializable & Sendable>(
    _ type: T.Type, _ expected: String, tooLarge: String? = nil
  ) -> TypeCase {
    let bad = BadText("\"four\"", "the string \"four\"", expected)
    let float = BadText("1.5", "the float 1.5", expected)
    let nan = BadText("nan", "the float nan", expected)
    guard let tooLarge else {
      return TypeCase(type, default: 1, (T.max, "\(T.max)"), (T.min, "\(T.min)"), bad: bad, float, nan)
    }
    return TypeCase(
      type, default: 1, (T.max, "\(T.max)"), (T.min, "\(T.min)"), bad: bad, float, nan,
      BadText(tooLarge, "the integer \(tooLarge)", expected))
  }

  private static let numbers: [TypeCase] = [
    TypeCase(
      Bool.self, default: false, (true, "true"), (false, "false"),
      bad: BadText("\"yes\"", "the string \"yes\"", "a boolean"), BadText("1", "the integer 1", "a boolean")),
    integer(Int.self, "an integer"),
    integer(Int8.self, "an integer from -128 to 127", tooLarge: "128"),
    integer(Int16.self, "an integer from -32768 to 32767", tooLarge: "-32769"),
    integer(Int32.self, "an integer from -2147483648 to 2147483647", tooLarge: "2147483648"),
    integer(Int64.self, "an integer"),
    integer(UInt8.self, "an integer from 0 to 255", tooLarge: "256"),
    integer(UInt16.self, "an integer from 0 to 65535", tooLarge: "-1"),
    integer(UInt32.self, "an integer from 0 to 4294967295", tooLarge: "4294967296"),
    TypeCase(
      UInt64.self, default: 1, (.max, "\"18446744073709551615\""), (7, "7"),
      bad: BadText("-1", "the integer -1", "an integer from 0 to 18446744073709551615"),
      BadText("nan", "the float nan", "an integer from 0 to 18446744073709551615"),
      BadText(
        "\"18446744073709551616\"", "the string \"18446744073709551616\"",
        "an integer from 0 to 18446744073709551615")),
    TypeCase(
      UInt.self, default: 1, (.max, "\"18446744073709551615\""), (7, "7"),
      bad: BadText("-1", "the integer -1", "an integer from 0 to 18446744073709551615"),
      BadText("-inf", "the float -inf", "an integer from 0 to 18446744073709551615")),
    TypeCase(
      Double.self, default: 0.5, (2, "2.0"), (-.infinity, "-inf"),
      bad: BadText("\"2\"", "the string \"2\"", "a number"), BadText("true", "the boolean true", "a number")),
    TypeCase(Float.self, default: 0.5, (2, "2.0"), (1.5, "1.5"), bad: BadText("[]", "an empty array", "a number")),
    TypeCase(
      Decimal.self, default: 1, (Decimal(string: "0.10")!, "\"0.1\""), (-3, "\"-3\""),
      bad: BadText("\"1,5\"", "the string \"1,5\"", "a decimal number as a string"),
      BadText("true", "the boolean true", "a decimal number as a string")),
    TypeCase(
      Duration.self, default: .zero, (.seconds(90), "\"90s\""), (.milliseconds(5), "\"5ms\""),
      bad: BadText("\"soon\"", "the string \"soon\"", "a duration"), BadText("nan", "the float nan", "a duration")),
  ]

  private static let texts: [TypeCase] = [
    TypeCase(
      String.self, default: "", ("a \"b\"\n\u{e9}", "\"a \\\"b\\\"\\n\u{e9}\""), ("x", "\"x\""),
      bad: BadText("1", "the integer 1", "a string")),
    TypeCase(
      Character.self, default: "a", ("\u{1F1E6}\u{1F1F9}", "\"\u{1F1E6}\u{1F1F9}\""), ("b", "\"b\""),
      bad: BadText("\"ab\"", "the string \"ab\"", "a string of one character"),
      BadText("\"\"", "the string \"\"", "a string of one character")),
    TypeCase(
      Date.self, default: .distantPast, (Date(timeIntervalSince1970: 1.5), "1970-01-01T00:00:01.5Z"),
      (Date(timeIntervalSince1970: 0), "1970-01-01T00:00:00Z"),
      bad: BadText("1970-01-01", "the date 1970-01-01", "a date and time with an offset"),
      BadText("\"today\"", "the string \"today\"", "a date and time with an offset")),
    TypeCase(
      Data.self, default: Data(), (Data([0, 255]), "\"AP8=\""), (Data([1]), "\"AQ==\""),
      bad: BadText("\"AP8\"", "the string \"AP8\"", "a string in Base64"),
      BadText("\"A*8=\"", "the string \"A*8=\"", "a string in Base64")),
    TypeCase(
      URL.self, default: URL(string: "a:")!, (URL(string: "https://example.org/?q=1")!, "\"https://example.org/?q=1\""),
      (URL(string: "file:///a%20b")!, "\"file:///a%20b\""),
      bad: BadText("\"a b\"", "the string \"a b\"", "a URL as a string"),
      BadText("\"\"", "the string \"\"", "a URL as a string")),
    TypeCase(
      UUID.self, default: UUID(uuidString: "00000000-0000-0000-0000-000000000000")!,
      (UUID(uuidString: "00000000-0000-0000-0000-0000000000AA")!, "\"00000000-0000-0000-0000-0000000000AA\""),
      (UUID(uuidString: "00000000-0000-0000-0000-0000000000BB")!, "\"00000000-0000-0000-0000-0000000000BB\""),
      bad: BadText("\"0-0\"", "the string \"0-0\"", "a UUID as a string")),
    TypeCase(
      TimeZone.self, default: TimeZone(secondsFromGMT: 0)!, (TimeZone(secondsFromGMT: 3600)!, "\"GMT+0100\""),
      (TimeZone(identifier: "Europe/Berlin")!, "\"Europe/Berlin\""),
      bad: BadText("\"Mars/Phobos\"", "the string \"Mars/Phobos\"", "a time zone's identifier")),
  ]

  private static let collections: [TypeCase] = [
    TypeCase(
      [Int].self, default: [], ([1, 2], "[1, 2]"), ([3], "[3]"),
      bad: BadText("1", "the integer 1", "an array of integers"),
      BadText("[1, \"b\", 3]", "the string \"b\"", "an integer")),
    TypeCase(
      [[String]].self, default: [], ([["a"], []], "[[\"a\"], []]"), ([[]], "[[]]"),
      bad: BadText("[[\"a\"], [1]]", "the integer 1", "a string")),
    TypeCase(
      Set<Int>.self, default: [], ([2, 1], "[1, 2]"), ([3], "[3]"),
      bad: BadText("[1, 2, \"a\"]", "the string \"a\"", "an integer"),
      BadText("{}", "an empty table", "an array of integers")),
    TypeCase(
      [String: Int].self, default: [:], (["a": 1, "b c": 2], "{ a = 1, \"b c\" = 2 }"), (["z": 0], "{ z = 0 }"),
      bad: BadText("[1]", "the array [1]", "a table of integers"),
      BadText("{ a = \"x\" }", "the string \"x\"", "an integer")),
    TypeCase(
      [Int: String].self, default: [:], ([1: "a"], "{ 1 = \"a\" }"), ([-2: "b"], "{ -2 = \"b\" }"),
      bad: BadText("{ one = \"a\" }", "the key \"one\"", "a key that stands for an integer")),
    TypeCase(
      [Double: Int].self, default: [:], ([0.5: 1], "{ \"0.5\" = 1 }"), ([2: 2], "{ \"2.0\" = 2 }"),
      bad: BadText("{ half = 1 }", "the key \"half\"", "a key that stands for a number")),
    TypeCase(
      [Date: Int].self, default: [:],
      ([Date(timeIntervalSince1970: 1.5): 1], "{ \"1970-01-01T00:00:01.5Z\" = 1 }"),
      ([Date(timeIntervalSince1970: 0): 2], "{ \"1970-01-01T00:00:00Z\" = 2 }"),
      bad: BadText("{ today = 1 }", "the key \"today\"", "a key that stands for a date and time with an offset")),
    TypeCase(
      [Decimal: Bool].self, default: [:], ([Decimal(string: "0.1")!: true], "{ \"0.1\" = true }"),
      ([3: false], "{ 3 = false }"),
      bad: BadText("{ \"1,5\" = true }", "the key \"1,5\"", "a key that stands for a decimal number as a string")),
    TypeCase(
      [Release: Int].self, default: [:], ([Release(major: 1, minor: 2): 1], "{ \"1.2\" = 1 }"),
      ([Release(major: 0, minor: 10): 2], "{ \"0.10\" = 2 }"),
      bad: BadText("{ one = 1 }", "the key \"one\"", "a key that stands for")),
    TypeCase(
      [Side: [Side]].self, default: [:], ([.left: [.right]], "{ left = [\"right\"] }"),
      ([.right: []], "{ right = [] }"),
      bad: BadText("{ up = [] }", "the key \"up\"", "a key that stands for"),
      BadText("{ left = [\"up\"] }", "the string \"up\"", "one of \"left\", \"right\"")),
    TypeCase(
      Range<Int>.self, default: 0..<1, (1..<5, "[1, 5]"), (2..<2, "[2, 2]"),
      bad: BadText("[10, 0]", "the array [10, 0]", "an array of two integers, the lower first"),
      BadText("[1, 2, 3]", "the array [1, 2, 3]", "an array of two integers, the lower first")),
    TypeCase(
      ClosedRange<Double>.self, default: 0...1, (0.5...1.5, "[0.5, 1.5]"), (2...3, "[2.0, 3.0]"),
      bad: BadText("[nan, 1.0]", "the array [nan, 1.0]", "an array of two numbers, the lower first"),
      BadText("[2.0, 1.0]", "the array [2.0, 1.0]", "an array of two numbers, the lower first")),
    TypeCase(
      SettingsValue.self, default: "none", (["a": [1, true]], "{ a = [1, true] }"), (1.5, "1.5")),
  ]

  private static let ownTypes: [TypeCase] = [
    TypeCase(
      Side.self, default: .left, (.right, "\"right\""), (.left, "\"left\""),
      bad: BadText("\"up\"", "the string \"up\"", "one of \"left\", \"right\""),
      BadText("1", "the integer 1", "one of \"left\", \"right\"")),
    TypeCase(
      Toppings.self, default: [], ([.cheese, .olives], "5"), (.cheese, "1"),
      bad: BadText("\"cheese\"", "the string \"cheese\"", "an integer")),
    TypeCase(
      Frame.self, default: Frame(width: 1, height: 1), (Frame(width: 2, height: 3), "{ width = 2, height = 3 }"),
      (Frame(width: 4, height: 5), "{ width = 4, height = 5 }"),
      bad: BadText("\"2x3\"", "the string \"2x3\"", "a table"),
      BadText("{ width = 2, height = \"3\" }", "the string \"3\"", "an integer")),
    TypeCase(
      Both.self, default: .one, (.two, "\"2\""), (.one, "\"1\""),
      bad: BadText("{ one = {} }", "a table with the key one", "a string that is a raw value of Both")),
    TypeCase(
      Shape.self, default: .dot, (.circle(radius: 2), "{ circle = { radius = 2.0 } }"), (.dot, "{ dot = {} }"),
      bad: BadText("{ square = {} }", "a table with the key square", "")),
    TypeCase(
      [Frog].self, default: [], ([Frog(name: "a")], "[\"a\"]"), ([Frog(name: "b"), Frog(name: "c")], "[\"b\", \"c\"]"),
      bad: BadText("[\"a\", 2]", "the integer 2", "a string")),
  ]

  private static let foundationTypes: [TypeCase] = [
    TypeCase(CGFloat.self, default: 0, (2, "2.0"), (1.5, "1.5"), bad: BadText("\"1\"", "the string \"1\"", "a number")),
    TypeCase(
      CGPoint.self, default: .zero, (CGPoint(x: 1, y: 2), "{ x = 1.0, y = 2.0 }"),
      (CGPoint(x: -1, y: 0.5), "{ x = -1.0, y = 0.5 }"),
      bad: BadText("{ x = 1, y = true }", "the boolean true", "a number")),
    TypeCase(
      CGSize.self, default: .zero, (CGSize(width: 1, height: 2), "{ width = 1.0, height = 2.0 }"),
      (CGSize(width: 3, height: 4), "{ width = 3.0, height = 4.0 }"),
      bad: BadText("[1, 2]", "the array [1, 2]", "")),
    TypeCase(
      CGRect.self, default: .zero,
      (CGRect(x: 1, y: 2, width: 3, height: 4), "{ x = 1.0, y = 2.0, width = 3.0, height = 4.0 }"),
      (CGRect(x: 0, y: 0, width: 1, height: 1), "{ x = 0.0, y = 0.0, width = 1.0, height = 1.0 }"),
      bad: BadText("\"0 0 1 1\"", "the string \"0 0 1 1\"", "")),
    TypeCase(
      Locale.self, default: Locale(identifier: "en"), (Locale(identifier: "de_AT"), "\"de_AT\""),
      (Locale(identifier: "fr"), "\"fr\""),
      bad: BadText("\"no locale\"", "the string \"no locale\"", "a locale's identifier")),
    TypeCase(
      Badge.self, default: Badge("none"), (Badge("first"), Badge("first").archive),
      (Badge("second"), Badge("second").archive),
      bad: BadText("\"AAAA\"", "the string \"AAAA\"", "an archived object of class Badge, as a string in Base64"),
      BadText("1", "the integer 1", "a string in Base64"), hasOneForm: false),
    TypeCase(
      [Badge].self, default: [], ([Badge("a"), Badge("b")], "[\(Badge("a").archive), \(Badge("b").archive)]"),
      ([Badge("c")], "[\(Badge("c").archive)]"),
      bad: BadText("[\(Badge("a").archive), \"AAAA\"]", "the string \"AAAA\"", "an archived object of class Badge"),
      hasOneForm: false),
  ]
}

enum Side: String, CaseIterable, SettingsSerializable { case left, right }

enum Both: String, Codable, SettingsSerializable { case one = "1", two = "2" }

enum Shape: Codable, Equatable, SettingsSerializable { case dot, circle(radius: Double) }

struct Toppings: OptionSet, SettingsSerializable {
  let rawValue: Int
  static let cheese = Toppings(rawValue: 1)
  static let olives = Toppings(rawValue: 4)
}

struct Frog: Hashable, SettingsSerializable {
  let name: String
  static let settingsBridge = String.settingsBridge.map(read: Frog.init(name:), write: \.name)
}

/// A dictionary's key by its description, whose own stored form is a table.
struct Release: Codable, Hashable, LosslessStringConvertible, SettingsSerializable {
  var major: Int
  var minor: Int
  var description: String { "\(major).\(minor)" }

  init(major: Int, minor: Int) { (self.major, self.minor) = (major, minor) }

  init?(_ description: String) {
    let parts = description.split(separator: ".").compactMap { Int($0) }
    guard parts.count == 2 else { return nil }
    self.init(major: parts[0], minor: parts[1])
  }
}

/// A class whose only stored form is an archive.
final class Badge: NSObject, NSSecureCoding, SettingsSerializable, Sendable {
  let title: String

  init(_ title: String) { self.title = title }

  static var supportsSecureCoding: Bool { true }

  init?(coder: NSCoder) {
    guard let title = coder.decodeObject(of: NSString.self, forKey: "title") else { return nil }
    self.title = title as String
  }

  func encode(with coder: NSCoder) { coder.encode(title as NSString, forKey: "title") }

  override func isEqual(_ object: Any?) -> Bool { (object as? Badge)?.title == title }
  override var hash: Int { title.hash }

  /// As it is in a file.
  var archive: String { (try? Badge.settingsBridge.write(self))?.tomlText ?? "" }
}
