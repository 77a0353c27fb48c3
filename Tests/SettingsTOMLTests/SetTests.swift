import SettingsTOML
import Testing

struct SetTests {
  static let scalars: [EditCase] = [
    .set("keeps the trailing comment", "a = 1 # one\nb = 2\n", ["a"], 10, "a = 10 # one\nb = 2\n"),
    .set("keeps alignment", "name   = \"x\"\nlonger = 1\n", ["name"], "yy", "name   = \"yy\"\nlonger = 1\n"),
    .set("keeps CRLF", "a = 1\r\nb = 2\r\n", ["a"], 5, "a = 5\r\nb = 2\r\n"),
    .set("keeps the byte order mark", "\u{FEFF}a = 1\n", ["a"], 2, "\u{FEFF}a = 2\n"),
    .set("keeps a missing final newline", "a = 1", ["a"], 2, "a = 2"),
    .set("keeps tabs", "\ta\t=\t1\t# c\n", ["a"], 2, "\ta\t=\t2\t# c\n"),
    .set("leaves an equal value as it is written", "a = 0x0F\nb = 1_000\n", ["a"], 15, "a = 0x0F\nb = 1_000\n"),
    .set("leaves an equal float as it is written", "a = 1e3\n", ["a"], 1000.0, "a = 1e3\n"),
    .set("keeps literal quotes", "a = 'x'\n", ["a"], "C:\\dir", "a = 'C:\\dir'\n"),
    .set("gives up literal quotes that do not fit", "a = 'x'\n", ["a"], "it's", "a = \"it's\"\n"),
    .set(
      "keeps a multi-line basic string", "a = \"\"\"\nx\ny\n\"\"\" # c\n", ["a"], "p\nq\n",
      "a = \"\"\"\np\nq\n\"\"\" # c\n"),
    .set("keeps a multi-line literal string", "a = '''\nx\\\n'''\n", ["a"], "p\\q\n", "a = '''\np\\q\n'''\n"),
    .set(
      "keeps CRLF in a multi-line string", "a = \"\"\"\r\nx\r\n\"\"\"\r\n", ["a"], "p\nq\n",
      "a = \"\"\"\r\np\r\nq\r\n\"\"\"\r\n"),
    .set("escapes quotes in a multi-line string", "a = \"\"\"x\"\"\"\n", ["a"], "\"\"\"", "a = \"\"\"\"\"\\\"\"\"\"\n"),
    .set("keeps the base of an integer", "a = 0o755\n", ["a"], 0o700, "a = 0o700\n"),
    .set("keeps the width and case of a hexadecimal integer", "a = 0x00FF\n", ["a"], 0xAB, "a = 0x00AB\n"),
    .set("gives up a base for a negative integer", "a = 0xFF\n", ["a"], -1, "a = -1\n"),
    .set("keeps thousands apart", "a = 1_000_000\n", ["a"], 2_500_000, "a = 2_500_000\n"),
    .set("writes another kind of value", "a = 1 # c\n", ["a"], ["x", true], "a = [\"x\", true] # c\n"),
    .set("writes floats as floats", "a = 1\n", ["a"], 2.0, "a = 2.0\n"),
    .set("writes nan and inf", "a = 1\n", ["a"], .array([.float(.nan), .float(-.infinity)]), "a = [nan, -inf]\n"),
    .set(
      "keeps the space of a date-time", "a = 1979-05-27 07:32:00Z\n", ["a"],
      .offsetDateTime(
        TOMLOffsetDateTime(
          date: .init(year: 2020, month: 2, day: 29),
          time: .init(hour: 1, minute: 2, second: 3, nanosecond: 500_000_000), offsetMinutes: -90)),
      "a = 2020-02-29 01:02:03.5-01:30\n"),
    .set("changes a quoted key", "\"a b\" = 1\n'c.d' = 2\n", ["a b"], 3, "\"a b\" = 3\n'c.d' = 2\n"),
    .set("changes keys that look like numbers", "1 = 1\n2.5 = 2\n", ["1"], 3, "1 = 3\n2.5 = 2\n"),
    .set("changes keys that look like dates", "1979-05-27 = 1\n", ["1979-05-27"], 3, "1979-05-27 = 3\n"),
    .set("changes a value in a table", "[a]\nx = 1\n\n[b]\nx = 1\n", ["b", "x"], 2, "[a]\nx = 1\n\n[b]\nx = 2\n"),
    .set("changes a dotted key", "a.b.c = 1\na.b.d = 2\n", ["a", "b", "c"], 5, "a.b.c = 5\na.b.d = 2\n"),
    .set(
      "changes an inline member", "a = { x = 1, y.z = 2 } # c\n", ["a", "y", "z"], 5, "a = { x = 1, y.z = 5 } # c\n"),
    .set("changes a value in a nested inline table", "a = {b = {c = 1}}\n", ["a", "b", "c"], 5, "a = {b = {c = 5}}\n"),
    .set("changes a key with escapes", "\"\\u00e9\" = 1\n", ["é"], 5, "\"\\u00e9\" = 5\n"),
    .set(
      "tells code points apart", "\"\u{E9}\" = 1\n\"e\u{301}\" = 2\n", ["e\u{301}"], 5,
      "\"\u{E9}\" = 1\n\"e\u{301}\" = 5\n"),
    .set("puts an inline table for a scalar", "a = 1 # c\n", ["a"], ["x": 1], "a = { x = 1 } # c\n"),
    .set("puts an empty inline table for a scalar", "a = 1\n", ["a"], [:], "a = {}\n"),
  ]

  @Test(arguments: scalars) func `setting a scalar changes only its bytes`(_ edit: EditCase) throws { try edit.run() }

  static let arrays: [EditCase] = [
    .set("appends on one line", "a = [1, 2] # c\n", ["a"], [1, 2, 3], "a = [1, 2, 3] # c\n"),
    .set("copies the spacing", "a = [1,2]\n", ["a"], [1, 2, 3], "a = [1,2,3]\n"),
    .set("fills an empty array", "a = []\n", ["a"], [1], "a = [1]\n"),
    .set("keeps a trailing comma", "a = [1, 2,]\n", ["a"], [1, 2, 3], "a = [1, 2, 3,]\n"),
    .set(
      "appends a line", "a = [\n  1, # one\n  2, # two\n]\n", ["a"], [1, 2, 3],
      "a = [\n  1, # one\n  2, # two\n  3,\n]\n"),
    .set(
      "appends a line without a trailing comma", "a = [\n  1, # one\n  2 # two\n]\n", ["a"], [1, 2, 3],
      "a = [\n  1, # one\n  2, # two\n  3\n]\n"),
    .set(
      "appends with the bracket on the last line", "a = [1,\n     2]\n", ["a"], [1, 2, 3], "a = [1,\n     2,\n     3]\n"
    ),
    .set(
      "removes a line with its comments", "a = [\n  1, # one\n  # of two\n  2, # two\n]\n", ["a"], [1],
      "a = [\n  1, # one\n]\n"),
    .set(
      "removes the last line and the comma before", "a = [\n  1, # one\n  2 # two\n]\n", ["a"], [1],
      "a = [\n  1 # one\n]\n"),
    .set("removes in the middle", "a = [1, 2, 3]\n", ["a"], [1, 3], "a = [1, 3]\n"),
    .set("removes the first", "a = [1, 2, 3]\n", ["a"], [2, 3], "a = [2, 3]\n"),
    .set("removes the last", "a = [ 1, 2 ]\n", ["a"], [1], "a = [ 1 ]\n"),
    .set("removes all", "a = [ 1, 2 ]\n", ["a"], [], "a = [ ]\n"),
    .set(
      "changes one item", "a = [\n  'x', # one\n  'y', # two\n]\n", ["a"], ["x", "z"],
      "a = [\n  'x', # one\n  'z', # two\n]\n"),
    .set("inserts first", "a = [2, 3]\n", ["a"], [1, 2, 3], "a = [1, 2, 3]\n"),
    .set("inserts a first line", "a = [\n  2,\n  3,\n]\n", ["a"], [1, 2, 3], "a = [\n  1,\n  2,\n  3,\n]\n"),
    .set(
      "inserts between", "a = [\n  1,\n  3, # three\n]\n", ["a"], [1, 2, 3], "a = [\n  1,\n  2,\n  3, # three\n]\n"),
    .set(
      "fills an empty array with lines", "a = [\n  # nothing yet\n]\n", ["a"], [1], "a = [\n  # nothing yet\n  1,\n]\n"),
    .set(
      "keeps a comment in a table of an array", "a = [{ b = [\n  1, # one\n  2,\n], c = 0x0F }]\n", ["a"],
      [["b": [1, 3], "c": 16]], "a = [{ b = [\n  1, # one\n  3,\n], c = 0x10 }]\n"),
    .set(
      "takes the order of a table of an array without comments", "a = [{ n = \"a\", h = \"#f\" }]\n", ["a"],
      [["h": "#0", "n": "a", "b": true]], "a = [{ h = \"#0\", n = \"a\", b = true }]\n"),
    .set(
      "changes an item of a nested array", "a = [[1, 2], [3]]\n", ["a"], [[1, 2], [3, 4]], "a = [[1, 2], [3, 4]]\n"),
    .set("keeps CRLF", "a = [\r\n  1,\r\n]\r\n", ["a"], [1, 2], "a = [\r\n  1,\r\n  2,\r\n]\r\n"),
  ]

  @Test(arguments: arrays) func `setting an array keeps the items that stay`(_ edit: EditCase) throws { try edit.run() }

  static let tables: [EditCase] = [
    .set(
      "sets a header table key by key", "[a]\nx = 1 # one\ny = 2 # two\n", ["a"], ["x": 1, "z": 3],
      "[a]\nx = 1 # one\nz = 3\n"),
    .set(
      "sets a dotted table key by key", "a.x = 1\na.y = 2\nb = 3\n", ["a"], ["y": 5, "z": 6],
      "a.y = 5\na.z = 6\nb = 3\n"),
    .set(
      "sets an inline table key by key", "a = { x = 1, y = 2 }\n", ["a"], ["y": 5, "z": 6], "a = { y = 5, z = 6 }\n"),
    .set("empties a header table", "[a]\nx = 1\n\n[b]\n", ["a"], [:], "[a]\n\n[b]\n"),
    .set("replaces a header table by a value", "[a]\nx = 1\n\n[b]\ny = 1\n", ["a"], 5, "a = 5\n\n[b]\ny = 1\n"),
    .set(
      "replaces a dotted table by a value", "z = 0\na.x = 1 # c\na.y = 2\nb = 3\n", ["a"], 5,
      "z = 0\na = 5 # c\nb = 3\n"),
    .set("replaces an inline table by a value", "a = { x = 1 } # c\n", ["a"], 5, "a = 5 # c\n"),
    .set("replaces tables below too", "[a.b]\nx = 1\n\n[c]\n\n[a.d]\n", ["a"], 5, "a = 5\n\n[c]\n"),
    .set(
      "sets the root key by key", "x = 1 # c\ny = 2\n[t]\nz = 1\n", .root, ["x": 1, "t": ["z": 2]],
      "x = 1 # c\n[t]\nz = 2\n"),
    .set(
      "leaves equal tables alone", "[a]\nx = 0x1\n[a.b]\ny = 1e0\n", ["a"], ["b": ["y": 1.0], "x": 1],
      "[a]\nx = 0x1\n[a.b]\ny = 1e0\n"),
  ]

  @Test(arguments: tables) func `setting a table edits it key by key`(_ edit: EditCase) throws { try edit.run() }

  @Test func `setting an equal value reports no change`() throws {
    var document = try TOMLDocument(parsing: "a = 0x10 # c\n[t]\nx = [1]\n")
    #expect(try !document.set(16, at: ["a"]))
    #expect(try !document.set(["x": [1]], at: ["t"]))
    #expect(try document.set(17, at: ["a"]))
  }

  @Test func `setting below a value that is not a table fails and changes nothing`() throws {
    var document = try TOMLDocument(parsing: "a = 1\n[[b]]\nx = 1\n")
    #expect(throws: TOMLEditError.self) { try document.set(1, at: ["a", "b"]) }
    let error = #expect(throws: TOMLEditError.self) { try document.set(1, at: ["b", "x"]) }
    #expect(error?.code == .notATable(["b"], found: "an array"))
    #expect(document.text == "a = 1\n[[b]]\nx = 1\n")
  }

  @Test func `setting a date outside the calendar fails`() throws {
    var document = TOMLDocument()
    let error = #expect(throws: TOMLEditError.self) {
      try document.set([.localDate(TOMLLocalDate(year: 2023, month: 2, day: 29))], at: ["a"])
    }
    #expect(error?.code == .unrepresentable(["a"]))
    #expect(document.bytes.isEmpty)
  }

  @Test func `a value too deep to be read back is refused`() throws {
    var deep: TOMLValue = 1
    for _ in 0..<200 { deep = ["a": deep] }
    for text in ["a = [1]\n", "a = [\n  1,\n]\n", "a = { x = [1] }\n", "a = 1\n", ""] {
      var document = try TOMLDocument(parsing: text)
      let error = #expect(throws: TOMLEditError.self) { try document.set([deep, 2, 3], at: ["a", "x"]) }
      let isExpected = error?.code == .tooLarge || error?.code == .notATable(["a"], found: "an array")
      #expect(isExpected || error?.code == .notATable(["a"], found: "an integer"), "\(String(describing: error))")
      #expect(throws: TOMLEditError.self) { try document.set([deep, 2, 3], at: ["a"]) }
      #expect(document.text == text)
    }
  }
}
