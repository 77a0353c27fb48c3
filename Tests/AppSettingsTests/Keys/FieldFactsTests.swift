import AppSettings
import AppSettingsSchema
import Foundation
import Testing
import TestSupport

/// What a schema says of fields: which a table has to have, and what is read where it lacks one.
struct FieldFactsTests {
  private struct Server: Codable, Identifiable, Sendable {
    var id: String
    var host: String
    var port = 22
    var user: String?
    var mode: Mode
    var proxy: Proxy
  }
  private enum Mode: String, Codable, CaseIterable { case plain, sealed }
  private struct Proxy: Codable, Sendable, SettingsSerializable {
    var url: URL
    var hops: UInt8
    var note: String?
  }
  private struct Retry: Codable, SettingsSerializable, Sendable {
    var attempts = 3
    var delay = 1.5
    var label: String?
  }
  private struct Lenient: Codable, SettingsSerializable, Sendable {
    var width: Int
    init(from decoder: any Decoder) throws {
      let container = try decoder.container(keyedBy: CodingKeys.self)
      width = (try? container.decode(Int.self, forKey: .width)) ?? 80
    }
  }

  private func fields(_ type: SchemaType) -> [String: SchemaType.Field] {
    Dictionary((type.fields ?? []).map { ($0.name, $0) }, uniquingKeysWith: { first, _ in first })
  }

  @Test func `records have fields without a record to complete them, and say which they need`() {
    let known = fields(SettingsRecordKey<Server>("servers").schemaType)
    #expect(Set(known.keys) == ["host", "port", "user", "mode", "proxy"])
    #expect(known.filter(\.value.isRequired).keys.sorted() == ["host", "mode", "port", "proxy"])
    #expect(known["host"]?.type == SchemaType(.string) && known["port"]?.type.kind == .integer)
    #expect(known["user"]?.type == SchemaType(.string))
    let proxy = known["proxy"].map { fields($0.type) } ?? [:]
    #expect(proxy.filter(\.value.isRequired).keys.sorted() == ["hops", "url"], "\(proxy)")
  }

  @Test func `what completes a record is not needed`() {
    let over = Server(id: "", host: "localhost", mode: .plain, proxy: Proxy(url: URL(string: "http://a")!, hops: 2))
    let known = fields(SettingsRecordKey<Server>("servers", over: over).schemaType)
    #expect(known.values.allSatisfy { !$0.isRequired })
    #expect(known["host"]?.fallback == "localhost" && known["port"]?.fallback == 22 && known["user"]?.fallback == nil)
    #expect(known["proxy"]?.fallback == ["url": "http://a", "hops": 2])
  }

  @Test func `ids of any kind are known to a type that is read`() {
    struct ByNumber: Codable, Identifiable, Sendable { var id: Int; var name: String }
    struct ByUUID: Codable, Identifiable, Sendable { var id: UUID; var name: String }
    #expect(SettingsRecordKey<ByNumber>("a").schemaType.fields?.map(\.name) == ["name"])
    #expect(SettingsRecordKey<ByUUID>("a").schemaType.fields?.map(\.name) == ["name"])
  }

  @Test func `a key's default completes its table, and an optional key has none`() {
    let known = fields(SettingsKey("retry", default: Retry()).schemaType)
    #expect(
      known["attempts"]?.fallback == 3 && known["delay"]?.fallback == 1.5 && known["attempts"]?.isRequired == false)
    let optional = fields(SettingsKey<Retry?>("retry").schemaType)
    #expect(optional["attempts"]?.isRequired == true && optional["label"]?.isRequired == false)
    #expect(optional["attempts"]?.fallback == nil)
    #expect(fields(SettingsKey<Lenient?>("lenient").schemaType)["width"]?.isRequired == false)
    let elements = SettingsKey("a", default: ["x": Retry()]).schemaType.element.map(fields) ?? [:]
    #expect(elements["attempts"]?.isRequired == true && elements["label"]?.isRequired == false)
  }

  @Test func `the schema says it, and its check refuses what the app does`() throws {
    let key = SettingsRecordKey<Server>("servers")
    let retry = SettingsKey("retry", default: Retry())
    let schema = SettingsSchema(app: "org.example.test", keys: [retry], records: [key])
    #expect(schema.text.contains("port = { type = \"integer\""))
    #expect(schema.text.contains("required = true"))
    #expect(schema.jsonSchema.contains("\"required\": [\"host\", \"port\", \"mode\", \"proxy\"]"))
    let home = ScratchHome()
    try home.write(schema.text, to: home.path + "/schema.toml")
    let read = try #require(try SettingsSchema.read(home.path + "/schema.toml"))
    #expect(read.text == schema.text)
    let type = try #require(read.keys.last?.type)
    let whole: TOMLValue = [
      "host": "a", "port": 1, "mode": "plain", "proxy": ["url": "http://a", "hops": 1], "other": true,
    ]
    try type.check(["a": whole])
    try key.check(["a": whole])
    for field in ["host", "port", "mode", "proxy"] {
      guard case .table(var table) = whole else { break }
      table[field] = nil
      let lacking: TOMLValue = ["a": .table(table)]
      let error = #expect(throws: SettingsValueError.self) { try type.check(lacking) }
      #expect(error?.path == ["a", field] && error?.isMissing == true)
      #expect(throws: SettingsValueError.self) { try key.check(lacking) }
    }
    #expect(try #require(read.keys.first?.type).completed(["attempts": 9]) == ["attempts": 9, "delay": 1.5])
  }

  @Test func `nothing that a secret reads as is in the schema`() {
    let key = SettingsKey("retry", default: Retry(label: "hunter2"), .secret)
    let text = SettingsSchema(app: "org.example.test", keys: [key]).text
    #expect(text.contains("attempts") && !text.contains("default") && !text.contains("hunter2"))
  }

  @Test func `an enumeration that does not list its cases is told of in the schema`() {
    enum Theme: String, SettingsSerializable { case light, dark }
    enum Listed: String, CaseIterable, SettingsSerializable { case light, dark }
    let remark = "conform the app's enumeration to CaseIterable"
    let app = "org.example.test"
    #expect(SettingsSchema(app: app, keys: [SettingsKey("theme", default: Theme.light)]).text.contains(remark))
    #expect(!SettingsSchema(app: app, keys: [SettingsKey("theme", default: Listed.light)]).text.contains(remark))
  }
}
