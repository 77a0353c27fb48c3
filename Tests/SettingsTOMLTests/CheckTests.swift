import Testing

@testable import SettingsTOML

/// The self-check refuses what an edit must not do.
struct CheckTests {
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

  @Test func `edits made together are all made`() throws {
    var document = try TOMLDocument(parsing: CheckTests.before)
    let count = try document.edit { document in
      try document.set(5, at: ["a"])
      try document.set(6, at: ["a"])
      try document.set("x", at: ["n", "m"])
      try document.remove(at: ["n", "m"])
      try document.set(1, at: ["n", "k"])
      try document.move(from: ["b"], to: ["t", "b"])
      try document.set(["y": 2], at: ["t"])
      return try document.edit { try $0.set(3, at: ["t", "z"]) ? 1 : 0 }
    }
    #expect(count == 1)
    #expect(document.text == "a = 6\n\n[t]\ny = 2\nz = 3\n\n[n]\nk = 1\n")
    #expect(document.recorded == nil)
  }

  @Test func `edits made together are undone together`() throws {
    var document = try TOMLDocument(parsing: CheckTests.before)
    #expect(throws: TOMLEditError.self) {
      try document.edit { document in
        try document.set(5, at: ["b"])
        try document.set(5, at: ["a", "x"])
      }
    }
    #expect(document.text == CheckTests.before)
  }

  @Test(arguments: [
    "a = 5\nb = 3\n\n[t]\nx = 1\n", "a = 5\n\n[t]\nx = 1\n", "a = 1\nb = 2\n\n[t]\nx = 1\n",
    "a = 5\nb = 2\n\n[t]\nx = \n",
  ]) func `edits made together that do something else are undone`(_ after: String) throws {
    var document = try TOMLDocument(parsing: CheckTests.before)
    let error = #expect(throws: TOMLEditError.self) {
      try document.edit { document in
        try document.set(5, at: ["a"])
        document.bytes = Array(after.utf8)
      }
    }
    #expect(error?.code == .internalInconsistency)
    #expect(document.text == CheckTests.before)
  }
}
