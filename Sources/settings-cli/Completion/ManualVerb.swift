/// Prints the manual page: made of the same syntax as the help.
enum ManualVerb: Verb {
  static let name = "manual"
  static let syntax = Syntax(
    summary: "Print the manual page, for man(1).", operands: [],
    examples: ["settings-cli manual > /usr/local/share/man/man1/settings-cli.1", "settings-cli manual | man -l -"],
    isHidden: true)

  static func run(_ arguments: Arguments) throws { Output.text(page) }

  private static var page: String {
    var page = """
      .TH SETTINGS\\-CLI 1 "" "settings\\-cli \(Verbs.version)" "User Commands"
      .SH NAME
      settings\\-cli \\- read, change and watch the settings of apps
      .SH SYNOPSIS
      .B settings\\-cli
      .I VERB TARGET
      .RI [ KEY ]
      .RI [ VALUE ]
      .SH DESCRIPTION
      .I TARGET
      is an app's id, such as org.example.editor, or the path of a TOML file: anything with a \\(aq/\\(aq.
      An app's id brings its administrators' files and its schema along; a path is just that file.
      .PP
      .I KEY
      is a dotted key, such as editor.font\\-size; a part with other characters than letters, digits, \\(aq_\\(aq and
      \\(aq\\-\\(aq is quoted: servers."eu.west".url.
      .PP
      Answers go to standard output, everything else to standard error.
      .SH VERBS

      """
    for verb in Verbs.all where !verb.syntax.isHidden { page += section(verb) }
    page += ".SH EXIT STATUS\n"
    for (status, meaning) in Help.statuses { page += ".TP\n.B \(status)\n\(escaped(meaning))\n" }
    page += ".SH ENVIRONMENT\n"
    for (name, meaning) in Help.environment { page += ".TP\n.B \(escaped(name))\n\(escaped(meaning))\n" }
    page += """
      .SH FILES
      .TP
      .I ~/.config/APP/settings.toml
      The user's settings.
      .TP
      .I /etc/xdg/APP/settings.toml, /etc/xdg/APP/settings.d/*.toml
      Administrators' settings, and keys that they lock.
      .TP
      .I ~/.local/state/APP/backups
      Texts from before migrations, imports, recoveries and edits; the newest ten are kept.
      .TP
      .I ~/.local/share/app\\-settings/APP.toml, /usr/share/app\\-settings/APP.toml
      Schemas, which apps write.
      .SH SEE ALSO
      .BR gsettings (1),
      .BR dconf (1),
      .BR git\\-config (1)

      """
    return page
  }

  private static func section(_ verb: any Verb.Type) -> String {
    let syntax = verb.syntax
    var text = ".SS \"\(verb.name)\"\n"
    for line in Help.usage(of: verb).split(separator: "\n") {
      text += ".B \(escaped(String(line.drop { $0 == " " })))\n.br\n"
    }
    text += ".PP\n\(escaped(syntax.summary))\n"
    for paragraph in syntax.details.split(separator: "\n\n") { text += ".PP\n\(escaped(String(paragraph)))\n" }
    for option in syntax.options { text += ".TP\n.B \(escaped(Help.label(option)))\n\(escaped(option.help))\n" }
    if !syntax.examples.isEmpty {
      text += ".PP\nExamples:\n.PP\n.EX\n" + syntax.examples.map { "  \(escaped($0))\n" }.joined() + ".EE\n"
    }
    return text
  }

  /// A text of which roff takes no character for a command.
  private static func escaped(_ text: String) -> String {
    var result = ""
    for (index, line) in text.split(separator: "\n", omittingEmptySubsequences: false).enumerated() {
      if index > 0 { result += "\n" }
      if line.hasPrefix(".") || line.hasPrefix("'") { result += "\\&" }
      for character in line {
        switch character {
        case "\\": result += "\\e"
        case "-": result += "\\-"
        case "'": result += "\\(aq"
        case "…": result += "..."
        case "~": result += "\\(ti"
        case "^": result += "\\(ha"
        case "`": result += "\\(ga"
        default: result.append(character)
        }
      }
    }
    return result
  }
}
