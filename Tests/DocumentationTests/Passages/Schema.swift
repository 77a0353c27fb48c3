import AppSettings
import AppSettingsSchema
import Testing
import TestSupport

// Passages of docs/schema.md.

private struct DocumentedProfile: Codable, Identifiable, Sendable {
  var id: String
  var region = "eu"
}

extension SettingsKeys {
  fileprivate static let theme = SettingsKey(
    "theme", default: "light", .oneOf(["light", "dark"]), "Colours of the windows.")
  fileprivate static let fontSize = SettingsKey("editor.font-size", default: 12, .in(6...72), .formerly("font_size"))
  fileprivate static let syncToken = SettingsKey<String?>("sync.token", .secret)
  fileprivate static let profiles = SettingsRecordKey<DocumentedProfile>("profiles", over: DocumentedProfile(id: ""))
}

struct Schema {
  @Test func `the schema of the guide is written and read`() throws {
    let home = ScratchHome()
    let schema = SettingsSchema(
      app: "org.example.editor",
      keys: [.theme, .fontSize, .syncToken],
      records: [SettingsKeys.profiles])
    if CommandLine.arguments.contains("--settings-schema") { print(try schema.write()) }
    let path = try schema.write(environment: home.environment)
    #expect(try SettingsSchema.read(path)?.keys.count == 4)
  }
}
