import Testing

@testable import SettingsTOML

struct ParserTests {
  /// The index is made for as many keys as the beginning of a text lets expect.
  @Test(arguments: ["# " + String(repeating: "=", count: 4000), "a = '\(String(repeating: "=", count: 4000))'"])
  func `equals signs that are no keys take little memory`(_ beginning: String) throws {
    let rest = String(repeating: "# a comment\n", count: 100_000)
    let document = try TOMLDocument(parsing: beginning + "\nb = 1\n" + rest)
    #expect(document.tree.nodes.capacity < document.bytes.count / 4)
  }
}
