import AppSettings
import Testing

struct PendingEditsTests {
  private func value(_ text: String) throws -> TOMLTable { try TOMLDocument(parsing: text).root }

  /// Each: the file, the edits in order, a path, and what it then reads.
  static let cases: [(file: String, edits: [(String, TOMLValue?)], path: String, result: TOMLValue?)] = [
    ("a = 1", [], "a", 1),
    ("a = 1", [("a", 2)], "a", 2),
    ("a = 1", [("a", nil)], "a", nil),
    ("", [("t.a", 1)], "t", ["a": 1]),
    ("t.b = 2", [("t.a", 1)], "t", ["b": 2, "a": 1]),
    ("t.b = 2", [("t", nil)], "t.b", nil),
    ("t.b = 2", [("t", nil), ("t.a", 1)], "t", ["a": 1]),
    ("t.b = 2", [("t.a", 1), ("t", nil)], "t", nil),
    ("t.b = 2", [("t", ["c": 3])], "t.b", nil),
    ("t.b = 2", [("t", ["c": 3]), ("t.c", 4)], "t.c", 4),
    ("t.b = 2", [("t", ["c": 3]), ("t.d", 4)], "t", ["c": 3, "d": 4]),
    ("t.b = 2", [("t.b", nil)], "t", [:]),
    ("t = 5", [("t", ["c": 3])], "t.c", 3),
    ("t.u.v = 1", [("t.u.w", 2), ("t.u", nil)], "t", [:]),
    // Equal to a person and to String; two keys to TOML.
    ("", [("\"\u{E9}\"", 1), ("\"e\u{301}\"", 2)], "\"\u{E9}\"", 1),
    ("\"\u{E9}\" = 1", [("\"e\u{301}\"", nil)], "\"\u{E9}\"", 1),
  ]

  @Test(arguments: cases.indices)
  func `edits show over the file in the order they were made`(index: Int) throws {
    let (file, edits, path, result) = Self.cases[index]
    let content = LayerContent(layer: SettingsLayer(.user), document: try TOMLDocument(parsing: file))
    var pending = PendingEdits()
    for (number, edit) in edits.enumerated() {
      pending.add(Edit(path: try TOMLPath(parsing: edit.0), value: edit.1), number: UInt64(number + 1))
    }
    let parsed = try TOMLPath(parsing: path)
    let snapshot = SettingsSnapshot(generation: 1, layers: [content], pending: pending)
    #expect(snapshot[parsed] == result)
    pending.removeAll(upTo: UInt64(edits.count))
    #expect(pending.isEmpty)
  }

  @Test(arguments: [
    ("t.u.v", true), ("t.u", true), ("t", true), ("t.u.v.w", true), ("t.u.w", false), ("t.v", false), ("v", false),
    ("u.v", false), ("s", true), ("s.x", true),
  ])
  func `an edit touches its own path, those above and those below`(path: String, isTouched: Bool) throws {
    var pending = PendingEdits()
    pending.add(Edit(path: ["t", "u", "v"], value: 1), number: 1)
    pending.add(Edit(path: ["s"], value: nil), number: 2)
    #expect(pending.touches(try TOMLPath(parsing: path)) == isTouched)
  }
}
