import AppSettings
import Testing
import TestSupport

/// Where the steps say that a value gets to, and the locks of administrators' older files, which hang on it.
struct MigrationPlacesTests {
  struct Case: Sendable, CustomTestStringConvertible {
    var path: TOMLPath
    var places: [TOMLPath]
    var step: MigrationStep

    init(_ path: TOMLPath, _ places: [TOMLPath], _ step: MigrationStep) {
      self.path = path
      self.places = places
      self.step = step
    }

    var testDescription: String { "\(type(of: step)) \(path)" }
  }

  static let cases: [Case] = [
    Case(["a"], [["a"], ["b", "c"]], .rename("a", to: "b.c")),
    Case(["a", "x"], [["a", "x"], ["b", "x"]], .rename("a", to: "b")),
    Case(["t"], [["t"], ["b"]], .rename("t.a", to: "b")),
    Case(["ab"], [["ab"]], .rename("a", to: "b")),
    Case(["a"], [["a"], ["b"]], .copy("a", to: "b")),
    Case(["a"], [["a"], ["t", "a"]], .wrap("a", "b", in: "t")),
    Case(["a"], [["a"]], .wrap("a", as: "name")),
    Case(["t", "a"], [["t", "a"], ["a"]], .unwrap("t")),
    Case(["t", "a"], [["t", "a"], ["t"]], .unwrap("t", taking: "a")),
    Case(["t", "b"], [["t", "b"]], .unwrap("t", taking: "a")),
    Case(["w"], [["w"], ["size"]], .merge("w", "h", into: "size", separator: "x")),
    Case(["size"], [["size"], ["w"], ["h"]], .split("size", into: ["w", "h"], separator: "x")),
    Case(["r", "one", "a"], [["r", "one", "a"], ["r", "one", "b"]], .forEach("r", [.rename("a", to: "b")])),
    Case(["r", "one"], [["r", "one"]], .forEach("r", [.rename("a", to: "b")])),
    Case(
      ["a"], [["a"], ["b"], ["c"]],
      .when(.exists("x"), [.rename("a", to: "b")], otherwise: [.rename("a", to: "c")])),
    Case(["a"], [["a"]], .convert("a", .integer)),
  ]

  @Test(arguments: cases) func `a step says where a value may be after it`(_ test: Case) {
    let migrations = SettingsMigrations([Migration(2, "a step", [test.step])])
    #expect(migrations.places(of: [test.path], from: 1) == test.places)
    #expect(migrations.places(of: [test.path], from: 2) == [test.path])
  }

  @Test(arguments: cases) func `what a step moves somewhere is found again from there`(_ test: Case) {
    let migrations = SettingsMigrations([Migration(2, "a step", [test.step])])
    for place in test.places.dropFirst() {
      #expect(migrations.sources(of: [place]).contains { $0.hasPrefix(test.path) }, "\(place)")
    }
  }

  @Test func `a value is followed through all steps that are pending`() {
    let migrations = SettingsMigrations([
      Migration(2, "first", [.rename("a", to: "b")]),
      Migration(3, "second", [.wrap("b", in: "t")]),
    ])
    #expect(migrations.places(of: [["a"]], from: 1) == [["a"], ["b"], ["t", "b"]])
    #expect(migrations.places(of: [["b"]], from: 2) == [["b"], ["t", "b"]])
    #expect(migrations.sources(of: [["t", "b"]]) == [["t", "b"], ["b"], ["a"]])
  }

  @Test func `the lock of a table that is unwrapped follows the values in it`() throws {
    let home = ScratchHome()
    try home.write(
      "settings-locked = [\"window\"]\n\n[window]\nwidth = 1\ntop.left = 2\n", to: home.systemFile("settings.toml"))
    let migrations = [Migration(2, "unwrap the window", [.unwrap("window")])]
    let settings = try home.store(migrations: migrations)
    for key in [SettingsKey("width", default: 0), SettingsKey("top.left", default: 0)] {
      let error = #expect(throws: SettingsError.self) { try settings.set(9, for: key) }
      #expect(error?.code == .locked)
    }
    #expect(try settings.set(9, for: SettingsKey("other", default: 0)))
  }

  @Test(arguments: [1, 2])
  func `a key that an administrator's older file locks is locked by its new name`(version: Int) throws {
    let home = ScratchHome()
    let file = home.path + "/etc/xdg/org.example.test/settings.toml"
    try home.write("settings-version = \(version)\nsettings-locked = [\"colour\"]\ncolour = \"blue\"\n", to: file)
    let migrations = [
      Migration(2, "rename colour", [.rename("colour", to: "theme.accent")])
    ]
    let settings = SettingsStore(at: try home.location(), migrations: migrations, logger: .silent)
    let accent = SettingsKey("theme.accent", default: "")
    guard version == 1 else {
      // A current file means what it says.
      try settings.set("red", for: accent)
      return #expect(settings[accent] == "red")
    }
    let error = #expect(throws: SettingsError.self) { try settings.set("red", for: accent) }
    #expect(error?.code == .locked)
    #expect(settings[accent] == "blue")
    #expect(settings.origin(of: accent).lock?.position?.line == 2)
  }
}
