import AppSettings

/// The command line that other users see for this process.
enum ProcessTitle {
  /// Blanks some of its words: they may be secrets, and `ps` shows all users' arguments to everyone.
  static func hide(_ words: some Sequence<String>) {
    let hidden = Set(words.filter { !$0.isEmpty })
    func isHidden(_ word: String) -> Bool {
      // '--append=VALUE', too.
      hidden.contains(word)
        || word.hasPrefix("--") && word.firstIndex(of: "=").map { hidden.contains(String(word[$0...].dropFirst())) } == true
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
