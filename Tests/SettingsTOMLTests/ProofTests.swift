import Testing

@testable import SettingsTOML

/// What the changed sections prove of a document has to be what reading all of it finds.
struct ProofTests {
  /// Makes edits at random, in place where that is possible.
  private func edited(_ document: TOMLDocument, _ generator: inout Generator, count: Int) throws -> TOMLDocument {
    var draft = document
    try draft.editUnchecked { draft in
      for _ in 0..<count {
        let path = generator.path(in: draft)
        let value = generator.value()
        switch Int.random(in: 0..<10, using: &generator.random) {
        case 0: _ = try? draft.remove(at: path)
        case 3 where !path.isRoot:
          let table = draft.isTable(at: path) ? path : path.parent
          if !table.isRoot { _ = try? draft.remove(at: table) }
        case 4 where !path.isRoot && !path.components.isEmpty:
          let key = "moved\(Int.random(in: 0..<100, using: &generator.random))"
          _ = try? draft.move(from: path, to: path.parent.appending(key))
        case 1, 2:
          let key = "new\(Int.random(in: 0..<100, using: &generator.random))"
          guard draft[path] == nil || draft.isTable(at: path), !draft.contains(path.appending(key)) else { continue }
          try? draft.appendTables([(key, ["a": 1, "b": [true, "x"], "c": ["d": value]])], under: path)
        default: _ = try? draft.set(value, at: path)
        }
      }
    }
    return draft
  }

  private func compare(_ draft: TOMLDocument, since before: TOMLDocument, _ proven: [TOMLPath]) {
    guard let fresh = try? TOMLDocument(parsing: draft.bytes) else {
      Issue.record("proven, and cannot be read:\n\(before.text)\n---\n\(draft.text)")
      return
    }
    #expect(PropertyTests.shape(draft) == PropertyTests.shape(fresh), "\(before.text)\n---\n\(draft.text)")
    #expect(draft.root == fresh.root, "\(before.text)\n---\n\(draft.text)")
    // A table that was or is empty is one of the changes there, and at an edit's path or above it.
    let all = Set(fresh.changedPaths(since: before))
    #expect(Set(proven).isSubset(of: all), "\(before.text)\n---\n\(draft.text)")
    let others = all.subtracting(proven)
    #expect(
      others.allSatisfy { before.isTable(at: $0) || fresh.isTable(at: $0) }, "\(before.text)\n---\n\(draft.text)")
  }

  @Test(arguments: PropertyTests.seeds)
  func `changes that the sections prove are those that reading anew finds`(seed: UInt64) throws {
    var generator = Generator(seed: seed &+ 7_000)
    for _ in 0..<6 {
      let before = try TOMLDocument(parsing: generator.document())
      let draft = try edited(before, &generator, count: Int.random(in: 1...3, using: &generator.random))
      guard let proven = draft.provenChanges(since: before) else { continue }
      compare(draft, since: before, proven)
    }
  }

  @Test(arguments: PropertyTests.seeds)
  func `of a text that an index is not of, nothing is proven`(seed: UInt64) throws {
    var generator = Generator(seed: seed &+ 8_000)
    for _ in 0..<20 {
      let before = try TOMLDocument(parsing: generator.document())
      var draft = try edited(before, &generator, count: 1)
      guard draft.isMended, !draft.bytes.isEmpty else { continue }
      // A fault of the editor, anywhere.
      let at = Int.random(in: 0..<draft.bytes.count, using: &generator.random)
      switch Int.random(in: 0..<4, using: &generator.random) {
      case 0: draft.bytes[at] = generator.pick(Array("\n\"'[]{}=#.,a1 ".utf8))
      case 1: draft.bytes.remove(at: at)
      case 2:
        draft.bytes.insert(contentsOf: generator.pick(["\n", "[a]\n", "a = 1\n", "\"\"\"", "#", "."]).utf8, at: at)
      default:
        let node = Int.random(in: 0..<draft.tree.nodes.count, using: &generator.random)
        draft.tree.nodes[node].end &+= 1
      }
      guard let proven = draft.provenChanges(since: before) else { continue }
      compare(draft, since: before, proven)
    }
  }

  @Test func `a value, a line and a section among many are proven`() throws {
    var text = "top = 1\n"
    for number in 0..<500 { text += "\n# \(number)\n[t.r\(number)]\na = \(number)\nb = [1, 2]\n" }
    text += "\n[other]\nx = 1\n"
    let before = try TOMLDocument(parsing: text)
    func proven(_ edit: (inout TOMLDocument) throws -> Void) throws -> [TOMLPath]? {
      var draft = before
      try draft.editUnchecked(edit)
      let changes = draft.provenChanges(since: before)
      if let changes { compare(draft, since: before, changes) }
      return changes
    }
    #expect(try proven { try $0.set("x", at: ["t", "r7", "a"]) } == [["t", "r7", "a"]])
    #expect(try proven { try $0.set([1, 2, 3], at: ["t", "r499", "b"]) } == [["t", "r499", "b"]])
    #expect(try proven { try $0.set(2, at: ["top"]) } == [["top"]])
    #expect(try proven { try $0.set(2, at: ["t", "r250", "c"]) } == [["t", "r250", "c"]])
    #expect(
      try proven { try $0.appendTables([("n", ["a": 1, "s": ["b": 2]])], under: ["t"]) }
        == [["t", "n", "a"], ["t", "n", "s", "b"]])
    #expect(try proven { try $0.appendTables([("n", ["a": 1])], under: ["new"]) } == [["new", "n", "a"]])
    #expect(try proven { try $0.appendTables([("n", [:])], under: ["other"]) } == [["other", "n"]])
    #expect(try proven { try $0.remove(at: ["t", "r7", "a"]) } == [["t", "r7", "a"]])
    #expect(try proven { try $0.removeAll(at: [["t", "r7"]]) } == [["t", "r7", "a"], ["t", "r7", "b"]])
    #expect(try proven { try $0.removeAll(at: [["t", "r7"], ["t", "r8"]]) }?.count == 4)
    #expect(try proven { try $0.remove(at: ["t", "r499"]) }?.count == 2)
    #expect(
      try proven {
        try $0.removeAll(at: [["t", "r7"]])
        try $0.appendTables([("r7", ["a": 1])], under: ["t"])
      }?.count == nil)
    #expect(try proven { try $0.move(from: ["t", "r7", "a"], to: ["t", "r7", "c"]) }?.count == 2)
    #expect(try proven { try $0.setAtTop("version", 2) } == [["version"]])
    // What else names a table first is read as a whole, and so is a text of which most has changed.
    #expect(try proven { try $0.remove(at: ["t", "r0"]) } == nil)
    #expect(try proven { try $0.removeAll(at: (1..<300).map { ["t", "r\($0)"] }) }?.count == nil)
  }

  @Test func `a new key that is a table elsewhere is not proven`() throws {
    let text = "[a]\nx = 1\n\n[b]\ny = 1\n\n[a.z]\nk = 1\n" + (0..<200).map { "\n[c.r\($0)]\nv = 1\n" }.joined()
    let before = try TOMLDocument(parsing: text)
    var draft = before
    draft.bytes.insert(contentsOf: Array("z = 1\n".utf8), at: 10)
    draft.isMended = true
    #expect(draft.provenChanges(since: before) == nil)
    #expect(throws: TOMLSyntaxError.self) { try TOMLDocument(parsing: draft.bytes) }
  }
}
