import AppSettings
import Foundation
import Testing
import TestSupport

/// What tools ask of a history.
struct BlameTests {
  let home = ScratchHome()
  private let theme = SettingsKey("theme", default: "light")
  private let vault = SettingsKey("vault", default: [String: String](), .secret)

  @Test func `a secret is one entry, whatever names are in it`() throws {
    let settings = try home.store()
    try settings.set("dark", for: theme)
    try settings.set(["one": "1", "two": "2"], for: vault)
    #expect(try settings.history().first?.changes.map(\.path) == [["vault"]])
    let found = try settings.blame(nil)
    #expect(found.map(\.path) == [["theme"], ["vault"]] && found.map(\.isSecret) == [false, true])
    #expect(found.map { $0.entry?.id } == [1, 2])
  }

  @Test func `the last changes of many values are those of each by itself`() throws {
    let settings = try home.store()
    let keys = (0..<20).map { SettingsKey("t.k\($0)", default: 0) }
    try settings.set(["one": "1"], for: vault)
    try settings.update { for (number, key) in keys.enumerated() { $0[key] = number + 100 } }
    for key in keys.prefix(12) { try settings.set(50, for: key) }
    _ = try settings.undo(.last) { _ in }
    try home.write((home.text() ?? "").replacing("k15 = 115", with: "k15 = 7") + "\n[u]\nx = 1\n")
    settings.reload()
    let all = try settings.blame(nil)
    #expect(all.count == 22 && Set(all.compactMap { $0.entry?.id }).count == 15, "\(all)")
    for found in all {
      let single = try settings.blame([found.path])
      #expect(single.map(\.path) == [found.path] && single[0].entry?.id == found.entry?.id)
      #expect(found.entry?.isUndone == false && single[0].entry?.isUndone == false)
    }
  }

  @Test func `where everything is secret, as in a sealed garage, tables are named`() throws {
    let settings = SettingsStore(
      at: try home.location(), migrations: .none, logger: .silent, acceptsAnyVersion: true)
    settings.core.history?.describe([.init(path: .root, isSecret: true)])
    try settings.core.commit { _ in [Edit(path: ["orders", "a"], value: .string("hush"))] }
    let found = try settings.blame(nil)
    #expect(found.map(\.path) == [["orders", "a"]] && found[0].isSecret)
    #expect(found[0].entry?.id == 1)
    let entries = try settings.history()
    #expect(entries.map { $0.changes.map(\.path) } == [[["orders"]]] && entries[0].changes[0].isHidden)
  }

  @Test func `what an undoing would do is shown before, and can be refused`() throws {
    let settings = try home.store()
    try settings.set("dark", for: theme)
    try settings.set("blue", for: theme)
    let plan = try settings.previewUndo(.last) { _ in }
    #expect(plan.entry.id == 2 && plan.edits == [Edit(path: ["theme"], value: .string("dark"))] && plan.hasChanged)
    #expect(home.text() == "theme = \"blue\"\n" && plan.result.text == "theme = \"dark\"\n")
    #expect(throws: CocoaError.self) { try settings.undo(.last) { _ in throw CocoaError(.userCancelled) } }
    #expect(home.text() == "theme = \"blue\"\n")
    let undone = try settings.undo(.last) { plan in #expect(plan.bytes == Array("theme = \"blue\"\n".utf8)) }
    #expect(undone.hasChanged)
    #expect(home.text() == "theme = \"dark\"\n")
  }

  @Test func `a former document has today's form`() throws {
    try home.store().set("red", for: SettingsKey("colour", default: ""))
    let migrations = [Migration(2, "rename", [.rename("colour", to: "theme")])]
    let settings = try home.store(migrations: migrations)
    #expect(settings[theme] == "red")
    #expect(try settings.formerDocument(after: 1)[["theme"]] == .string("red"))
  }
}
