import AppSettings

// What the service can be told. The file is ~/.config/org.example.greeter/settings.toml; a key that is not in it reads
// as its default, and defaults are never written.
extension SettingsKeys {
  static let text = SettingsKey("greeting.text", default: "Hello", "What everyone is greeted with.")
  static let volume = SettingsKey("greeting.volume", default: 50, .in(0...100), "How loud, in percent.")
  static let style = SettingsKey<Style>("greeting.style", default: .plain, "How the greeting is dressed.")
  static let names = SettingsKey<[String]>("names", default: [], "Whom to greet.")
  static let door = SettingsKey<String?>("door", "The door to listen at; without one, all of them.")
}

/// How a greeting is dressed. It is stored as its raw value.
enum Style: String, CaseIterable, SettingsSerializable {
  case plain, festive
}
