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
    let names = words.prefix { $0 != "--" }.filter {
      $0.hasPrefix("--") || $0.dropFirst().first?.isLetter == true && $0.first == "-"
    }.map(name)
    // Checked only where it matters: looking up what each option takes costs as much as the rest. A short name may be
    // that of a long one.
    guard Set(names).count < names.count || names.count > 1 && !names.allSatisfy({ $0.hasPrefix("--") }),
      let verb = ManualVerb.description?.subcommand(words[0])
    else { return }
    var seen: Set<String> = []
    var index = 1
    while index < words.count, words[index] != "--" {
      let word = words[index]
      index += 1
      guard let option = verb.option(word), option.kind == "option" else { continue }
      if !option.isRepeating, !seen.insert(option.allNames[0]).inserted {
        throw ToolError(.usage, "'\(name(word))' is given more than once.")
      }
      if !word.contains("=") { index += 1 }
    }
  }

  /// An option without its value.
  private static func name(_ word: String) -> String { String(word.prefix { $0 != "=" }) }
}
