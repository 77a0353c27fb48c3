import Testing

@testable import SettingsTOML

/// A text whose line breaks are CRLF keeps them in every kind of edit, also without one at its end.
struct LineBreakTests {
  private static let texts: [(name: String, lines: String)] = [
    ("one line", "a = 1"),
    ("two lines", "a = 1\nb = 2"),
    ("a comment", "# c"),
    ("a comment and a key", "# c\n\na = 1"),
    ("a header", "[t]"),
    ("a header and a key", "[t]\nx = 1"),
    ("two tables", "a = 1\n\n[t]\nx = 1 # c\n\n[u]\ny = 2"),
    ("an element", "[[s]]"),
    ("elements", "# c\n[[s]]\nx = 1\n\n[[s]]\nx = 2"),
    ("inline", "t = { x = 1,\n  y = 2 }\ns = [\n  1, # one\n  2\n]"),
    ("dotted", "t.x = 1\nt.y.z = 2"),
    ("an empty bracket", "s = [\n]\nt = {}"),
    ("a string", "a = \"\"\"x\ny\"\"\"\nb = '''z'''"),
    ("nested", "[t.u]\nx = 1\n[t.u.v]\ny = 1\n\n[[t.s]]\nk = 1"),
  ]

  private static let edits: [(name: String, edit: @Sendable (inout TOMLDocument) throws -> Void)] = {
    let table: TOMLTable = ["x": 1, "t": ["y": [1, 2]], "s": [["z": 1], ["z": 2]]]
    let paths: [TOMLPath] = [
      ["a"], ["b"], ["t"], ["t", "x"], ["t", "y"], ["t", "y", "z"], ["t", "u"], ["t", "u", "x"], ["t", "u", "v"], ["s"],
      ["u"], ["u", "y"], ["t", "s"],
    ]
    let values: [(String, TOMLValue)] = [
      ("an integer", 7), ("lines", "one\ntwo\n"), ("a table", .table(table)), ("an empty table", [:]),
      ("an array", [1, [2], "x\ny"]), ("tables", [["x": 1], ["y": ["z": 2]]]),
    ]
    var edits: [(name: String, edit: @Sendable (inout TOMLDocument) throws -> Void)] = []
    for path in paths {
      for (name, value) in values { edits.append(("set \(path) to \(name)", { try $0.set(value, at: path) })) }
      edits.append(("remove \(path)", { try $0.remove(at: path) }))
      for other in paths.prefix(5) {
        edits.append(("move \(path) to \(other)", { try $0.move(from: path, to: other) }))
      }
      edits.append(("append to \(path)", { try $0.append(table, to: path) }))
      edits.append(("remove the first of \(path)", { try $0.removeElement(0, of: path) }))
      edits.append(("set in the first of \(path)", { try $0.set(.table(table), at: ["k"], inElement: 0, of: path) }))
      edits.append(("move in the first of \(path)", { try $0.move(from: ["x"], to: ["k"], inElement: 0, of: path) }))
      edits.append(("add tables to \(path)", { try $0.appendTables([("m", table), ("n", [:])], under: path) }))
      edits.append(
        (
          "edit the members of \(path)",
          { document in
            _ = try document.editMembers(of: path) { member, part in
              let place = if case .key(let key) = member { path.appending(key) } else { path }
              if case .index = member {
                try part.set(["q": 1], at: ["new"], inElement: 0, of: place)
                try part.set(2, at: ["other"], inElement: 0, of: place)
              } else {
                try part.set(1, at: place.appending("new"))
                try part.set(["q": 1], at: place.appending("table"))
                try part.set("lines\n", at: place.appending("string"))
              }
            }
          }
        ))
    }
    edits.append(("set at the top", { try $0.setAtTop("settings-version", 2) }))
    edits.append(("set the root", { try $0.set(.table(["a": 1, "n": ["x": "y\nz"], "s": [["k": 1]]]), at: .root) }))
    edits.append(
      (
        "set a key and a table",
        { document in
          try document.edit {
            try $0.set(1, at: ["new"])
            try $0.set(["x": 1], at: ["table"])
            try $0.set(2, at: ["table", "y"])
          }
        }
      ))
    return edits
  }()

  /// Whether there is a line break without a carriage return, or one without a line break.
  static func hasMixedBreaks(_ bytes: [UInt8]) -> Bool {
    bytes.indices.contains { index in
      bytes[index] == Byte.newline && (index == 0 || bytes[index - 1] != Byte.carriageReturn)
        || bytes[index] == Byte.carriageReturn && (index + 1 == bytes.count || bytes[index + 1] != Byte.newline)
    }
  }

  @Test(arguments: texts.map(\.name), [false, true])
  func `every edit keeps the line breaks of a text`(name: String, endsWithBreak: Bool) throws {
    let lines = try #require(Self.texts.first { $0.name == name }).lines
    let text = lines.replacing("\n", with: "\r\n") + (endsWithBreak ? "\r\n" : "")
    // A text of one line says nothing of its line breaks.
    guard text.utf8.contains(Byte.newline) else { return }
    let document = try TOMLDocument(parsing: text)
    for (name, edit) in Self.edits {
      var edited = document
      guard (try? edit(&edited)) != nil else { continue }
      #expect(
        !Self.hasMixedBreaks(edited.bytes), "\(name): \(String(reflecting: text)) \(String(reflecting: edited.text))")
      #expect(
        edited.bytes.isEmpty || edited.bytes.last == Byte.newline || !endsWithBreak,
        "\(name): \(String(reflecting: edited.text))")
    }
  }

  @Test(arguments: PropertyTests.seeds)
  func `random edits keep the line breaks of a text`(seed: UInt64) throws {
    var generator = Generator(seed: seed &+ 30_000)
    for _ in 0..<6 {
      var text = generator.document().replacing("\r\n", with: "\n").replacing("\n", with: "\r\n")
      if generator.chance(60) {
        while text.hasSuffix("\r\n") { text.removeLast() }
      }
      guard text.utf8.contains(Byte.newline) else { continue }
      let before = try TOMLDocument(parsing: text)
      var edited = before
      for _ in 0..<3 {
        let path = generator.path(in: edited)
        let value = generator.value()
        switch Int.random(in: 0..<6, using: &generator.random) {
        case 0: _ = try? edited.remove(at: path)
        case 1: _ = try? edited.move(from: path, to: generator.path(in: edited))
        case 2: try? edited.append(["x": value, "y": ["z": value]], to: path)
        case 3: _ = try? edited.set(value, at: ["k", "l"], inElement: 0, of: path)
        default: _ = try? edited.set(value, at: path)
        }
        #expect(
          !Self.hasMixedBreaks(edited.bytes), "\(String(reflecting: text)) \(String(reflecting: edited.text))")
      }
    }
  }
}
