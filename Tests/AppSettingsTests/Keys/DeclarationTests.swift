import AppSettings
import Foundation
import Testing
import TestSupport

struct DeclarationTests {
  @Test func `a declaration keeps its description, secrecy, group and former names`() {
    #expect(Declared.width.summary == "Columns of a tab.")
    #expect(Declared.width.formerNames == ["tab_size", "old.tabs"])
    #expect(Declared.secret.isSecret && !Declared.width.isSecret)
    #expect(Declared.secret.summary == "A word.")
    #expect(Declared.names.description == "data.people.names")
    #expect(Declared.names.group == Declared.group)
    #expect(Declared.group.name == "data.people")
    #expect(Declared.group.summary == "Who is known.")
    #expect(Declared.computed.summary == "Made up.")
    #expect(Declared.choice.group == nil)
  }

  @Test func `keys are equal if they have the same path and type, and are found in sets`() {
    let width = SettingsKey("window.width", default: 640)
    let again = SettingsKey("window.width", default: 800, .in(1...1000), "Declared again.")
    let text = SettingsKey("window.width", default: "wide")
    #expect(width == again && width.hashValue == again.hashValue)
    #expect(width != text)
    #expect(Set<AnySettingsKey>([width, again, text, SettingsKey("width", default: 1)]).count == 3)
  }

  @Test func `a path as a name has any components, and is the same key as its text`() throws {
    let url = "https://example.org/é?a=b c"
    let seen = SettingsKey(TOMLPath(["seen", url]), default: false, "Seen.")
    #expect(seen.path == ["seen", url] && seen.description == "seen.\"\(url)\"")
    #expect(SettingsKey("seen.\"\(url)\"", default: false) == seen)
    let plugins = SettingsGroup(TOMLPath(["plug.ins"]))
    #expect(SettingsKey<Int?>(TOMLPath(["a b"]), .group(plugins)).path == ["plug.ins", "a b"])
    struct Server: Codable, Identifiable, Sendable { var id: String }
    #expect(SettingsRecordKey<Server>(TOMLPath(["my servers"])).path == ["my servers"])
    let settings = SettingsStore(inMemory: "", logger: .silent)
    settings[seen] = true
    try settings.flush()
    #expect(settings[seen] && settings.storedPaths == [["seen", url]])
  }

  @Test func `an optional key with a default reads nil back as the default`() throws {
    let settings = SettingsStore(inMemory: "", logger: .silent)
    #expect(settings[Declared.plainOptionalDefault] == "none")
    settings[Declared.plainOptionalDefault] = "some"
    #expect(settings[Declared.plainOptionalDefault] == "some")
    settings[Declared.plainOptionalDefault] = nil
    #expect(settings[Declared.plainOptionalDefault] == "none")
    #expect(!settings.isSet(Declared.plainOptionalDefault))
    #expect(settings[Declared.optionalDefault] == 5)
    #expect(settings[Declared.optionalRange] == nil)
  }

  @Test func `keys of a type that nests keys are reached by a chain`() {
    struct Window {
      let width = SettingsKey("window.width", default: 640)
    }
    #expect(SettingsStore(inMemory: "[window]\nwidth = 5\n", logger: .silent)[Window().width] == 5)
    #expect(SettingsStore(inMemory: "[panel]\nwidth = 5\n", logger: .silent)[.panel.width] == 5)
  }

  @Test func `the default is equal to itself, set or not, and compared as it is stored`() throws {
    let settings = SettingsStore(inMemory: "choice = 2\nopen = \"x\"\n", logger: .silent)
    #expect(settings.isSet(Declared.choice))
    #expect(settings.isDefault(Declared.choice))
    #expect(settings.isDefault(Declared.tags))
    // What cannot be read reads as the default.
    #expect(settings.isDefault(Declared.open))
    settings[Declared.choice] = 4
    settings[Declared.record].port = 1
    settings[Declared.optionalRange] = 3
    for key: SettingsKeys in [Declared.choice, Declared.record, Declared.optionalRange] {
      #expect(!settings.isDefault(key))
    }
    settings.reset(Declared.choice, Declared.record, Declared.optionalRange)
    for key: SettingsKeys in [Declared.choice, Declared.record, Declared.optionalRange] {
      #expect(settings.isDefault(key))
    }
  }

  @Test func `two declarations of one name with different types are reported once`() throws {
    let settings = SettingsStore(inMemory: "size = 3\n", logger: .silent)
    let one = SettingsKey("size", default: 1)
    let same = SettingsKey("size", default: 2)
    let other = SettingsKey("size", default: "s")
    #expect(settings[one] == 3)
    #expect(settings[same] == 3)
    #expect(settings.currentProblems.isEmpty)
    settings[other] = "big"
    _ = settings[other]
    let message =
      "The key 'size' is declared twice, with the types Int and String. Each uses its own type, so one may be "
      + "unable to read what the other wrote. Declare it once."
    #expect(settings.currentProblems.map(\.message) == [message])
    _ = settings[other]
    try settings.set("small", for: other)
    #expect(settings.currentProblems.filter { $0.message == message }.count == 1)
  }
}

private struct Panel: Sendable {
  let width = SettingsKey("panel.width", default: 1)
}

extension SettingsKeys {
  fileprivate static let panel = Panel()
}
