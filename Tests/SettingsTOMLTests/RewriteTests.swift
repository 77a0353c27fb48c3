import SettingsTOML
import Testing

/// Many changes of a document at once.
struct RewriteTests {
  private func rewritten(_ text: String, _ changes: [(TOMLPath, TOMLValue)]) throws -> TOMLDocument {
    var document = try TOMLDocument(parsing: text)
    var expected = document
    for (path, value) in changes { try expected.set(value, at: path) }
    try document.rewrite(to: expected.root, at: changes.map(\.0))
    #expect(document.root == expected.root)
    #expect(try TOMLDocument(parsing: document.bytes).root == expected.root)
    return document
  }

  private func many(_ prefix: TOMLPath = .root, _ name: String = "k", _ count: Int = 100) -> [(TOMLPath, TOMLValue)] {
    (0..<count).map { (prefix.appending("\(name)\($0)"), .integer(Int64($0))) }
  }

  @Test func `many keys go after the last one of their table, in its style`() throws {
    let document = try rewritten(
      "# c\na=1 # one\n\n[t]\n  b = 2\n# end\n\n[u]\nc = 3\n", many() + many(["t"]) + [(["u", "c"], 4)])
    let text = document.text
    #expect(text.hasPrefix("# c\na=1 # one\nk0=0\nk1=1\n"))
    #expect(text.contains("\nk99=99\n\n[t]\n  b = 2\n  k0 = 0\n"))
    #expect(text.hasSuffix("  k99 = 99\n# end\n\n[u]\nc = 4\n"))
  }

  @Test func `many tables go to the end, or after the tables that are nearest`() throws {
    let tables = (0..<100).map { number -> (TOMLPath, TOMLValue) in (["t\(number)", "x"], .integer(Int64(number))) }
    let inner = (0..<100).map { number -> (TOMLPath, TOMLValue) in (["a", "t\(number)", "x"], 1) }
    let text = try rewritten("z = 1\n[a]\nb = 1\n\n[c]\nd = 1", tables + inner).text
    #expect(text.hasPrefix("z = 1\n[a]\nb = 1\n\n[a.t0]\nx = 1\n\n[a.t1]\n"))
    #expect(text.contains("\n[a.t99]\nx = 1\n\n[c]\nd = 1\n\n[t0]\nx = 0\n\n[t1]\n"))
    #expect(text.hasSuffix("[t99]\nx = 99"))
  }

  @Test(arguments: [
    "", "# only a comment\n", "a.b = 1\n", "a = { b = 1 }\n", "a = { b.c = 1 }\n", "[a]\n", "[a.b]\nc = 1\n",
    "[[a]]\nb = 1\n",
    "\u{FEFF}a.b = 1", "[x]\ny = 1\r\n[a]\r\nb = 1\r\n", "a.b.c = 1\n[a.d]\ne = 1\n", "\"a\" . 'b' = 1 # c\n",
    "[a]\nb = \"\"\"\n[c]\n\"\"\"\n", "k5 = \"five\" # c\nk6 = [1, # one\n 2]\n",
  ])
  func `what many changes make is what one after the other makes`(text: String) throws {
    let isTable = try TOMLDocument(parsing: text).isTable(at: ["a"])
    _ = try rewritten(text, many())
    if isTable || !text.contains("a") || text.hasPrefix("#") || text.contains("k5") {
      _ = try rewritten(text, many(["a"]) + many(["a", "new"]) + many(["b", "c"]))
      _ = try rewritten(text, many(["a", "d"], "q\"r") + many())
    }
  }

  @Test func `values are replaced in place, in their style`() throws {
    let text = (0..<200).map { "k\($0) = '\($0)' # \($0)\n" }.joined()
    let changes = (0..<200).map { number -> (TOMLPath, TOMLValue) in (["k\(number)"], .string("v\(number)")) }
    #expect(try rewritten(text, changes).text == (0..<200).map { "k\($0) = 'v\($0)' # \($0)\n" }.joined())
  }

  @Test func `what has to be set by itself among many leaves the others in their style`() throws {
    let numbers = (0..<200).map { "k\($0) =  '\($0)' # \($0)\n" }.joined()
    let document = try rewritten(
      numbers + "w = { a = 1 }\n\n[t] # goes\nx = 1\n\n[[list]]\ny = 1\n\n[[other]]\nz = 1 # stays\n",
      (0..<200).map { (["k\($0)"], .string("v\($0)")) } + [
        // In one inline table a value that is there and one that is not, twice the same path, a value for a table, and
        // arrays of tables.
        (["w", "a"], 2), (["w", "b"], 3), (["w", "b"], 3), (["t"], "none"), (["list"], []),
        (["other"], [["z": 1], ["z": 2]]),
      ])
    let text = document.text
    #expect(text.hasPrefix((0..<200).map { "k\($0) =  'v\($0)' # \($0)\n" }.joined()))
    #expect(text.contains("[[other]]\nz = 1 # stays\n"))
    #expect(!text.contains("goes"))
  }

  @Test func `one path that cannot be set leaves the document as it was`() throws {
    var document = try TOMLDocument(parsing: "a = 1\n")
    var values = document.root
    let paths = many().map(\.0)
    for (path, value) in many() { values[path.components[0]] = value }
    values["a"] = ["b": 1]
    #expect(throws: TOMLEditError.self) { try document.rewrite(to: values, at: paths + [["a", "b"]]) }
    #expect(document.text == "a = 1\n")
  }
}
