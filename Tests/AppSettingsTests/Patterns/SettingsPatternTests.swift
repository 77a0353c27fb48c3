import AppSettings
import Foundation
import Synchronization
import Testing
import TestSupport

/// No text, whatever the pattern, holds the app or the command up.
struct SettingsPatternTests {
  struct Case: Sendable, CustomTestStringConvertible {
    let pattern: String
    /// What is repeated to make the text, and what stands behind it.
    let unit: String
    let end: String
    /// How often the unit may stand there, and how often it may not.
    let fine: Int
    let tooMany: Int
    var testDescription: String { pattern }

    init(_ pattern: String, _ unit: String, _ end: String = "", fine: Int, tooMany: Int) {
      (self.pattern, self.unit, self.end, self.fine, self.tooMany) = (pattern, unit, end, fine, tooMany)
    }
  }

  static let cases = [
    Case("(a+)+b", "a", fine: 10, tooMany: 20), Case("(?:a+)+b", "a", fine: 10, tooMany: 20),
    Case("(a|a)*b", "a", fine: 10, tooMany: 30), Case("(a|aa)+b", "a", fine: 10, tooMany: 40),

    Case("((a+)+)+b", "a", fine: 6, tooMany: 20), Case("(x+x+)+y", "x", fine: 8, tooMany: 30),
    Case("(([a-z])+.)+[A-Z]([a-z])+$", "a", fine: 8, tooMany: 40),
    Case("(\\w+\\s?)*z", "ab", "!", fine: 5, tooMany: 20),
    Case("([a-zA-Z0-9_]+)*\\.", "a", fine: 8, tooMany: 20), Case("(?=(a+)+c)a*b", "a", fine: 8, tooMany: 30),
    Case("(?i)(A+)+b", "a", fine: 8, tooMany: 20), Case("(?x) ( a + ) + b # c", "a", fine: 8, tooMany: 20),
    Case("a*a*a*a*b", "a", fine: 10, tooMany: 200),
    Case("(é+)+b", "é", fine: 8, tooMany: 20), Case("(\\p{L}+)+1", "ö", fine: 8, tooMany: 20),
    Case("([^,]+,?)*;", "ab,", fine: 3, tooMany: 20),
    Case("(x{10,})+y", "x", fine: 20, tooMany: 112), Case("(x{50,})+y", "x", fine: 60, tooMany: 450),
    Case("(K+)+b", "\u{212A}", fine: 8, tooMany: 40),
    Case("([a-c-e]+)+!", "-", fine: 8, tooMany: 30), Case("(\\Qa+\\E|a+\\+)*b", "a+", fine: 8, tooMany: 40),
  ]

  @Test(arguments: cases) func `a match is tried while it is short, and refused in no time when it is not`(_ c: Case) {
    let pattern = SettingsPattern(c.pattern)
    let time = ThreadClock.measure {
      #expect(pattern.verdict(on: String(repeating: c.unit, count: c.fine) + c.end) == .differs)
      guard case .refused(let reason) = pattern.verdict(on: String(repeating: c.unit, count: c.tooMany) + c.end) else {
        Issue.record("not refused")
        return
      }
      #expect(reason.contains("more than"))
    }
    #expect(time < .seconds(20))
  }

  /// Patterns as people write them: none of them has many ways.
  static let plain: [(String, unit: String)] = [
    ("[a-z]+", "a"), ("[a-z]+(-[a-z]+)*", "ab-"), ("(?:[0-9a-f]{2}:){5}[0-9a-f]{2}", "ab:"),
    ("([0-9a-f]{2}){16}", "ab"),
    ("https?://[^/]+(/.*)?", "http://x/"), (".*@.*", "ab"), (".*foo.*", "fo"), ("(?:[a-z]+,)*[a-z]+", "ab,"),
    ("#[0-9A-F]{6}", "#"), ("[^\\s]+(\\s[^\\s]+)*", "ab "), ("(a|b|c)*", "abc"), (".{0,60000}", "ab"),
  ]

  @Test(arguments: plain) func `patterns as people write them match long texts`(_ pattern: String, unit: String) throws
  {
    let pattern = SettingsPattern(pattern)
    let text = String(repeating: unit, count: 2000)
    let expected = try Regex(pattern.text).wholeMatch(in: text) != nil
    #expect(pattern.verdict(on: text) == (expected ? .matches : .differs))
  }

  @Test(arguments: [
    (".{1,64}", "hello"), ("[a-z]{1,20}", "abcdefgh"), (".{0,255}", "abc"), ("[a-z0-9_-]{1,32}", "johnsmith"),
    ("[\\w.-]{1,255}", "mail.example.com"), ("[a-z]([a-z0-9-]{0,61}[a-z0-9])?", "example"),
    ("[\\w.+-]+@[\\w-]+(\\.[\\w-]+)*\\.[A-Za-z]{2,63}", "john.smith@mail.example.com"),
    ("[A-Z]{2}[0-9]{2}[A-Z0-9]{11,30}", "DE89370400440532013000"), ("[A-Za-z ]{2,50}", "Ada King of Lovelace"),
    ("\\d{4}-\\d{2}-\\d{2}", "2026-11-22"), ("(\\d{1,3}\\.){3}\\d{1,3}", "192.168.100.200"),
    ("([0-9a-f]{1,4}:){7}[0-9a-f]{1,4}", "2001:db8:0:0:8a2e:370:7334:1"),
    ("(0|[1-9]\\d*)\\.(0|[1-9]\\d*)\\.(0|[1-9]\\d*)(-[0-9A-Za-z.-]{1,40})?", "1.22.333-beta.4"),
    (".{1,80}", String(repeating: "ab ", count: 26)), ("^\\S+$", "word"), ("[^/]*\\.[^/]*", "a.b.c.d.e"),
  ]) func `patterns with limits on a count match ordinary texts`(_ pattern: String, text: String) {
    #expect(SettingsPattern(pattern).verdict(on: text) == .matches)
  }

  @Test func `a text above the limit of a match is refused with its size`() {
    let verdict = SettingsPattern("[a-z]*").verdict(on: String(repeating: "a", count: SettingsPattern.textLimit + 1))
    #expect(verdict == .refused("it has 1048577 bytes, and patterns accept at most 1048576"))
  }

  @Test(arguments: [
    ("(", "'(' is not a regular expression: expected ')'"), ("a{5,2}", "'a{5,2}' is not a regular expression:"),
    (String(repeating: "(", count: 8000), "is not a regular expression"),
    (String(repeating: "[", count: 8000), "50 nested brackets '['"),
    (String(repeating: "[", count: 1300) + "a" + String(repeating: "]", count: 1300), "50 nested brackets"),
    (String(repeating: "a", count: 8193), "a pattern may have 8192 bytes, and this one has 8193"),
    ("(?:" + Array(repeating: "a", count: 2000).joined(separator: "|") + ")*", "too many parts"),
    ("(a*)*b", "may match nothing"), ("(?:a?){20}b", "may match nothing"), ("(a)(\\1+)+b", "may match nothing"),
    ("(?<=a)b", "lookbehind"),
  ])
  func `a pattern that cannot be used says why`(_ text: String, _ reason: String) {
    let pattern = SettingsPattern(text)
    #expect(pattern.fault?.contains(reason) == true, "\(pattern.fault ?? "none")")
    guard case .refused = pattern.verdict(on: "a") else {
      Issue.record("matched")
      return
    }
  }

  /// Random patterns and texts of few letters: what is tried says what `Regex` says, and soon.
  @Test func `a random pattern has the verdict of Swift's Regex, in bounded time`() throws {
    var random = Verdicts.random()
    var tried = 0
    for _ in 0..<(Verdicts.isFull ? 20_000 : 150) {
      let text = Self.pattern(&random, depth: 2)
      let pattern = SettingsPattern(text)
      // What cannot be bounded is no pattern.
      guard pattern.fault == nil, let regex = try? Regex(text) else { continue }
      for length in [3, 12, 60] {
        let string = String((0..<length).map { _ in "aab-".randomElement(using: &random)! })
        let verdict = Mutex(SettingsPattern.Verdict.differs)
        let name = "seed \(random.seed): \(text) on \(string)"
        try #require(Aside { verdict.withLock { $0 = pattern.verdict(on: string) } }.ends(), "\(name)")
        let found = verdict.withLock { $0 }
        if case .refused = found { continue }
        tried += 1
        let expected = (try? regex.wholeMatch(in: string)) != nil
        #expect(found == (expected ? .matches : .differs), "\(name)")
      }
    }
    #expect(tried > 50)
  }

  private static func pattern(_ random: inout SeededRandom, depth: Int) -> String {
    let atoms = ["a", "b", ".", "[ab]", "[^a]", "\\w", "-", "\\-", "a", "(?=a)", "(a)\\1"]
    func one() -> String {
      depth == 0 || random.next() % 3 == 0
        ? atoms.randomElement(using: &random)! : "(" + Self.pattern(&random, depth: depth - 1) + ")"
    }
    return (0..<Int.random(in: 1...3, using: &random)).map { _ in
      (random.next() % 5 == 0 ? "\(one())|" : "") + one()
        + ["", "", "*", "+", "?", "{2}", "{1,3}", "{2,}", "{7,}", "{0,9}", "+?"].randomElement(using: &random)!
    }.joined()
  }

  // MARK: In the app

  static let key = SettingsKey("word", default: "ab", .matching("(a+)+b"), "A word.")

  @Test func `the app reads the default, and says why, where a match would take too long`() throws {
    let long = String(repeating: "a", count: 40)
    let store = SettingsStore(inMemory: "word = \"\(long)\"\n", logger: .silent)
    #expect(store[Self.key] == "ab")
    let why =
      "the key needs a string that matches '(a+)+b' (the pattern can match the text in so many ways that it would take "
      + "more than 54000 steps; a simpler one, such as 'a+' for '(a+)+', has one way)"
    #expect(
      store.currentProblems.map(\.message) == [
        "Cannot read 'word': the text in memory has the string \"\(long)\", but \(why). Using the default \"ab\"."
      ])
    let message = "Cannot set 'word' to the string \"\(long)\": \(why). Nothing was changed."
    #expect(throws: SettingsError(.invalidValue, message)) { try store.set(long, for: Self.key) }
    try store.set("aaab", for: Self.key)
    #expect(store[Self.key] == "aaab")
  }
}
