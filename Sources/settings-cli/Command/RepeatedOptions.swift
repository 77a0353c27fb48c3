import ArgumentParser

/// Options that stand twice on a command line.
///
/// The library takes the last one. Whoever wrote both meant something by each, and a script that puts its own before
/// those of its caller would do other than one of them says.
enum RepeatedOptions {
  /// Throws for an option that takes one value and has two. A flag says no more by being there twice.
  ///
  /// - Parameter words: A command line that the library has taken.
  /// - Throws: ``Failure`` with status 2.
  static func check(_ words: [String]) throws {
    let names = words.prefix { $0 != "--" }.filter { $0.hasPrefix("--") }.map(name)
    // What each option takes is only looked up where it matters: that takes as long as all else.
    guard Set(names).count < names.count, let verb = try ManualVerb.description().subcommand(words[0]) else { return }
    let options = (verb.arguments ?? []).filter { $0.kind == "option" }
    var isRepeatable: [String: Bool] = [:]
    for option in options {
      for name in option.names ?? [] where name.kind == "long" { isRepeatable["--" + name.name] = option.isRepeating }
    }
    var seen: Set<String> = []
    var index = 1
    while index < words.count, words[index] != "--" {
      let word = words[index]
      index += 1
      guard let isRepeatable = isRepeatable[name(word)] else { continue }
      if !isRepeatable, !seen.insert(name(word)).inserted {
        throw Failure(
          .usage,
          "'\(name(word))' is there more than once.\n"
            + "  See 'settings-cli \(verb.commandName) --help' for more information.")
      }
      if !word.contains("=") { index += 1 }
    }
  }

  /// An option without its value.
  private static func name(_ word: String) -> String { String(word.prefix { $0 != "=" }) }
}

extension ManualVerb.Description.Command {
  fileprivate func subcommand(_ name: String) -> Self? {
    subcommands?.first { $0.commandName == name || $0.aliases?.contains(name) == true }
  }
}
