import SettingsTOML
import Testing

struct TablesTests {
  @Test func `many tables are added after the last of theirs, as one by one`() throws {
    let text = "# top\n[p.a]\nx = 1\n\n[q]\ny = 2\n"
    var document = try TOMLDocument(parsing: text)
    try document.editUnchecked { try $0.appendTables([("b", ["x": 2]), ("c d", ["t": ["z": 3]])], under: ["p"]) }
    #expect(document.text == "# top\n[p.a]\nx = 1\n\n[p.b]\nx = 2\n\n[p.\"c d\".t]\nz = 3\n\n[q]\ny = 2\n")
    var single = try TOMLDocument(parsing: text)
    try single.set(["x": 2], at: ["p", "b"])
    try single.set(["t": ["z": 3]], at: ["p", "c d"])
    #expect(single.text == document.text)
    var new = TOMLDocument()
    try new.appendTables([("1", [:]), ("2", ["a": 1])], under: ["n"])
    #expect(new.text == "[n.1]\n\n[n.2]\na = 1\n")
  }

  @Test func `tables in an inline or dotted table are added in its form, below a scalar not at all`() throws {
    var inline = try TOMLDocument(parsing: "p = { a = { x = 1 } }\n")
    try inline.appendTables([("b", ["x": 2])], under: ["p"])
    #expect(inline.text == "p = { a = { x = 1 }, b = { x = 2 } }\n")
    var empty = try TOMLDocument(parsing: "p = {}\n")
    try empty.appendTables([("b", ["x": 2])], under: ["p", "q"])
    #expect(empty.root == ["p": ["q": ["b": ["x": 2]]]])
    var scalar = try TOMLDocument(parsing: "p = 1\n")
    #expect(throws: TOMLEditError.self) { try scalar.appendTables([("b", [:])], under: ["p"]) }
    #expect(scalar.text == "p = 1\n")
  }

  @Test func `many tables are removed with their comments, and the others stay`() throws {
    var document = try TOMLDocument(
      parsing: "# top\n\n# a\n[p.a]\nx = 1\n\n# b\n[p.b]\nx = 2\n[p.b.t]\ny = 1\n\n# c\n[p.c]\nx = 3\n")
    try document.removeAll(at: [["p", "a"], ["p", "b"], ["p", "none"]])
    #expect(document.text == "# top\n\n# c\n[p.c]\nx = 3\n")
    var inline = try TOMLDocument(parsing: "p = { a = {}, b = {} }\n")
    try inline.removeAll(at: [["p", "a"]])
    #expect(inline.root == ["p": ["b": [:]]])
  }

  @Test(arguments: [
    ("", "\n\n", ""), ("", "\n", "x = 1\n"), ("", "\n\n", "x = 1\n"), ("", "\n", "\n"),
    ("# top\n\n", "\n\n", "\nx = 1\n"),
    ("x = 1\n", "\n", "\n[t]\ny = 2\n"), ("x = 1\n\n", "\n\n", "\ny = 2\n"), ("x = 1\n\n", "\n", ""),
    ("\u{FEFF}", "\n\n", "\n[t]\n"), ("# top\n", "\n\n", "\n[t]\n"), ("[t]\nx = 1\n\n", "\n# of the next\n", "y = 1\n"),
  ])
  func `many values are removed together as one by one`(before: String, separator: String, after: String) throws {
    let lines = (0..<100).map { number in
      switch number % 4 {
      case 0: "k\(number) = 1 # one"
      case 1: "d\(number).a.b = [\n  1,\n]"
      case 2: "i\(number) = { a = 1 }"
      default: "\"q \(number)\" = \"\"\"\nx\n\"\"\""
      }
    }
    let prefix: TOMLPath = before.contains("[t]") ? ["t"] : .root
    let paths = (0..<100).map { number in
      prefix.appending(["k\(number)", "d\(number)", "i\(number)", "q \(number)"][number % 4])
    }
    let text = before + lines.joined(separator: separator) + "\n" + after
    var document = try TOMLDocument(parsing: text)
    try document.edit { try $0.removeAll(at: paths) }
    var single = try TOMLDocument(parsing: text)
    try single.edit { document in for path in paths { try document.remove(at: path) } }
    #expect(document.text == single.text)
    #expect(document.root == single.root)
  }

  @Test func `values, tables and members of inline tables go together, with their comments`() throws {
    let names = (0..<100).map { "k\($0)" }
    var document = try TOMLDocument(
      parsing: names.map { "# of \($0)\n\($0) = 1\n" }.joined() + "in = { a = 1, b = 2 }\n\n[t]\nx = 1\n\n[u]\ny = 1\n")
    try document.edit { try $0.removeAll(at: names.map { [$0] } + [["in", "a"], ["t"], ["u", "y"], ["none"]]) }
    #expect(document.text == "# of k0\nin = { b = 2 }\n\n[u]\n")
  }
}
