import AppSettings
import AppSettingsSchema
import Testing
import TestSupport

// Passages of docs/schema.md.

private struct DocumentedProfile: Codable, Identifiable, Sendable {
  var id: String
  var region = "eu"
}

private enum Keys {
  static let theme = SettingsKey("theme", default: "light", .oneOf("light", "dark"), "Colours.")
  static let size = SettingsKey("editor.font-size", default: 12, .in(6...72), .formerly("font_size"))
  static let token = SettingsKey<String?>("sync.token", .secret)
  static let profiles = SettingsRecordKey<DocumentedProfile>("profiles")
}

private enum Documented {
  static let appMigrations = SettingsMigrations { Migration(2, "name the colour", [.rename("colour", to: "theme")]) }
}

struct Schema {
  @Test func `the schema of the guide is written and read`() throws {
    let home = ScratchHome()
    let appMigrations = Documented.appMigrations
    let schema = SettingsSchema(
      app: "org.example.editor",
      keys: [Keys.theme, Keys.size, Keys.token],
      records: [Keys.profiles],
      migrations: appMigrations)
    let arguments: [String] = []
    if arguments.contains("--settings-schema") { print(try schema.write()) }
    let path = try schema.write(environment: home.environment)
    #expect(try SettingsSchema.read(path)?.keys.count == 4)
  }
}
