import AppSettings
import Foundation
import Testing

struct FoundationBridgesTests {
  @Test func `data is stored in Base64`() throws {
    try expectRoundTrip(Data(), "")
    try expectRoundTrip(Data("hello".utf8), "aGVsbG8=")
    try expectRoundTrip(Data(0...255), .string(Data(0...255).base64EncodedString()))
    #expect(try Data.settingsBridge.read("aGVs\n  bG8=\r\n\t") == Data("hello".utf8))
  }

  @Test(arguments: ["aGVsbG8", "aGVsbG8==", "aGVs*G8=", "a", "=", "é", "====", "AAAA====", "A===", "A=A="])
  func `what is not Base64 is refused`(_ text: String) {
    expectRefusal(Data.self, .string(text), "Found the string \"\(text)\", but a string in Base64 is needed.")
  }

  @Test func `a URL is stored as its text`() throws {
    for text in [
      "https://example.com/a?b=c#d", "file:///tmp/a%20b", "/relative/path", "mailto:a@b.c", "http://[::1]:80/",
    ] {
      try expectRoundTrip(try #require(URL(string: text)), .string(text))
    }
    try expectRoundTrip(URL(fileURLWithPath: "/tmp/ä b"), "file:///tmp/%C3%A4%20b")
    #expect(try URL.settingsBridge.read("https://example.com/ä").absoluteString == "https://example.com/%C3%A4")
    let relative = try #require(URL(string: "b", relativeTo: URL(string: "https://example.com/a/")))
    #expect(try URL.settingsBridge.write(relative) == "https://example.com/a/b")
  }

  @Test(arguments: [
    "", "not a url", "http://[", "http://host:port/", "https://a b.c", "%zz", "a\\b", "http://x/{y}", "a\nb",
  ])
  func `what is no URL is refused`(_ text: String) {
    expectRefusal(URL.self, .string(text), "Found \(TOMLValue.string(text).shown), but a URL as a string is needed.")
  }

  @Test func `a UUID is stored in upper case and read in either`() throws {
    let text = "E621E1F8-C36C-495A-93FC-0C247A3E6E5F"
    try expectRoundTrip(try #require(UUID(uuidString: text)), .string(text))
    #expect(try UUID.settingsBridge.read(.string(text.lowercased())).uuidString == text)
    expectRefusal(UUID.self, "E621E1F8", "Found the string \"E621E1F8\", but a UUID as a string is needed.")
  }

  @Test func `a decimal number is stored with all its digits`() throws {
    for text in ["0", "19.99", "-0.001", "12345678901234567890123456789012345678", "0.1", "1000000", "NaN"] {
      try expectRoundTrip(Decimal(string: text) ?? .nan, .string(text))
    }
    try expectRoundTrip(Decimal.greatestFiniteMagnitude, .string(Decimal.greatestFiniteMagnitude.description))
    try expectRoundTrip(Decimal.leastNonzeroMagnitude, .string(Decimal.leastNonzeroMagnitude.description))
    #expect(try Decimal.settingsBridge.read(12) == 12)
    #expect(try Decimal.settingsBridge.read(19.99) == Decimal(string: "19.99"))
    #expect(try Decimal.settingsBridge.read(1e-7) == Decimal(string: "0.0000001"))
    #expect(try Decimal.settingsBridge.read("+1.50e3") == 1500)
  }

  @Test(arguments: [
    "", "12abc", "1.", ".5", "--1", "1e", "1,5", " 1", "0x10", "inf", "1e999999999999999999999", "1e500",
    "1234567890123456789012345678901234567890123",
  ])
  func `what is no decimal number, or has more digits than one holds, is refused`(_ text: String) {
    expectRefusal(
      Decimal.self, .string(text), "Found \(TOMLValue.string(text).shown), but a decimal number as a string is needed.")
  }

  @Test func `a time zone is stored as its identifier`() throws {
    for identifier in ["Europe/Berlin", "GMT", "America/New_York"] {
      try expectRoundTrip(try #require(TimeZone(identifier: identifier)), .string(identifier))
    }
    for offset in [3600, -3600, 19_800, -34_200, 0, 64_800] {
      let zone = try #require(TimeZone(secondsFromGMT: offset))
      try expectRoundTrip(zone, .string(zone.identifier))
    }
    for (offset, text) in [(3601, "GMT+010001"), (-59, "GMT-000059"), (64_799, "GMT+175959")] {
      try expectRoundTrip(try #require(TimeZone(secondsFromGMT: offset)), .string(text))
      // Zones that differ in seconds alone are equal for Foundation.
      #expect(try TimeZone.settingsBridge.read(.string(text)).secondsFromGMT() == offset)
    }
    expectRefusal(
      TimeZone.self, "Nowhere/Land", "Found the string \"Nowhere/Land\", but a time zone's identifier is needed.")
    expectRefusal(TimeZone.self, "GMT+9900", "Found the string \"GMT+9900\", but a time zone's identifier is needed.")
  }
}
