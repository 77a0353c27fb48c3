import AppSettings
import AppSettingsObserve

extension SettingsKeys {
  static let theme = SettingsKey<Theme>("theme", default: .system)
  static let fontSize = SettingsKey("editor.font-size", default: 12, .in(6...72), "Size of the font, in points.")
  static let recent = SettingsKey<[String]>("recent-files", default: [])
  static let token = SettingsKey<String?>("sync.token", .secret)
}

enum Theme: String, SettingsSerializable {
  case light, dark, system
}

let settings = try SettingsStore(app: "org.example.editor")

print(settings[.theme])  // system: there is no file yet, and a default is never written
settings[.theme] = .dark  // visible at once in this process, on disk in a moment
settings.fontSize += 1  // the same for any key, as a property
try settings.set(["/tmp/a"], for: .recent)  // returns when it is on disk; throws if it cannot be

try settings.update {  // all or nothing, on what the file has at that moment
  $0[.fontSize] *= 2
  $0[.recent].append("/tmp/b")
}

for await size in settings.updates(.fontSize) {  // 26 now; then each change, whoever makes it
  print("the font has \(size) points")
  if size == 26 { settings.reset(.fontSize) }
  if size == 12 { break }
}
