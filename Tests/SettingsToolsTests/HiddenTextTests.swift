import AppSettings
import AppSettingsSchema
import SettingsTools
import Testing
import TestSupport

/// Many secrets at once: the work grows with their number, not with its square.
struct HiddenTextTests {
  @Test(arguments: [
    "# my api-token = \"s\"\nkey0 = 1\n", "table0.api-token = \"s\"\n", "[table0] # mine\nkey = \"s\"\n",
  ])
  func `many parts that are not shown are put back in no time`(_ part: String) throws {
    let text = (0..<8000).map { part.replacing("0", with: "\($0)") }.joined()
    let tables = part.hasPrefix("[") ? (0..<8000).map { SettingsKey<String?>("table\($0)", .secret) } : []
    let schema = SettingsSchema(app: "org.example.test", keys: tables)
    let hidden = HiddenText(Array(text.utf8), SchemaLookup(schema: schema))
    #expect(!hidden.text.contains("\"s\""))
    let edited = try TOMLDocument(parsing: Array("new = true\n\(hidden.text)".utf8))
    var restored: TOMLDocument?
    let taken = try ThreadClock.measure { restored = try hidden.restoring(edited) }
    #expect(restored?.bytes == Array("new = true\n\(text)".utf8))
    #expect(taken < .seconds(5))
  }

  @Test func `many secrets of one change and of one table are hidden in no time`() throws {
    let home = ScratchHome()
    let names = (0..<3000).map { "t.api-token-\($0)" }
    try home.write(names.map { "\($0) = \"s\"\n" }.joined())
    let schema = SettingsSchema(
      app: "org.example.test", keys: names.map { SettingsKey<String?>($0, .secret) } + [SettingsKey("t.a", default: 1)])
    try schema.write(environment: home.environment)
    let settings = try OpenedSettings(app: "org.example.test", environment: home.environment)
    let table = settings.snapshot[["t"]] ?? .string("")
    var rest: TOMLValue?
    #expect(ThreadClock.measure { rest = settings.schema.withoutSecrets(table, at: ["t"]).value } < .seconds(2))
    #expect(rest == .table(TOMLTable()))
    try settings.apply(try names.map { try .unset($0) })
    var changes = 0
    #expect(try ThreadClock.measure { changes = try settings.history(limit: 1)[0].changes.count } < .seconds(5))
    #expect(changes == names.count)
  }
}
