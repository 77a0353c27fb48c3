import AppSettings
import ArgumentParser

/// What the words of a `set` ask for.
struct SettingsChange {
  /// The keys and their values as they were typed; one key without a value where elements of an array are changed.
  var pairs: [(key: TOMLPath, text: String)]
  /// Whether the one value is on standard input.
  private(set) var isInput = false

  /// Reads the operands after the target. A `--` may be among them.
  ///
  /// - Parameter changesElements: Whether there are `--append` or `--remove`.
  /// - Throws: `ValidationError` or ``Failure`` for what cannot be meant.
  init(_ words: [String], changesElements: Bool) throws {
    for word in words { try Arguments.checkText(word, "KEY or VALUE") }
    let terminator = words.firstIndex(of: "--")
    var operands = words
    if let terminator { operands.remove(at: terminator) }
    guard let first = operands.first else { throw ValidationError("There is no KEY.") }
    if changesElements {
      guard operands.count == 1 else { throw ValidationError("--append and --remove take one KEY, and no VALUE.") }
      pairs = [(try KeyArgument.parse(first), "")]
    } else if let assignment = try KeyArgument.assignment(first) {
      pairs = [assignment]
      for word in operands.dropFirst() {
        guard let pair = try KeyArgument.assignment(word) else {
          throw ValidationError("'\(word)' is not KEY=VALUE, as '\(first)' before it is.")
        }
        guard !pairs.contains(where: { $0.key == pair.key }) else {
          throw ValidationError("'\(pair.key)' is there more than once.")
        }
        pairs.append(pair)
      }
    } else {
      let key = try KeyArgument.parse(first)
      guard operands.count < 3 else {
        throw ValidationError(
          "There is more than one VALUE: quote one that has spaces. Several keys are set by KEY=VALUE each.")
      }
      guard operands.count == 2 else { throw ValidationError("There is no VALUE.") }
      pairs = [(key, operands[1])]
      isInput = operands[1] == "-" && (terminator ?? 2) > 1
    }
  }
}
