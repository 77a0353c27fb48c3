import AppSettings
import ArgumentParser

/// A command line that is being typed, read with the library's description of the command.
struct CompletionLine {
  typealias Command = ManualVerb.Description.Command
  typealias Argument = ManualVerb.Description.Argument

  /// The verb; `nil` if it is the word to complete, or unknown.
  let verb: Command?
  /// Whether the word to complete is the verb or an option before it.
  let isBeforeVerb: Bool
  /// The words before the one to complete, except the program, the verb, options and their values.
  let operands: [String]
  /// The names of the options before the word.
  let options: Set<String>
  /// The argument that the word is the value of, if there is one in this place.
  let argument: Argument?
  /// The name of the argument in the library's completions.
  let argumentName: String
  /// The option and its `=`, where the word has both and the value: `--type=`.
  let prefix: String
  /// The typed part of the word, without the prefix.
  let typed: String
  /// Whether a `--` precedes the word, so that one that begins with `-` is not an option.
  let isPastOptions: Bool
  /// Whether the word is the value of an option.
  let isOptionValue: Bool

  /// - Parameters:
  ///   - words: The words as the command would get them, with the program's name.
  ///   - index: The index of the word to complete.
  ///   - typed: The typed part of that word.
  init(_ words: [String], _ index: Int, _ typed: String) {
    let before = words.prefix(index).dropFirst()
    let command = ManualVerb.description
    let verbIndex = before.firstIndex { !$0.hasPrefix("-") }
    let verb = verbIndex.flatMap { command?.subcommand(words[$0]) }
    var operands: [String] = []
    var options: Set<String> = []
    var option: Argument?
    var isPast = false
    for word in verbIndex.map({ words[($0 + 1)..<before.endIndex] }) ?? [] {
      if option != nil {
        option = nil
      } else if !isPast, word == "--" {
        isPast = true
      } else if !isPast, let known = verb?.option(word) {
        options.formUnion(known.allNames)
        option = known.kind == "option" && !word.contains("=") ? known : nil
      } else if isPast || !word.hasPrefix("-") || Self.isOperand(word) {
        operands.append(word)
      }
    }
    var (prefix, typed) = ("", typed)
    if option == nil, !isPast, typed.hasPrefix("--"), let equals = typed.firstIndex(of: "="),
      let known = verb?.option(typed), known.kind == "option"
    {
      option = known
      (prefix, typed) = (String(typed[...equals]), String(typed[typed.index(after: equals)...]))
    }
    let operand = verb?.positional(operands.count, isPast)
    self.verb = verb
    isBeforeVerb = verbIndex == nil
    (self.operands, self.options, self.prefix, self.typed) = (operands, options, prefix, typed)
    argument = option ?? operand?.argument
    argumentName = option?.allNames.first { $0.hasPrefix("--") } ?? "positional@\(operand?.index ?? 0)"
    isPastOptions = isPast
    isOptionValue = option != nil
  }

  /// Whether a verb accepts a word in this place as a value, and not as an option or standard input.
  func takes(_ word: String) -> Bool {
    guard !word.isEmpty else { return false }
    let mayBeOption = isOptionValue ? argument?.parsingStrategy == "default" && prefix.isEmpty : !isPastOptions
    return !word.hasPrefix("-") || !mayBeOption || word != "-" && Self.isOperand(word)
  }

  /// Whether a word that begins with `-` is an operand if it is no option.
  private static func isOperand(_ word: String) -> Bool { word == "-" || (try? TOMLValue(parsing: word)) != nil }
}

extension ManualVerb.Description.Command {
  /// The option or flag of a word, which may have a value after `=`.
  func option(_ word: String) -> ManualVerb.Description.Argument? {
    let name = String(word.prefix { $0 != "=" })
    return arguments?.first { $0.allNames.contains(name) }
  }

  /// The operand in a place.
  fileprivate func positional(
    _ count: Int, _ isPastOptions: Bool
  ) -> (index: Int, argument: ManualVerb.Description.Argument)? {
    let all = (arguments ?? []).filter { $0.kind == "positional" }.enumerated().map { (index: $0, argument: $1) }
    let words = all.filter { $0.argument.parsingStrategy != "postTerminator" }
    if isPastOptions, let rest = all.first(where: { $0.argument.parsingStrategy == "postTerminator" }) { return rest }
    return count < words.count ? words[count] : words.last.flatMap { $0.argument.isRepeating ? $0 : nil }
  }
}

extension ManualVerb.Description.Argument {
  /// An operand as help shows it: `[KEY ...]`.
  var operand: String {
    let name = (valueName ?? "") + (isRepeating ? " ..." : "")
    return (isOptional ? "[\(name)]" : name).uppercased()
  }

  /// The names of an option or flag as they are typed.
  var allNames: [String] { (names ?? []).map { ($0.kind == "long" ? "--" : "-") + $0.name } }
}
