import Testing

@testable import SettingsTOML

/// The self-check refuses what an edit must not do.
@Suite struct CheckTests {
  static let before = "a = 1\nb = 2\n\n[t]\nx = 1\n"

  @Test(arguments: [
    ("a = 1\nb = 5\n\n[t]\nx = 1\n", "'a' did not get its value"),
    ("a = 5\nb = 3\n\n[t]\nx = 1\n", "another key than 'a' would change"),
    ("a = 5\nb = 2\n", "another key than 'a' would change"),
    ("a = 5\nb = 2\n\n[t]\nx = 1\ny = 1\n", "another key than 'a' would change"),
    ("a = 5\nb = 2\n\n[t]\nx = 1\n[u]\n", "another key than 'a' would change"),
    ("a = 5\nb = \n", "the text would not be TOML"),
  ]) func `an edit that does something else is undone`(_ after: String, _ reason: String) throws {
    var document = try TOMLDocument(parsing: CheckTests.before)
    let error = #expect(throws: TOMLEditError.self) {
      try document.checked(.set(["a"], 5)) { draft in
        draft.bytes = Array(after.utf8)
        return true
      }
    }
    #expect(error?.code == .internalInconsistency)
    #expect(error?.message.contains(reason) == true)
    #expect(document.text == CheckTests.before)
    #expect(document[["a"]] == 1)
  }

  @Test func `a removal or a move that does something else is undone`() throws {
    var document = try TOMLDocument(parsing: CheckTests.before)
    #expect(throws: TOMLEditError.self) { try document.checked(.remove(["a"])) { _ in true } }
    #expect(throws: TOMLEditError.self) {
      try document.checked(.move(["a"], ["c"])) { draft in
        draft.bytes = Array("c = 2\nb = 2\n\n[t]\nx = 1\n".utf8)
        return true
      }
    }
    #expect(document.text == CheckTests.before)
  }
}
