import ArgumentParser
import SettingsTools

/// Rejects options that are given twice.
///
/// The library would use the last one. But both were meant, and a script that puts its own options before those of its
/// caller would silently drop one of them.
enum RepeatedOptions {
  /// Throws if an option that takes one value has two. A repeated flag is harmless.
  ///
  /// - Parameter words: A command line that the library has accepted.
  /// - Throws: ``ToolError`` with status 2.
  static func check(_ words: [String]) throws {
    let names = words.prefix { $0 != "--" }.filter { $0.hasPrefix("--") }.map(name)
    // Checked only where it matters: looking up what each option takes costs as much as the rest.
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
        throw ToolError(
          .usage,
          "'\(name(word))' is given more than once.")
      }
      if !word.contains("=") { index += 1 }
    }
  }

  /// An option without its value.
  private static func name(_ word: String) -> String { String(word.prefix { $0 != "=" }) }
}
