import AppSettings
import Testing

/// Whether a schema's list of fields is complete: only then is another field a typo.
struct OpenFieldsTests {
  private enum Mode: String, Codable, CaseIterable, SettingsSerializable { case plain, sealed }
  private struct Profile: Codable, SettingsSerializable, Sendable, Identifiable {
    var id = "a"
    var region = "eu"
    var isOn = true
    var note: String?
    var mode = Mode.plain
    var inner = Inner()
  }
  private struct Inner: Codable, Sendable, SettingsSerializable { var width = 3 }

  /// Reads other fields for each kind.
  private struct Rule: Codable, SettingsSerializable, Sendable {
    enum CodingKeys: String, CodingKey { case kind, host, port }
    var kind = Mode.plain
    var host: String?
    var port: Int?

    init() {}

    init(from decoder: any Decoder) throws {
      let container = try decoder.container(keyedBy: CodingKeys.self)
      kind = try container.decode(Mode.self, forKey: .kind)
      switch kind {
      case .plain: host = try container.decodeIfPresent(String.self, forKey: .host)
      case .sealed: port = try container.decodeIfPresent(Int.self, forKey: .port)
      }
    }
  }

  /// Reads other fields for each name.
  private struct Named: Codable, SettingsSerializable, Sendable {
    enum CodingKeys: String, CodingKey { case name, size }
    var name = "small"
    var size: Int?

    init() {}

    init(from decoder: any Decoder) throws {
      let container = try decoder.container(keyedBy: CodingKeys.self)
      name = try container.decode(String.self, forKey: .name)
      switch name {
      case "small": break
      case "large": size = try container.decode(Int.self, forKey: .size)
      default: throw DecodingError.dataCorruptedError(forKey: .name, in: container, debugDescription: "no such name")
      }
    }
  }

  /// Has other names in the file than in the code.
  private struct Renamed: Codable, SettingsSerializable, Sendable {
    enum CodingKeys: String, CodingKey { case fontSize = "font-size" }
    var fontSize = 12
  }

  /// Says which names there are.
  private struct Listed: Codable, SettingsSerializable, Sendable {
    enum CodingKeys: String, CodingKey, CaseIterable { case fontSize = "font-size", theme }
    var fontSize = 12
    var theme: String?

    init() {}

    init(from decoder: any Decoder) throws {
      let container = try decoder.container(keyedBy: CodingKeys.self)
      fontSize = try container.decode(Int.self, forKey: .fontSize)
      if fontSize > 20 { theme = try container.decode(String.self, forKey: .theme) }
    }
  }

  @Test func `the fields of a type that reads just its properties are a closed list`() {
    for type in [
      SettingsKey("a", default: Profile()).schemaType, SettingsKey<Profile?>("a").schemaType,
      SettingsKey("a", default: ["x": Profile()]).schemaType.element,
      SettingsKey("a", default: [Profile()]).schemaType.element,
      SettingsRecordKey<Profile>("a").schemaType, SettingsRecordKey<Profile>("a", over: Profile()).schemaType,
    ] {
      #expect(type?.fields?.isEmpty == false && type?.isOpen == false, "\(type as Any)")
      #expect(type?.field("inner")?.type.isOpen == false)
    }
  }

  @Test func `a type that decides what it reads may have other fields`() {
    #expect(SettingsKey("a", default: Rule()).schemaType.isOpen)
    #expect(SettingsKey<Rule?>("a").schemaType.isOpen)
    #expect(SettingsKey("a", default: Named()).schemaType.isOpen)
    #expect(SettingsKey("a", default: [Named()]).schemaType.element?.isOpen == true)
    #expect(SettingsKey("a", default: Renamed()).schemaType.isOpen)
  }

  @Test func `the names of a type that lists them are all that there are`() {
    let type = SettingsKey("a", default: Listed()).schemaType
    #expect(!type.isOpen && type.fields?.map(\.name) == ["font-size", "theme"])
    #expect(type.field("theme")?.type == .any && type.field("theme")?.isRequired == false)
  }

  @Test func `the unknown fields of a value are listed by their places`() {
    let key = SettingsKey("a", default: ["x": Profile()])
    let value: TOMLValue = [
      "y": ["regoin": 1, "inner": ["widht": 2, "width": 3], "note": "n"], "z": ["region": "eu"],
    ]
    #expect(key.schemaType.unknownFields(in: value) == [["y", "regoin"], ["y", "inner", "widht"]])
    let list = SettingsKey("a", default: [Profile()]).schemaType
    #expect(list.unknownFields(in: [["region": "eu"], ["regoin": 1]]) == [["[1]", "regoin"]])
    #expect(list.mayHave(["[1]", "region"]) && !list.mayHave(["[1]", "regoin"]) && !list.mayHave(["x"]))
    #expect(SettingsKey("a", default: Rule()).schemaType.unknownFields(in: ["other": 1]) == [])
  }
}
