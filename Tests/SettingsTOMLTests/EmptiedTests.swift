import SettingsTOML
import Testing

struct EmptiedTests {
  private static func removal(
    _ name: String, _ before: String, _ path: TOMLPath, within top: TOMLPath = .root, _ after: String
  ) -> EditCase {
    EditCase(
      name, before,
      { document in
        try document.remove(at: path)
        try document.removeEmptied(above: [path], within: top)
      }, after)
  }

  static let cases: [EditCase] = [
    removal("a table", "[t]\nx = 1\n", ["t", "x"], ""),
    removal("a table between others", "[s]\n\n[t]\nx = 1\n\n[u]\n", ["t", "x"], "[s]\n\n[u]\n"),
    removal("a table at the end", "a = 1\n\n[t]\nx = 1\n", ["t", "x"], "a = 1\n"),
    removal("a table at the end, without a newline", "a = 1\n\n[t]\nx = 1", ["t", "x"], "a = 1"),
    removal("a table in CRLF", "a = 1\r\n\r\n[t]\r\nx = 1\r\n", ["t", "x"], "a = 1\r\n"),
    removal("a table after a byte order mark", "\u{FEFF}[t]\nx = 1\n", ["t", "x"], "\u{FEFF}"),
    removal("the tables around it", "a = 1\n\n[t]\n\n[t.u]\nx = 1\n", ["t", "u", "x"], "a = 1\n"),
    removal("the tables around an implicit one", "[t]\n\n[t.u.v]\nx = 1\n", ["t", "u", "v", "x"], ""),
    removal("not a table with another key", "[t]\nx = 1\ny = 2\n", ["t", "x"], "[t]\ny = 2\n"),
    removal("not a table with a table below", "[t]\nx = 1\n\n[t.u]\ny = 2\n", ["t", "x"], "[t]\n\n[t.u]\ny = 2\n"),
    removal("not a table with a comment above", "# of t\n[t]\nx = 1\n", ["t", "x"], "# of t\n[t]\n"),
    removal("not a table with a comment on its line", "[t] # mine\nx = 1\n", ["t", "x"], "[t] # mine\n"),
    removal("not a table with a comment in it", "[t]\n# y = 2\n\nx = 1\n", ["t", "x"], "[t]\n# y = 2\n"),
    removal(
      "not what is above a table with a comment", "[t]\n\n[t.u] # mine\nx = 1\n", ["t", "u", "x"],
      "[t]\n\n[t.u] # mine\n"),
    removal(
      "a table, but not a title set off from it", "# == T ==\n\n[t]\nx = 1\n\n[u]\n", ["t", "x"], "# == T ==\n\n[u]\n"),
    removal("a dotted table", "a = 1\nt.u.x = 1\n", ["t", "u", "x"], "a = 1\n"),
    removal("a table of a dotted key", "[t]\nu.x = 1\n", ["t", "u", "x"], ""),
    removal("an inline table", "a = 1\nt = { x = 1 }\n", ["t", "x"], "a = 1\n"),
    removal("inline tables within each other", "a = 1\nt = { u = { x = 1 } }\n", ["t", "u", "x"], "a = 1\n"),
    removal("an inline table in one with more", "t = { u = { x = 1 }, y = 2 }\n", ["t", "u", "x"], "t = { y = 2 }\n"),
    removal("the table of an inline one", "[t]\nu = { x = 1 }\n", ["t", "u", "x"], ""),
    removal("a dotted inline table", "a = 1\nt.u = { x = 1 }\n", ["t", "u", "x"], "a = 1\n"),
    removal("not an inline table with a comment", "t = { x = 1 } # mine\n", ["t", "x"], "t = {} # mine\n"),
    removal("not an inline table with a comment above", "# of t\nt = { x = 1 }\n", ["t", "x"], "# of t\nt = {}\n"),
    removal(
      "not a member with a comment on its line", "t = {\n  u = { x = 1 }, # mine\n}\n", ["t", "u", "x"],
      "t = {\n  u = {}, # mine\n}\n"),
    removal("not an element of an array", "[[t]]\nx = 1\n", ["t", "x"], "[[t]]\nx = 1\n"),
    removal("not the table that is to stay", "[t]\n\n[t.u]\nx = 1\n", ["t", "u", "x"], within: ["t"], "[t]\n"),
    removal("nothing below the table that is to stay", "[t]\nx = 1\n", ["t", "x"], within: ["t"], "[t]\n"),
    removal("a header below its tables", "[t.u]\nx = 1\n\n[t]\ny = 1\n", ["t", "y"], "[t.u]\nx = 1\n"),
    removal(
      "a header between its tables", "[t.u]\n\n[t]\ny = 1\n\n[t.v]\n\n[u]\n", ["t", "y"], "[t.u]\n\n[t.v]\n\n[u]\n"),
    removal(
      "not such a header with a comment", "[t.u]\n\n[t] # mine\ny = 1\n", ["t", "y"], "[t.u]\n\n[t] # mine\n"),
    removal("not such a header with keys", "[t.u]\n\n[t]\ny = 1\nz.a = 1\n", ["t", "y"], "[t.u]\n\n[t]\nz.a = 1\n"),
    removal("nothing for what is absent", "[t]\n\n[u]\nx = 1\n", ["u", "y"], "[t]\n\n[u]\nx = 1\n"),
  ]

  static let written: [(before: String, path: TOMLPath, after: String)] = [
    ("[t]\nx = 1\n", ["t", "x"], "[t]\n"), ("t = { x = 1 }\n", ["t", "x"], "t = {}\n"),
    ("a = 1\nt.x = 1\n", ["t", "x"], "a = 1\n"), ("[t]\nu.x = 1\n", ["t", "u", "x"], "[t]\n"),
    ("[t.u]\nx = 1\n", ["t", "u", "x"], "[t.u]\n"), ("[t.u]\n\n[t]\ny = 1\n", ["t", "y"], "[t.u]\n"),
  ]

  @Test(arguments: written)
  func `tables that are written stay where they have to`(_ before: String, _ path: TOMLPath, _ after: String) throws {
    try EditCase(
      "", before,
      { document in
        try document.remove(at: path)
        try document.removeEmptied(above: [path], keepingWritten: true)
      }, after
    ).run()
  }

  @Test func `a new key that is removed again leaves the same bytes in any table`() throws {
    for seed in 0..<300 {
      var generator = Generator(seed: UInt64(seed) &+ 60_000)
      let text = generator.document()
      let before = try TOMLDocument(parsing: text)
      let leaves = before.leafPaths()
      let tables = Set(
        leaves.flatMap { path in (0..<path.components.count).map { TOMLPath(Array(path.components.prefix($0))) } })
      for table in tables.union(leaves.filter { before.isTable(at: $0) }) where before[table]?.table != nil {
        // The blanks in '{ }' are not known any more when there was a member.
        if before.valueRange(at: table).map({
          text.utf8.dropFirst($0.lowerBound).prefix($0.count).elementsEqual("{ }".utf8)
        }) == true {
          continue
        }
        let path = table.appending("new-key")
        var document = before
        try document.set(1, at: path)
        let between = document.text
        try document.remove(at: path)
        try document.removeEmptied(above: [path], keepingWritten: true)
        #expect(document.text == text, "seed \(seed) \(table)\n\(between)")
      }
    }
  }

  @Test func `what many removals leave empty goes at once as it does one by one`() throws {
    for seed in 0..<300 {
      var generator = Generator(seed: UInt64(seed) &+ 70_000)
      let before = try TOMLDocument(parsing: generator.document())
      let paths = before.leafPaths().filter { !before.isTable(at: $0) && generator.chance(70) }
      var together = before
      try together.edit { try $0.removeAll(at: paths) }
      var apart = together
      try together.edit { try $0.removeEmptied(above: paths) }
      for path in paths { try apart.removeEmptied(above: [path]) }
      // Of two blank lines around neighbours, one is left if they go one by one.
      let lines = { (text: String) in text.split(separator: "\n").filter { !$0.allSatisfy(\.isWhitespace) } }
      #expect(lines(together.text) == lines(apart.text), "seed \(seed) \(paths)\n\(before.text)")
    }
  }

  @Test(arguments: cases) func `emptied tables go with their last key`(_ edit: EditCase) throws { try edit.run() }

  @Test(arguments: cases) func `the proof of the edits holds`(_ edit: EditCase) throws {
    let before = try TOMLDocument(parsing: edit.before)
    var document = before
    // Checked at its end, by the changed sections alone where possible.
    try document.edit { try edit.edit(&$0) }
    #expect(document.text == edit.after)
  }
}
