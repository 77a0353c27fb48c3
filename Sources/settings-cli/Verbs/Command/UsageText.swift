import AppSettingsSchema
import ArgumentParser
import SettingsTools

/// Says in one sentence why a command line is invalid, where the library prints a page.
enum UsageText {
  /// Returns the message for one of the library.
  ///
  /// - Parameters:
  ///   - text: The library's message, or a sentence of ours.
  ///   - words: The command line.
  static func message(_ text: String, for words: [String]) -> String {
    let verb = words.first.flatMap(verb)
    if let name = quoted(in: text, after: "Missing expected argument ") {
      return "Missing \(operand(name)).\(usage(of: verb))"
    }
    if let word = quoted(in: text, after: "Unexpected argument ") {
      return "Unexpected word '\(word)'.\(usage(of: verb))"
    }
    if let (_, words) = divided(text, at: " unexpected arguments: ") {
      return "Unexpected words \(words).\(usage(of: verb))"
    }
    if let name = quoted(in: text, after: "Unknown option "), !text.hasSuffix(".") {
      let hint = (option(with: name, of: verb) ?? option(nearest: name, of: verb?.commandName)).map {
        "Did you mean '\($0)'?"
      }
      guard let verb else { return "Unknown option '\(name)'. \(hint ?? "Write the options of a verb after it.")" }
      return "Unknown option '\(name)'. \(hint ?? "'settings-cli help \(verb.commandName)' lists the options.")"
    }
    if let option = quoted(in: text, after: "Missing value for ") {
      return "Missing \(operand(option)) after '\(option.prefix { $0 != " " })'."
    }
    if let (value, place) = divided(text, at: "' is invalid for '", fromEnd: true), value.hasPrefix("The value '") {
      let place = String(place.prefix { $0 != "'" })
      return invalid(String(value.dropFirst("The value '".count)), for: place, of: verb, words)
    }
    if let option = quoted(in: text, after: "The option "), let (_, value) = divided(text, at: "any value, but '") {
      return "'\(option)' takes no value, but '\(value.prefix { $0 != "'" })' is given."
    }
    if let second = quoted(in: text, after: "Value to be set with flag "),
      let first = quoted(in: text, after: "had already been set with flag ")
    {
      return "Use either '\(first)' or '\(second)', not both."
    }
    return text
  }

  /// The option of a verb that was probably meant.
  static func option(nearest name: String, of verb: String?) -> String? {
    let own = verb.flatMap(Self.verb)?.arguments ?? []
    let names = own.flatMap { $0.names ?? [] }.filter { $0.kind == "long" }.map(\.name)
    // Without the hyphens, which would make short names more alike.
    return Suggestion.nearest(
      to: String(name.drop { $0 == "-" }), among: names + (verb == nil ? ["version", "help", "color"] : [])
    ).map { "--\($0)" }
  }

  /// The option for a value that is written as one, `--since today` for `--today` and `--limit 5` for `-5`, or as git
  /// has it, `-n5` and `-z`.
  private static func option(with value: String, of verb: ManualVerb.Description.Command?) -> String? {
    let words = value.drop { $0 == "-" }.split(separator: "-").joined(separator: " ")
    func has(_ name: String) -> Bool { verb?.option(name) != nil }
    if has("--limit"), Int(words) != nil { return "--limit \(words)" }
    if has("--limit"), words.first == "n", let number = Int(words.dropFirst()) { return "-n \(number)" }
    if has("-0"), value == "-z" { return "-0" }
    guard has("--since"), (try? Moment.parse(words)) != nil else { return nil }
    return "--since \(words.contains(" ") ? "\"\(words)\"" : words)"
  }

  private static func invalid(
    _ value: String, for place: String, of verb: ManualVerb.Description.Command?, _ words: [String]
  ) -> String {
    let isOption = place.hasPrefix("-")
    let option = String(place.prefix { $0 != " " })
    let known =
      isOption
      ? verb?.option(option)
      : verb?.arguments?.first { $0.names == nil && "<\($0.valueName ?? "")>" == place }
    let subject = isOption ? "Invalid value '\(value)' for '\(option)'" : "Invalid \(operand(place)) '\(value)'"
    guard let values = known?.allValues, let last = values.last else {
      return "\(subject): \(Double(value) == nil ? "a number" : "a whole number") is needed."
    }
    // The target is left out, so that the next word is in its place.
    if !isOption, words.count > 2, values.contains(words[1]) {
      return "Missing TARGET before '\(words[1])'.\(usage(of: verb))"
    }
    let hint = Suggestion.nearest(to: value, among: values).map { " Did you mean '\($0)'?" } ?? ""
    return "\(subject): use \(values.dropLast().joined(separator: ", ")) or \(last).\(hint)"
  }

  /// The text in quotes after a phrase.
  private static func quoted(in text: String, after phrase: String) -> String? {
    guard let (_, rest) = divided(text, at: phrase + "'"), let end = rest.firstIndex(of: "'") else { return nil }
    return String(rest[..<end])
  }

  /// What is before a phrase, and what is after it.
  private static func divided(
    _ text: String, at phrase: String, fromEnd: Bool = false
  ) -> (before: Substring, after: Substring)? {
    func isPhrase(_ index: String.Index) -> Bool { text[index...].hasPrefix(phrase) }
    guard let start = fromEnd ? text.indices.last(where: isPhrase) : text.indices.first(where: isPhrase) else {
      return nil
    }
    return (text[..<start], text[start...].dropFirst(phrase.count))
  }

  /// The operand or value in a place such as `<key> ...` or `--count <n>`, as help shows it.
  private static func operand(_ place: String) -> String {
    guard let start = place.firstIndex(of: "<") else { return place }
    return place[place.index(after: start)...].prefix { $0 != ">" }.uppercased()
  }

  private static func verb(_ name: String) -> ManualVerb.Description.Command? {
    ManualVerb.description?.subcommand(name)
  }

  /// How a verb is used, in one line without its options.
  private static func usage(of verb: ManualVerb.Description.Command?) -> String {
    guard let verb else { return "" }
    let words = (verb.arguments ?? []).filter { $0.shouldDisplay && $0.kind == "positional" }.map(\.operand)
    let own = SettingsCLI.configuration.subcommands.first { $0.configuration.commandName == verb.commandName }
    // The first form of a verb that has several.
    let first = own?.configuration.usage.map { String($0.prefix { $0 != "\n" }) }
    let usage = first.map { divided($0, at: " [-").map { String($0.before) } ?? $0 }
    return " Usage: \(usage ?? (["settings-cli", verb.commandName] + words).joined(separator: " "))"
  }
}

extension ManualVerb.Description.Command {
  func subcommand(_ name: String) -> Self? {
    subcommands?.first { $0.commandName == name || $0.aliases?.contains(name) == true }
  }
}
