/// The two commands that scripts type most, without the parser: `get TARGET KEY` and `set TARGET KEY VALUE`.
///
/// A `get` takes 0.8 ms as a whole, and swift-argument-parser, which finds out by reflection what a command takes, would
/// add 0.9 ms to it. Where no word begins with `-` there is nothing to find out: these words mean what they would mean
/// to the parser, which gets every other command line.
enum DirectPath {
  /// Does what a command line says, if it is one of the two.
  ///
  /// - Returns: Whether it was.
  static func run(_ words: [String]) throws -> Bool {
    guard !words.contains(where: { $0.utf8.first == UInt8(ascii: "-") }) else { return false }
    switch (words.first, words.count) {
    case ("get", 3):
      try GetVerb.answer(Target(words[1]), words[2])
    case ("set", 4) where !words[2].utf8.contains(UInt8(ascii: "=")):
      try SetVerb.answer(Target(words[1]), words: Array(words[2...]))
    default:
      return false
    }
    return true
  }
}
