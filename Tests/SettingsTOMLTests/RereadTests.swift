import Testing

@testable import SettingsTOML

/// What reading one value gives has to be what reading all of the text gives.
struct RereadTests {
  /// Reads a text from a document that it is nearly, and compares with reading all of it.
  ///
  /// - Returns: Whether one value was enough.
  private func compare(_ before: TOMLDocument, _ text: [UInt8]) -> Bool {
    guard let (document, changed) = before.reread(text) else { return false }
    let shown = "\(before.text)\n---\n\(String(decoding: text, as: UTF8.self))"
    guard let fresh = try? TOMLDocument(parsing: text) else {
      Issue.record("read, and cannot be read:\n\(shown)")
      return true
    }
    #expect(document.bytes == text && !document.isMended)
    #expect(PropertyTests.shape(document) == PropertyTests.shape(fresh), "\(shown)")
    #expect(document.root == fresh.root, "\(shown)")
    #expect(fresh.changedPaths(since: before) == (changed.map { [$0] } ?? []), "\(shown)")
    return true
  }

  @Test(arguments: PropertyTests.seeds)
  func `one value in the place of another is read alone`(seed: UInt64) throws {
    var generator = Generator(seed: seed &+ 9_000)
    for _ in 0..<10 {
      let before = try TOMLDocument(parsing: generator.document())
      let scalars = before.tree.nodes.filter { $0.kind.rawValue >= IndexNode.Kind.string.rawValue && $0.kind != .array }
      guard let node = scalars.randomElement(using: &generator.random) else { continue }
      let literal = Array(generator.literal(depth: 9).utf8)
      var text = before.bytes
      text.replaceSubrange(Int(node.start)..<Int(node.end), with: literal)
      let isCompound = literal.first == Byte.openBracket || literal.first == Byte.openBrace
      #expect(compare(before, text) || isCompound, "\(String(decoding: text, as: UTF8.self))")
    }
  }

  @Test(arguments: PropertyTests.seeds)
  func `any other change is read as a whole, or comes to the same`(seed: UInt64) throws {
    var generator = Generator(seed: seed &+ 10_000)
    for _ in 0..<60 {
      let before = try TOMLDocument(parsing: generator.document())
      var text = before.bytes
      guard !text.isEmpty else { continue }
      for _ in 0..<Int.random(in: 1...2, using: &generator.random) where !text.isEmpty {
        let at = Int.random(in: 0..<text.count, using: &generator.random)
        switch Int.random(in: 0..<5, using: &generator.random) {
        case 0: text[at] = generator.pick(Array("\n\"'[]{}=#.,a19:-_ \t\r\\".utf8))
        case 1: text.remove(at: at)
        case 2:
          let piece = generator.pick(["\n", "1", "a", "\"", "\"\"", "'", "#", " ", ", ", "."])
          text.insert(contentsOf: piece.utf8, at: at)
        case 3: text.insert(contentsOf: generator.literal(depth: 1).utf8, at: at)
        default:
          let end = min(text.count, at + Int.random(in: 1...9, using: &generator.random))
          text.removeSubrange(at..<end)
        }
      }
      _ = compare(before, text)
    }
  }

  @Test func `what differs is told by its path`() throws {
    let text = """
      a = 1 # one
      b = "x"
      c.d = 2020-01-01
      list = [1, 2]
      e = { f = true, g = 0x1F }

      [t]
      h = '''
      y
      '''

      [[s]]
      i = 1

      [[s]]
      i = 2
      """
    let before = try TOMLDocument(parsing: text)
    func changed(_ old: String, _ new: String) -> [TOMLPath]? {
      let edited = Array(text.replacing(old, with: new, maxReplacements: 1).utf8)
      #expect(edited != before.bytes)
      guard compare(before, edited), let result = before.reread(edited) else { return nil }
      return result.changed.map { [$0] } ?? []
    }
    #expect(changed("1 # one", "12 # one") == [["a"]])
    #expect(changed("1 # one", "\"1\" # one") == [["a"]])
    #expect(changed("0x1F", "31") == [])
    #expect(changed("0x1F", "32") == [["e", "g"]])
    #expect(changed("2020-01-01", "2020-01-01 10:00:00") == [["c", "d"]])
    #expect(changed("\"x\"", "\"\"\"\nx\"\"\"") == [])
    #expect(changed("y", "z\n\"") == [["t", "h"]])
    #expect(changed("i = 2", "i = 3") == [["s"]])
    // More than that, or something is wrong.
    #expect(changed("[1, 2]", "[1, 3]") == nil)
    #expect(changed("1 # one", "1 # two") == nil)
    #expect(changed("1 # one", "[1] # one") == nil)
    #expect(changed("1 # one", "1 2 # one") == nil)
    #expect(changed("1 # one", "# one") == nil)
    #expect(changed("\"x\"", "x") == nil)
    #expect(changed("b =", "k =") == nil)
    #expect(compare(before, before.bytes))
  }
}
