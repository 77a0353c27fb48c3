import AppSettings
import AppSettingsSchema
import Foundation

/// Keys of every type and constraint, for schemas.
enum SchemaKeys {
  enum Theme: String, CaseIterable, Codable, SettingsSerializable { case light, dark, system }
  struct Window: Codable, SettingsSerializable, Equatable {
    var width = 640
    var title = "Editor"
    var scale: Double? = 1
    var tint: Theme = .light
  }

  static let editor = SettingsGroup("editor", "How texts are shown.")
  static let theme = SettingsKey<Theme>("theme", default: .system, "Colours of the windows.")
  static let fontSize = SettingsKey(
    "font-size", default: 12, .in(6...72), .formerly("font_size"), "Size of the editor's font, in points.",
    .group(editor))
  static let ruler = SettingsKey<UInt8>("ruler", default: 80, .in(..<200), .group(editor))
  static let wrap = SettingsKey("wrap", default: true, .group(editor))
  static let zoom = SettingsKey("zoom", default: 1.5, .in(0..<8))
  static let locale = SettingsKey("locale", default: "en", .matching("[a-z]{2}(-[A-Z]{2})?"))
  static let recent = SettingsKey<[URL]>("recent-files", default: [], .count(...10))
  static let tags = SettingsKey<Set<String>>("tags", default: ["a"], .each(.matching("[a-z]+")))
  static let pause = SettingsKey<Duration>("pause", default: .seconds(5), .in(.seconds(1) ... .seconds(60)))
  static let since = SettingsKey<Date?>("since")
  static let price = SettingsKey<Decimal>("price", default: 9.5)
  static let ports = SettingsKey<[String: UInt16]>("ports", default: ["http": 80])
  static let window = SettingsKey("window", default: Window())
  static let columns = SettingsKey(
    "columns", default: 80, .in(40...), .satisfying("that is even") { $0.isMultiple(of: 2) })
  static let host = SettingsKey<String>("host", "The name of this machine.") { "computed.example" }
  static let token = SettingsKey<String?>("sync.token", default: "hunter2", .secret, "What the server gave.")
  static let range = SettingsKey<ClosedRange<Int>>("range", default: 1...9)
  struct Host: Codable, Identifiable, Sendable {
    var id = 0
    var address = "localhost"
    var port: UInt16 = 80
    var note: String? = ""
  }
  static let hosts = SettingsRecordKey<Host>("hosts", over: Host(), "Where to connect to.")
  struct Tag: Codable, Identifiable, Sendable { var id: UUID }
  static let marks = SettingsRecordKey<Tag>("marks")

  static let anything = SettingsKey<TOMLValue?>("anything")

  static let all: [SettingsKeys] = [
    theme, fontSize, ruler, wrap, zoom, locale, recent, tags, pause, since, price, ports, window, columns, host, token,
    range, anything, hosts, marks,
  ]

  static let schema = SettingsSchema(
    app: "org.example.test", keys: all,
    migrations: [
      Migration(2, "name the colour", [.rename("colour", to: "theme")]),
      Migration(3, "call code") { _ in },
    ])
}
