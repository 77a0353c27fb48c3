import AppSettings
import Foundation
import Testing
import TestSupport

// Passages of docs/history.md.

struct HistoryPassages {
  private static let theme = SettingsKey("theme", default: "light")
  private static let fontSize = SettingsKey("editor.font-size", default: 12)

  @Test func `an app lists the changes of a key, and takes the last one back`() throws {
    let settings = try ScratchHome().store()
    try settings.set("dark", for: Self.theme)
    try settings.set("blue", for: Self.theme)
    let theme = SettingsKey("theme", default: "light")
    for entry in try settings.history(of: theme, since: Date(timeIntervalSinceNow: -86_400)) {
      print(entry.id, entry.time, entry.actor.name ?? "another program", entry.changes)
    }
    #expect(try settings.history(of: theme).count == 2)

    try settings.undo(theme)
    try settings.redo(theme)
    #expect(settings[theme] == "blue")
  }

  @Test func `an app undoes an entry, and reads an earlier text`() throws {
    let settings = try ScratchHome().store()
    try settings.set("dark", for: Self.theme)
    try settings.set(14, for: Self.fontSize)
    if let newest = try settings.history(limit: 1).first {
      print(try settings.formerText(after: newest.id - 1))
      try settings.undo(newest)
    }
    #expect(settings[Self.fontSize] == 12 && settings[Self.theme] == "dark")
  }

  @Test func `a program keeps no history, or a smaller one`() throws {
    let settings = try SettingsStore(app: "org.example.passages-of-history", history: .off)
    let others = try SettingsStore(app: "org.example.passages-of-history", history: .limited(toBytes: 100_000))
    #expect(try settings.history().isEmpty && others.history().isEmpty)
  }
}
