import AppSettings
import SettingsTools

/// The words of the command line. They are bytes and need not be UTF-8.
enum Arguments {
  /// The words after the program's name. A word that is not UTF-8 becomes the text of a path, as in `PathText`.
  static var words: [String] { found.words }

  // Read once, because secret words are blanked later.
  private static let found: (words: [String], broken: Set<String>) = {
    let words = ProcessFacts.arguments
    return (words.map { word($0) }, Set(words.filter { String(validatingCString: $0) == nil }.map { word($0) }))
  }()

  /// The text of a word.
  static func word(_ word: UnsafePointer<CChar>) -> String { String(validatingCString: word) ?? PathText.text(word) }

  /// A word that is a path, or is passed on, as the text of a path.
  static func path(_ word: String) -> String {
    PathText.hasBytes(word) && !found.broken.contains(word) ? PathText.text(word.utf8) : word
  }

  /// Throws if a word that must be text is not UTF-8.
  ///
  /// - Parameter role: What the word is, for the message.
  /// - Throws: ``ToolError`` with status 2.
  static func checkText(_ word: String, _ role: String) throws {
    guard PathText.hasBytes(word), found.broken.contains(where: { $0.utf8.elementsEqual(word.utf8) }) else { return }
    throw ToolError(.usage, "Invalid \(role) '\(word)': it is not UTF-8. Use UTF-8 text.")
  }
}
