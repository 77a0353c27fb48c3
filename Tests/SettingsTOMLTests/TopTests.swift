import SettingsTOML
import Testing

struct TopTests {
  private static func top(_ name: String, _ before: String, _ after: String) -> EditCase {
    EditCase(name, before, { try $0.setAtTop("v", 2) }, after)
  }

  static let cases: [EditCase] = [
    top("an empty text", "", "v = 2\n"),
    top("a byte order mark alone", "\u{FEFF}", "\u{FEFF}v = 2\n"),
    top("a first key", "a = 1\n", "v = 2\na = 1\n"),
    top("a first key after a byte order mark", "\u{FEFF}a = 1\n", "\u{FEFF}v = 2\na = 1\n"),
    top("a first key in CRLF", "a = 1\r\n", "v = 2\r\na = 1\r\n"),
    top("a first key without a newline", "a = 1", "v = 2\na = 1"),
    top("the comment of the first key", "# of a\na = 1\n", "v = 2\n# of a\na = 1\n"),
    top("a table", "[t]\nx = 1\n", "v = 2\n\n[t]\nx = 1\n"),
    top("the comment of a table", "# of t\n[t]\n", "v = 2\n\n# of t\n[t]\n"),
    top("an array of tables", "[[t]]\nx = 1\n", "v = 2\n\n[[t]]\nx = 1\n"),
    top("the file's comment", "# Mine.\n\na = 1\n", "# Mine.\n\nv = 2\na = 1\n"),
    top("the file's comment, then a key's", "# Mine.\n\n# of a\na = 1\n", "# Mine.\n\nv = 2\n# of a\na = 1\n"),
    top("the file's comment, then a table", "# Mine.\n\n[t]\n", "# Mine.\n\nv = 2\n\n[t]\n"),
    top("the file's comment, then a title", "# Mine.\n\n# == T ==\n\n[t]\n", "# Mine.\n\nv = 2\n\n# == T ==\n\n[t]\n"),
    top(
      "the file's comment and several blank lines", "# Mine.\n# All of it.\n\n\na = 1\n",
      "# Mine.\n# All of it.\n\nv = 2\n\na = 1\n"),
    top(
      "the file's comment after a byte order mark", "\u{FEFF}# Mine.\n\na = 1\n", "\u{FEFF}# Mine.\n\nv = 2\na = 1\n"),
    top("the file's comment in CRLF", "# Mine.\r\n\r\na = 1\r\n", "# Mine.\r\n\r\nv = 2\r\na = 1\r\n"),
    top("blank lines before the file's comment", "\n# Mine.\n\na = 1\n", "\n# Mine.\n\nv = 2\na = 1\n"),
    top("a comment alone", "# Mine.\n", "# Mine.\n\nv = 2\n"),
    top("a comment alone without a newline", "# Mine.", "# Mine.\n\nv = 2"),
    top("a comment alone in CRLF, without a newline", "# A\r\n# B", "# A\r\n# B\r\n\r\nv = 2"),
    top("a comment and a blank line", "# Mine.\n\n", "# Mine.\n\nv = 2\n\n"),
    top("a comment, and another", "# Mine.\n\n# font = 1\n", "# Mine.\n\nv = 2\n\n# font = 1\n"),
    top("blanks without a line break at the end", "# Mine.\n  ", "v = 2\n\n# Mine.\n  "),
    top("blanks alone", "  ", "v = 2\n  "),
    top("blank lines alone", "\n\n", "v = 2\n\n\n"),
    top("a schema's line", "#:schema ./s.json\na = 1\n", "#:schema ./s.json\n\nv = 2\na = 1\n"),
    top("a schema's line in CRLF", "#:schema ./s.json\r\na = 1\r\n", "#:schema ./s.json\r\n\r\nv = 2\r\na = 1\r\n"),
    top(
      "a schema's line, then a key's comment", "#:schema ./s.json\n# of a\na = 1\n",
      "#:schema ./s.json\n\nv = 2\n# of a\na = 1\n"),
    top(
      "a schema's line, then the file's comment", "#:schema ./s.json\n\n# Mine.\n\na = 1\n",
      "#:schema ./s.json\n\n# Mine.\n\nv = 2\na = 1\n"),
    top(
      "a schema's line, then a table's comment", "#:schema ./s.json\n\n# of t\n[t]\n",
      "#:schema ./s.json\n\nv = 2\n\n# of t\n[t]\n"),
    top("a line for the kernel", "#!/usr/bin/env app\na = 1\n", "#!/usr/bin/env app\n\nv = 2\na = 1\n"),
    top("an editor's mode", "# -*- mode: toml -*-\n[t]\n", "# -*- mode: toml -*-\n\nv = 2\n\n[t]\n"),
    top("another editor's mode", "# vim: ts=2\na = 1\n", "# vim: ts=2\n\nv = 2\na = 1\n"),
    top(
      "a licence directly above a key", "# Copyright 2026 Ada\n# All rights reserved.\na = 1\n",
      "# Copyright 2026 Ada\n# All rights reserved.\n\nv = 2\na = 1\n"),
    top(
      "the name of a licence", "# SPDX-License-Identifier: MIT\na = 1\n",
      "# SPDX-License-Identifier: MIT\n\nv = 2\na = 1\n"),
    top("an existing line, in its place", "a = 1\nv = 1 # now\n", "a = 1\nv = 2 # now\n"),
  ]

  @Test(arguments: cases) func `the first line goes below the file's own comment`(_ edit: EditCase) throws {
    try edit.run()
  }

  @Test(arguments: cases) func `setting it again changes nothing`(_ edit: EditCase) throws {
    var document = try TOMLDocument(parsing: edit.after)
    try document.setAtTop("v", 2)
    #expect(document.text == edit.after)
  }

  @Test func `a comment whose key has gone is the file's`() throws {
    for key in ["a", "t"] {
      var document = try TOMLDocument(parsing: key == "a" ? "# Mine.\na = 1\nb = 2\n" : "# Mine.\n[t]\n[u]\nb = 2\n")
      try document.edit { document in
        try document.remove(at: [key])
        try document.setAtTop("v", 2)
      }
      #expect(document.text == (key == "a" ? "# Mine.\n\nv = 2\nb = 2\n" : "# Mine.\n\nv = 2\n\n[u]\nb = 2\n"))
    }
  }

  @Test func `when the first keys go, the comments of the next ones stay theirs`() throws {
    let before = "# of a\na = 1\n# of b\nb = 2\n# of c\nc = 3\n"
    func edited(_ edit: (inout TOMLDocument) throws -> Void) throws -> String {
      var document = try TOMLDocument(parsing: before)
      try document.edit { document in
        try edit(&document)
        try document.setAtTop("v", 2)
      }
      return document.text
    }
    #expect(try edited { try $0.remove(at: ["a"]) } == "# of a\n\nv = 2\n# of b\nb = 2\n# of c\nc = 3\n")
    let both = try edited { document in
      try document.remove(at: ["a"])
      try document.remove(at: ["b"])
    }
    #expect(both == "# of a\n\nv = 2\n# of c\nc = 3\n")
    let moved = try edited { document in
      try document.move(from: ["a"], to: ["t", "a"])
      try document.move(from: ["b"], to: ["t", "b"])
    }
    #expect(moved == "# of a\n\nv = 2\n# of c\nc = 3\n\n[t]\na = 1\n# of b\nb = 2\n")
  }

  @Test(arguments: [
    ("# Mine.\n\n[t]\n", "# Mine.\n\na = 1\n\n[t]\n"), ("#:schema s\n[t]\n", "#:schema s\n\na = 1\n\n[t]\n"),
    ("# of t\n[t]\n", "a = 1\n\n# of t\n[t]\n"), ("# Mine.", "# Mine.\n\na = 1"),
  ])
  func `the first key outside tables goes to the same place`(_ before: String, _ after: String) throws {
    var document = try TOMLDocument(parsing: before)
    try document.set(1, at: ["a"])
    #expect(document.text == after)
  }
}
