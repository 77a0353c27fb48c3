import Testing

@testable import SettingsTOML

/// Numbers of any text read as what the standard library makes of it, and none ends the process.
struct NumberTests {
  @Test(arguments: [
    "1e-9223372036854775808", "1e-9223372036854775807", "1e9223372036854775807", "1e9223372036854775808",
    "1e-9223372036854775809", "1e-99999999999999999999999999", "1e99999999999999999999999999",
    "-1e-9223372036854775808",
    "0e-9223372036854775808", "0.0e9223372036854775807", "1e-10000", "1e10000", "1e-9999", "1e9999", "1e+0009",
    "4.9e-324", "2.4e-324", "1.7976931348623157e308", "1.7976931348623159e308", "123456789012345678901234567890.5e-20",
    "0.000000000000000000000000000000000000000001e42", "9007199254740993.0", "1_0.0_1e1_0",
  ])
  func `a float of any exponent reads as its digits say`(text: String) throws {
    let expected = try #require(Double(text.filter { $0 != "_" }))
    #expect(try TOMLValue(parsing: text) == .float(expected))
    var document = try TOMLDocument(parsing: "x = \(text)\ny = [\(text), { z = \(text) }]\n")
    #expect(document[["x"]] == .float(expected))
    #expect(document[["y"]] == [.float(expected), ["z": .float(expected)]])
    // As an edit and another read of it come across it.
    #expect(try document.set(1, at: ["x"]))
  }

  @Test func `a float of many digits reads as its digits say`() throws {
    let long = String(repeating: "9", count: 5000)
    for text in ["\(long).0", "0.\(long)", "1.0e-\(long)", "1.0e+\(long)", "\(long).\(long)e-\(long)"] {
      #expect(try TOMLValue(parsing: text) == .float(Double(text) ?? .nan), "\(text.prefix(20))")
    }
  }

  @Test(arguments: PropertyTests.seeds)
  func `any number reads as the standard library reads it`(seed: UInt64) throws {
    var generator = Generator(seed: seed &+ 20_000)
    for _ in 0..<20 {
      func digits(_ most: Int) -> String {
        (0..<Int.random(in: 1...most, using: &generator.random)).map { _ in
          String(Int.random(in: 0...9, using: &generator.random))
        }.joined()
      }
      let whole = generator.chance(30) ? "0" : String(Int.random(in: 1...9, using: &generator.random)) + digits(22)
      var text = generator.pick(["", "-", "+"]) + whole
      if generator.chance(60) { text += "." + digits(22) }
      if generator.chance(60) { text += generator.pick(["e", "E"]) + generator.pick(["", "-", "+"]) + digits(21) }
      if text.contains(where: { ".eE".contains($0) }) {
        #expect(try TOMLValue(parsing: text) == .float(Double(text) ?? .nan), "\(text)")
      } else if let integer = Int64(text) {
        #expect(try TOMLValue(parsing: text) == .integer(integer), "\(text)")
      } else {
        #expect(throws: TOMLSyntaxError.self, "\(text)") { try TOMLValue(parsing: text) }
      }
    }
  }

  @Test(arguments: [
    ("9223372036854775807", Int64.max), ("-9223372036854775808", .min), ("0x7fffffffffffffff", .max), ("-0", 0),
    ("0b0", 0), ("0o777777777777777777777", .max), ("+9_223_372_036_854_775_807", .max),
  ])
  func `the ends of the integers are read and written`(text: String, value: Int64) throws {
    #expect(try TOMLValue(parsing: text) == .integer(value))
    #expect(try TOMLValue(parsing: TOMLValue.integer(value).tomlText) == .integer(value))
    // In the style of its neighbours too.
    for old in ["1_000", "0xFF", "0o7", "0b1", "-1_000"] {
      var document = try TOMLDocument(parsing: "a = \(old)\n")
      try document.set(.integer(value), at: ["a"])
      #expect(document[["a"]] == .integer(value))
    }
  }

  @Test(arguments: [
    "9223372036854775808", "-9223372036854775809", "0x8000000000000000", "0xffffffffffffffffffff",
    "0b1" + String(repeating: "0", count: 63), "1e", "1e+", "1.e5", ".5", "0x", "1__0", "--1", "1e1.5",
  ])
  func `what is no number is refused with its place`(text: String) {
    let error = #expect(throws: TOMLSyntaxError.self) { try TOMLDocument(parsing: "a = \(text)\n") }
    #expect(error?.position.line == 1)
  }
}
