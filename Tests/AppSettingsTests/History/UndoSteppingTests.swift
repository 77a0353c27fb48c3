import AppSettings
import Foundation
import Testing
import TestSupport

/// Undo and redo step through the history as in an editor.
struct UndoSteppingTests {
  let home = ScratchHome()
  private let theme = SettingsKey("theme", default: "light")
  private let size = SettingsKey("editor.font-size", default: 12)

  private func fails(
    _ settings: SettingsStore, _ message: String, sourceLocation: SourceLocation = #_sourceLocation,
    _ body: () throws -> Void
  ) {
    let error = #expect(throws: SettingsError.self, sourceLocation: sourceLocation) { try body() }
    #expect(error?.code == .noHistory, sourceLocation: sourceLocation)
    #expect(error?.message.contains(message) == true, "\(error?.message ?? "")", sourceLocation: sourceLocation)
  }

  @Test func `undo steps back, and redo forward again`() throws {
    let settings = try home.store()
    for value in [1, 2, 3] { try settings.set(value, for: size) }
    var entries: [Int] = []
    var values: [Int] = []
    for isRedo in [false, false, true, true, false, false, false] {
      entries.append(isRedo ? try settings.redo().id : try settings.undo().id)
      values.append(settings[size])
    }
    #expect(values == [2, 1, 2, 3, 2, 1, 12] && entries == [3, 2, 5, 4, 3, 2, 1])
    #expect(home.text() == "")
    fails(settings, "Nothing to undo: each change in the history of '\(home.file)' is undone.") { try settings.undo() }
    for value in [1, 2, 3] {
      try settings.redo()
      #expect(settings[size] == value)
    }
    fails(settings, "Nothing to redo: the last change in '\(home.file)' is not an undo.") { try settings.redo() }
    let history = try settings.history()
    #expect(history.map(\.isUndone).suffix(3) == [false, false, false])
    #expect(
      history.prefix(3).map(\.reason) == [.redo, .redo, .redo] && history.prefix(3).map(\.reversed) == [8, 9, 10])
  }

  @Test func `a change after an undo is stepped over, and ends the redoing`() throws {
    let settings = try home.store()
    for value in ["a", "b", "c"] { try settings.set(value, for: theme) }
    try settings.undo()
    try settings.set("d", for: theme)
    fails(settings, "is not an undo") { try settings.redo() }
    #expect(try settings.undo().id == 5 && settings[theme] == "b")
    #expect(try settings.undo().id == 2 && settings[theme] == "a")
    #expect(try settings.redo().id == 7 && settings[theme] == "b")
    // By hand, and not recorded yet.
    try home.write("theme = \"b\"\n# mine\n")
    fails(settings, "is not an undo") { try settings.redo() }
    #expect(try settings.undo().reason == .outside && home.text() == "theme = \"b\"\n")
    #expect(try settings.history().filter { !$0.isUndone }.map(\.id) == [10, 8, 6, 4, 2, 1])
  }

  @Test func `undo of an undo by its number is a redo`() throws {
    let settings = try home.store()
    for value in ["a", "b"] { try settings.set(value, for: theme) }
    try settings.undo()
    try settings.undo(#require(settings.history().first))
    #expect(settings[theme] == "b")
    #expect(try settings.history().map(\.isUndone) == [false, true, false, false])
    #expect(try settings.undo().id == 2 && settings[theme] == "a")
  }

  @Test func `each key steps for itself`() throws {
    let settings = try home.store()
    try settings.update {
      $0[theme] = "a"
      $0[size] = 1
    }
    try settings.set("b", for: theme)
    try settings.set(2, for: size)
    #expect(try settings.undo(theme).id == 2 && settings[theme] == "a")
    #expect(try settings.undo(theme).id == 1 && settings[theme] == "light" && settings[size] == 2)
    fails(settings, "Nothing to undo: each change of 'theme'") { try settings.undo(theme) }
    #expect(try settings.history(of: theme).map(\.isUndone) == [false, false, true, true])
    #expect(try settings.history().map(\.isUndone) == [false, false, false, true, false])
    #expect(try settings.undo(size).id == 3 && settings[size] == 1)
    #expect(try settings.redo(theme).id == 5 && settings[theme] == "a" && settings[size] == 1)
    // What is left of it all: the size of #1.
    #expect(try settings.undo(size).id == 1 && settings[size] == 12 && settings[theme] == "a")
    #expect(try settings.undo().id == 1 && home.text() == "")
  }

  @Test func `an undo of one key leaves the rest of its entry to the next undo`() throws {
    let settings = try home.store()
    try settings.set("a", for: theme)
    try settings.update {
      $0[theme] = "b"
      $0[size] = 1
    }
    try settings.undo(theme)
    #expect(try settings.undo().id == 2 && settings[size] == 12 && settings[theme] == "a")
    #expect(try settings.undo().id == 1)
    try settings.redo()
    try settings.redo()
    #expect(settings[size] == 1 && settings[theme] == "a")
    try settings.redo()
    #expect(settings[theme] == "b")
  }

  private func move(_ old: TOMLPath, to new: TOMLPath, in settings: SettingsStore) throws {
    try settings.core.commit { view in
      [Edit(path: new, value: view.userDocument[old], source: old), Edit(path: old, value: nil)]
    }
  }

  @Test(arguments: ["tint.accent", "tint", "colour", "r.new", "r.old", "r.new.p", "r"])
  func `a value that has moved goes back whole, by either of its names`(_ name: String) throws {
    let settings = try home.store(acceptsAnyVersion: true)
    let text = "# why\ncolour = 1\nn = 2\n\n[r]\nold = { p = 1, q = true }  # mine\n"
    try home.write(text)
    if name.hasPrefix("r") {
      try move(["r", "old"], to: ["r", "new"], in: settings)
    } else {
      try move(["colour"], to: ["tint", "accent"], in: settings)
    }
    let moved = home.text()
    let names = [try TOMLPath(parsing: name)]
    try settings.undo(.value(names))
    #expect(home.text() == text)
    try settings.undo(.redo(names))
    #expect(home.text() == moved)
    try settings.undo(.last)
    #expect(home.text() == text)
  }

  @Test func `a value that has moved over another one is exchanged for it`() throws {
    let settings = try home.store(acceptsAnyVersion: true)
    let text = "a = 1\nb = { x = 2 }\nflags = { c = true, d = true }\n"
    try home.write(text)
    try move(["a"], to: ["b"], in: settings)
    try settings.undo(.value([["b"]]))
    #expect(home.text() == text)
    // Which of them has moved is unknown: only what was named goes back.
    try settings.core.commit { _ in [Edit(path: ["flags"], value: nil), Edit(path: ["e"], value: .boolean(true))] }
    try settings.undo(.value([["e"]]))
    #expect(home.text() == "a = 1\nb = { x = 2 }\n")
  }

  @Test func `what has changed since it moved is undone step by step`() throws {
    let settings = try home.store(acceptsAnyVersion: true)
    try home.write("old = 1\n")
    try move(["old"], to: ["new"], in: settings)
    try settings.core.commit { _ in [Edit(path: ["new"], value: .integer(2))] }
    let error = #expect(throws: SettingsError.self) { try settings.undo(.value([["old"]])) }
    #expect(error?.code == .conflict && error?.message.contains("'new' was changed since by #2. Undo that") == true)
    for text in ["new = 1\n", "old = 1\n"] {
      try settings.undo(.value([["new"]]))
      #expect(home.text() == text)
    }
  }

  @Test func `a change of a table that does not have the key is no change of the key`() throws {
    let settings = try home.store()
    let y = SettingsKey("t.y", default: 0)
    try settings.set(1, for: y)
    settings.reset(y)
    try settings.flush()
    try settings.core.commit { _ in [Edit(path: ["t"], value: .table(["p": .integer(1)]))] }
    #expect(try settings.history(of: y).map(\.id) == [2, 1])
    #expect(try settings.undo(y).id == 2 && settings[y] == 1)
    #expect(home.text()?.contains("p = 1") == true)
    // One that has it is one, and the rest of the table stays.
    try settings.core.commit { _ in [Edit(path: ["t"], value: .table(["p": .integer(1), "y": .integer(5)]))] }
    #expect(try settings.history(of: y).first?.id == 5)
    #expect(try settings.undo(y).id == 5 && settings[y] == 1)
  }

  @Test func `in a long table, too, only the key counts`() throws {
    let settings = try home.store()
    let long = String(repeating: "x", count: 3_000)
    let y = SettingsKey("t.y", default: 0)
    try settings.core.commit { _ in [Edit(path: ["t"], value: .table(["p": .string(long)]))] }
    try settings.core.commit { _ in [Edit(path: ["t"], value: .table(["p": .string(long), "y": .integer(1)]))] }
    try settings.core.commit { _ in [Edit(path: ["t"], value: .table(["p": .string(long + "x"), "y": .integer(1)]))] }
    #expect(try settings.history(of: y).map(\.id) == [2])
  }

  @Test func `a table that became a value comes back, and is one change`() throws {
    let settings = try home.store(acceptsAnyVersion: true)
    func set(_ key: TOMLPath, _ value: Int64) throws {
      try settings.core.commit { _ in [Edit(path: key, value: .integer(value))] }
    }
    try home.write("a = 1\n[imp]\ny = 2\n")
    try set(["a"], 2)
    try home.write("a = 2\nimp = \"x\"\n")
    try set(["b"], 1)
    try home.write("a = 2\n# changed\nimp = \"x\" # c\nb = 1\n")
    let entry = try #require(settings.history().first { $0.id == 2 })
    #expect(entry.changes.map(\.path) == [["imp"]])
    try settings.undo(entry)
    #expect(settings.snapshot.userDocument[["imp", "y"]] == .integer(2), "\(home.text() ?? "")")
    #expect(home.text()?.contains("a = 2") == true && home.text()?.contains("b = 1") == true)
    try settings.redo()
    #expect(settings.snapshot.userDocument[["imp"]] == .string("x"))
    // Of the key in it as well.
    try settings.undo(.value([["imp", "y"]]))
    #expect(settings.snapshot.userDocument[["imp", "y"]] == .integer(2))
  }

  @Test func `a conflict through a text that does not parse names the entry`() throws {
    let settings = try home.store()
    for value in ["a", "b"] { try settings.set(value, for: theme) }
    try home.write("theme = \n")
    try home.store().recover()
    try home.store().set(1, for: size)
    let other = try home.store()
    let entry = try #require(other.history().first { $0.id == 2 })
    let error = #expect(throws: SettingsError.self) { try other.undo(entry) }
    #expect(error?.code == .conflict && error?.message.contains("'theme' was changed since by #4") == true)
    // Step by step it works: what the recovery took away comes back first.
    #expect(try other.undo().id == 5 && other.undo().id == 4)
    #expect(other[theme] == "b")
    #expect(try other.undo().id == 2 && other[theme] == "a")
  }
}
