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
    var scalar = try TOMLDocument(parsing: "p = 1\n")
    #expect(throws: TOMLEditError.self) { try scalar.appendTables([("b", [:])], under: ["p"]) }
    #expect(scalar.text == "p = 1\n")
  }

  @Test func `many tables are removed with their comments, and the others stay`() throws {
    var document = try TOMLDocument(
      parsing: "# top\n\n# a\n[p.a]\nx = 1\n\n# b\n[p.b]\nx = 2\n[p.b.t]\ny = 1\n\n# c\n[p.c]\nx = 3\n")
    try document.removeTables(at: [["p", "a"], ["p", "b"], ["p", "none"]])
    #expect(document.text == "# top\n\n# c\n[p.c]\nx = 3\n")
    var inline = try TOMLDocument(parsing: "p = { a = {}, b = {} }\n")
    try inline.removeTables(at: [["p", "a"]])
    #expect(inline.root == ["p": ["b": [:]]])
  }
}
