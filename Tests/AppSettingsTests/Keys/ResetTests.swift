import AppSettings
import Testing
import TestSupport

struct ResetTests {
  let home = ScratchHome()
  private static let text = """
    settings-version = 1
    name = "n"
    [editor]
    font-size = 20
    wrap = true
    unknown = [1, 2]
    [editor.colors]
    back = "white"
    [other]

    """

  @Test func `storedPaths has every value of the user's file, and no table or reserved key`() throws {
    try home.write(Self.text)
    try home.write("[system]\nkey = 1\n", to: home.path + "/etc/xdg/org.example.test/settings.toml")
    let settings = try home.store()
    #expect(
      settings.storedPaths.map(\.description) == [
        "name", "editor.font-size", "editor.wrap", "editor.unknown", "editor.colors.back", "other",
      ])
    settings[.counter] = 1
    #expect(settings.storedPaths.contains(["counter"]))
  }

  @Test func `reset by names removes just those`() throws {
    try home.write(Self.text)
    let settings = try home.store()
    try settings.reset(named: "name", "editor.unknown", "not.there")
    #expect(settings[.name] == "")
    try settings.flush()
    #expect(
      settings.storedPaths.map(\.description) == ["editor.font-size", "editor.wrap", "editor.colors.back", "other"])
  }

  @Test func `reset by prefix removes the table and all in it`() throws {
    try home.write(Self.text)
    let settings = try home.store()
    try settings.reset(named: "editor")
    #expect(settings[.fontSize] == 12)
    try settings.flush()
    #expect(home.text() == "settings-version = 1\nname = \"n\"\n[other]\n")
  }

  @Test func `reset of a group removes what is in it`() throws {
    try home.write("[data.people]\nnames = [\"x\"]\n[data]\na = 1\n")
    let settings = try home.store()
    #expect(settings[Declared.names] == ["x"])
    settings.reset(Declared.group)
    #expect(settings[Declared.names] == ["a"])
    try settings.flush()
    #expect(settings.storedPaths == [["data", "a"]])
  }

  @Test(arguments: 0...3)
  func `a reset by name or by group removes what a former name has outside of the table`(way: Int) throws {
    try home.write("tab_size = 8\n\n[old]\ntabs = 2\n\n[account]\nname = \"x\"\nregion = \"us\"\n")
    let settings = try home.store()
    #expect(settings[Declared.width] == 8 && settings[Declared.record].name == "x")
    switch way {
    case 0: settings.reset(SettingsGroup("editor"))
    case 1: try settings.reset(named: "editor")
    case 2: try settings.reset(named: "editor.tab-width")
    default: try settings.reset(named: "record.name")
    }
    #expect(settings[Declared.width] == (way == 3 ? 8 : 4))
    #expect((settings[Declared.record].name == "x") == (way != 3))
    try settings.flush()
    #expect(
      home.text()
        == (way == 3
          ? "tab_size = 8\n\n[old]\ntabs = 2\n\n[account]\nregion = \"us\"\n"
          : "[account]\nname = \"x\"\nregion = \"us\"\n"))
  }

  @Test(arguments: ["", "a..b", "a b", "settings-version", "settings-locked"])
  func `a name that is none, or is reserved, is refused and nothing changes`(_ name: String) throws {
    try home.write(Self.text)
    let settings = try home.store()
    #expect {
      try settings.reset(named: "name", name)
    } throws: {
      ($0 as? SettingsError)?.code == .invalidKey
    }
    #expect(settings[.name] == "n")
    try settings.flush()
    #expect(home.text() == Self.text)
  }

  @Test(arguments: 0...4)
  func `a value that a lock makes ineffective can be reset, and what is locked stays`(way: Int) throws {
    try home.write("settings-locked = [\"name\"]\nname = \"admin\"\n", to: home.systemFile("settings.toml"))
    try home.write(Self.text)
    let settings = try home.store()
    switch way {
    case 0: settings.reset(.name)
    case 1: try settings.reset(named: "name")
    case 2: settings.resetAll()
    case 3: try settings.update { $0.reset(.name) }
    default:
      // No value of one's own is no mistake either.
      try home.write("")
      settings.core.look()
      try settings.reset(named: "name")
    }
    try settings.flush()
    #expect(settings.currentProblems.isEmpty)
    #expect(settings[.name] == "admin")
    #expect(home.text()?.contains("name") == false)
    #expect(settingsError { try settings.set("x", for: .name) }?.code == .locked)
  }

  @Test func `removeAll leaves the administrator's layer`() throws {
    try home.write("name = \"admin\"\n", to: home.path + "/etc/xdg/org.example.test/settings.toml")
    try home.write(Self.text)
    let settings = try home.store()
    settings.resetAll()
    #expect(settings[.name] == "admin")
    try settings.flush()
    #expect(home.text() == "settings-version = 1\n")
  }
}
