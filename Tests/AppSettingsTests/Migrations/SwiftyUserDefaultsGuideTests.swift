import AppSettings
import FoundationEssentials
import Testing
import TestSupport

// The cases of the migration guide of SwiftyUserDefaults, named after its sections.

private struct GuideFrog: Hashable, SettingsSerializable {
  let name: String
  static let settingsBridge = String.settingsBridge.map(read: { GuideFrog(name: $0) }, write: { $0.name })
}

struct SwiftyUserDefaultsGuideTests {
  let home = ScratchHome()

  @Test func `Legacy APIs: untyped String keys become typed keys`() throws {
    // Whatever the untyped API had put there.
    try home.write("launches = \"12\"\nenabled = \"YES\"\nratio = 2\nname = 7\n")
    let migrations = [
      Migration(
        2, "typed keys",
        [
          .convert("launches", .integer),
          .convert("enabled", .boolean),
          .convert("ratio", .float),
          .convert("name", .string),
        ])
    ]
    let settings = try home.store(migrations: migrations)
    #expect(settings[SettingsKey("launches", default: 0)] == 12)
    #expect(settings[SettingsKey("enabled", default: false)])
    #expect(settings[SettingsKey<Double>("ratio", default: 0)] == 2.0)
    #expect(settings[SettingsKey("name", default: "")] == "7")
    #expect(home.text() == "settings-version = 2\nlaunches = 12\nenabled = true\nratio = 2.0\nname = \"7\"\n")
  }

  @Test func `Removed default values for certain types: the key has its own default, nothing is stored`() throws {
    try home.write("other = 1\n")
    let settings = try home.store()
    #expect(settings[SettingsKey<String>("test1", default: "")] == "")
    #expect(settings[SettingsKey<String?>("test2")] == nil)
    #expect(home.text() == "other = 1\n")
  }

  @Test func `Removed type-based default value types: what users saw stays, if that is wanted`() throws {
    try home.write("other = 1\n")
    let migrations = [Migration(2, "keep the old default", [.setDefault("count", 10)])]
    #expect(try home.store(migrations: migrations)[SettingsKey("count", default: 0)] == 10)
    let fresh = ScratchHome()
    #expect(try fresh.store(migrations: migrations)[SettingsKey("count", default: 0)] == 0)
  }

  @Test func `NSCoding, RawRepresentable and custom types: an own archiver becomes a bridge`() throws {
    // The archiver of the old release: Base64 of "frog:<name>".
    let archived = SettingsBridge<GuideFrog>(
      expecting: "an archived frog",
      read: { value in
        guard case .string(let text) = value, let data = Data(base64Encoded: text) else {
          throw SettingsValueError(expected: "an archived frog", found: value)
        }
        let decoded = String(decoding: data, as: UTF8.self)
        guard decoded.hasPrefix("frog:") else { throw SettingsValueError(expected: "an archived frog", found: value) }
        return GuideFrog(name: String(decoded.dropFirst(5)))
      }, write: { .string($0.name) })
    let archive = Data("frog:Froggy".utf8).base64EncodedString()
    try home.write("frog = \"\(archive)\"  # archived\n")
    let settings = try home.store()
    let key = SettingsKey<GuideFrog?>("frog")
    let form = SettingsOldForm<GuideFrog?> { value in try archived.read(value) }
    #expect(try settings.migrate(key, from: form))
    #expect(home.text() == "frog = \"Froggy\"  # archived\n")
    #expect(try !settings.migrate(key, from: form))
  }

  @Test func `custom single and array bridges: a GuideFrog is its name, frogs are an array of names`() throws {
    try home.write("frog = \"Froggy\"\nfrogs = [\"a\", \"b\"]\n")
    let settings = try home.store()
    let frog = SettingsKey<GuideFrog?>("frog")
    let frogs = SettingsKey<[GuideFrog]>("frogs", default: [])
    #expect(settings[frog] == GuideFrog(name: "Froggy"))
    #expect(settings[frogs] == [GuideFrog(name: "a"), GuideFrog(name: "b")])
    try settings.set([GuideFrog(name: "c")], for: frogs)
    #expect(home.text() == "frog = \"Froggy\"\nfrogs = [\"c\"]\n")
  }

  @Test func `an extended existing type keeps its old form readable`() throws {
    // Data stored as an array of bytes by the old bridge.
    let old = SettingsBridge<Data>(
      read: { Data(try [UInt8].settingsBridge.read($0)) }, write: { try [UInt8].settingsBridge.write(Array($0)) })
    try home.write("blob = [1, 2, 3]\n")
    let settings = try home.store()
    let key = SettingsKey("blob", default: Data())
    #expect(try settings.migrate(key, from: .bridge(old)))
    #expect(settings[key] == Data([1, 2, 3]))
    #expect(home.text() == "blob = \"AQID\"\n")
  }
}
