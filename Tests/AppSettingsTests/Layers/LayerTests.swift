import AppSettings
import Foundation
import Testing
import TestSupport

/// Overrides, provenance, and several stores on one file.
struct LayerTests {
  let home = ScratchHome()

  private func store(_ overrides: SettingsOverrides) throws -> SettingsStore {
    SettingsStore(at: try home.location(), overrides: overrides, logger: .silent)
  }

  @Test func `a variable overrides a key, read as the key's type, and is never written`() throws {
    try home.write("[editor]\nfont-size = 10\n")
    let variables = [
      "ORG_EXAMPLE_TEST_SETTINGS__EDITOR__FONT_SIZE": "20", "ORG_EXAMPLE_TEST_SETTINGS__NAME": "12",
      "ORG_EXAMPLE_TEST_SETTINGS__EDITOR__WRAP": "YES", "ORG_EXAMPLE_TEST_SETTINGS__THEME": "dark",
      "ORG_EXAMPLE_TEST_SETTINGS__RECENT_FILES": "[\"file:///a\"]", "OTHER_SETTINGS__COUNTER": "1",
    ]
    let settings = try store(.environment(app: "org.example.test", variables: variables))
    #expect(settings[.fontSize] == 20)
    #expect(settings[.name] == "12")
    #expect(settings[.wrap])
    #expect(settings[.theme] == .dark)
    #expect(settings[.recent] == [URL(string: "file:///a")!])
    #expect(settings[.counter] == 0)
    #expect(settings.origin(of: .fontSize).layer == SettingsLayer(.environment))
    settings[.counter] = 3
    try settings.flush()
    #expect(home.text() == "counter = 3\n\n[editor]\nfont-size = 10\n")
  }

  @Test func `arguments override the environment in both forms, up to a double dash`() throws {
    let keys: [SettingsKeys] = [.fontSize, .wrap, .name, .counter]
    let overrides = SettingsOverrides.environment(
      app: "org.example.test", variables: ["ORG_EXAMPLE_TEST_SETTINGS__NAME": "environment"]
    ).adding(
      .arguments(
        ["--editor.font-size=30", "-editor.wrap", "y", "--name=", "--other=1", "file", "--", "--counter=5"],
        keys: keys))
    let settings = try store(overrides)
    #expect(settings[.fontSize] == 30)
    #expect(settings[.wrap])
    #expect(settings[.name] == "")
    #expect(settings[.counter] == 0)
    #expect(settings.origin(of: .wrap).layer.kind == .process)
  }

  @Test(arguments: ["yes", "true", "Y", "t", "1", "no", "FALSE", "n", "f", "0"])
  func `truth words are read for booleans`(word: String) throws {
    let settings = try store(.arguments(["--editor.wrap=\(word)"], keys: [.wrap]))
    #expect(settings[.wrap] == ["yes", "true", "y", "t", "1"].contains(word.lowercased()))
  }

  @Test func `an override that the key cannot use is a problem and the default is used`() throws {
    let settings = try store(.arguments(["--editor.font-size=huge"], keys: [.fontSize]))
    #expect(settings[.fontSize] == 12)
    #expect(
      settings.currentProblems.map(\.message) == [
        "Cannot read 'editor.font-size': this process has the string \"huge\", but the key needs an integer "
          + "from 6 to 72. Using the default 12."
      ])
  }

  @Test func `a variable that is not UTF-8 overrides nothing, and is a problem that does not show it`() throws {
    try home.write("name = \"file\"\n")
    let variables = [
      "ORG_EXAMPLE_TEST_SETTINGS__NAME": PathText.text([0x63, 0xE9]),
      // What stands for a byte in a path is a character of its own in a value.
      "ORG_EXAMPLE_TEST_SETTINGS__THEME": PathText.text(Array("\u{10FFE9}".utf8)), "OTHER": PathText.text([0xE9]),
    ]
    let overrides = SettingsOverrides.environment(app: "org.example.test", processVariables: variables)
    #expect(overrides.text(for: ["theme"], in: .environment) == "\u{10FFE9}")
    let settings = try store(overrides)
    #expect(settings[.name] == "file")
    #expect(
      settings.currentProblems.map(\.message) == [
        "Cannot use the variable 'ORG_EXAMPLE_TEST_SETTINGS__NAME': it is not UTF-8. It overrides "
          + "nothing. Set it to UTF-8 text, or unset it."
      ])
  }

  @Test func `a lock forbids overrides, too`() throws {
    try home.write(
      "settings-locked = [\"editor\"]\n[editor]\nfont-size = 8\n",
      to: home.path + "/etc/xdg/org.example.test/settings.toml")
    let settings = try store(.arguments(["--editor.font-size=30"], keys: [.fontSize]))
    #expect(settings[.fontSize] == 8)
    let origin = settings.origin(of: .fontSize)
    #expect(origin.layer.kind == .system && origin.position?.line == 3)
    #expect(origin.isLocked && origin.lock?.position?.line == 1 && !origin.isDefault)
  }

  @Test func `origin names layer, file and line, and no line for what is not written yet`() throws {
    try home.write("# c\ncounter = 1\n")
    let settings = try home.store()
    let origin = settings.origin(of: .counter)
    #expect(origin.layer == SettingsLayer(.user, file: home.file))
    #expect(origin.position?.line == 2)
    #expect(settings.origin(of: .name).isDefault)
    var snapshot = settings.snapshot
    snapshot.pending.add(Edit(path: ["counter"], value: 2), number: 1)
    #expect(snapshot.origin(of: ["counter"]).position == nil)
  }

  @Test func `stores on one file in one process are one`() throws {
    let location = try home.location()
    let first = SettingsStore(at: location, logger: .silent)
    let second = SettingsStore(at: location, logger: .silent)
    first[.counter] = 4
    #expect(second[.counter] == 4)
    #expect(first.core === second.core)
    let other = SettingsStore(at: location, migrations: [Migration(2, "x", [])], logger: .silent)
    #expect(other.core !== first.core)
    try first.flush()
  }

  @Test func `a store that went before its write was done does not lose it`() throws {
    for number in 1...20 {
      do {
        let settings = SettingsStore(at: try home.location(), logger: .silent)
        settings[.counter] = number
      }
      let next = SettingsStore(at: try home.location(), logger: .silent)
      #expect(next[.counter] == number)
      try next.flush()
      #expect(home.text() == "counter = \(number)\n")
    }
  }

  @Test func `async update and flush work as the others`() async throws {
    let settings = try home.store()
    let result = try await settings.update { transaction in
      transaction[.counter] += 5
      return transaction[.counter]
    }
    #expect(result == 5)
    settings[.name] = "n"
    try await settings.flush()
    #expect(home.text() == "counter = 5\nname = \"n\"\n")
  }
}
