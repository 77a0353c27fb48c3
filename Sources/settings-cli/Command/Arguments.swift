import AppSettings

/// The words of a command line, as a verb's syntax reads them.
///
/// Options stand anywhere, as `--name value`, `--name=value` or `-0`; after `--` every word is an operand.
struct Arguments: Sendable {
  /// The words that are no options.
  private(set) var operands: [String] = []
  /// Those of them that stand after `--`.
  private(set) var terminated: ArraySlice<String> = []
  private var values: [String: [String]] = [:]

  /// Whether an option was given.
  func has(_ name: String) -> Bool { values[name] != nil }

  /// The value of an option, the last if it was given again; `nil` if it was not given.
  func value(_ name: String) -> String? { values[name]?.last }

  /// All values of an option, in the order of the command line.
  func all(_ name: String) -> [String] { values[name] ?? [] }

  /// The operand at an index; `nil` if there are fewer.
  func operand(_ index: Int) -> String? { index < operands.count ? operands[index] : nil }

  /// The number that an option has.
  ///
  /// - Throws: ``Failure`` with status 2 if it is no number that `isAllowed` takes.
  func number<Number: LosslessStringConvertible>(
    _ name: String, _ needed: String, where isAllowed: (Number) -> Bool
  ) throws -> Number? {
    guard let text = value(name) else { return nil }
    guard let number = Number(text), isAllowed(number) else {
      throw Failure(.usage, "--\(name) has to be \(needed), and is '\(text)'.")
    }
    return number
  }

  /// Refuses two options that exclude each other.
  func exclude(_ names: String...) throws {
    let given = names.filter(has)
    guard given.count > 1 else { return }
    throw Failure(.usage, "--\(given[0]) and --\(given[1]) exclude each other.")
  }

  /// Reads words.
  ///
  /// - Throws: ``Failure`` with status 2 for what the syntax has no place for.
  init(_ words: some Sequence<String>, of syntax: Syntax) throws {
    var rest = Array(words)[...]
    var operandsBeforeTerminator: Int?
    while let word = rest.popFirst() {
      if operandsBeforeTerminator != nil || !word.hasPrefix("-") || word == "-" || syntax.readsAsValue(word) {
        operands.append(word)
      } else if word == "--" {
        operandsBeforeTerminator = operands.count
      } else {
        try take(word, &rest, syntax)
      }
    }
    terminated = operands[(operandsBeforeTerminator ?? operands.count)...]
    if !has("help") { try check(syntax) }
  }

  private mutating func take(_ word: String, _ rest: inout ArraySlice<String>, _ syntax: Syntax) throws {
    let equals = word.hasPrefix("--") ? word.firstIndex(of: "=") : nil
    var name = word[..<(equals ?? word.endIndex)].drop { $0 == "-" }
    if word == "-h" { name = "help" }
    guard
      let option = syntax.allOptions.first(where: { $0.name == name && (word == "-h" || word.hasPrefix($0.dashed)) })
    else {
      let known = syntax.allOptions.map(\.dashed)
      let typed = String(word[..<(equals ?? word.endIndex)])
      let hint = Suggestion.nearest(to: typed, among: known).map { " Did you mean '\($0)'?" }
      let value = syntax.takesNegativeValues ? " A value that begins with '-' comes after '--'." : ""
      throw Failure(.usage, "Unknown option '\(typed)'.\(hint ?? value)")
    }
    guard option.value != nil else {
      if equals != nil { throw Failure(.usage, "\(option.dashed) takes no value.") }
      values[option.name, default: []].append("")
      return
    }
    let value: String
    if let equals {
      value = String(word[word.index(after: equals)...])
    } else if let next = rest.popFirst() {
      value = next
    } else {
      throw Failure(.usage, "\(option.dashed) needs a value.")
    }
    if case .words(let words) = option.candidates, !words.contains(value) {
      let hint = Suggestion.nearest(to: value, among: words).map { " Did you mean '\($0)'?" }
      throw Failure(
        .usage,
        "Unknown value '\(value)' of \(option.dashed): use one of \(words.joined(separator: ", ")).\(hint ?? "")")
    }
    values[option.name, default: []].append(value)
  }

  private func check(_ syntax: Syntax) throws {
    let needed = syntax.operands.count { $0.count == .one || $0.count == .many }
    let isOpen = syntax.operands.contains { $0.count == .any || $0.count == .many }
    if operands.count < needed {
      throw Failure(.usage, "There is no \(syntax.operands[operands.count].name.prefix { $0 != "…" }).")
    }
    if !isOpen, operands.count > syntax.operands.count {
      throw Failure(.usage, "Unexpected word '\(operands[syntax.operands.count])'.")
    }
    for option in syntax.options
    where !option.isRepeated && (values[option.name]?.count ?? 0) > 1 && option.value != nil {
      throw Failure(.usage, "\(option.dashed) is there more than once.")
    }
  }
}

extension Syntax {
  /// Whether a word that begins with `-` is a value, as `-5` is.
  fileprivate func readsAsValue(_ word: String) -> Bool {
    takesNegativeValues && (try? TOMLValue(parsing: word)) != nil
  }
}
