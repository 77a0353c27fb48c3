import SettingsTOML
import Testing

/// A document as a table of another one, and back.
struct NestingTests {
  @Test func `a document becomes a table with its comments, and a document again`() throws {
    let text =
      "# top\n\na = 0x10 # hex\nb.c = 1\n\n# of t\n[ t ] # here\nx = 1\n[t.\"u v\"]\n[[ t.list ]]\n\n[[t.list]]\n"
      + "y = 2"
    let nested = try TOMLDocument(parsing: text).text(nestedIn: "org.example.x")
    #expect(
      String(decoding: nested, as: UTF8.self) == """
        ["org.example.x"]
        # top

        a = 0x10 # hex
        b.c = 1

        # of t
        ["org.example.x". t ] # here
        x = 1
        ["org.example.x".t."u v"]
        [["org.example.x". t.list ]]

        [["org.example.x".t.list]]
        y = 2

        """)
    let all = try TOMLDocument(parsing: Array("v = 1\n\n".utf8) + nested + Array("\n[other]\nz = 1\n".utf8))
    let back = try #require(all.tableTexts["org.example.x"])
    #expect(try TOMLDocument(parsing: back).root == TOMLDocument(parsing: text).root)
    let shown = text.replacing("[ t ]", with: "[t ]").replacing("[[ t", with: "[[t") + "\n"
    #expect(String(decoding: back, as: UTF8.self) == shown)
    #expect(all.tableTexts["other"] == Array("z = 1\n".utf8))
  }

  @Test(arguments: ["x.a = 1\n", "x = { a = 1 }\n", "[x.a]\n", "[x]\n[y]\n[x.a]\n", "[[x]]\n", "x = 1\n", ""])
  func `a table that does not stand together below its header has no text of its own`(_ text: String) throws {
    #expect(try TOMLDocument(parsing: text).tableTexts["x"] == nil)
  }

  @Test(arguments: PropertyTests.seeds)
  func `a generated document keeps its values within another one, and returns from it`(seed: UInt64) throws {
    var generator = Generator(seed: seed &+ 77_000)
    let document = try TOMLDocument(parsing: generator.document())
    let nested = document.text(nestedIn: "a b/c") + Array("\n[z]\n".utf8)
    let whole = try TOMLDocument(parsing: nested)
    #expect(whole.root["a b/c"] == .table(document.root))
    let back = try TOMLDocument(parsing: try #require(whole.tableTexts["a b/c"]))
    #expect(back.root == document.root)
  }
}
