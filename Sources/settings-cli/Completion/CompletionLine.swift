import AppSettings
import ArgumentParser

/// A command line that is being typed.
struct CompletionLine {
  /// The words before the one to complete that are neither the program, the verb, options nor their values.
  let operands: [String]
  /// What is typed of that word.
  let typed: String
  /// Whether a `--` stands before, so that words that begin with `-` are no options.
  let isPastOptions: Bool
  /// Whether the word is the value of an option.
  let isOptionValue: Bool

  /// The options that have a value, of the verbs whose operands are completed.
  private static let optionsWithValue: Set<String> = [
    "--append", "--backup", "--color", "--count", "--default", "--exec", "--format", "--ignore", "--into", "--map",
    "--remove", "--schema", "--timeout", "--to", "--type",
  ]

  init(_ words: [String], _ index: Int, _ typed: String) {
    var joined: [String] = []
    for word in words.prefix(index + 1).dropFirst() {
      // Bash has taken them apart here.
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

  /// Whether a verb takes a word in this place for what it is: an option it would not be, nor standard input.
  func takes(_ word: String) -> Bool {
    guard word.hasPrefix("-"), !isPastOptions, !isOptionValue else { return !word.isEmpty }
    return word != "-" && (try? TOMLValue(parsing: word)) != nil
  }
}

/// Words as shells have them.
enum ShellWord {
  /// A word with its quotes taken away, as a shell does before it runs a command.
  ///
  /// Fish has done so before it asks.
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

  /// A text in single quotes, as every shell of the family of sh reads it.
  static func quoted(_ text: String) -> String {
    "'" + text.split(separator: "'", omittingEmptySubsequences: false).joined(separator: "'\\''") + "'"
  }

  static func isControl(_ scalar: Unicode.Scalar) -> Bool { scalar.properties.generalCategory == .control }
}
