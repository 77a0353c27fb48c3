import Testing

@testable import SettingsTOML

/// Values deeper than any document, as a program can make them, are refused before the stack ends.
struct DepthTests {
  /// Arrays, or tables, within each other.
  private func nested(_ levels: Int, inTables: Bool = false, around core: TOMLValue = 1) -> TOMLValue {
    var value = core
    for _ in 0..<levels { value = inTables ? ["k": value] : [value] }
    return value
  }

  @Test(arguments: [false, true])
  func `a deep value is compared, hashed and printed`(inTables: Bool) {
    let levels = 10_000
    let value = nested(levels, inTables: inTables)
    #expect(value == nested(levels, inTables: inTables))
    #expect(value != nested(levels, inTables: inTables, around: 2))
    #expect(value != nested(levels + 1, inTables: inTables))
    #expect(value.hashValue == nested(levels, inTables: inTables).hashValue)
    #expect(value.tomlText.utf8.count == (inTables ? levels * 8 + 1 : levels * 2 + 1))
    #expect(value.isNested(deeperThan: 1024) && !value.isNested(deeperThan: levels))
  }

  @Test func `equality looks at every level, whatever the order of keys`() {
    let one: TOMLValue = ["a": [1, ["x": .float(.nan), "y": 2]], "b": [:]]
    let other: TOMLValue = ["b": [:], "a": [1, ["y": 2, "x": .float(.nan)]]]
    for levels in [0, 1, 254, 255, 256, 257, 2000] {
      #expect(nested(levels, around: one) == nested(levels, around: other))
      #expect(nested(levels, around: one).hashValue == nested(levels, around: other).hashValue)
      #expect(nested(levels, inTables: true, around: one) == nested(levels, inTables: true, around: other))
      #expect(
        nested(levels, around: one) != nested(levels, around: ["a": [1, ["x": .float(.nan), "y": 3]], "b": [:]]))
      #expect(nested(levels, around: one) != nested(levels, around: ["a": [1, ["x": .float(.nan)]], "b": [:]]))
      #expect(
        nested(levels, around: one) != nested(levels, around: ["a": [1, ["x": .float(.nan), "y": 2]], "c": [:]]))
    }
  }

  @Test(arguments: [false, true])
  func `a value deeper than any document is refused, and the document stays`(inTables: Bool) throws {
    let text = "a = 1 # one\n\n[t]\nb = 2\n\n[[s]]\nc = 3\n"
    var document = try TOMLDocument(parsing: text)
    for levels in [1025, 10_000] {
      let value = nested(levels, inTables: inTables)
      let edits: [(inout TOMLDocument) throws -> Void] = [
        { try $0.set(value, at: ["a"]) }, { try $0.set(value, at: ["t", "n"]) }, { try $0.set(value, at: ["t"]) },
        { try $0.set(value, at: ["x"], inElement: 0, of: ["s"]) },
        { try $0.append(["x": value], to: ["s"]) },
        { document in try document.edit { _ = try $0.set(value, at: ["a"]) } },
        { try $0.appendTables([("n", ["x": value])], under: ["t"]) },
      ]
      for edit in edits {
        let error = #expect(throws: TOMLEditError.self) { try edit(&document) }
        #expect(error?.code == .tooLarge)
        #expect(error?.message.contains("more than 1024 levels deep") == true)
        #expect(document.text == text)
      }
    }
  }

  @Test func `what a document can hold just so is stored, and one level more is refused`() throws {
    var document = TOMLDocument()
    try document.set(nested(1023, inTables: true), at: ["a"])
    #expect(try TOMLDocument(parsing: document.bytes).root == document.root)
    let before = document.text
    let error = #expect(throws: TOMLEditError.self) { try document.set(nested(1024, inTables: true), at: ["a"]) }
    #expect(error?.code == .tooLarge)
    #expect(document.text == before)
    try document.set(nested(128), at: ["b"])
    #expect(throws: TOMLEditError.self) { try document.set(nested(129), at: ["b"]) }
    #expect(document[["b"]] == nested(128))
  }

  @Test func `a path of any length is refused or finds nothing`() throws {
    let path = TOMLPath(Array(repeating: "a", count: 20_000))
    let text = "a.a.a = 1\n"
    var document = try TOMLDocument(parsing: text)
    #expect(document[path] == nil && !document.contains(path) && document.position(of: path) == nil)
    #expect(document.leafPaths(under: path) == [])
    #expect(try !document.remove(at: path))
    #expect(try !document.move(from: path, to: ["b"]))
    for edit: (inout TOMLDocument) throws -> Void in [
      { try $0.set(1, at: path) }, { try $0.set(literal: "1", at: path) }, { try $0.move(from: ["a"], to: path) },
      { try $0.set(1, at: ["b"] as TOMLPath, inElement: 0, of: path) }, { try $0.append([:], to: path) },
      { try $0.appendTables([("n", [:])], under: path) },
    ] {
      #expect(throws: TOMLEditError.self) { try edit(&document) }
      #expect(document.text == text)
    }
  }

  @Test func `the text of a path has at most as many keys as a document has levels`() throws {
    let longest = Array(repeating: "a", count: 1024).joined(separator: ".")
    #expect(try TOMLPath(parsing: longest).components.count == 1024)
    for count in [1025, 20_000, 200_000] {
      let text = Array(repeating: "a", count: count).joined(separator: ".")
      let error = #expect(throws: TOMLPathError.self) { try TOMLPath(parsing: text) }
      #expect(error?.message.contains("more than 1024 keys") == true)
      #expect(error.map { $0.message.utf8.count < 400 } == true)
    }
  }
}
