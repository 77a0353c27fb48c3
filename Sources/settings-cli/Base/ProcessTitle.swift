import AppSettings

/// The command line that other users see for this process.
enum ProcessTitle {
  /// Blanks some of its words, also as the value of an option such as `--append=VALUE`: they may be secrets, and `ps`
  /// shows all users' arguments to everyone.
  static func hide(_ words: some Sequence<String>) {
    let hidden = Set(words.filter { !$0.isEmpty })
    func isHidden(_ word: String) -> Bool {
      if hidden.contains(word) { return true }
      guard word.hasPrefix("--"), let equals = word.firstIndex(of: "=") else { return false }
      return hidden.contains(String(word[equals...].dropFirst()))
    }
    for word in ProcessFacts.arguments where isHidden(Arguments.word(word)) {
      var byte = word
      while byte.pointee != 0 {
        byte.pointee = CChar(bitPattern: UInt8(ascii: "*"))
        byte += 1
      }
    }
  }
}
