import AppSettings
import AppSettingsImport
import FoundationEssentials
import Testing
import TestSupport

// What Defaults 5 to 9 and SwiftyUserDefaults 4 and 5 keep as JSON: in strings within native arrays and dictionaries,
// and in data.

private struct Zone: Codable, Hashable, SettingsSerializable {
  var id: String
  var name: String
}

private enum Pause: String, Codable, Hashable, CaseIterable, SettingsSerializable {
  case tenMinutes = "10 Minutes"
  case oneHour = "1 Hour"
}

private enum Rank: Int, Codable, SettingsSerializable { case low = 1, high = 3 }

private let taipei = Zone(id: "0", name: "Asia/Taipei")
private let paris = Zone(id: "1", name: "Europe/Paris")
private let taipeiJSON = TOMLValue.string(#"{"id":"0","name":"Asia\/Taipei"}"#)
private let parisJSON = TOMLValue.string(#"{"name":"Europe\/Paris","id":"1"}"#)

struct StoredFormTests {
  /// Migrates what is stored, twice, and looks at what the key reads.
  private func migrate<Value: SettingsSerializable & Equatable & Sendable>(
    _ stored: TOMLValue, to value: Value, _ location: SourceLocation = #_sourceLocation
  ) throws {
    let settings = SettingsStore(inMemory: "k = \(stored.tomlText)\nother = 1\n")
    let key = SettingsKey<Value?>("k")
    #expect(try settings.migrate(key, from: .json), sourceLocation: location)
    #expect(try settings.value(for: key) == value, sourceLocation: location)
    #expect(try settings.snapshot.root["k"] == Value.settingsBridge.write(value), sourceLocation: location)
    #expect(try !settings.migrate(key, from: .json), sourceLocation: location)
  }

  @Test func `arrays and dictionaries of JSON strings, at any depth`() throws {
    try migrate([taipeiJSON, parisJSON], to: [taipei, paris])
    try migrate([taipeiJSON, parisJSON], to: Set([taipei, paris]))
    try migrate(["here": taipeiJSON], to: ["here": taipei])
    try migrate([[taipeiJSON], [], [parisJSON]], to: [[taipei], [], [paris]])
    try migrate(["a": [["b": taipeiJSON]]], to: ["a": [["b": taipei]]])
    try migrate(["7": taipeiJSON], to: [7: taipei])
    try migrate([taipeiJSON], to: Stack([taipei]))
    try migrate([taipeiJSON], to: Bag([taipei]))
  }

  @Test func `URLs, UUIDs and enumerations are JSON strings with quotes`() throws {
    let url = try #require(URL(string: "https://example.org/a?b=c"))
    let uuid = try #require(UUID(uuidString: "E621E1F8-C36C-495A-93FC-0C247A3E6E5F"))
    try migrate(#""https:\/\/example.org\/a?b=c""#, to: url)
    try migrate([#""https:\/\/example.org\/a?b=c""#], to: [url])
    try migrate(["home": #""https:\/\/example.org\/a?b=c""#], to: ["home": url])
    try migrate([#""E621E1F8-C36C-495A-93FC-0C247A3E6E5F""#], to: [uuid])
    try migrate([#""10 Minutes""#, #""1 Hour""#], to: [Pause.tenMinutes, .oneHour])
    try migrate(["a": #""1 Hour""#], to: ["a": Pause.oneHour])
    try migrate(["3", "1"], to: [Rank.high, .low])
    try migrate(["12", "700"], to: 12..<700)
  }

  @Test func `what is in part corrected by hand is completed`() throws {
    try migrate([["id": "0", "name": "Asia/Taipei"], parisJSON], to: [taipei, paris])
    try migrate(["10 Minutes", #""1 Hour""#], to: [Pause.tenMinutes, .oneHour])
  }

  @Test func `a value under a former name is converted and gets the present one`() throws {
    let key = SettingsKey<[String]>("view.tags", default: [], .formerly("labels", "old.tags"))
    let home = ScratchHome()
    try home.write("# mine\n\nlabels = '[\"a\"]' # l\n\n[old]\ntags = '[\"b\"]'\n")
    let settings = try home.store()
    #expect(try settings.migrate(key, from: .json))
    #expect(home.text() == "# mine\n\n[view]\ntags = [\"a\"] # l\n")
    #expect(try settings[key] == ["a"] && !settings.migrate(key, from: .json))
    let native = SettingsStore(inMemory: "[old]\ntags = ['b']\n")
    #expect(try !native.migrate(key, from: .json) && native[key] == ["b"] && native.isSet(key))
    #expect(native.snapshot.root["view"] == nil)
    let error = #expect(throws: SettingsError.self) {
      try SettingsStore(inMemory: "a = 1\n[old]\ntags = 'x'\n").migrate(key, from: .json)
    }
    #expect(error?.position?.line == 3)
  }

  @Test func `native arrays and dictionaries of strings stay, whatever they look like`() throws {
    let text = "k = [\"[1]\", '\"x\"', \"null\", \"5\"]\n"
    let settings = SettingsStore(inMemory: text)
    #expect(try !settings.migrate(SettingsKey<[String]?>("k"), from: .json))
    #expect(settings.snapshot.root["k"] == ["[1]", "\"x\"", "null", "5"])
  }

  @Test func `data that holds JSON`() throws {
    func data(_ json: String) -> TOMLValue { .string(Data(json.utf8).base64EncodedString()) }
    try migrate(data(#"{"id":"0","name":"Asia\/Taipei"}"#), to: taipei)
    try migrate(data(#"["ada","bob"]"#), to: ["ada", "bob"])
    try migrate(data("[3,1,2]"), to: [3, 1, 2])
    try migrate(data("[true,false]"), to: [true, false])
    try migrate(data("[0.5,2]"), to: [0.5, 2.0])
    try migrate(data("[700000000.25]"), to: [Date(timeIntervalSinceReferenceDate: 700_000_000.25)])
    try migrate(data(#"["AQID"]"#), to: [Data([1, 2, 3])])
    try migrate(data(#"["10 Minutes"]"#), to: [Pause.tenMinutes])
    // The value of a Data key is native, whatever its bytes are.
    let settings = SettingsStore(inMemory: "k = \(data("[1]").tomlText)\n")
    #expect(try !settings.migrate(SettingsKey<Data?>("k"), from: .json))
  }

  @Test func `JSON of another type, in a string, in data and in arrays of strings`() throws {
    struct City: Equatable, Codable, SettingsSerializable { var title: String }
    let key = SettingsKey<[City]>("k", default: [])
    let form = SettingsOldForm<[City]>.json([Zone].self) { $0.map { City(title: $0.name) } }
    let all = #"[{"id":"0","name":"Asia\/Taipei"},{"name":"Europe\/Paris","id":"1"}]"#
    for stored in [
      TOMLValue.string(all), .string(Data(all.utf8).base64EncodedString()), [taipeiJSON, parisJSON],
    ] {
      let settings = SettingsStore(inMemory: "k = \(stored.tomlText)\n")
      #expect(try settings.migrate(key, from: form))
      #expect(settings[key] == [City(title: "Asia/Taipei"), City(title: "Europe/Paris")])
      #expect(try !settings.migrate(key, from: form))
    }
  }

  @Test func `a JSON string in an array that is not of the type fails with its place, and the text stays`() throws {
    let home = ScratchHome()
    let text = "a = 1\nk = ['{\"id\":\"0\",\"name\":\"x\"}', '{\"id\":1}']\n"
    try home.write(text)
    let settings = try home.store()
    let error = settingsError { try settings.migrate(SettingsKey<[Zone]>("k", default: []), from: .json) }
    #expect(error?.code == .migrationFailed && error?.position?.line == 2, "\(error?.message ?? "")")
    #expect(home.text() == text)
  }

  @Test func `with a schema, an import takes JSON strings as what their keys need`() throws {
    let element = SettingsKey<[Pause]>("periods", default: []).bridge.schemaType()
    #expect(element.restoring([#""10 Minutes""#], from: .typed) == ["10 Minutes"])
    let url = SettingsKey<URL?>("home").bridge.schemaType()
    #expect(url.restoring(#""https:\/\/example.org\/""#, from: .typed) == "https://example.org/")
    let numbers = SettingsKey<[Int]>("scores", default: []).bridge.schemaType()
    #expect(numbers.restoring(.string(Data("[3,1]".utf8).base64EncodedString()), from: .typed) == [3, 1])
    #expect(numbers.restoring("3,1", from: .untyped(.separated(","))) == [3, 1])
    let names = SettingsKey<[String]>("names", default: []).bridge.schemaType()
    #expect(names.restoring(#"a\,b,c"#, from: .untyped(.separated(","))) == ["a,b", "c"])
    #expect(names.restoring("", from: .untyped(.separated(","))) == [])
    #expect(names.restoring("a,b", from: .typed) == "a,b")
    #expect(names.restoring("a,b", from: .untyped(.single(emptyIsNone: true))) == ["a,b"])
    #expect(names.restoring("", from: .untyped(.single(emptyIsNone: true))) == [])
    #expect(names.restoring("", from: .untyped(.single(emptyIsNone: false))) == [""])
    #expect(numbers.restoring("4k", from: .text("4096", elements: nil, .single(emptyIsNone: false))) == [4096])
  }
}
