import AppSettings
import Foundation
import SettingsTOML
import Testing
import TestSupport

/// A file ends with the same text by whichever route it gets to the newest version.
struct MigrationRouteTests {
  private static let migrations = [
    Migration(2, "rename colour", [.rename("colour", to: "theme.accent")]),
    Migration(3, "levels are numbers", [.mapValues("level", ["hi": 3])]),
    Migration(5, "windows have sizes", [.wrap("width", in: "window")]),
    Migration(6, "drop what is obsolete", [.remove("obsolete")]),
  ]

  static let texts: [String] = [
    "", "\n", "\n\n", "# only a comment", "# only a comment\n", "# about the file\n\n# about the colour\ncolour = 1\n",
    "colour = \"red\"", "colour = \"red\"\n", "\ncolour = \"red\"\n",
    "\n\n\n# c\ncolour = \"red\" # r\nlevel = \"hi\"\n",
    "# top\n\n\ncolour = \"red\"\n\nwidth = 5 # w\nobsolete = 1\nunknown = 2\n", "width = 5\n", "obsolete = 1\n",
    "obsolete = 1", "[window]\nheight = 2\n", "[other]\na = 1\n\n\n[theme]\nb = 2", "# c\n[other]\na = 1\n",
    "settings-version = 1\ncolour = \"red\"\n", "# c\nsettings-version = 1 # v\n\ncolour = \"red\"\nlevel = \"hi\"\n",
    "colour = \"red\"\n\n\nsettings-version = 1\n", "settings-version = 1", "settings-version = 2\ntheme.accent = 1\n",
    "settings-version = 2\n\nlevel = \"hi\"\n", "settings-version = 3\n\n\nwidth = 1",
    "  colour = 1\n\tlevel = \"hi\"\n",
    "\u{FEFF}colour = \"red\"\n", "\u{FEFF}# c\n\ncolour = \"red\"", "colour = \"red\"\n   \n",
    "# a\r\n\r\ncolour = \"red\"\r\nlevel = \"hi\"\r\n", "\r\n", "colour = \"red\"\r\nwidth = 1",
    "# a\r\ncolour = \"red\"\nlevel = \"hi\"\r\n",
  ]

  private let home = ScratchHome()

  private func store() throws -> SettingsStore { try home.store(migrations: Self.migrations) }

  /// The text after a route from an old one.
  private func result(of text: String, _ route: (SettingsStore) throws -> Void) throws -> String? {
    try home.write(text)
    try route(try store())
    return home.text()
  }

  @Test(arguments: texts) func `every route ends with the same text`(_ old: String) throws {
    var document = try TOMLDocument(parsing: old)
    try SettingsMigrations(Self.migrations).run(on: &document)
    let expected = document.text
    let routes: [(String, (SettingsStore) throws -> Void)] = [
      ("at once", { try $0.migrate() }),
      (
        "preview",
        {
          #expect(try $0.previewMigration().after == expected); try $0.migrate()
        }
      ),
      ("step by step", { for version in 1...6 { try $0.migrate(to: version) } }),
      ("a store for each step", { _ in for version in 1...6 { try store().migrate(to: version) } }),
      (
        "2, then the rest",
        {
          try $0.migrate(to: 2); try $0.migrate()
        }
      ),
      (
        "3, then the rest by another",
        {
          try $0.migrate(to: 3); try store().migrate()
        }
      ),
      (
        "4 and 5, then the rest",
        {
          try $0.migrate(to: 4); try $0.migrate(to: 5); try $0.migrate(to: 6)
        }
      ),
      ("the first access", { _ = $0.snapshot }),
      (
        "in part, then the first access",
        {
          try $0.migrate(to: 2); _ = try store().snapshot
        }
      ),
      (
        "undone, then again",
        { store in
          try store.migrate()
          if home.text() != old { try store.restore() }
          #expect(home.text() == old)
          try self.store().migrate()
        }
      ),
      (
        "in part, undone, then again",
        { store in
          try store.migrate(to: 3)
          if home.text() != old { try store.restore() }
          #expect(home.text() == old)
          try self.store().migrate()
        }
      ),
      (
        "in part, the rest undone, then again",
        { store in
          try store.migrate(to: 3)
          let part = home.text()
          try store.migrate()
          if home.text() != part { try store.restore() }
          #expect(home.text() == part)
          try self.store().migrate()
        }
      ),
    ]
    for (name, route) in routes {
      #expect(try result(of: old, route) == expected, "\(name) of \(old.debugDescription)")
    }
    // Each version between can be had from any below it.
    for version in [2, 3, 5] {
      var part = try TOMLDocument(parsing: old)
      try SettingsMigrations(Self.migrations).run(on: &part, upTo: version)
      #expect(try result(of: old) { try $0.migrate(to: version) } == part.text, "\(version) of \(old.debugDescription)")
      try SettingsMigrations(Self.migrations).run(on: &part)
      #expect(part.text == expected, "in memory by \(version) of \(old.debugDescription)")
    }
  }
}
