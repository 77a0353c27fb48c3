import AppSettings
import Foundation

enum AppTheme: String, SettingsSerializable { case system, light, dark }

struct AppProfile: Codable, SettingsSerializable, Equatable {
  var name: String
  var port: Int = 80
  var note: String?
}

extension SettingsKeys {
  static let theme = SettingsKey<AppTheme>("theme", default: .system)
  static let fontSize = SettingsKey(
    "editor.font-size", default: 12, .in(6...72), "Size of the editor's font, in points.")
  static let wrap = SettingsKey("editor.wrap", default: false)
  static let ratio = SettingsKey("editor.ratio", default: 1.5)
  static let recent = SettingsKey<[URL]>("recent-files", default: [])
  static let token = SettingsKey<String?>("sync.token", .secret)
  static let limits = SettingsKey<[String: Int]>("limits", default: [:])
  static let profile = SettingsKey("profile", default: AppProfile(name: "default"))
  static let name = SettingsKey("name", default: "")
  static let since = SettingsKey<Date?>("since")
  static let counter = SettingsKey("counter", default: 0)
}
