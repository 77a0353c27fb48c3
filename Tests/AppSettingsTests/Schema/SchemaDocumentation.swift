import AppSettings
import TestSupport
import Testing

// Passages of docs/schema.md.

private struct DocumentedProfile: Codable, Identifiable, Sendable {
  var id: String
  var region = "eu"
}

extension SettingsKeys {
  fileprivate static let docTheme = SettingsKey("theme", default: "light", oneOf: ["light", "dark"], "Colours.")
  fileprivate static let docSize = SettingsKey("editor.font-size", default: 12, in: 6...72, formerly: "font_size")
  fileprivate static let docToken = SettingsKey<String?>("sync.token", .secret)
  fileprivate static let docProfiles = SettingsRecords<DocumentedProfile>("profiles")
}

private enum Documented {
  static let appMigrations = SettingsMigrations { Migration(2, "name the colour") { Rename("colour", to: "theme") } }
}

@Suite struct SchemaDocumentation {
  private typealias Keys = SettingsKeys

  @Test func `the schema of the guide is written and read`() throws {
    let home = ScratchHome()
    let appMigrations = Documented.appMigrations
    let schema = SettingsSchema(
      app: "org.example.editor",
      keys: [SettingsKeys.docTheme, SettingsKeys.docSize, SettingsKeys.docToken],
      records: [SettingsKeys.docProfiles],
      migrations: appMigrations)
    let path = try schema.write(environment: home.environment)
    #expect(try SettingsSchema.read(path)?.keys.count == 4)
  }
}
