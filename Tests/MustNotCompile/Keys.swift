// Nothing here is built with the package. 'MustNotCompileTests' has the compiler check these files: it has to report what
// the comments above a line say of that line, and nothing else. The keys here are those that the others use.
import AppSettings

enum Theme: String, CaseIterable, SettingsSerializable {
  case light, dark
}

struct Server: Codable, Identifiable, Sendable {
  var id: String
  var port = 22
}

extension SettingsKeys {
  static let size = SettingsKey("size", default: 12)
  static let name = SettingsKey("name", default: "none")
  static let theme = SettingsKey<Theme>("theme", default: .light)
  static let recent = SettingsKey<[String]>("recent", default: [])
  static let token = SettingsKey<String?>("token")
  static let servers = SettingsRecordKey<Server>("servers")
}

func take(_ number: Int) {}
