import AppSettings
import Foundation
import Testing
import TestSupport

/// What a file holds is a value or an error, and never the end of the process.
struct HostileTextTests {
  let home = ScratchHome()

  @Test func `a key that is no character is refused, in dictionaries and records`() throws {
    for key in ["", "ab", "e\u{301}x", "\r\nx", "👩‍🚀👩‍🚀"] {
      #expect(throws: SettingsValueError.self) { try [Character: Int].settingsBridge.read(.table([key: 1])) }
      #expect(throws: SettingsValueError.self) { try [Character?: Int].settingsBridge.read(.table([key: 1])) }
      #expect(throws: SettingsValueError.self) { try [Grade: Int].settingsBridge.read(.table([key: 1])) }
      #expect(throws: SettingsValueError.self) {
        try SettingsBridge<Character>.losslessString.read(.string(key))
      }
    }
    expectRefusal(
      [Character: Int].self, ["ab": 1],
      "Found the key \"ab\" at 'ab', but a key that stands for a string of one character is needed.")
    for key in ["a", "é", "👩‍🚀", "\r\n"] {
      try expectRoundTrip([Character(key): 1], .table([key: 1]))
      #expect(try SettingsBridge<Character>.losslessString.read(.string(key)) == Character(key))
    }

    try home.write("[k]\nab = 1\n[letters.ab]\nname = 'x'\n[letters.a]\nname = 'y'\n['grades']\nC = 1\nAB = 2\n")
    let settings = try home.store()
    #expect(settings[SettingsKey<[Character: Int]>("k", default: [:])] == [:])
    #expect(settings[SettingsKey<[Grade: Int]>("grades", default: [:])] == [:])
    #expect(settings.currentProblems.count == 2)
    let letters = SettingsRecordKey<Letter>("letters")
    #expect(settings[letters].all.map(\.name) == ["y"])
  }

  @Test(arguments: [
    "1e-9223372036854775808", "1e9223372036854775807", "-9223372036854775808", "9223372036854775807", "inf", "-inf",
    "nan", "-0.0", "1e308", "4.9e-324", "0000-01-01T00:00:00+23:59", "9999-12-31T23:59:60-23:59",
    "0001-01-01T00:00:00Z", "2016-12-31T23:59:60.999999999Z", "23:59:60.999999999", "'NaN'", "'1e999'", "'1e-999'",
    "'1e127'", "'1e128'", "'-1e-128'", "'0e999'", "'99999999999999999999999999999999999999e127'",
    "'-9223372036854775808s'",
    "'9223372036854775807.999999999999999999s'", "'106751991167300d 15h 30m 7s'", "'170141183460469231731687s'",
    "'18446744073709551616'", "'GMT-2359'", "'GMT+9999'", "'Etc/../../etc/passwd'", "'/etc/passwd'", "'http://[::1'",
    "'https://a:99999999999/'", "'%'", "['a', 'a']", "[nan, nan]", "[1, 0]", "[nan, 1.0]", "[-inf, inf]",
    "{ '' = 1 }", "{ nan = 1, NaN = 2 }", "{ '1' = 1, '1.0' = 2 }", "[[[[[[[[[[[[]]]]]]]]]]]]",
  ])
  func `every type reads or refuses a text, and what it reads it writes and reads again`(literal: String) throws {
    let document = try TOMLDocument(parsing: "x = \(literal)\n")
    let value = try #require(document[["x"]])
    for type in StorableType.all { #expect(type.fault(value) == nil, "\(type.name)") }
  }

  @Test(arguments: ["0000-01-01T00:00:00+00:01", "9999-12-31T23:59:60Z", "9999-12-31T23:59:59.5-00:01"])
  func `a date beyond the years that can be written is refused, by whatever reads it`(literal: String) throws {
    let value = try TOMLValue(parsing: literal)
    #expect(throws: SettingsValueError.self) { try Date.settingsBridge.read(value) }
    #expect(throws: SettingsValueError.self) { try TOMLOffsetDateTime.settingsBridge.read(value) }
    #expect(throws: SettingsValueError.self) { try Date.settingsBridge.schemaType().check(value) }
    #expect(try SettingsValue.settingsBridge.read(value) == value)
  }

  @Test func `text of a hundred thousand digits is read or refused at once`() throws {
    let digits = String(repeating: "7", count: 100_000)
    for text in [digits, "0.\(digits)", "1e\(digits)", "\(digits)s", "GMT+\(digits)", "{\(digits)}", "a://\(digits)"] {
      for type in StorableType.all { #expect(type.fault(.string(text)) == nil, "\(type.name) \(text.prefix(20))") }
    }
  }
}

private enum Grade: Character, SettingsSerializable { case a = "A", b = "B" }

private struct Letter: Codable, Identifiable, Sendable {
  let id: Character
  var name: String

  private enum CodingKeys: CodingKey { case id, name }

  init(from decoder: any Decoder) throws {
    let fields = try decoder.container(keyedBy: CodingKeys.self)
    id = try fields.decode(String.self, forKey: .id).first ?? "?"
    name = try fields.decode(String.self, forKey: .name)
  }

  func encode(to encoder: any Encoder) throws {
    var fields = encoder.container(keyedBy: CodingKeys.self)
    try fields.encode(name, forKey: .name)
  }
}
