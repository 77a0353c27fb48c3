import Testing

@testable import AppSettings

struct TextChangeTests {
  private func change(_ old: String, _ new: String) -> TextChange {
    TextChange(from: Array(old.utf8), to: Array(new.utf8))
  }

  @Test(arguments: [
    ("", ""), ("", "a"), ("a", ""), ("a = 1\n", "a = 2\n"), ("aaa", "aa"), ("aa", "aaaa"), ("é", "è"), ("日本", "日木"),
    ("a = 1\nb = 2\n", "b = 2\na = 1\n"),
  ]) func `a change leads from the old text to the new one`(_ old: String, _ new: String) {
    let change = change(old, new)
    #expect(change.applied(to: Array(old.utf8)) == Array(new.utf8))
    for part in change.parts {
      #expect(
        String(validating: part.removed, as: UTF8.self) != nil && String(validating: part.added, as: UTF8.self) != nil)
    }
  }

  @Test func `a few lines of a long text are a few short parts`() {
    var lines = (0..<20_000).map { "key-\($0) = \($0 % 7)\n" }
    let old = Array(lines.joined().utf8)
    lines[100] = "other = 1\n"
    lines.remove(at: 5_000)
    lines.insert("new = 1\nnewer = 2\n", at: 12_000)
    lines.append("last = 1\n")
    let new = Array(lines.joined().utf8)
    let change = TextChange(from: old, to: new)
    #expect(change.parts.count == 4 && change.parts.allSatisfy { $0.removed.count + $0.added.count < 60 })
    #expect(change.applied(to: old) == new)
    // Too much at one place for that.
    lines.replaceSubrange(6_000..<6_100, with: (0..<90).map { "k\($0) = 1\n" })
    let other = Array(lines.joined().utf8)
    #expect(TextChange(from: old, to: other).applied(to: old) == other)
  }

  @Test func `random texts, short and long, linewise and not`() {
    var random = SystemRandomNumberGenerator()
    for round in 0..<300 {
      let lines = (0..<(round % 3 == 0 ? 400 : 12)).map { "k\($0) = \(Int.random(in: 0..<4, using: &random))\n" }
      var others = lines
      for _ in 0..<Int.random(in: 0..<6, using: &random) {
        let at = Int.random(in: 0..<others.count, using: &random)
        switch Int.random(in: 0..<3, using: &random) {
        case 0: others.remove(at: at)
        case 1: others.insert("new\(at) = é\n", at: at)
        default: others[at] = "changed = \(at)\n"
        }
      }
      let (old, new) = (Array(lines.joined().utf8), Array(others.joined().utf8))
      for linewise in [false, true] {
        let change = TextChange(from: old, to: new, linewise: linewise)
        #expect(change.applied(to: old) == new)
      }
    }
  }

  @Test func `a change is refused by a text that it was not made from`() {
    #expect(change("a = 1\n", "a = 2\n").applied(to: Array("a = 3\n".utf8)) == nil)
    #expect(change("a = 1\nb = 1\n", "a = 1\nb = 2\n").applied(to: []) == nil)
  }

  @Test func `a change follows another one of the same text, unless both are of one line`() throws {
    let text = Array("a = 1\nb = 1\nc = 1\n".utf8)
    let later = TextChange(from: text, to: Array("new = 10\na = 1\nb = 1\nc = 22\n".utf8), linewise: true)
    let moved = try #require(
      TextChange(from: text, to: Array("a = 1\nb = 5\nc = 1\n".utf8)).following(later, in: text))
    #expect(
      moved.applied(to: Array("new = 10\na = 1\nb = 1\nc = 22\n".utf8))
        == Array("new = 10\na = 1\nb = 5\nc = 22\n".utf8))
    #expect(TextChange(from: text, to: Array("a = 1\nb = 1\nc = 3\n".utf8)).following(later, in: text) == nil)
  }

  @Test(
    arguments: [
      ("", 0xEF46_DB37_51D8_E999), ("a", 0xD24E_C4F1_A98C_6E5B), ("abc", 0x44BC_2CF5_AD77_0999),
      ("The quick brown fox jumps over the lazy dog, and then over the river.", nil),
    ] as [(String, UInt64?)]) func `the digest is XXH64`(_ text: String, _ value: UInt64?)
  {
    let digest = TextDigest(of: Array(text.utf8))
    if let value { #expect(digest.value == value) }
    #expect(UInt64(digest.text, radix: 16) == digest.value && digest.text.utf8.count == 16)
  }
}
