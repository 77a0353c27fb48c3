import AppSettings
import AppSettingsImport
import Foundation
import Testing
import TestSupport

// Passages of docs/coming-from-files.md.

struct ComingFromFiles {
  @Test func `a step of a migration takes over a file`() throws {
    let home = ScratchHome()
    let rc = home.path + "/editorrc"
    try home.write("[View][Editor]\nFontSize=14\n[View]\nRecent=a.txt,b.txt\n", to: rc)
    let migrations = [
      Migration(
        2, "take over the old files",
        [
          .importFile(rc, as: .kconfig, mapping: ["View.Editor.FontSize": "editor.font-size"]),
          .convert("View.Recent", .split(by: ",")),
        ])
    ]
    let settings = try home.store(migrations: migrations)
    #expect(settings.snapshot.root["editor"] == ["font-size": 14])
    #expect(settings.snapshot.root["View"] == ["Recent": ["a.txt", "b.txt"]])
  }
}
