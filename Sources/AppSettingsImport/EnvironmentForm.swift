package import AppSettings

/// Writes settings as environment variables in such a way that they can be read back.
///
/// A variable's name does not identify its key: `A_B` may be `a-b`, `A.b` or `a_b`. Nor does its text distinguish a
/// string from a value that looks the same. So a comment above the variable does: `#: KEY`, or `#: KEY (string)` if the
/// text would be read as TOML.
package enum EnvironmentForm {
  private static let mark = "#: "
  private static let stringMark = " (string)"

  /// The name of the variable for a path of an app; without an app, for a path of a file.
  package static func name(of path: TOMLPath, app: String?) -> String {
    let name = SettingsOverrides.variableName(of: path, app: app)
    // Shells reject a name that begins with a digit.
    return name.utf8.first?.isDigit ?? true ? "_" + name : name
  }

  /// The comment that says which version of the settings the variables are of.
  package static func line(ofVersion version: Int) -> String { "\(mark)\(SettingsFormat.versionPath) = \(version)" }

  /// The version in a comment; `nil` for another one.
  static func version(in comment: String) -> TOMLValue? {
    guard comment.utf8.starts(with: mark.utf8) else { return nil }
    return (try? TOMLDocument(parsing: Array(comment.utf8.dropFirst(mark.utf8.count))))?[SettingsFormat.versionPath]
  }

  /// The text of a variable: a string as it is, anything else as TOML.
  package static func text(of value: TOMLValue) -> String {
    if case .string(let text) = value { text } else { value.tomlText }
  }

  /// The comment and the assignment, in the syntax of shells and service managers.
  package static func lines(_ value: TOMLValue, at path: TOMLPath, name: String) -> String {
    let text = text(of: value)
    var quoted = String.UnicodeScalarView()
    // By scalars: a quote with a combining accent is one character, but still a quote to a shell.
    for scalar in text.unicodeScalars {
      if scalar == "'" { quoted.append(contentsOf: "'\\''".unicodeScalars) } else { quoted.append(scalar) }
    }
    let isAmbiguous = value == .string(text) && (try? TOMLValue(parsing: text)) != nil
    return "\(mark)\(path)\(isAmbiguous ? stringMark : "")\n\(name)='\(String(quoted))'"
  }

  /// The content of a comment about the next variable.
  struct Note {
    var key: TOMLPath
    var isString: Bool

    /// - Returns: `nil` for a comment without such content.
    init?(_ comment: String) {
      guard comment.utf8.starts(with: mark.utf8) else { return nil }
      var text = String(comment.dropFirst(mark.count)).withoutBlanks
      isString = text.hasSuffix(stringMark)
      if isString { text.removeLast(stringMark.count) }
      guard let key = try? TOMLPath(parsing: text) else { return nil }
      self.key = key
    }

    /// Whether the comment can be about a variable of this name.
    func isAbout(_ variable: String) -> Bool { variable.hasSuffix(name(of: key, app: nil)) }

    func value(of text: String) -> TOMLValue {
      isString ? .string(text) : (try? TOMLValue(parsing: text)) ?? .string(text)
    }
  }
}
