import AppSettings
import Foundation
import Testing
import TestSupport

struct FormerNamesTests {
  let home = ScratchHome()
  private var system: String { home.path + "/etc/xdg/org.example.test/settings.toml" }

  @Test func `a value under a former name is read while there is none under the present`() throws {
    try home.write("tab_size = 8\n")
    let settings = try home.store()
    #expect(settings[Declared.width] == 8)
    #expect(settings.isSet(Declared.width))
    #expect(!settings.isDefault(Declared.width))
    #expect(try settings.value(for: Declared.width) == 8)
    #expect(settings.snapshot.origin(of: Declared.width).formerName == ["tab_size"])
    #expect(settings.origin(of: Declared.width).formerName != nil)
    #expect(settings.origin(of: Declared.width).position?.line == 1)
    #expect(home.text() == "tab_size = 8\n")
  }

  @Test func `the present name comes before former ones, and the newer of those first`() throws {
    try home.write("tab_size = 8\n[old]\ntabs = 2\n")
    #expect(try home.store()[Declared.width] == 8)
    try home.write("tab_size = 8\n[old]\ntabs = 2\n[editor]\ntab-width = 3\n")
    let settings = try home.store()
    #expect(settings[Declared.width] == 3)
    #expect(settings.origin(of: Declared.width).formerName == nil)
  }

  @Test func `a write puts the new name and takes the old ones away at once`() throws {
    try home.write("# head\ntab_size = 8  # wide\nother = 1\n[old]\ntabs = 2\n")
    let settings = try home.store()
    settings[Declared.width] += 1
    #expect(settings[Declared.width] == 9)
    try settings.flush()
    #expect(settings[Declared.width] == 9)
    let text = try #require(home.text())
    #expect(!text.contains("tab_size"))
    #expect(!text.contains("tabs"))
    #expect(text.contains("other = 1"))
    #expect(text.contains("[editor]\ntab-width = 9"))
    #expect(try home.store()[Declared.width] == 9)
  }

  @Test(arguments: ["subscript", "set", "update"])
  func `a write takes the comments along from a former name`(way: String) throws {
    let key = SettingsKey<[String]>("tags", default: [], .formerly("labels", "old.labels"))
    try home.write("# head\n\n# of mine\nlabels = [\n  \"a\", # first\n] # all\nz = 1\n\n[old]\nlabels = [\"b\"]\n")
    let settings = try home.store()
    switch way {
    case "subscript": settings[key].append("c")
    case "set": try settings.set(["a", "c"], for: key)
    default: try settings.update { $0[key].append("c") }
    }
    try settings.flush()
    #expect(home.text() == "# head\n\n# of mine\ntags = [\n  \"a\", # first\n  \"c\",\n] # all\nz = 1\n")
  }

  @Test func `an update moves the value, too`() throws {
    try home.write("tab_size = 8\n")
    let settings = try home.store()
    try settings.update { transaction in
      #expect(transaction[Declared.width] == 8)
      transaction[Declared.width] *= 2
      #expect(transaction[Declared.width] == 16)
    }
    #expect(home.text() == "[editor]\ntab-width = 16\n")
  }

  @Test func `reset takes the value away under every name`() throws {
    try home.write("tab_size = 8\n[editor]\ntab-width = 3\n")
    let settings = try home.store()
    settings.reset(Declared.width)
    #expect(settings[Declared.width] == 4)
    try settings.flush()
    #expect(home.text() == "")
  }

  @Test func `a record moves with the fields that its type does not know`() throws {
    try home.write("[account]\nname = \"Ada\"\nport = 81\ncolour = \"red\"\n")
    let settings = try home.store()
    #expect(settings[Declared.record] == AppProfile(name: "Ada", port: 81))
    settings[Declared.record].port = 82
    try settings.flush()
    let text = try #require(home.text())
    #expect(!text.contains("account"))
    let document = try TOMLDocument(parsing: Array(text.utf8))
    #expect(document[["record"]] == ["name": "Ada", "port": 82, "colour": "red"])
  }

  @Test func `the user's former name is above an administrator's present one`() throws {
    try home.write("[editor]\ntab-width = 2\n", to: system)
    try home.write("tab_size = 8\n")
    let settings = try home.store()
    #expect(settings[Declared.width] == 8)
    #expect(settings.origin(of: Declared.width).layer.kind == .user)
  }

  @Test func `the layer decides before the name does`() throws {
    try home.write("tab_size = 2\n[old]\ntabs = 1\n", to: system)
    let dropIn = home.path + "/etc/xdg/org.example.test/settings.d/1.toml"
    try home.write("[old]\ntabs = 5\n", to: dropIn)
    var settings = try home.store()
    #expect(settings[Declared.width] == 5)
    #expect(settings.origin(of: Declared.width).layer.file == dropIn)
    #expect(settings.snapshot.origin(of: Declared.width).formerName == ["old", "tabs"])
    try home.write("[editor]\ntab-width = 3\n", to: system)
    settings = try home.store()
    #expect(settings[Declared.width] == 5)
    try home.write("tab_size = 8\n[editor]\ntab-width = 6\n")
    settings = try home.store()
    #expect(settings[Declared.width] == 6)
  }

  @Test func `a lock of any of the names is one of the key`() throws {
    try home.write("settings-locked = [\"editor\"]\n[editor]\ntab-width = 2\n", to: system)
    try home.write("tab_size = 8\n")
    var settings = try home.store()
    #expect(settings[Declared.width] == 2)
    #expect(settings.origin(of: Declared.width).isLocked)
    #expect(throws: SettingsError.self) { try settings.set(5, for: Declared.width) }

    try home.write("settings-locked = [\"tab_size\"]\ntab_size = 2\n", to: system)
    try home.write("[editor]\ntab-width = 8\n")
    settings = try home.store()
    #expect(settings[Declared.width] == 2)
    #expect(settings.origin(of: Declared.width).isLocked)
    #expect(throws: SettingsError.self) { try settings.set(5, for: Declared.width) }
    #expect(home.text() == "[editor]\ntab-width = 8\n")
  }

  @Test func `a bad value under a former name is told under that name`() throws {
    try home.write("\ntab_size = \"wide\"\n")
    let settings = try home.store()
    #expect(settings[Declared.width] == 4)
    #expect(
      settings.currentProblems.map(\.message) == [
        "Cannot read 'editor.tab-width': settings.toml has the string \"wide\" at line 2, column 12 "
          + "(under its former name 'tab_size'), but the key needs an integer from 1 to 16. Using the default 4."
      ])
  }

  @Test func `an argument with a former name overrides the key`() throws {
    let settings = SettingsStore(
      inMemory: "",
      overrides: .arguments(
        ["--tab_size=3", "-calculated", "5"], keys: [Declared.width, Declared.computed]), logger: .silent)
    #expect(settings[Declared.width] == 3)
    #expect(settings[Declared.computed] == 5)
    #expect(settings.origin(of: Declared.width).layer.kind == .process)
  }
}
