import SettingsTOML
import Testing

struct RemoveTests {
  static let cases: [EditCase] = [
    .remove("a line with its comment", "a = 1\nb = 2 # two\nc = 3\n", ["b"], "a = 1\nc = 3\n"),
    .remove("the comment lines above", "a = 1\n# of b\n  # more\nb = 2\nc = 3\n", ["b"], "a = 1\nc = 3\n"),
    .remove("not a comment set off by a blank line", "# Licence\n\nb = 2\nc = 3\n", ["b"], "# Licence\n\nc = 3\n"),
    .remove("not what is below", "a = 1\nb = 2\n# of c\nc = 3\n", ["b"], "a = 1\n# of c\nc = 3\n"),
    .remove("a multi-line value", "a = 1\nb = [\n  1,\n] # c\nc = '''\n'''\n", ["b"], "a = 1\nc = '''\n'''\n"),
    .remove("a paragraph with one blank line", "a = 1\n\nb = 2\n\nc = 3\n", ["b"], "a = 1\n\nc = 3\n"),
    .remove("the last line without a newline", "a = 1\nb = 2", ["b"], "a = 1"),
    .remove("the last line without a newline, CRLF", "a = 1\r\nb = 2", ["b"], "a = 1"),
    .remove("the only line", "a = 1\n", ["a"], ""),
    .remove("the only line after a byte order mark", "\u{FEFF}a = 1\n", ["a"], "\u{FEFF}"),
    .remove("the last key, and the header stays", "[t] # c\nx = 1\n\n[u]\n", ["t", "x"], "[t] # c\n\n[u]\n"),
    .remove(
      "a table with its comments", "a = 1\n\n# about t\n[t]\nx = 1\n# in t\n\n[u]\ny = 1\n", ["t"],
      "a = 1\n\n[u]\ny = 1\n"),
    .remove(
      "a table, but not a title after it", "[t]\nx = 1\n\n# == Title ==\n\n[u]\n", ["t"], "# == Title ==\n\n[u]\n"),
    .remove("a table with those below it", "[t]\nx = 1\n\n[t.a]\ny = 1\n\n[u]\n\n[t.b]\n", ["t"], "[u]\n"),
    .remove("an implicit table", "[t.a]\ny = 1\n\n[u]\n", ["t"], "[u]\n"),
    .remove("the last table", "a = 1\n\n[t]\nx = 1\n", ["t"], "a = 1\n"),
    .remove("a dotted key", "a.b = 1\na.c = 2\n", ["a", "b"], "a.c = 2\n"),
    .remove("a dotted table", "z = 1\na.b = 1 # x\na.c = 2\ny = 2\n", ["a"], "z = 1\ny = 2\n"),
    .remove("a dotted table in pieces", "a.b = 1\nz = 1\na.c = 2\n", ["a"], "z = 1\n"),
    .remove("a dotted table with a header below it", "a.b = 1\nz = 1\n\n[a.c]\nx = 1\n", ["a"], "z = 1\n"),
    .remove("the first member", "a = { x = 1, y = 2 }\n", ["a", "x"], "a = { y = 2 }\n"),
    .remove("the last member", "a = { x = 1, y = 2 }\n", ["a", "y"], "a = { x = 1 }\n"),
    .remove("a member between", "a = {x=1,y=2,z=3}\n", ["a", "y"], "a = {x=1,z=3}\n"),
    .remove("the only member", "a = { x = 1 }\n", ["a", "x"], "a = {}\n"),
    .remove("dotted members", "a = { b.c = 1, x = 2, b.d = 3 }\n", ["a", "b"], "a = { x = 2 }\n"),
    .remove(
      "a member's line", "a = {\n  # one\n  x = 1, # one\n  y = 2 # two\n}\n", ["a", "x"], "a = {\n  y = 2 # two\n}\n"),
    .remove("an array of tables", "[[t]]\nx = 1\n\n[[t]]\nx = 2\n\n[t.sub]\n\n[u]\n", ["t"], "[u]\n"),
    .remove("a table in CRLF", "a = 1\r\n\r\n[t]\r\nx = 1\r\n", ["t"], "a = 1\r\n"),
    .remove("what is absent, as nothing", "a = 1\n", ["b"], "a = 1\n"),
    .remove(
      "not a line of a multi-line string above", "a = \"\"\"\n# x\"\"\"\nb = 2\n", ["b"], "a = \"\"\"\n# x\"\"\"\n"),
    .set(
      "not a line of a multi-line item above", "a = [\n  \"\"\"\n# x\"\"\",\n  2,\n]\n", ["a"], ["# x"],
      "a = [\n  \"\"\"\n# x\"\"\",\n]\n"),
    .remove("not the comment that the file begins with", "# Mine.\na = 1\nb = 2\n", ["a"], "# Mine.\nb = 2\n"),
    .remove("not that of a file with one key", "# Mine.\n# All.\na = 1\n", ["a"], "# Mine.\n# All.\n"),
    .remove("not that of a file with a mark", "\u{FEFF}\n# Mine.\r\na = 1\r\n", ["a"], "\u{FEFF}\n# Mine.\r\n"),
    .remove("not that above a first table", "# Mine.\n[t]\nx = 1\n\n[u]\n", ["t"], "# Mine.\n\n[u]\n"),
    .remove("not that above a first dotted table", "# Mine.\na.b = 1\n# c\na.c = 1\n", ["a"], "# Mine.\n"),
    .remove("the second comment of a file", "# Mine.\n\n# of a\na = 1\nb = 2\n", ["a"], "# Mine.\n\nb = 2\n"),
    .remove("the first line of a text of blank lines", "a = 1\n\n\n", ["a"], "\n\n"),
    .remove("a quoted key", "\"a b\" = 1\nc = 2\n", ["a b"], "c = 2\n"),
  ]

  @Test(arguments: cases) func `removing takes the statement and its comments`(_ edit: EditCase) throws {
    try edit.run()
  }

  @Test func `removing reports whether there was something`() throws {
    var document = try TOMLDocument(parsing: "a = 1\n")
    #expect(try !document.remove(at: ["b"]))
    #expect(try !document.remove(at: ["a", "b"]))
    #expect(try document.remove(at: ["a"]))
  }
}
