import AppSettings
import Foundation
import Testing
import TestSupport

extension SettingsKeys {
  fileprivate static let flag = SettingsKey("flag", default: true)
  fileprivate static let size = SettingsKey("t.size", default: 12, .in(6...72))
  fileprivate static let theme = SettingsKey("t.theme", default: "light", .oneOf(["light", "dark"]))
  fileprivate static let ratio = SettingsKey("ratio", default: 1.5)
  fileprivate static let names = SettingsKey("names", default: ["a"])
  fileprivate static let words = SettingsKey<[String: Int]>("words", default: [:])
}

/// The command against the app: usable and unusable values at random, in random layers under random locks. What an app
/// reads is what `list` says, with its layer and whether there is a problem.
///
/// `SETTINGS_LAYERS=full` tries 500 homes, `SETTINGS_LAYER_SEED` repeats the one that a failure names.
struct UsedValueModelTests {
  private let home = ScratchHome()
  private let app = "org.example.test"

  private static let schema = """
    app = "org.example.test"
    keys.flag = { type = "boolean", default = true }
    keys."t.size" = { type = "integer", minimum = 6, maximum = 72, default = 12 }
    keys."t.theme" = { type = "string", choices = ["light", "dark"], default = "light" }
    keys.ratio = { type = "float", default = 1.5 }
    keys.names = { type = "array", elements = { type = "string" }, default = ["a"] }
    keys.words = { type = "table", elements = { type = "integer" }, default = {} }

    """

  private static let values = [
    "true", "\"no\"", "7", "99", "-1.5", "\"dark\"", "\"red\"", "[\"x\"]", "[1]", "[]", "{ k = 1 }", "{ l = 2 }",
    "{ k = \"s\" }", "{}", "2001-02-03",
  ]

  private static let seeds: Range<UInt64> = {
    let variables = ProcessInfo.processInfo.environment
    if let seed = variables["SETTINGS_LAYER_SEED"].flatMap({ UInt64($0) }) { return seed..<seed + 1 }
    return 0..<(variables["SETTINGS_LAYERS"] == "full" ? 500 : 12)
  }()

  @Test func `list says what the app reads`() throws {
    try home.write(Self.schema, to: home.path + "/data/app-settings/\(app).toml")
    var problems = 0
    for seed in Self.seeds {
      var random = LayerCase(seed: seed)
      for place in [home.systemFile(""), home.file(""), home.path + "/fleet"] {
        try? FileManager.default.removeItem(atPath: place)
      }
      var texts: [String] = []
      for (file, chance) in [
        (home.systemFile("settings.toml"), 60), (home.systemFile("settings.d/1.toml"), 40),
        (home.path + "/fleet/\(app)/settings.d/0.toml", 30), (home.file("settings.d/a.toml"), 40), (home.file, 70),
        (home.file("profiles/work.toml"), 50),
      ] {
        guard random.chance(80) else { continue }
        var text = ""
        if file.hasPrefix(home.path + "/etc") || file.hasPrefix(home.path + "/fleet"), random.chance(50) {
          text = "settings-locked = ['\(random.pick(["flag", "t.size", "t", "words.k", "words", "names"]))']\n"
        }
        if random.chance(10) {
          text += "t = \(random.pick(Self.values))\n"
        } else {
          for key in ["t.size", "t.theme"] where random.chance(chance) {
            text += "\(key) = \(random.pick(Self.values))\n"
          }
        }
        for key in ["flag", "ratio", "names", "words"] where random.chance(chance) {
          text += "\(key) = \(random.pick(Self.values))\n"
        }
        try home.write(text, to: file)
        texts.append("\(file)\n\(text)")
      }
      try home.profiles.choose(random.chance(50) ? "work" : nil)
      let settings = try home.store()
      let list = try ChildProcess.run(
        ChildProcess.product("settings-cli"), ["list", app, "--json"], environment: home.environment,
        directory: home.path)
      let objects = try json(list.output) as? [[String: Any]] ?? []
      let found = Dictionary(objects.map { ($0["key"] as? String ?? "", $0) }, uniquingKeysWith: { $1 })
      func check<Value>(_ key: SettingsKey<Value>, _ value: Any) {
        let isUnusable = (try? settings.value(for: key)) == nil
        problems += isUnusable ? 1 : 0
        let layer = isUnusable ? "default" : settings.origin(of: key).layer.kind.rawValue
        let object = found[key.name]
        let isSame =
          (object?["value"] as? NSObject) == (value as? NSObject) && object?["layer"] as? String == layer
          && object?["isDefault"] as? Bool == (layer == "default") && (object?["problem"] is NSNull) == !isUnusable
        let about = "\(key): \(value) \(layer), not \(object ?? [:])\n\(texts.joined(separator: "\n"))"
        #expect(isSame, "SETTINGS_LAYER_SEED=\(seed): \(about)")
      }
      check(.flag, settings[.flag])
      check(.size, settings[.size])
      check(.theme, settings[.theme])
      check(.ratio, settings[.ratio])
      check(.names, settings[.names])
      check(.words, settings[.words])
      #expect(Set(found.keys).isSuperset(of: ["flag", "t.size", "t.theme", "ratio", "names", "words"]))
    }
    // What is made at random has to have what is looked for.
    #expect(problems > 5 || Self.seeds.count == 1)
  }
}
