import AppSettings
import ArgumentParser

/// A command line that is being typed.
struct CompletionLine {
  /// The words before the one to complete, except the program, the verb, options and their values.
  let operands: [String]
  /// The typed part of the word.
  let typed: String
  /// Whether a `--` precedes the word, so that one that begins with `-` is not an option.
  let isPastOptions: Bool
  /// Whether the word is the value of an option.
  let isOptionValue: Bool

  /// The options with a value, of the verbs whose operands are completed.
  private static let optionsWithValue: Set<String> = [
    "--append", "--backup", "--color", "--count", "--default", "--exec", "--format", "--if-unchanged", "--ignore",
    "--into", "--map",
    "--remove", "--schema", "--timeout", "--to", "--type",
  ]

  init(_ words: [String], _ index: Int, _ typed: String) {
    var joined: [String] = []
    for word in words.prefix(index + 1).dropFirst() {
      // Bash splits words at these characters.
      let isPart =
        CompletionShell.requesting == .bash
        && (word == "=" || word == ":" || joined.last?.last.map { $0 == "=" || $0 == ":" } == true)
      if isPart, !joined.isEmpty { joined[joined.count - 1] += word } else { joined.append(word) }
    }
    self.typed = ShellWord.unquoted(joined.popLast() ?? typed)
    var operands: [String] = []
    var (isPast, isValue) = (false, false)
    for word in joined.dropFirst().map(ShellWord.unquoted) {
      if isValue {
        isValue = false
      } else if !isPast, word == "--" {
        isPast = true
      } else if !isPast, word.hasPrefix("-"), word != "-", (try? TOMLValue(parsing: word)) == nil {
        isValue = Self.optionsWithValue.contains(word)
      } else {
        operands.append(word)
      }
    }
    (self.operands, isPastOptions, isOptionValue) = (operands, isPast, isValue)
  }

  /// Whether a verb accepts a word in this place as an operand, and not as an option or standard input.
  func takes(_ word: String) -> Bool {
    guard word.hasPrefix("-"), !isPastOptions, !isOptionValue else { return !word.isEmpty }
    return word != "-" && (try? TOMLValue(parsing: word)) != nil
  }
}

/// Words in the notation of shells.
enum ShellWord {
  /// Removes the quotes from a word, as a shell does before it runs a command.
  ///
  /// Fish does that before it asks.
  static func unquoted(_ word: String) -> String {
    guard CompletionShell.requesting == .bash || CompletionShell.requesting == .zsh else { return word }
    var result = ""
    var rest = word[...]
    var quote: Character?
    while let character = rest.popFirst() {
      switch (character, quote) {
      case ("\\", nil), ("\\", "\""?):
        if let next = rest.popFirst() { result.append(next) }
      case ("'", nil), ("\"", nil): quote = character
      case (_, let open?) where character == open: quote = nil
      default: result.append(character)
      }
    }
    return result
  }

  /// A text in single quotes, for every shell of the sh family.
  static func quoted(_ text: String) -> String {
    "'" + text.split(separator: "'", omittingEmptySubsequences: false).joined(separator: "'\\''") + "'"
  }

  static func isControl(_ scalar: Unicode.Scalar) -> Bool { scalar.properties.generalCategory == .control }
}
