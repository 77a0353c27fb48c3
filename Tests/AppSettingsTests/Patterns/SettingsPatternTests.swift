import AppSettings
import Foundation
import Synchronization
import Testing
import TestSupport

/// No text, whatever the pattern, holds the app or the command up.
struct SettingsPatternTests {
  /// What takes a matcher exponential or polynomial time that tries one way after another.
  static let hostile: [(String, unit: String)] = [
    ("(a+)+b", "a"), ("(?:a+)+b", "a"), ("(a|a)*b", "a"), ("(a|aa)+b", "a"), ("((a+)+)+b", "a"), ("(x+x+)+y", "x"),
    ("(a*)*b", "a"), ("(?:a?){20}b", "a"), ("a*a*a*a*b", "a"), ("(([a-z])+.)+[A-Z]([a-z])+$", "a"),
    ("(\\w+\\s?)*z", "ab"), ("([a-zA-Z0-9_]+)*\\.", "a"), ("(?i)(A+)+b", "a"), ("(é+)+b", "é"), ("(\\p{L}+)+1", "ö"),
    ("([^,]+,?)*;", "ab,"), ("(x{10,})+y", "x"), ("(x{50,})+y", "x"), ("(K+)+b", "\u{212A}"), ("([a-c-e]+)+!", "-"),
  ]

  @Test(arguments: hostile) func `a match ends soon, however many ways there are`(_ pattern: String, unit: String) {
    let pattern = SettingsPattern(pattern)
    let text = String(repeating: unit, count: 4096)
    let time = ThreadClock.measure {
      #expect(pattern.verdict(on: text) == .differs)
      #expect(pattern.verdict(on: text + text) == .differs)
    }
    #expect(time < .seconds(20))
  }

  /// Patterns as people write them: none of them has many ways.
  static let plain: [(String, unit: String)] = [
    ("[a-z]+", "a"), ("[a-z]+(-[a-z]+)*", "ab-"), ("(?:[0-9a-f]{2}:){5}[0-9a-f]{2}", "ab:"),
    ("([0-9a-f]{2}){16}", "ab"),
    ("https?://[^/]+(/.*)?", "http://x/"), (".*@.*", "ab"), (".*foo.*", "fo"), ("(?:[a-z]+,)*[a-z]+", "ab,"),
    ("#[0-9A-F]{6}", "#"), ("[^\\s]+(\\s[^\\s]+)*", "ab "), ("(a|b|c)*", "abc"), (".{0,2400}", "ab"),
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
    ("^a|b$", "b"), ("(?i)straße", "STRAßE"), ("(?s)a.c", "a\nc"), ("\\p{L}+", "öß"), ("\\u{e9}\\x41", "éA"),
    ("é+", "e\u{301}é"), ("[[:alpha:]]+", "ab"), ("[a-z&&[^b]]+", "ac"), ("[a\\]b]+", "a]b"), ("a{,2}", "aa"),
    ("a{ 2 , 3 }", "aaa"), ("a{-2}", "a{-2}"), ("a{-5,3}", "a{-5,3}"), ("a{+2}", "a{{2}"), ("a{1 2}", "a{1 2}"),
    ("a\\{2\\}", "a{2}"), ("", ""),
  ]) func `patterns with limits on a count match ordinary texts`(_ pattern: String, text: String) {
    #expect(SettingsPattern(pattern).verdict(on: text) == .matches)
  }

  /// To Swift, CR LF is one character, and so is a line feed.
  @Test(arguments: [["\n", "\r\n"], ["\r\n", "\n"]])
  func `a line break has its verdict whatever was matched before`(_ texts: [String]) {
    let pattern = SettingsPattern("a\\n")
    for text in texts { #expect(pattern.verdict(on: "a" + text) == (text == "\n" ? .matches : .differs)) }
  }

  @Test func `a text above the limit of a match is refused with its size`() {
    let verdict = SettingsPattern("[a-z]*").verdict(on: String(repeating: "a", count: SettingsPattern.textLimit + 1))
    #expect(verdict == .refused("it has 1048577 bytes, and patterns accept at most 1048576"))
    let large = SettingsPattern("(?:.{0,60}){0,80}").verdict(
      on: String(repeating: "a", count: 5000), within: SettingsPattern.workLimit / 20)
    #expect(large == .refused("it has 5000 bytes, which is too much for a pattern of that size"))
    // What counts is the work, not what both sizes would allow.
    let long = String(repeating: "abcd", count: 2000)
    #expect(SettingsPattern(long).verdict(on: long) == .matches)
  }

  @Test(arguments: [
    ("(", "'(' is not a regular expression: expected ')'"), ("a{5,2}", "'a{5,2}' is not a regular expression:"),
    (String(repeating: "(", count: 8000), "is not a regular expression"),
    (String(repeating: "[", count: 8000), "50 nested brackets '['"),
    (String(repeating: "[", count: 1300) + "a" + String(repeating: "]", count: 1300), "50 nested brackets"),
    (String(repeating: "a", count: 8193), "a pattern may have 8192 bytes, and this one has 8193"),
    ("(?:a{5000}){5000}", "more than 10000 parts"), ("(a{9000}|a{9000})", "more than 10000 parts"),
    (String(repeating: "(?:", count: 60) + "a" + String(repeating: ")", count: 60), "50 nested groups"),
    ("(a)\\1", "'\\1' is not for patterns"), ("a\\b", "'\\b' is not for patterns"), ("a*+", "possessive"),
    ("(?=a)a", "groups '(?=' are not for patterns"), ("(?x) a", "groups '(?x' are not"), ("(?<=a)b", "lookbehind"),
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
      let text = Self.pattern(&random, depth: 1)
      let pattern = SettingsPattern(text)
      let regex = try Regex(text)
      for length in [2, 5, 60] {
        let string = String((0..<length).map { _ in "aab-".randomElement(using: &random)! })
        let verdict = Mutex(SettingsPattern.Verdict.differs)
        let name = "seed \(random.seed): \(text) on \(string)"
        try #require(Aside { verdict.withLock { $0 = pattern.verdict(on: string) } }.ends(), "\(name)")
        let found = verdict.withLock { $0 }
        // `Regex` itself may take forever on a longer text.
        guard length < 60 else { continue }
        tried += 1
        let expected = (try? regex.wholeMatch(in: string)) != nil
        #expect(found == (expected ? .matches : .differs), "\(name)")
      }
    }
    #expect(tried > 50)
  }

  private static func pattern(_ random: inout SeededRandom, depth: Int) -> String {
    let atoms = ["a", "b", ".", "[ab]", "[^a]", "\\w", "-", "\\-", "a", "(a)"]
    func one() -> String {
      depth == 0 || random.next() % 3 == 0
        ? atoms.randomElement(using: &random)! : "(" + Self.pattern(&random, depth: depth - 1) + ")"
    }
    return (0..<Int.random(in: 1...3, using: &random)).map { _ in
      (random.next() % 5 == 0 ? "\(one())|" : "") + one()
        + ["", "", "*", "+", "?", "{2}", "{1,3}", "{2,}", "{3,}", "{0,3}", "{1, 2}", "{-1}", "+?"].randomElement(
          using: &random)!
    }.joined()
  }
}
