import AppSettings
import AppSettingsSchema
import SettingsTools
import TestSupport
import Testing

// Passages of docs/dialogs.md and of the reference's page of SettingsTools.

extension SettingsKeys {
  fileprivate static let theme = SettingsKey("theme", default: "light", .oneOf(["light", "dark"]), "Colours.")
  fileprivate static let fontSize = SettingsKey("editor.font-size", default: 12, .in(6...72))
  fileprivate static let recent = SettingsKey<[String]>("recent", default: [])
}

struct Dialogs {
  private let home = ScratchHome()

  init() throws {
    try SettingsSchema(app: "org.example.editor", keys: [.theme, .fontSize, .recent])
      .write(environment: home.environment)
  }

  /// In the place of the initializer, which looks in the home directory.
  private func OpenedSettings(app: String) throws -> SettingsTools.OpenedSettings {
    try SettingsTools.OpenedSettings(app: app, environment: home.environment)
  }

  @Test func `facts, changes and the changes of others`() async throws {
    let settings = try OpenedSettings(app: "org.example.editor")
    for setting in try settings.facts() {
      print(setting.description ?? setting.key, setting.text, setting.isDefault ? "" : "(yours)")
    }
    let following = Task {
      for await keys in settings.changes() {
        print("changed:", keys.sorted().joined(separator: ", "))
      }
    }
    do {
      try settings.apply([.set("theme", to: "dark"), .append("recent", "/tmp/notes"), .unset("editor.font-size")])
    } catch {
      print(error)  // Cannot set 'theme' to "dark": the key needs one of … Nothing was written.
    }
    following.cancel()
    #expect(try settings.facts().map(\.text) == ["dark", "12", "[\"/tmp/notes\"]"])
  }

  @Test func `the page of the module`() throws {
    let settings = try OpenedSettings(app: "org.example.editor")
    for setting in try settings.facts() where !setting.isDefault { print(setting.key, setting.text) }
    try settings.apply([.set("theme", to: "dark")])
    try settings.undo()
    #expect(try settings.facts().map(\.isDefault) == [true, true, true])
  }
}
