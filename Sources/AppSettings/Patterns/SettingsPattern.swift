internal import Synchronization

/// A regular expression for whole strings, in the syntax of Swift's `Regex`, that no text can make slow.
///
/// Swift's matcher tries one way after another, and a pattern such as `(a+)+b` has exponentially many.
/// ``PatternProgram`` takes all ways at once.
///
/// It is compiled at its first use. Only one thread at a time matches a pattern. A match takes at most about 20 million
/// steps.
package final class SettingsPattern: Sendable {
  /// The pattern as written.
  package let text: String
  // Protects the result of the first use, and what is known of its characters. A command that reads no value of the key
  // need not compile its pattern.
  private let compiled = Mutex<Result<Compiled, PatternFault>?>(nil)

  private struct Compiled: @unchecked Sendable {  // a regex made of text calls no one's code and does not change
    var program: PatternProgram
  }

  /// Makes a pattern of any text; ``fault`` says whether it can be used.
  package init(_ text: String) { self.text = text }

  /// The maximum size of a pattern in bytes: compiling takes time too.
  package static let sizeLimit = 8192
  /// The maximum size of a matched text in bytes.
  package static let textLimit = 1 << 20
  /// The maximum number of steps of a match.
  package static let workLimit = 20_000_000

  /// Why the text cannot be used as a pattern, as a clause; `nil` if it can.
  package var fault: String? {
    compiled.withLock { if case .failure(let fault) = made(&$0) { fault.reason } else { nil } }
  }

  /// The result of a match.
  package enum Verdict: Sendable, Hashable {
    /// The whole text matches.
    case matches
    /// The text does not match as a whole.
    case differs
    /// The match was not tried, or was given up. The clause says why and shows nothing of the text.
    case refused(String)
  }

  /// Whether a whole text matches.
  ///
  /// ```swift
  /// SettingsPattern("[a-z]+").verdict(on: "abc")   // .matches
  /// SettingsPattern("[a-z]+").verdict(on: "abc1")  // .differs
  /// ```
  package func verdict(on string: String, within steps: Int = workLimit) -> Verdict {
    compiled.withLock { compiled in
      switch made(&compiled) {
      case .failure(let fault): return .refused(fault.reason)
      case .success(var made):
        guard string.utf8.count <= Self.textLimit else {
          return .refused("it has \(string.utf8.count) bytes, and patterns accept at most \(Self.textLimit)")
        }
        compiled = nil  // so that the program is not copied
        defer { compiled = .success(made) }
        guard let matches = made.program.matches(string, within: steps) else {
          return .refused("it has \(string.utf8.count) bytes, which is too much for a pattern of that size")
        }
        return matches ? .matches : .differs
      }
    }
  }

  private func made(_ compiled: inout Result<Compiled, PatternFault>?) -> Result<Compiled, PatternFault> {
    if let compiled { return compiled }
    let made = Result { () throws(PatternFault) in Compiled(program: try Self.compile(text)) }
    compiled = made
    return made
  }

  private static func compile(_ text: String) throws(PatternFault) -> PatternProgram {
    guard text.utf8.count <= sizeLimit else {
      throw PatternFault(reason: "a pattern may have \(sizeLimit) bytes, and this one has \(text.utf8.count)")
    }
    // Swift's parser recurses for nested brackets, on the caller's stack.
    guard bracketDepth(of: text) <= bracketLimit else {
      throw PatternFault(reason: "a pattern may have \(bracketLimit) nested brackets '['")
    }
    do {
      _ = try Regex(text)
    } catch {
      throw PatternFault(reason: "'\(text.shortened())' is not a regular expression: \("\(error)".shortened())")
    }
    do {
      return try PatternProgram(text)
    } catch {
      throw PatternFault(reason: "'\(text.shortened())' cannot be used as a pattern: \(error.reason)")
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
