import AppSettings
import Testing
import TestSupport

/// Steps over records, in every way that records are written: the same as the steps one by one, byte for byte.
struct ForEachTests {
  struct Layout: Sendable, CustomTestStringConvertible {
    var testDescription: String
    var text: String
    var key: String

    init(_ name: String, _ text: String, key: String = "p") {
      (testDescription, self.text, self.key) = (name, text, key)
    }
  }

  private static func steps(_ prefix: String) -> [MigrationStep] {
    [
      .rename(prefix + "old", to: prefix + "new"), .convert(prefix + "port", .integer), .remove(prefix + "gone"),
      .setDefault(prefix + "tls.on", true),
      .split(prefix + "size", into: [prefix + "w", prefix + "h"], separator: "x"),
    ]
  }

  static let layouts: [Layout] = [
    Layout(
      "headers with comments and other tables between",
      """
      # file
      a = 1

      # first
      [p.a] # h
      # about old
      old = 1   # x
      port = "80"
      gone = [1,
        2] # g

      # set off

      # second
      [p.b]
      old = 'y'
      [other]
      old = 3
      # third
      [p."c d"]
        port   =   "90"
      size = "3x4"
      # end
      """),
    Layout(
      "tables below records",
      "[p.a]\nold = 1\n[p.a.tls]\nold = 2\n\n[p.b.tls]\non = false\n[p.c]\n[p.c.x.y]\nz = 1\n\n[q]\nold = 1\n"),
    Layout("records in two places", "[p.a]\nold = 1\n[p.b]\nold = 2\n[p.a.sub]\nx = 1\n[p.c]\nold = 3\n"),
    Layout(
      "key lines with inline tables",
      "[p]\n# a\na = { old = 1, port = \"1\" } # x\nb = { gone = 1 }\nn = 3\n\nc = {}\n[q]\na = { old = 1 }\n"),
    Layout("dotted keys", "[p]\na.old = 1 # x\na.port = \"2\"\n# b\nb.old = 2\nn = 1\n[q]\nx = 1\n"),
    Layout("dotted keys in two places", "p.a.old = 1\np.b.old = 2\np.a.port = \"3\"\nz = 1\n"),
    Layout("a table on one line", "x = 1\np = { a = { old = 1 }, b = { port = \"2\" } } # c\n"),
    Layout("below another table", "[x]\n[x.p.a]\nold = 1\n[x.p.b]\nport = \"2\"\n", key: "x.p"),
    Layout("Windows lines", "[p.a]\r\nold = 1\r\n\r\n[p.b]\r\nold = 2\r\nsize = \"1x2\"\r\n"),
    Layout("a byte order mark", "\u{FEFF}[p.a]\nold = 1\n[p.b]\nold = 2"),
    Layout("strings with lines like headers", "[p.a]\nold = '''\n[p.b]\n# no comment\n'''\n[p.b]\nold = 1\n"),
    Layout("nothing to do", "[p.a]\nx = 1\ntls.on = 1\n[p.b]\ny = 2\ntls.on = 2\n"),
    Layout("no table", "p = 3\n"),
  ]

  @Test(arguments: layouts)
  func `records are changed as the steps one by one would change them`(_ layout: Layout) throws {
    let whole = try TOMLDocument(parsing: layout.text)
    let key = try TOMLPath(parsing: layout.key)
    var expected = whole
    for name in whole.childKeys(of: key) ?? [] where whole.isTable(at: key.appending(name)) {
      var scope = MigrationScope(expected, at: .table(key.appending(name)))
      try scope.run(Self.steps(""))
      try scope.removeEmptied()
      expected = scope.document
    }
    var document = whole
    try MigrationStep.forEach(layout.key, Self.steps("")).run(on: &document)
    #expect(document.root == expected.root)
    #expect(document.text == expected.text)
    #expect(try TOMLDocument(parsing: document.text).root == document.root)
    // In a batch, as a migration runs it.
    var batch = whole
    try SettingsMigrations([Migration(2, "all", [.forEach(layout.key, Self.steps(""))])]).run(on: &batch)
    var versioned = document
    try SettingsFormat.setVersion(2, in: &versioned)
    #expect(batch.text == versioned.text)
  }

  static let arrays: [(before: String, after: String)] = [
    (
      """
      # top
      [[p]] # one
      # c
      old = 1 # x
      port = "1"

      # two
      [[p]]
      gone = 1
      [p.tls]
      on = false

      [[p.sub]]
      old = 5
      [z]
      old = 1
      [[q]]
      old = 1

      """,
      """
      # top
      [[p]] # one
      # c
      new = 1 # x
      port = 1

      # two
      [[p]]
      [p.tls]
      on = false

      [[p.sub]]
      old = 5
      [z]
      old = 1
      [[q]]
      old = 1

      """
    ),
    ("[[x.p]]\nold = 1\n[[x.p]]\nold = 2\n", "[[x.p]]\nold = 1\n[[x.p]]\nold = 2\n"),
    (
      "p = [\n  { old = 1 }, # first\n  # second\n  { old = 2, port = \"3\" },\n  7,\n]\n",
      "p = [\n  { new = 1 }, # first\n  # second\n  { new = 2, port = 3 },\n  7,\n]\n"
    ),
    ("p = []\n", "p = []\n"),
  ]

  @Test(arguments: arrays)
  func `elements are changed where they are`(before: String, after: String) throws {
    var document = try TOMLDocument(parsing: before)
    try MigrationStep.forEach(
      "p",
      [
        .rename("old", to: "new"),
        .convert("port", .integer),
        .remove("gone"),
      ]
    ).run(on: &document)
    #expect(document.text == after)
  }

  @Test func `an error names the record or the element, and nothing changes`() throws {
    let texts = [
      ("[p.a]\nport = \"1\"\n[p.b]\nport = \"x\"\n", "at 'p.b.port'"),
      ("[[p]]\nport = \"1\"\n[[p]]\nport = \"x\"\n", "at 'p[1].port'"),
      ("p = [{ port = \"1\" }, { port = \"x\" }]\n", "at 'p[1].port'"),
    ]
    for (text, place) in texts {
      var document = try TOMLDocument(parsing: text)
      let error = #expect(throws: MigrationStepError.self) {
        try MigrationStep.forEach("p", [.convert("port", .integer)]).run(on: &document)
      }
      #expect(document.text == text)
      #expect(error?.description.contains(place) == true, "\(error?.description ?? "")")
    }
  }

  @Test(arguments: [
    ("old = 1\n[[s]]\nn = 1\n[[s]]\nn = 2\na = \"x\"\n", MigrationStep.forEach("s", [.rename("n", to: "a.n")]), 6),
    (
      "[[s]]\n[[s.d]]\n[[s]]\n[[s.d]]\n[[s.d]]\np = 1.5\n", .forEach("s", [.forEach("d", [.convert("p", .integer)])]), 6
    ),
    ("z = 1\n[t.x]\np = 1.5\n", .forEach("t", [.rename("p", to: "q"), .convert("q", .integer)]), 3),
  ]) func `an error has the line of what it is about`(text: String, step: MigrationStep, line: Int) throws {
    var document = try TOMLDocument(parsing: text)
    let error = #expect(throws: SettingsError.self) {
      try SettingsMigrations([Migration(2, "bad", [step])]).run(on: &document)
    }
    #expect(error?.position?.line == line, "\(error?.message ?? "")")
  }

  @Test func `two thousand records of every kind come out whole`() throws {
    let count = 2000
    let texts = [
      (0..<count).map { "[p.r\($0)]\nold = \($0) # x\nport = \"\($0)\"\n" }.joined(),
      (0..<count).map { "[[p]]\nold = \($0) # x\nport = \"\($0)\"\n" }.joined(),
      "[p]\n" + (0..<count).map { "r\($0) = { old = \($0), port = \"\($0)\" } # x\n" }.joined(),
      "[p]\n" + (0..<count).map { "r\($0).old = \($0) # x\nr\($0).port = \"\($0)\"\n" }.joined(),
      "p = [\n" + (0..<count).map { "  { old = \($0), port = \"\($0)\" },\n" }.joined() + "]\n",
    ]
    for text in texts {
      var document = try TOMLDocument(parsing: text)
      try SettingsMigrations([
        Migration(
          2, "all",
          [
            .forEach(
              "p",
              [
                .rename("old", to: "new"),
                .convert("port", .integer),
              ])
          ])
      ]).run(on: &document)
      let expected = text.replacing("old", with: "new").replacing("\"", with: "")
      #expect(document.text == "settings-version = 2\n" + (text.hasPrefix("[") ? "\n" : "") + expected)
    }
  }
}
