import AppSettings
import ArgumentParser

/// An entry of a history on the command line: `#12`, which a shell wants quoted, or `--entry 12`.
enum EntryArgument {
  static let help = ArgumentHelp("The number of an entry, as 'log' shows it, without '#'.", valueName: "n")

  /// The number in `#N`; `nil` for a text that does not begin with `#`.
  ///
  /// - Throws: `ValidationError` for anything else behind the `#`.
  static func parse(_ text: String) throws -> Int? {
    guard text.hasPrefix("#") else { return nil }
    let digits = text.dropFirst()
    guard !digits.isEmpty, digits.utf8.allSatisfy({ (0x30...0x39).contains($0) }), let number = Int(digits) else {
      throw ValidationError("'\(text)' is not an entry. Use one of 'log', such as '#12', with the quotes.")
    }
    return number
  }

  /// Throws for a number that no entry has.
  static func check(_ number: Int?) throws {
    guard let number, number < 0 else { return }
    throw ValidationError("Invalid value '\(number)' for '--entry': 0 or more is needed.")
  }
}
