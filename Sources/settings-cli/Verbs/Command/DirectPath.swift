import SettingsTools

/// Runs scripts' two most common commands without the argument parser: `get TARGET KEY` and `set TARGET KEY VALUE`.
///
/// A `get` takes 0.8 ms in total. swift-argument-parser finds a command's options by reflection, which would add 0.9
/// ms. Where no word begins with `-` there are no options, so the words mean the same here. The parser gets all other
/// lines.
enum DirectPath {
  /// Runs the command line if it is one of the two.
  ///
  /// - Returns: Whether it was.
  static func run(_ words: [String]) throws -> Bool {
    guard !words.contains(where: { $0.utf8.first == UInt8(ascii: "-") }) else { return false }
    switch (words.first, words.count) {
    case ("get", 3):
      try GetVerb.answer(Target(typed: words[1]), words[2])
    case ("set", 4) where !words[2].utf8.contains(UInt8(ascii: "=")):
      try SetVerb.answer(Target(typed: words[1]), words: Array(words[2...]))
    default:
      return false
    }
    return true
  }
}
