import Testing

@testable import SettingsTOML

struct LineIndexTests {
  @Test(arguments: [
    "", "a = 1", "a = 1\nb = 2\n", "\u{FEFF}a = 1\n", "# é\u{301}😀\na = \"日本\" # c\n\n\nb.c = 3",
    String(repeating: "k = \"日本語\"\n", count: 300), "\u{FEFF}" + String(repeating: "é", count: 1000) + "\n= 1",
    String(repeating: "x", count: 512), String(repeating: "x", count: 511) + "\n",
  ]) func `the index places each offset where counting does`(text: String) {
    let bytes = Array(text.utf8)
    let index = LineIndex(of: bytes)
    let start = bytes.starts(with: Byte.byteOrderMark) ? 3 : 0
    for offset in start...max(start, bytes.count) {
      let counted = bytes.withUnsafeBufferPointer { TOMLPosition(of: offset, in: $0) }
      guard index.position(of: offset, in: bytes) != counted else { continue }
      Issue.record("\(offset) of \(text.prefix(20)): \(index.position(of: offset, in: bytes)), not \(counted)")
      return
    }
  }

  @Test(arguments: PropertyTests.seeds) func `a document of a table's values has these values`(seed: UInt64) throws {
    var generator = Generator(seed: seed)
    let table = try TOMLDocument(parsing: generator.document()).root
    #expect(try TOMLDocument(parsing: table.documentText).root == table)
  }
}
