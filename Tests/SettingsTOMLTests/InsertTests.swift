import SettingsTOML
import Testing

struct InsertTests {
  static let cases: [EditCase] = [
    .set("into an empty document", "", ["a"], 1, "a = 1\n"),
    .set("into a document of a byte order mark", "\u{FEFF}", ["a"], 1, "\u{FEFF}a = 1\n"),
    .set("after the last root key", "a = 1\n\n[t]\nx = 1\n", ["b"], 2, "a = 1\nb = 2\n\n[t]\nx = 1\n"),
    .set(
      "after the last root key with its comment", "a = 1 # one\n# note\n\n[t]\n", ["b"], 2,
      "a = 1 # one\nb = 2\n# note\n\n[t]\n"),
    .set("after the leading comment", "# Licence\n\n[t]\nx = 1\n", ["a"], 2, "# Licence\n\na = 2\n\n[t]\nx = 1\n"),
    .set("after a comment that is all", "# Licence\n", ["a"], 2, "# Licence\n\na = 2\n"),
    .set("after a comment without a final newline", "# Licence", ["a"], 2, "# Licence\n\na = 2"),
    .set("before the first header", "[t]\nx = 1\n", ["a"], 2, "a = 2\n\n[t]\nx = 1\n"),
    .set("before the first header's comment", "# about t\n[t]\nx = 1\n", ["a"], 2, "a = 2\n\n# about t\n[t]\nx = 1\n"),
    .set(
      "after the last key of a table", "[t]\nx = 1\n\n[u]\ny = 1\n", ["t", "z"], 2, "[t]\nx = 1\nz = 2\n\n[u]\ny = 1\n"),
    .set("copies indent and spacing", "[t]\n  x=1\n", ["t", "z"], 2, "[t]\n  x=1\n  z=2\n"),
    .set("copies tabs", "[t]\n\tx\t=\t1\n", ["t", "z"], 2, "[t]\n\tx\t=\t1\n\tz\t=\t2\n"),
    .set(
      "keeps alignment", "[t]\nname   = 1\nlonger = 2\n", ["t", "x"], 3, "[t]\nname   = 1\nlonger = 2\nx      = 3\n"),
    .set("keeps alignment with a longer key", "[t]\nx   = 1\n", ["t", "longer"], 3, "[t]\nx   = 1\nlonger = 3\n"),
    .set(
      "is not aligned with lines that only end up in one column", "size = 1\ntoken=2\n", ["ratio"], 3,
      "size = 1\ntoken=2\nratio=3\n"),
    .set("keeps CRLF", "[t]\r\nx = 1\r\n", ["t", "z"], 2, "[t]\r\nx = 1\r\nz = 2\r\n"),
    .set("keeps a missing final newline", "[t]\nx = 1", ["t", "z"], 2, "[t]\nx = 1\nz = 2"),
    .set("below an empty header", "[t]\n\n[u]\n", ["t", "z"], 2, "[t]\nz = 2\n\n[u]\n"),
    .set("below an empty header at the end", "[t]", ["t", "z"], 2, "[t]\nz = 2"),
    .set("below an indented header", "  [t] # c\n", ["t", "z"], 2, "  [t] # c\n  z = 2\n"),
    .set(
      "after a multi-line value", "[t]\nx = [\n  1,\n] # c\n\n[u]\n", ["t", "z"], 2,
      "[t]\nx = [\n  1,\n] # c\nz = 2\n\n[u]\n"),
    .set("with a key that needs quotes", "a = 1\n", ["x y"], 2, "a = 1\n\"x y\" = 2\n"),
    .set("with an empty key", "a = 1\n", [""], 2, "a = 1\n\"\" = 2\n"),
    .set("of a missing table", "[a]\nx = 1\n", ["b", "c", "d"], 2, "[a]\nx = 1\n\n[b.c]\nd = 2\n"),
    .set("of a missing table in an empty document", "", ["b", "c"], 2, "[b]\nc = 2\n"),
    .set(
      "of a missing table after its nearest relative", "[a]\nx = 1\n\n[a.b]\ny = 1\n\n[z]\n", ["a", "c", "d"], 2,
      "[a]\nx = 1\n\n[a.b]\ny = 1\n\n[a.c]\nd = 2\n\n[z]\n"),
    .set(
      "of a missing table after its relative's comment", "[a]\nx = 1\n# end of a\n\n# about z\n[z]\n", ["a", "c", "d"],
      2,
      "[a]\nx = 1\n# end of a\n\n[a.c]\nd = 2\n\n# about z\n[z]\n"),
    .set(
      "of a missing table before a comment of the next", "[a]\nx = 1\n# about z\n[z]\n", ["a", "c", "d"], 2,
      "[a]\nx = 1\n\n[a.c]\nd = 2\n# about z\n[z]\n"),
    .set("of a missing table without a final newline", "[a]\nx = 1", ["b", "c"], 2, "[a]\nx = 1\n\n[b]\nc = 2"),
    .set("of a missing table with CRLF", "a = 1\r\n", ["b", "c"], 2, "a = 1\r\n\r\n[b]\r\nc = 2\r\n"),
    .set("under an implicit table", "[a.b]\nx = 1\n\n[c]\n", ["a", "y"], 2, "[a.b]\nx = 1\n\n[a]\ny = 2\n\n[c]\n"),
    .set(
      "under an implicit table with quotes", "['a b'.c]\nx = 1\n", ["a b", "y"], 2,
      "['a b'.c]\nx = 1\n\n['a b']\ny = 2\n"),
    .set("under a dotted table", "a.b = 1\nc = 2\n", ["a", "d"], 3, "a.b = 1\na.d = 3\nc = 2\n"),
    .set(
      "under a dotted table, deep", "[t]\na.b.c = 1\nz = 2\n", ["t", "a", "b", "d", "e"], 3,
      "[t]\na.b.c = 1\na.b.d.e = 3\nz = 2\n"),
    .set(
      "of a table under a dotted table", "a.b = 1\n", ["a", "t"], ["x": 1, "y": ["z": 2]],
      "a.b = 1\na.t.x = 1\na.t.y.z = 2\n"),
    .set("under a quoted dotted table", "'a b'.c = 1\n", ["a b", "d"], 3, "'a b'.c = 1\n'a b'.d = 3\n"),
    .set("in an inline table", "a = { x = 1 } # c\n", ["a", "y"], 2, "a = { x = 1, y = 2 } # c\n"),
    .set("in a tight inline table", "a = {x=1,z=2}\n", ["a", "y"], 3, "a = {x=1,z=2,y=3}\n"),
    .set("in an empty inline table", "a = {}\n", ["a", "y"], 2, "a = { y = 2 }\n"),
    .set("deep in an inline table", "a = { x = 1 }\n", ["a", "b", "c"], 2, "a = { x = 1, b.c = 2 }\n"),
    .set(
      "under a dotted table in an inline table", "a = { b.c = 1, z = 2 }\n", ["a", "b", "d"], 3,
      "a = { b.c = 1, b.d = 3, z = 2 }\n"),
    .set(
      "in an inline table with lines", "a = {\n  x = 1, # one\n  y = 2 # two\n}\n", ["a", "z"], 3,
      "a = {\n  x = 1, # one\n  y = 2, # two\n  z = 3\n}\n"),
    .set(
      "of a table", "a = 1\n", ["t"], ["x": 1, "sub": ["y": 2], "z": [1]],
      "a = 1\n\n[t]\nx = 1\nz = [1]\n\n[t.sub]\ny = 2\n"),
    .set("of an empty table", "a = 1\n", ["t"], [:], "a = 1\n\n[t]\n"),
    .set("of a table in an inline table", "a = { x = 1 }\n", ["a", "t"], ["y": 2], "a = { x = 1, t = { y = 2 } }\n"),
    .set("of an array of tables", "a = 1\n", ["t"], [["x": 1], ["x": 2]], "a = 1\n\n[[t]]\nx = 1\n\n[[t]]\nx = 2\n"),
    .set("of a text with a line break", "", ["a"], "x\ny\t\u{1}", "a = \"x\\ny\\t\\u0001\"\n"),
    .set("in the style of the document", "[t]\nx=1\n", ["u", "y"], 2, "[t]\nx=1\n\n[u]\ny=2\n"),
  ]

  @Test(arguments: cases) func `inserting a key puts it by its relatives`(_ edit: EditCase) throws { try edit.run() }

  @Test(
    arguments: cases.filter {
      !$0.name.contains("of a missing") && !$0.name.hasPrefix("under an implicit")
        && !$0.name.contains("style of the document") && !$0.name.hasPrefix("in an empty inline")
    })
  func `removing what was inserted restores the text`(_ edit: EditCase) throws {
    let before = try TOMLDocument(parsing: edit.before)
    var document = before
    try edit.edit(&document)
    for path in document.changedPaths(since: before) where document.contains(path) && !before.contains(path) {
      let top = stride(from: 1, through: path.components.count, by: 1)
        .map { TOMLPath(Array(path.components.prefix($0))) }.first { !before.contains($0) }
      try document.remove(at: top ?? path)
    }
    #expect(document.text == edit.before)
  }
}
