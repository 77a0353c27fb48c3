import AppSettings
import AppSettingsObserve

extension SettingsKeys {
  static let theme = SettingsKey<Theme>("theme", default: .system)
  static let fontSize = SettingsKey("editor.font-size", default: 12, .in(6...72), "Size of the font, in points.")
  static let recent = SettingsKey<[String]>("recent-files", default: [])
  static let token = SettingsKey<String?>("sync.token", .secret)
}

enum Theme: String, CaseIterable, SettingsSerializable {
  case light, dark, system
}

let settings = try SettingsStore(app: "org.example.editor")

print(settings[.theme])  // system: the default, as there is no file yet
settings[.theme] = .dark  // visible in this process at once, on disk a moment later
settings.fontSize += 1  // each key is a property, too
try settings.set(["/tmp/a"], for: .recent)  // returns when the value is on disk, or throws

try settings.update {  // all or nothing, on what the file holds at that moment
  $0[.fontSize] *= 2
  $0[.recent].append("/tmp/b")
}

for await size in settings.updates(.fontSize) {  // 26 now, then each change, whoever makes it
  print("the font has \(size) points")
  if size == 26 { settings.reset(.fontSize) }
  if size == 12 { break }
}
