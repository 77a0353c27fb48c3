import AppSettings
import Testing

struct ScalarBridgesTests {
  @Test func `booleans, strings and characters come back as they were`() throws {
    try expectRoundTrip(true, true)
    try expectRoundTrip(false, false)
    for text in ["", "a\u{0}b", "é\n\"\\", "👩‍🚀"] { try expectRoundTrip(text, .string(text)) }
    try expectRoundTrip("ell"[...], "ell")
    for character: Character in ["a", "👩‍🚀", "e\u{301}", "\r\n"] {
      try expectRoundTrip(character, .string(String(character)))
    }
    expectRefusal(Character.self, "", "Found the string \"\", but a string of one character is needed.")
    expectRefusal(Character.self, "ab", "Found the string \"ab\", but a string of one character is needed.")
  }

  @Test func `integers of every width come back at both ends of their range`() throws {
    try expectEnds(Int.self)
    try expectEnds(Int8.self)
    try expectEnds(Int16.self)
    try expectEnds(Int32.self)
    try expectEnds(Int64.self)
    try expectEnds(UInt8.self)
    try expectEnds(UInt16.self)
    try expectEnds(UInt32.self)
    try expectRoundTrip(UInt.max, "18446744073709551615")
    try expectRoundTrip(UInt64.max, "18446744073709551615")
    try expectRoundTrip(UInt64(Int64.max) + 1, "9223372036854775808")
    try expectRoundTrip(UInt64(Int64.max), .integer(.max))
    try expectRoundTrip(UInt(0), 0)
  }

  private func expectEnds<T: FixedWidthInteger & SettingsSerializable>(_ type: T.Type) throws {
    try expectRoundTrip(T.min, .integer(Int64(T.min)))
    try expectRoundTrip(T.max, .integer(Int64(T.max)))
  }

  @Test func `an integer outside the range is refused with the range`() {
    expectRefusal(Int8.self, 128, "Found the integer 128, but an integer from -128 to 127 is needed.")
    expectRefusal(Int8.self, -129, "Found the integer -129, but an integer from -128 to 127 is needed.")
    expectRefusal(UInt8.self, -1, "Found the integer -1, but an integer from 0 to 255 is needed.")
    expectRefusal(UInt8.self, 256, "Found the integer 256, but an integer from 0 to 255 is needed.")
    expectRefusal(
      UInt64.self, -1, "Found the integer -1, but an integer from 0 to 18446744073709551615 is needed.")
  }

  @Test(arguments: [
    "1", "9223372036854775807", "18446744073709551616", "+9223372036854775808", "09223372036854775808", "-1",
    "9223372036854775808.0", "",
  ])
  func `a string is an unsigned integer only where no integer can be`(_ text: String) {
    expectRefusal(
      UInt64.self, .string(text),
      "Found the string \"\(text)\", but an integer from 0 to 18446744073709551615 is needed.")
  }

  @Test func `a whole float is no integer`() {
    expectRefusal(Int.self, 3.0, "Found the float 3.0, but an integer is needed.")
    expectRefusal(Int.self, .float(.nan), "Found the float nan, but an integer is needed.")
    expectRefusal(UInt8.self, .float(-.infinity), "Found the float -inf, but an integer from 0 to 255 is needed.")
  }

  @Test func `doubles come back to the bit, whole ones as floats`() throws {
    for double in [
      0, -0.0, 1, 0.1, 1e300, .leastNonzeroMagnitude, .greatestFiniteMagnitude, .infinity, -.infinity, .pi,
    ] as [Double] {
      let stored = try #require(try Double.settingsBridge.write(double))
      #expect(stored == .float(double))
      #expect(try Double.settingsBridge.read(stored).bitPattern == double.bitPattern)
    }
    let nan = try #require(try Double.settingsBridge.write(.nan))
    #expect(nan == .float(.nan))
    #expect(try Double.settingsBridge.read(nan).isNaN)
    #expect(try Double.settingsBridge.read(3) == 3)
  }

  @Test func `floats come back to the bit with as few digits as they need`() throws {
    #expect(try Float.settingsBridge.write(0.1) == 0.1)
    #expect(try Float.settingsBridge.write(16_777_216) == 16_777_216.0)
    var bits: UInt32 = 1
    for _ in 0..<20_000 {
      bits = bits &* 1_664_525 &+ 1_013_904_223
      let float = Float(bitPattern: bits)
      let stored = try #require(try Float.settingsBridge.write(float))
      let back = try Float.settingsBridge.read(stored)
      #expect(back.bitPattern == float.bitPattern || (back.isNaN && float.isNaN))
    }
    for float in [.infinity, -.infinity, .greatestFiniteMagnitude, .leastNonzeroMagnitude, -0.0] as [Float] {
      let stored = try #require(try Float.settingsBridge.write(float))
      #expect(try Float.settingsBridge.read(stored).bitPattern == float.bitPattern)
    }
    expectRefusal(
      Float.self, 1e39, "Found the float 1e+39, but a number from -3.4028235e+38 to 3.4028235e+38 is needed.")
  }
}
