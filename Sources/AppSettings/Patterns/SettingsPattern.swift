internal import Synchronization

/// A regular expression for whole strings, in the syntax of Swift's `Regex`, with a limit on the work of a match.
///
/// Swift's matcher tries one way after another, and a pattern such as `(a+)+b` has exponentially many. Before a match,
/// ``MatchCost`` counts the ways that the pattern and the text allow; above ``stepLimit(characters:)`` the text is
/// refused without matching. The count depends only on pattern and text, so that the app and every tool refuse the same
/// texts on every machine.
package final class SettingsPattern: Sendable {
  package let text: String
  // Protects the result of the first use. A command that reads no value of the key need not compile its pattern.
  private let compiled = Mutex<Compiled?>(nil)

  package init(_ text: String) { self.text = text }

  /// The maximum size of a pattern in bytes: compiling takes time too.
  package static let sizeLimit = 8192
  /// The maximum size of a matched text in bytes.
  package static let textLimit = 1 << 20

  /// The maximum number of steps of a match: 50,000, and 100 for each character.
  package static func stepLimit(characters: Int) -> Int { 50_000 + 100 * characters }

  /// Why the text cannot be used as a pattern, as a clause; `nil` if it can.
  package var fault: String? { made.fault }

  /// The result of a match.
  package enum Verdict: Sendable, Hashable {
    case matches
    case differs
    /// The match was not tried; a clause that says why, and shows nothing of the text.
    case refused(String)
  }

  /// Whether a whole text matches.
  package func verdict(on string: String) -> Verdict {
    let compiled = made
    guard let regex = compiled.regex, let cost = compiled.cost else {
      return .refused(compiled.fault ?? "the pattern cannot be used")
    }
    guard string.utf8.count <= Self.textLimit else {
      return .refused("it has \(string.utf8.count) bytes, and patterns accept at most \(Self.textLimit)")
    }
    if !cost.isPlain {
      let limit = Self.stepLimit(characters: string.count)
      guard cost.allows(string, steps: limit) else {
        return .refused(
          "the pattern can match the text in so many ways that it would take more than \(limit) steps; a simpler one, "
            + "such as 'a+' for '(a+)+', has one way")
      }
    }
    return (try? regex.wholeMatch(in: string)) == nil ? .differs : .matches
  }

  private struct Compiled: @unchecked Sendable {  // a regex made of text calls no one's code and does not change
    var regex: Regex<AnyRegexOutput>?
    var cost: MatchCost?
    var fault: String?
  }

  private var made: Compiled {
    compiled.withLock { compiled in
      if let compiled { return compiled }
      let made = Self.compile(text)
      compiled = made
      return made
    }
  }

  private static func compile(_ text: String) -> Compiled {
    guard text.utf8.count <= sizeLimit else {
      return Compiled(fault: "a pattern may have \(sizeLimit) bytes, and this one has \(text.utf8.count)")
    }
    // Swift's parser recurses for nested brackets, on the caller's stack.
    guard bracketDepth(of: text) <= bracketLimit else {
      return Compiled(fault: "a pattern may have \(bracketLimit) nested brackets '['")
    }
    let regex: Regex<AnyRegexOutput>
    do {
      regex = try Regex(text)
    } catch {
      return Compiled(fault: "'\(text.shortened())' is not a regular expression: \("\(error)".shortened())")
    }
    do {
      return Compiled(regex: regex, cost: try MatchCost(text))
    } catch {
      return Compiled(fault: "'\(text.shortened())' cannot be used as a pattern: \(error.reason)")
    }
  }

  private static let bracketLimit = 50

  /// The maximum number of unescaped brackets that are open at once.
  private static func bracketDepth(of text: String) -> Int {
    var (depth, most, isEscaped) = (0, 0, false)
    for byte in text.utf8 {
      switch byte {
      case UInt8(ascii: "["): if !isEscaped { depth += 1 }
      case UInt8(ascii: "]"): if !isEscaped { depth = max(0, depth - 1) }
      default: break
      }
      isEscaped = byte == UInt8(ascii: "\\") && !isEscaped
      most = max(most, depth)
    }
    return most
  }
}

extension SettingsPattern: Hashable {
  /// Patterns of the same text are equal.
  package static func == (a: SettingsPattern, b: SettingsPattern) -> Bool { a.text == b.text }

  /// Hashes the text.
  package func hash(into hasher: inout Hasher) { hasher.combine(text) }
}
