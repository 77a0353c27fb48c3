import AppSettings

/// The command line that other users see for this process.
enum ProcessTitle {
  /// Blanks some of its words: they may be secrets, and `ps` shows all users' arguments to everyone.
  static func hide(_ words: some Sequence<String>) {
    let hidden = Set(words.filter { !$0.isEmpty })
    for word in ProcessFacts.arguments where hidden.contains(Arguments.word(word)) {
      var byte = word
      while byte.pointee != 0 {
        byte.pointee = CChar(bitPattern: UInt8(ascii: "*"))
        byte += 1
      }
    }
  }
}
