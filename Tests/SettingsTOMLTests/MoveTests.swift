import SettingsTOML
import Testing

struct MoveTests {
  static let cases: [EditCase] = [
    .move("renames a key in place", "# of a\na = 1 # one\nb = 2\n", ["a"], ["c"], "# of a\nc = 1 # one\nb = 2\n"),
    .move("renames a dotted key", "a.b = 1 # c\na.d = 2\n", ["a", "b"], ["a", "c"], "a.c = 1 # c\na.d = 2\n"),
    .move("renames a dotted table", "a.b = 1 # c\nz = 1\na.d = 2\n", ["a"], ["x"], "x.b = 1 # c\nz = 1\nx.d = 2\n"),
    .move("renames a member", "a = { x = 1, y = 2 }\n", ["a", "x"], ["a", "z"], "a = { z = 1, y = 2 }\n"),
    .move(
      "renames a dotted member", "a = { b.x = 1, b.y = 2 }\n", ["a", "b"], ["a", "c"], "a = { c.x = 1, c.y = 2 }\n"),
    .move(
      "renames a table", "# about\n[a] # c\nx = 1\n\n[a.b]\ny = 1\n", ["a"], ["c"],
      "# about\n[c] # c\nx = 1\n\n[c.b]\ny = 1\n"),
    .move(
      "renames a table below", "[a.b]\nx = 1\n[a . b . c]\n", ["a", "b"], ["a", "d"], "[a.d]\nx = 1\n[a . d . c]\n"),
    .move("renames an array of tables", "[[a]]\nx = 1\n[a.s]\n[[a]]\n", ["a"], ["b"], "[[b]]\nx = 1\n[b.s]\n[[b]]\n"),
    .move("moves a table in place", "[a]\nx = 1\n\n[b]\ny = 1\n", ["a"], ["b", "a"], "[b.a]\nx = 1\n\n[b]\ny = 1\n"),
    .move("moves a table to the root", "[a.b]\nx = 1\n", ["a", "b"], ["c"], "[c]\nx = 1\n"),
    .move(
      "moves a key to another table", "b = 2\n# of a\na = 1 # one\n\n[t]\nx = 1\n", ["a"], ["t", "a"],
      "b = 2\n\n[t]\nx = 1\n# of a\na = 1 # one\n"),
    .move(
      "moves a key to a new table", "b = 2\n# of colour\ncolour = 'red' # c\n", ["colour"], ["theme", "accent"],
      "b = 2\n\n[theme]\n# of colour\naccent = 'red' # c\n"),
    .move(
      "leaves the comment that the file begins with", "# Mine.\na = 1 # one\nb = 2\n\n[t]\nx = 1\n", ["a"], ["t", "a"],
      "# Mine.\nb = 2\n\n[t]\nx = 1\na = 1 # one\n"),
    .move(
      "leaves it above a first table", "# Mine.\n[a]\n# of x\nx = 1\n\n[t]\ny = { z = 1 }\n", ["a"], ["t", "y", "a"],
      "# Mine.\n\n[t]\n# of x\ny = { z = 1, a.x = 1 }\n"),
    .move("moves a key to the root", "[t]\n  # of x\n  x = 0x10\n", ["t", "x"], ["x"], "# of x\nx = 0x10\n\n[t]\n"),
    .move(
      "moves a multi-line value as it is", "a = [\n  1, # one\n]\n[t]\n", ["a"], ["t", "b"],
      "[t]\nb = [\n  1, # one\n]\n"),
    .move(
      "moves a key into an inline table", "z = 0\n# of a\na = 1 # one\nt = { x = 1 }\n", ["a"], ["t", "a"],
      "z = 0\n# of a\n# one\nt = { x = 1, a = 1 }\n"),
    .move(
      "moves an array of tables into an inline table",
      "[[a]]\n# of x\nx = [\n  1, # one\n] # end\n\n[b]\nt = { y = 1 }\n",
      ["a"], ["b", "t", "a"], "[b]\n# of x\n# one\n# end\nt = { y = 1, a = [{ x = [1] }] }\n"),
    .move("moves a member out", "t = { x = 0x1, y = 2 }\n", ["t", "x"], ["x"], "t = { y = 2 }\nx = 0x1\n"),
    .move(
      "moves a first member out with its comment", "t = { x = 1, # one\n  y = 2 }\n", ["t", "x"], ["x"],
      "t = {\n  y = 2 }\nx = 1 # one\n"),
    .move(
      "moves no comment that stays", "t = { x = 1, y = 2, # both\n  z = 3 }\n", ["t", "y"], ["y"],
      "t = { x = 1,  # both\n  z = 3 }\ny = 2\n"),
    .move(
      "moves a comment before the comma", "t = { x = 1\n    , y = 2 # two\n    , z = 3 }\n", ["t", "y"], ["y"],
      "t = { x = 1\n    , z = 3 }\ny = 2 # two\n"),
    .move(
      "moves the comment above a last member's comma", "t = { x = 1\n  # about y\n  , y = 2 # two\n}\n", ["t", "y"],
      ["y"],
      "t = { x = 1\n}\n# about y\ny = 2 # two\n"),
    .move(
      "moves a dotted table", "theme.accent = 'red' # c\ntheme.size = 1\n\n[ui]\nx = 1\n", ["theme"], ["ui", "theme"],
      "[ui]\nx = 1\n\n[ui.theme]\naccent = 'red' # c\nsize = 1\n"),
    .move("moves nothing where there is nothing", "a = 1\n", ["b"], ["c"], "a = 1\n"),
    .move("quotes where it must", "a = 1\n", ["a"], ["x y"], "\"x y\" = 1\n"),
    .move("needs no quotes any more", "\"x y\" = 1\n", ["x y"], ["a"], "a = 1\n"),
    .move("keeps apostrophes", "'x/*' = 1\n", ["x/*"], ["a"], "'a' = 1\n"),
    .move("keeps apostrophes around others", "'a' = 1\n", ["a"], ["x/*"], "'x/*' = 1\n"),
    .move("keeps quotes that are a style", "\"a\" = 1\n", ["a"], ["b"], "\"b\" = 1\n"),
    .move("takes other quotes where it must", "'a' = 1\n", ["a"], ["it's"], "\"it's\" = 1\n"),
    .move(
      "keeps the quotes of headers and dotted keys", "[t]\n'a b'.x = 1\n[t.\"a b\".y]\n", ["t", "a b"], ["t", "c d"],
      "[t]\n'c d'.x = 1\n[t.\"c d\".y]\n"),
    .move(
      "keeps quotes in another table", "[t]\n'a/*' = 1\n[u]\n", ["t", "a/*"], ["u", "b/*"], "[t]\n[u]\n'b/*' = 1\n"),
    .move(
      "keeps quotes below a moved table", "[t]\nx.'a/*' = 1\n[u]\n", ["t", "x"], ["u", "y"],
      "[t]\n[u]\n\n[u.y]\n'a/*' = 1\n"),
  ]

  @Test(arguments: cases) func `moving takes the comments along`(_ edit: EditCase) throws { try edit.run() }

  @Test func `a key that is renamed and gets its name back leaves the same bytes`() throws {
    for seed in 0..<300 {
      var generator = Generator(seed: UInt64(seed) &+ 70_000)
      let text = generator.document()
      let before = try TOMLDocument(parsing: text)
      // Escapes in a key are not kept.
      for path in before.leafPaths() where !path.description.contains("é") {
        var document = before
        try document.move(from: path, to: path.parent.appending("a b"))
        let between = document.text
        try document.move(from: path.parent.appending("a b"), to: path)
        #expect(document.text == text, "seed \(seed) \(path)\n\(between)")
      }
    }
  }

  /// A random document, with a number in each comment.
  private func numbered(_ generator: inout Generator) throws -> TOMLDocument {
    var bytes = try TOMLDocument(parsing: generator.document()).bytes
    for (number, comment) in try TOMLDocument(parsing: bytes).comments.enumerated().reversed() {
      bytes.insert(contentsOf: "#\(number) ".utf8, at: comment.lowerBound)
    }
    return try TOMLDocument(parsing: bytes)
  }

  private func comments(of document: TOMLDocument) -> [String] {
    document.comments.map { String(String(decoding: document.bytes[$0], as: UTF8.self).split(separator: " ")[0]) }
      .sorted()
  }

  @Test func `no move loses a comment, also where a value takes the place of its table`() throws {
    for seed in 0..<40 {
      var generator = Generator(seed: UInt64(seed) &+ 80_000)
      let before = try numbered(&generator)
      let expected = comments(of: before)
      let leaves = before.leafPaths()
      let paths = Set(leaves.flatMap { path in (1...path.components.count).map(path.prefix) })
        .sorted { $0.description < $1.description }
      for path in paths {
        for destination in [["new"], ["new", "x"], generator.pick(paths).appending("x"), path.parent.appending("x")] {
          var document = before
          guard !destination.hasPrefix(path), (try? document.move(from: path, to: destination)) == true else {
            continue
          }
          #expect(comments(of: document) == expected, "seed \(seed) \(path) to \(destination)")
        }
        var document = before
        let between = path.parent.parent.appending("between")
        guard path.components.count > 1, (try? document.move(from: path, to: between)) == true else { continue }
        _ = try document.remove(at: path.parent, leavingCommentsTo: between)
        #expect(comments(of: document) == expected, "seed \(seed) \(path) alone")
      }
    }
  }

  @Test func `moving onto something fails`() throws {
    var document = try TOMLDocument(parsing: "a = 1\n[b]\nc = 1\n")
    #expect(throws: TOMLEditError.self) { try document.move(from: ["a"], to: ["b"]) }
    #expect(throws: TOMLEditError.self) { try document.move(from: ["b"], to: ["b", "c", "d"]) }
    #expect(throws: TOMLEditError.self) { try document.move(from: ["b", "c"], to: ["b"]) }
    let error = #expect(throws: TOMLEditError.self) { try document.move(from: ["b"], to: ["a", "x"]) }
    #expect(error?.code == .notATable(["a"], found: "an integer"))
    #expect(document.text == "a = 1\n[b]\nc = 1\n")
  }
}
