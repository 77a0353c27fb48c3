import TestModels
import Testing

@testable import AppSettings

struct TextSetTests {
  @Test func `one of many texts is found as if each were looked for`() {
    var random = SeededRandom(1)
    func text(_ most: Int) -> String {
      let length = Int.random(in: 0...most, using: &random)
      return String((0..<length).map { _ in "aAbBäÄ-\u{301}".randomElement(using: &random)! })
    }
    for _ in 0..<5_000 {
      let texts = (0..<Int.random(in: 0...5, using: &random)).map { _ in text(5) }
      let whole = text(12)
      let expected = texts.contains { whole.lowercased().utf8.contains($0.lowercased().utf8) }
      #expect(TextSet(texts).hasOne(in: whole) == expected, "\(texts) in '\(whole)'")
    }
  }

  @Test func `an empty set finds nothing, and an empty text is in everything`() {
    #expect(TextSet().isEmpty && !TextSet().hasOne(in: "") && !TextSet().hasOne(in: "a"))
    #expect(!TextSet([""]).isEmpty && TextSet([""]).hasOne(in: "") && TextSet([""]).hasOne(in: "a"))
  }
}
