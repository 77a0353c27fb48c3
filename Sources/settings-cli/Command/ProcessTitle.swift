import AppSettings

/// What other users see of this process's command line.
enum ProcessTitle {
  /// Blanks words of it: they may be secrets, and `ps` shows everyone's arguments to everyone.
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
