import SettingsTOML

/// Names that say by themselves that a string is a secret.
///
/// A name is read as words: they end at punctuation, at a blank, and before a capital behind anything but a capital. The
/// last word says what a value is. So `apiKey`, `API_KEY`, `client-secret`, `oauth2Token` and `password2` are such names;
/// `tokenizer`, `max-tokens`, `password-file` and `SecretStr` are not.
enum SecretNames {
  private static let words: [StaticString] = [
    "password", "passwd", "passphrase", "secret", "token", "credential", "apikey", "privatekey", "accesskey",
    "secretkey",
  ]
  /// Words before `key`.
  private static let beforeKey: [StaticString] = ["api", "private", "access", "secret"]

  /// Whether a string with a name is a secret.
  static func contains(_ name: String) -> Bool {
    var name = name
    return name.withUTF8 { contains($0) }
  }

  /// Does the same for the bytes of a name.
  static func contains(_ name: UnsafeBufferPointer<UInt8>) -> Bool {
    // The shortest is `token`.
    guard name.count >= 5 else { return false }
    var start = 0
    var isBeforeKey = false
    var isSecret = false
    for end in 1...name.count where end == name.count || isBoundary(name, end) {
      defer { start = end }
      while start < end, isSeparator(name[start]) { start += 1 }
      // A number at the end tells several apart.
      var last = end
      while last > start, name[last - 1].isDigit { last -= 1 }
      guard start < last else { continue }
      let word = UnsafeBufferPointer(rebasing: name[start..<last])
      isSecret = words.contains { isWord(word, $0) } || isBeforeKey && isWord(word, "key")
      isBeforeKey = beforeKey.contains { isWord(word, $0) }
    }
    return isSecret
  }

  private static func isSeparator(_ byte: UInt8) -> Bool {
    byte < 0x80 && !byte.isLetter && !byte.isDigit
  }

  private static func isSmall(_ byte: UInt8) -> Bool { byte >= 0x61 && byte <= 0x7A }
  private static func isCapital(_ byte: UInt8) -> Bool { byte >= 0x41 && byte <= 0x5A }

  /// Whether a word ends before a place.
  private static func isBoundary(_ name: UnsafeBufferPointer<UInt8>, _ place: Int) -> Bool {
    let (before, next) = (name[place - 1], name[place])
    if isSeparator(next) { return true }
    guard isCapital(next) else { return false }
    // `APIKey`: the last capital begins a word.
    return !isCapital(before) || place + 1 < name.count && isSmall(name[place + 1])
  }

  /// Compares a word without regard to case.
  private static func isWord(_ word: UnsafeBufferPointer<UInt8>, _ other: StaticString) -> Bool {
    guard word.count == other.utf8CodeUnitCount else { return false }
    for index in 0..<word.count where word[index] | 0x20 != other.utf8Start[index] { return false }
    return true
  }

  /// Whether a comment has an assignment to such a name, as `# token = "…"` or `# API key: …`.
  ///
  /// - Parameter isDeclared: Whether a name is that of a key which is declared, so that it says nothing.
  static func contains(assignmentIn comment: String, except isDeclared: (String) -> Bool = { _ in false }) -> Bool {
    var comment = comment
    return comment.withUTF8 { text in
      func isQuote(_ byte: UInt8) -> Bool { byte == UInt8(ascii: "\"") || byte == UInt8(ascii: "'") }
      func isDeclaredName(_ range: Range<Int>) -> Bool {
        let name = UnsafeBufferPointer(rebasing: text[range])
        return contains(name) && isDeclared(String(decoding: name, as: UTF8.self))
      }
      for place in text.indices where text[place] == UInt8(ascii: "=") || text[place] == UInt8(ascii: ":") {
        var end = place
        while end > 0, isBlank(text[end - 1]) || isQuote(text[end - 1]) { end -= 1 }
        // With all words before it: the last ones decide.
        var start = end
        while start > 0, isName(text[start - 1]) || isBlank(text[start - 1]) { start -= 1 }
        while start < end, isBlank(text[start]) { start += 1 }
        guard contains(UnsafeBufferPointer(rebasing: text[start..<end])), !isDeclaredName(start..<end) else { continue }
        var word = end
        while word > start, !isBlank(text[word - 1]) { word -= 1 }
        if !isDeclaredName(word..<end) { return true }
      }
      return false
    }
  }

  private static func isBlank(_ byte: UInt8) -> Bool { byte == UInt8(ascii: " ") || byte == UInt8(ascii: "\t") }

  private static func isName(_ byte: UInt8) -> Bool {
    byte.isLetter || byte.isDigit || byte == UInt8(ascii: "-") || byte == UInt8(ascii: "_")
  }
}
