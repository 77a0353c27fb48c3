import SettingsTools

/// Runs scripts' most common commands without the argument parser: `get TARGET KEY`, `set TARGET KEY VALUE`,
/// `set TARGET KEY=VALUE ...` and `unset TARGET KEY ...`.
///
/// swift-argument-parser finds a command's options by reflection, which is nine tenths of what a `set` would execute.
/// Where no word begins with `-` there are no options, so the words mean the same here. The parser gets all other
/// lines, and those whose words make no sense.
enum DirectPath {
  /// Runs the command line if it is one of these.
  ///
  /// - Returns: Whether it was.
  static func run(_ words: [String]) throws -> Bool {
    guard !words.contains(where: { $0.utf8.first == UInt8(ascii: "-") }) else { return false }
    let operands = Array(words.dropFirst(2))
    switch words.first {
    case "get" where operands.count == 1:
      try GetVerb.answer(Target(typed: words[1]), operands[0])
    case "set" where (try? SettingsChange(operands, changesElements: false)) != nil:
      try SetVerb.answer(Target(typed: words[1]), words: operands)
    case "unset" where !operands.isEmpty:
      try UnsetVerb.answer(Target(typed: words[1]), keys: operands)
    default:
      return false
    }
    return true
  }
}
