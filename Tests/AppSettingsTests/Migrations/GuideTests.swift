import AppSettings
import FoundationEssentials
import Testing
import TestSupport

// The cases of the migration guide of Defaults, named after its sections.

private struct Zone: Codable, Hashable, SettingsSerializable {
  var id: String
  var name: String
}

private enum ZonePeriod: String, Codable, Hashable, CaseIterable, SettingsSerializable {
  case tenMinutes = "10 Minutes"
  case halfHour = "30 Minutes"
  case oneHour = "1 Hour"
}

private let zone = Zone(id: "0", name: "Asia/Taipei")
private let other = Zone(id: "1", name: "Europe/Paris")
private let zoneJSON = #"{"id":"0","name":"Asia/Taipei"}"#
private let otherJSON = #"{"id":"1","name":"Europe/Paris"}"#

/// A store whose user file has JSON in a string, as Defaults 4 kept it.
private func migrated<Value: Sendable & Equatable>(
  _ json: String, _ key: SettingsKey<Value>, from form: SettingsOldForm<Value>, to value: Value, text: String,
  sourceLocation: SourceLocation = #_sourceLocation
) throws {
  let home = ScratchHome()
  let old = "# mine\n\(key.path) = \(TOMLValue.string(json).tomlText)  # v4\nunknown   = 1\n"
  try home.write(old)
  let settings = try home.store()
  #expect(try settings.migrate(key, from: form), sourceLocation: sourceLocation)
  #expect(try settings.value(for: key) == value, sourceLocation: sourceLocation)
  #expect(home.text() == text, sourceLocation: sourceLocation)
  let kept = try settings.backups().map { home.text(of: $0.path) ?? "" }
  #expect(kept == [old], sourceLocation: sourceLocation)
  // The second run.
  #expect(try !settings.migrate(key, from: form), sourceLocation: sourceLocation)
  #expect(home.text() == text, sourceLocation: sourceLocation)
  // As a step of a version.
  try home.write(old)
  let versioned = try home.store(
    migrations: [Migration(2, "native", [.migrate(key, from: form)])])
  #expect(try versioned.value(for: key) == value, sourceLocation: sourceLocation)
  #expect(home.text() == "settings-version = 2\n" + text, sourceLocation: sourceLocation)
}

private func line(_ key: String, _ value: String) -> String { "# mine\n\(key) = \(value)  # v4\nunknown   = 1\n" }

struct DefaultsGuideTests {
  @Test func `The following types require no changes`() throws {
    let home = ScratchHome()
    let text = """
      int = -1
      int8 = -128
      uint64 = "18446744073709551615"
      double = 1.5
      float = 2.0
      string = "[1]"
      bool = true
      date = 2020-01-02T03:04:05.5Z
      data = "AQID"
      url = "https://example.org/"

      """
    try home.write(text)
    let settings = try home.store()
    func keeps<Value: SettingsSerializable & Equatable & Sendable>(_ name: String, _ value: Value, _ fallback: Value)
      throws
    {
      let key = SettingsKey(name, default: fallback)
      #expect(try !settings.migrate(key, from: .json), "\(name)")
      #expect(try settings.value(for: key) == value, "\(name)")
    }
    try keeps("int", -1, 0)
    try keeps("int8", Int8.min, 0)
    try keeps("uint64", UInt64.max, 0)
    try keeps("double", 1.5, 0)
    try keeps("float", Float(2), 0)
    try keeps("bool", true, false)
    try keeps("date", Date(timeIntervalSince1970: 1_577_934_245.5), .distantPast)
    try keeps("data", Data([1, 2, 3]), Data())
    try keeps("url", try #require(URL(string: "https://example.org/")), try #require(URL(string: "a:")))
    // A string that is JSON by chance is a string still.
    #expect(try settings.value(for: SettingsKey("string", default: "")) == "[1]")
    #expect(home.text() == text)
    #expect(try settings.backups().isEmpty)
  }

  @Test func `Testing: the previous value, the migration, the same value as before`() throws {
    try migrated(
      #"["a","b","c"]"#, SettingsKey<[String]>("testKey", default: []), from: .json, to: ["a", "b", "c"],
      text: line("testKey", #"["a", "b", "c"]"#))
  }

  @Test func `From Codable struct in Defaults v4 to Codable struct in Defaults v5`() throws {
    try migrated(
      zoneJSON, SettingsKey<Zone?>("TimeZone"), from: .json, to: zone,
      text: line("TimeZone", #"{ id = "0", name = "Asia/Taipei" }"#))
  }

  @Test func `From Codable enum in Defaults v4 to Codable enum in Defaults v5`() throws {
    try migrated(
      "\"10 Minutes\"", SettingsKey<ZonePeriod?>("period"), from: .json, to: .tenMinutes,
      text: line("period", "\"10 Minutes\""))
  }

  @Test func `From Codable Array, Dictionary, Set to native ones, with native supported elements`() throws {
    try migrated(
      #"["a","b","c"]"#, SettingsKey<[String]?>("arrayString"), from: .json, to: ["a", "b", "c"],
      text: line("arrayString", #"["a", "b", "c"]"#))
    try migrated(
      #"["b","a","c"]"#, SettingsKey<Set<String>?>("setString"), from: .json, to: ["a", "b", "c"],
      text: line("setString", #"["a", "b", "c"]"#))
    try migrated(
      #"{"a":1,"b":2}"#, SettingsKey<[String: Int]?>("dictionaryStringInt"), from: .json, to: ["a": 1, "b": 2],
      text: line("dictionaryStringInt", "{ a = 1, b = 2 }"))
    try migrated(
      #"[{"a":1},{"b":2}]"#, SettingsKey<[[String: Int]]?>("dictionaryStringIntInArray"), from: .json,
      to: [["a": 1], ["b": 2]], text: line("dictionaryStringIntInArray", "[{ a = 1 }, { b = 2 }]"))
  }

  @Test func `From Codable Array, Dictionary, Set to native ones, with Codable elements`() throws {
    let zones = "[\(zoneJSON),\(otherJSON)]"
    let native = #"[{ id = "0", name = "Asia/Taipei" }, { id = "1", name = "Europe/Paris" }]"#
    try migrated(
      zones, SettingsKey<[Zone]?>("arrayTimezone"), from: .json, to: [zone, other],
      text: line("arrayTimezone", native))
    try migrated(
      zones, SettingsKey<Set<Zone>?>("setTimezone"), from: .json, to: [zone, other],
      text: line("setTimezone", native))
    try migrated(
      #"["30 Minutes","10 Minutes"]"#, SettingsKey<[ZonePeriod]?>("arrayPeriod"), from: .json,
      to: [.halfHour, .tenMinutes], text: line("arrayPeriod", #"["30 Minutes", "10 Minutes"]"#))
    try migrated(
      #"["30 Minutes","10 Minutes"]"#, SettingsKey<Set<ZonePeriod>?>("setPeriod"), from: .json,
      to: [.halfHour, .tenMinutes], text: line("setPeriod", #"["10 Minutes", "30 Minutes"]"#))
    try migrated(
      #"{"here":\#(zoneJSON)}"#, SettingsKey<[String: Zone]?>("dictionaryTimezone"), from: .json,
      to: ["here": zone], text: line("dictionaryTimezone", #"{ here = { id = "0", name = "Asia/Taipei" } }"#))
    try migrated(
      #"{"a":"1 Hour"}"#, SettingsKey<[String: ZonePeriod]?>("dictionaryPeriod"), from: .json,
      to: ["a": .oneHour],
      text: line("dictionaryPeriod", #"{ a = "1 Hour" }"#))
  }

  @Test func `nested arrays and dictionaries of Codable elements`() throws {
    try migrated(
      #"{"a":[[\#(zoneJSON)],[]]}"#, SettingsKey<[String: [[Zone]]]>("nested", default: [:]), from: .json,
      to: ["a": [[zone], []]], text: line("nested", #"{ a = [[{ id = "0", name = "Asia/Taipei" }], []] }"#))
  }

  @Test func `dates, data, URLs and large numbers come out as they were`() throws {
    struct Item: Codable, Equatable, SettingsSerializable {
      var date: Date
      var data: Data
      var url: URL
      var large: UInt64
      var half: Double?
    }
    let item = Item(
      date: Date(timeIntervalSinceReferenceDate: 700_000_000.5), data: Data([1, 2, 3]),
      url: try #require(URL(string: "https://example.org/a?b=c")), large: .max, half: nil)
    let json = String(decoding: try JSONEncoder().encode([item]), as: UTF8.self)
    let home = ScratchHome()
    try home.write("items = \(TOMLValue.string(json).tomlText)\n")
    let settings = try home.store()
    let key = SettingsKey<[Item]>("items", default: [])
    try settings.migrate(key, from: .json)
    #expect(settings[key] == [item])
  }
}

// MARK: JSON of another type

private enum NativePeriod: String, SettingsSerializable {
  case tenMinutes = "10 Minutes"
  case halfHour = "30 Minutes"
}

private struct NativeZone: Hashable, SettingsSerializable {
  var code: Int
  var city: String

  static let settingsBridge = [String: String].settingsBridge.map(
    expecting: "a table with 'code' and 'city'",
    read: { table -> NativeZone? in
      guard let code = table["code"].flatMap({ Int($0) }), let city = table["city"] else { return nil }
      return NativeZone(code: code, city: city)
    },
    write: { zone -> [String: String] in ["code": String(zone.code), "city": zone.city] })
}

extension NativeZone {
  init(_ old: Zone) { self.init(code: Int(old.id) ?? -1, city: String(old.name.split(separator: "/").last ?? "")) }
}

struct DefaultsFormsGuideTests {
  @Test func `From Codable enum in Defaults v4 to RawRepresentable in Defaults v5`() throws {
    try migrated(
      "\"10 Minutes\"", SettingsKey<NativePeriod?>("period"), from: .json, to: .tenMinutes,
      text: line("period", "\"10 Minutes\""))
    try migrated(
      #"["30 Minutes"]"#, SettingsKey<[NativePeriod]>("periods", default: []), from: .json, to: [.halfHour],
      text: line("periods", #"["30 Minutes"]"#))
  }

  @Test func `From Codable struct in Defaults v4 to Dictionary in Defaults v5`() throws {
    let taipei = NativeZone(code: 0, city: "Taipei")
    let paris = NativeZone(code: 1, city: "Paris")
    try migrated(
      zoneJSON, SettingsKey<NativeZone?>("TimeZone"), from: .json(Zone.self) { NativeZone($0) }, to: taipei,
      text: line("TimeZone", #"{ city = "Taipei", code = "0" }"#))
    let both = #"[{ city = "Taipei", code = "0" }, { city = "Paris", code = "1" }]"#
    try migrated(
      "[\(zoneJSON),\(otherJSON)]", SettingsKey<[NativeZone]?>("arrayTimezone"),
      from: .json([Zone].self) { $0.map(NativeZone.init) }, to: [taipei, paris], text: line("arrayTimezone", both))
    let home = ScratchHome()
    try home.write("zones = '[\(zoneJSON),\(otherJSON)]'\n")
    let settings = try home.store()
    let set = SettingsKey<Set<NativeZone>?>("zones")
    try settings.migrate(set, from: .json([Zone].self) { Set($0.map(NativeZone.init)) })
    #expect(settings[set] == [taipei, paris])
    try migrated(
      #"{"here":\#(zoneJSON)}"#, SettingsKey<[String: NativeZone]?>("dictionaryTimezone"),
      from: .json([String: Zone].self) { $0.mapValues(NativeZone.init) }, to: ["here": taipei],
      text: line("dictionaryTimezone", #"{ here = { city = "Taipei", code = "0" } }"#))
  }

  @Test func `what the old value cannot become is reported, and the text stays`() throws {
    struct Gone: Error, CustomStringConvertible { let description = "there is no such zone any more" }
    let home = ScratchHome()
    try home.write("zone = '\(zoneJSON)'\n")
    let settings = try home.store()
    let key = SettingsKey<NativeZone?>("zone")
    let error = settingsError { try settings.migrate(key, from: .json(Zone.self) { _ in throw Gone() }) }
    #expect(error?.message.contains("there is no such zone any more") == true && error?.position?.line == 1)
    #expect(home.text() == "zone = '\(zoneJSON)'\n")
  }
}

/// What no guide tests.
struct OldFormTests {
  let home = ScratchHome()
  private let tags = SettingsKey<[String]>("tags", default: ["none"])

  @Test func `bad JSON in the string fails with the key and its place, and the text stays`() throws {
    for text in ["a = 1\ntags = '[\"a\"'\n", "a = 1\ntags = 'x'\n", "a = 1\ntags = '[1]'\n", "a = 1\ntags = ''\n"] {
      try home.write(text)
      let settings = try home.store()
      let error = #expect(throws: SettingsError.self) { try settings.migrate(tags, from: .json) }
      #expect(error?.code == .migrationFailed && error?.position?.line == 2)
      #expect(error?.message.contains("'tags'") == true)
      #expect(home.text() == text)
      #expect(try settings.backups().isEmpty)
    }
  }

  @Test(arguments: [
    ("5", "the value is the integer 5, but must be an array of strings"),
    ("[1]", "'[0]' in the value is the integer 1, but must be a string"),
  ])
  func `a value that is neither text nor native is named in a clause`(_ value: String, _ clause: String) throws {
    try home.write("tags = \(value)\n")
    let error = settingsError { _ = try home.store().migrate(tags, from: .json) }
    #expect(error?.message.contains("at 'tags', \(clause).") == true, "\(error?.message ?? "")")
  }

  @Test func `the value of a secret key is in no error`() throws {
    try home.write("token = 'hunter2'\n")
    let settings = try home.store()
    let error = #expect(throws: SettingsError.self) {
      try settings.migrate(SettingsKey<[Int]>("token", default: [], .secret), from: .json)
    }
    #expect(error?.description.contains("hunter2") == false)
  }

  @Test func `an absent key stays absent, and no file is made`() throws {
    let settings = try home.store()
    #expect(try !settings.migrate(tags, from: .json))
    #expect(home.names(in: home.path).isEmpty)
    try home.write("a = 1\n")
    #expect(try !settings.migrate(tags, from: .json))
    #expect(home.text() == "a = 1\n")
  }

  @Test func `a value that is native already stays`() throws {
    try home.write("tags = ['a']\nperiod = \"1 Hour\"\n")
    let settings = try home.store()
    #expect(try !settings.migrate(tags, from: .json))
    #expect(try !settings.migrate(SettingsKey<ZonePeriod?>("period"), from: .json))
    #expect(home.text() == "tags = ['a']\nperiod = \"1 Hour\"\n")
  }

  @Test func `half the keys migrated by hand: only the other half changes`() throws {
    try home.write("a = [1]\nb = '[2]'\n[zone]\nid = '0'\nname = 'Asia/Taipei'\n")
    let migrations = [
      Migration(
        2, "native values",
        [
          .migrate(SettingsKey<[Int]>("a", default: []), from: .json),
          .migrate(SettingsKey<[Int]>("b", default: []), from: .json),
          .migrate(SettingsKey<Zone?>("zone"), from: .json),
        ])
    ]
    _ = try home.store(migrations: migrations)[.counter]
    #expect(home.text() == "settings-version = 2\na = [1]\nb = [2]\n[zone]\nid = '0'\nname = 'Asia/Taipei'\n")
  }

  @Test func `null removes an optional key's value`() throws {
    try home.write("zone = 'null'\na = 1\n")
    let settings = try home.store()
    #expect(try settings.migrate(SettingsKey<Zone?>("zone"), from: .json))
    #expect(home.text() == "a = 1\n")
  }

  @Test func `a locked key is not migrated`() throws {
    try home.write("settings-locked = [\"tags\"]\n", to: home.path + "/etc/xdg/org.example.test/settings.toml")
    try home.write("tags = '[\"a\"]'\n")
    let settings = try home.store()
    let error = #expect(throws: SettingsError.self) { try settings.migrate(tags, from: .json) }
    #expect(error?.code == .locked)
  }
}
