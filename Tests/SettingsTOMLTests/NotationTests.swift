import SettingsTOML
import Testing

/// Values written as a person typed them.
struct NotationTests {
  @Test(arguments: [
    // before, value's text, after; each sets 'v'
    ("", "1.10", "v = 1.10\n"), ("v = 0x0F # c\n", "16", "v = 16 # c\n"), ("v = 1.1\n", "1.10", "v = 1.10\n"),
    ("v = 1.10\n", "1.10", "v = 1.10\n"), ("v = 'a'\n", "\"b\"", "v = 'b'\n"), ("", "'b'", "v = 'b'\n"),
    ("v = [\n  1.0,  # c\n  2,\n]\n", "[1.00, 0x2]", "v = [\n  1.00,  # c\n  0x2,\n]\n"),
    ("v = [1]\n", "[ 1, 0x2 ]", "v = [ 1, 0x2 ]\n"),
    ("v = { a = 1 }\n", "{a = 0x1, b = 2_0}", "v = { a = 0x1, b = 2_0 }\n"),
    ("[v]\n# c\na = 1\n", "{ a = 0x1, b.c = 1.10 }", "[v]\n# c\na = 0x1\n\n[v.b]\nc = 1.10\n"),
    ("v.a = 1\n", "{ a = +1 }", "v.a = +1\n"), ("[[v]]\na = 1.5\n", "[{ a = 1.50 }]", "[[v]]\na = 1.50\n"),
    ("[v]\na.b = 1\n", "{ a.b = 0x1 }", "[v]\na.b = 0x1\n"),
    ("v = \"\"\n", "1979-05-27 07:32:00Z", "v = 1979-05-27 07:32:00Z\n"), ("", "07:32", "v = 07:32:00\n"),
    ("", "[\"\"\"a\"\"\", 1.0]", "v = [\"a\", 1.0]\n"), ("", "{ }", "v = { }\n"),
    ("", "{git = 'g', x.y = 0x1}", "v = {git = 'g', x.y = 0x1}\n"),
    ("[a]\n", "[{ a = 0x1 }]", "v = [{ a = 0x1 }]\n\n[a]\n"), ("", "{ a = 07:32 }", "[v]\na = 07:32:00\n"),
    ("", "{\n a = 1\n}", "[v]\na = 1\n"),
    ("a = 1\r\n", "[\n  1, # c\n]", "a = 1\r\nv = [\r\n  1, # c\r\n]\r\n"),
    ("v = []\n", "[\r\n  1,\r\n]", "v = [\n  1,\n]\n"),
  ])
  func `a value is written as typed, in the form that the file has`(_ before: String, _ text: String, _ after: String)
    throws
  {
    var document = try TOMLDocument(parsing: before)
    let value = try TOMLValue(parsing: text)
    let isChanged = try document.set(value, writtenAs: text, at: ["v"])
    #expect(document.text == after)
    #expect(isChanged == (before != after))
    #expect(document[TOMLPath(["v"])] == value)
    #expect(try TOMLDocument(parsing: document.bytes).root == document.root)
  }

  @Test func `among tables with headers, a new table has a header, however it was typed`() throws {
    var document = try TOMLDocument(parsing: "[servers.home]\nport = 1\n")
    try document.set(TOMLValue(parsing: "{}"), writtenAs: "{}", at: ["servers", "work"])
    #expect(document.text == "[servers.home]\nport = 1\n\n[servers.work]\n")
    document = try TOMLDocument(parsing: "[servers]\nhome = { port = 1 }\n")
    try document.set(TOMLValue(parsing: "{}"), writtenAs: "{}", at: ["servers", "work"])
    #expect(document.text == "[servers]\nhome = { port = 1 }\nwork = {}\n")
  }

  @Test func `a text that means something else is not used`() throws {
    for text in ["2", "1\nx = 2", "", "1 # c", "= 1", "1.0"] {
      var document = TOMLDocument()
      try document.set(1, writtenAs: text, at: ["v"])
      #expect(document.text == "v = 1\n", "\(text)")
    }
  }

  @Test func `a literal has all that is on one line as written`() throws {
    let document = try TOMLDocument(
      parsing: """
        [[s]]
        n = 0x10 # a
        list = [
          0x11, # b
          { a = 1_0 },
          [ 1.50 ],
        ]
        inline = { a.b = 0x12 }
        dotted.c = 0x13
        text = \"""
        x\"""

        [[s.in]]
        d = 1979-05-27 00:32:00Z
        """)
    let element = """
      { n = 0x10, list = [0x11, { a = 1_0 }, [ 1.50 ]], inline = { a.b = 0x12 }, dotted = { c = 0x13 }, text = "x", \
      in = [{ d = 1979-05-27 00:32:00Z }] }
      """
    #expect(document.elementTexts(at: ["s"]) == [element])
    #expect(document.literal(at: ["s"]) == "[\(element)]")
    // Written over what it was read from, it changes nothing.
    var copy = document
    let value = try #require(document[TOMLPath(["s"])])
    #expect(try !copy.set(value, writtenAs: "[\(element)]", at: ["s"]))
    #expect(copy.text == document.text)
  }

  @Test func `many edits with texts are checked at the end`() throws {
    var document = try TOMLDocument(parsing: "a = 1\nb = [1]\n")
    try document.edit { document in
      try document.set(2.5, writtenAs: "2.50", at: ["a"])
      try document.set([1.5, 2], writtenAs: "[1.50, 0x2]", at: ["b"])
      try document.set(["c": 1.5], writtenAs: "{ c = 1.50 }", at: ["t"])
    }
    #expect(document.text == "a = 2.50\nb = [1.50, 0x2]\nt = { c = 1.50 }\n")
  }

  @Test func `the text on one line has floats as written`() throws {
    let document = try TOMLDocument(
      parsing: "a = 1_0.50\nb = [\n  0x1, # c\n  [1.10],\n  { x = 2.0_0, \"y z\" = 'q' },\n]\n[[t]]\nu.v = 1e5\n[t.w]\n"
    )
    #expect(document.lineText(at: ["a"]) == "10.50")
    #expect(document.lineText(at: ["b"]) == "[1, [1.10], { x = 2.00, \"y z\" = \"q\" }]")
    #expect(document.lineText(at: ["t"]) == "[{ u = { v = 1e5 }, w = {} }]")
    #expect(document.lineText(at: ["none"]) == nil)
    #expect(document.elementTexts(at: ["b"]) == ["0x1", "[1.10]", "{ x = 2.0_0, \"y z\" = 'q' }"])
    #expect(document.elementTexts(at: ["t"]) == ["{ u = { v = 1e5 }, w = {} }"])
    #expect(document.elementTexts(at: ["a"]) == nil)
  }
}
