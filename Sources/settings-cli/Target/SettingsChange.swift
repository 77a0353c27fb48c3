import AppSettings
import ArgumentParser

/// The changes that the words of a `set` ask for.
struct SettingsChange {
  /// The keys and their values as typed; one key without a value if elements of an array are changed.
  var pairs: [(key: TOMLPath, text: String)]
  /// The number of the pair whose value is read from standard input.
  private(set) var input: Int?

  /// Parses the operands after the target, which may include `--`.
  ///
  /// - Parameters:
  ///   - changesElements: Whether `--append` or `--remove` is given.
  ///   - verb: The verb, for messages.
  /// - Throws: `ValidationError` or ``ToolError`` if the operands make no sense.
  init(_ words: [String], changesElements: Bool, verb: String = "set") throws {
    for word in words { try Arguments.checkText(word, "KEY or VALUE") }
    let terminator = words.firstIndex(of: "--")
    var operands = words
    if let terminator { operands.remove(at: terminator) }
    guard let first = operands.first else {
      throw ValidationError("Missing KEY. Usage: settings-cli \(verb) TARGET KEY VALUE")
    }
    if changesElements {
      guard operands.count == 1 else { throw ValidationError("'--append' and '--remove' take one KEY and no VALUE.") }
      pairs = [(try KeyArgument.parse(first), "")]
    } else if let assignment = try KeyArgument.assignment(first) {
      pairs = [assignment]
      var keys: Set = [assignment.key]
      for (index, word) in operands.enumerated().dropFirst() {
        guard let pair = try KeyArgument.assignment(word) else {
          // Neither is shown: they may be a secret.
          throw ValidationError(
            "Word \(index + 1) is not KEY=VALUE, unlike '\(assignment.key)=…' before it. Quote a VALUE that has spaces."
          )
        }
        guard keys.insert(pair.key).inserted else {
          throw ValidationError("'\(pair.key)' is given more than once.")
        }
        pairs.append(pair)
      }
    } else {
      let key = try KeyArgument.parse(first)
      guard operands.count < 3 else {
        if operands[1] == "=" { throw ValidationError("Unexpected '=': write '\(key)=VALUE' without spaces.") }
        throw ValidationError(
          "More than one VALUE: quote one that has spaces, or write KEY=VALUE for each key to set several.")
      }
      guard operands.count == 2 else {
        throw ValidationError("Missing VALUE of '\(key)'. Usage: settings-cli \(verb) TARGET KEY VALUE")
      }
      pairs = [(key, operands[1])]
    }
    let inputs = pairs.indices.filter { index in
      // The word that has the value; behind '--' it is one like any other.
      pairs[index].text == "-" && operands.count - pairs.count + index < terminator ?? operands.count
    }
    guard inputs.count < 2 else { throw ValidationError(Self.oneInput) }
    input = inputs.first
  }

  static let oneInput = "Standard input has one VALUE: write '-' once."
}
