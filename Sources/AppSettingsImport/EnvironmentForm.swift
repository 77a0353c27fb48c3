package import AppSettings

/// Settings as variables of an environment, so that they can be read back.
///
/// A variable's name does not tell which key it is of: `A_B` may be `a-b`, `A.b` or `a_b`. Nor does its text tell a string
/// from what it looks like. So a comment above it does: `#: KEY`, or `#: KEY (string)` where the text would be taken for
/// TOML.
package enum EnvironmentForm {
  private static let mark = "#: "
  private static let stringMark = " (string)"

  /// The variable that stands for a path of an app; without an app, for that of a file.
  package static func name(of path: TOMLPath, app: String?) -> String {
    let name = SettingsOverrides.variableName(of: path, app: app)
    // No shell takes a name that begins so.
    return name.utf8.first.map { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) } ?? true ? "_" + name : name
  }

  /// The text of a variable: a string as it is, anything else as TOML.
  package static func text(of value: TOMLValue) -> String {
    if case .string(let text) = value { text } else { value.tomlText }
  }

  /// The comment and the assignment, for a shell or a service manager.
  package static func lines(_ value: TOMLValue, at path: TOMLPath, name: String) -> String {
    let text = text(of: value)
    var quoted = String.UnicodeScalarView()
    // By scalars: a quote with an accent is one character, and a quote to a shell.
    for scalar in text.unicodeScalars {
      if scalar == "'" { quoted.append(contentsOf: "'\\''".unicodeScalars) } else { quoted.append(scalar) }
    }
    let isAmbiguous = value == .string(text) && (try? TOMLValue(parsing: text)) != nil
    return "\(mark)\(path)\(isAmbiguous ? stringMark : "")\n\(name)='\(String(quoted))'"
  }

  /// What a comment says of the next variable.
  struct Note {
    var key: TOMLPath
    var isString: Bool

    /// - Returns: `nil` for a comment that says nothing of it.
    init?(_ comment: String) {
      guard comment.utf8.starts(with: mark.utf8) else { return nil }
      var text = String(comment.dropFirst(mark.count)).withoutBlanks
      isString = text.hasSuffix(stringMark)
      if isString { text.removeLast(stringMark.count) }
      guard let key = try? TOMLPath(parsing: text) else { return nil }
      self.key = key
    }

    /// Whether a variable can be the one that it is about.
    func isAbout(_ variable: String) -> Bool { variable.hasSuffix(name(of: key, app: nil)) }

    func value(of text: String) -> TOMLValue {
      isString ? .string(text) : (try? TOMLValue(parsing: text)) ?? .string(text)
    }
  }
}
