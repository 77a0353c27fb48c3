/// The help of a verb, and of the command.
enum Help {
  static let width = 80

  /// What `settings-cli --help` prints.
  static var command: String {
    let verbs = Verbs.all.filter { !$0.syntax.isHidden }.map { verb in
      (([verb.name] + verb.aliases).joined(separator: ", "), verb.syntax.summary)
    }
    return """
      Read, change and watch the settings of apps.

      \(heading("Usage:")) settings-cli VERB TARGET [KEY] [VALUE]

      TARGET is an app's id, such as org.example.editor, or the path of a TOML file:
      anything with a '/'. KEY is a dotted key, such as editor.font-size; a part with
      other characters is quoted: servers."eu.west".url.

      Answers go to standard output, everything else to standard error.

      \(heading("VERBS"))
      \(table(verbs))
      \(heading("EXIT STATUS"))
      \(statuses.map { "  \($0.status)  \($0.meaning)" }.joined(separator: "\n"))

      \(heading("ENVIRONMENT"))
      \(table(environment))
      'settings-cli VERB --help' says more, with examples.

      """
  }

  /// The exit statuses and what they mean.
  static let statuses: [(status: Int, meaning: String)] = [
    (0, "done; for 'set': stored durably and effective"), (1, "the key has no value"), (2, "usage"),
    (3, "unknown app or key"), (4, "invalid value"),
    (5, "not writable: locked, read-only or overridden by a higher layer"), (6, "the file does not parse"),
    (7, "input/output error or lock time-out"), (8, "migration failed, or the file is newer than the app"),
  ]

  /// The variables that are looked at.
  static let environment = [
    ("XDG_CONFIG_HOME, XDG_CONFIG_DIRS", "Where settings are: the user's, the administrators'."),
    ("XDG_STATE_HOME", "Where backups go."), ("XDG_DATA_HOME, XDG_DATA_DIRS", "Where schemas are."),
    ("VISUAL, EDITOR", "What 'edit' opens."), ("NO_COLOR", "Not empty: no colour, unless --color asks for it."),
  ]

  /// What `settings-cli VERB --help` prints.
  static func text(of verb: any Verb.Type) -> String {
    let syntax = verb.syntax
    var text = "\(syntax.summary)\n\n\(heading("Usage:")) \(usage(of: verb))\n"
    if !verb.aliases.isEmpty { text += "\nAlso: \(verb.aliases.joined(separator: ", ")).\n" }
    if !syntax.details.isEmpty { text += "\n\(syntax.details)\n" }
    if !syntax.operands.isEmpty {
      text += "\n\(heading("OPERANDS"))\n" + table(syntax.operands.map { ($0.name, $0.help) })
    }
    text += "\n\(heading("OPTIONS"))\n" + table(syntax.allOptions.map { (label($0), $0.help) })
    if !syntax.examples.isEmpty {
      text += "\n\(heading("EXAMPLES"))\n" + syntax.examples.map { "  \($0)\n" }.joined()
    }
    return text
  }

  /// The ways to type it, one a line.
  static func usage(of verb: any Verb.Type) -> String {
    let syntax = verb.syntax
    var lines = syntax.usage
    if lines.isEmpty {
      let operands = syntax.operands.map { operand in
        switch operand.count {
        case .one, .many: operand.name
        case .optional, .any: "[\(operand.name)]"
        }
      }
      lines = [(operands + (syntax.options.isEmpty ? [] : ["[OPTION…]"])).joined(separator: " ")]
    }
    return lines.map { "settings-cli \(verb.name) \($0)" }.joined(separator: "\n       ")
  }

  /// An option as help shows it: `--default VALUE`.
  static func label(_ option: Syntax.Option) -> String {
    let name = option.name == "help" ? "-h, --help" : option.dashed
    return option.value.map { "\(name) \($0)" } ?? name
  }

  private static func heading(_ text: String) -> String { Terminal.output.styled(text, .bold) }

  /// Two columns; the second one is wrapped.
  private static func table(_ rows: [(String, String)]) -> String {
    let column = min(rows.map { $0.0.count }.max() ?? 0, 26) + 4
    var text = ""
    for (label, help) in rows {
      var line = "  \(label)"
      if label.count + 4 > column {
        text += line + "\n"
        line = ""
      }
      line += String(repeating: " ", count: column - line.count)
      for word in help.split(separator: " ") {
        if line.count + word.count > width, line.count > column {
          text += line.trimmingTrailingSpaces + "\n"
          line = String(repeating: " ", count: column)
        }
        line += word + " "
      }
      text += line.trimmingTrailingSpaces + "\n"
    }
    return text
  }
}

extension String {
  fileprivate var trimmingTrailingSpaces: String {
    var text = self
    while text.last == " " { text.removeLast() }
    return text
  }
}
