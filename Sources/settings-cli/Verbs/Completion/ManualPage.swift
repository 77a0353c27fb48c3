/// A manual page, man(7).
struct ManualPage {
  typealias Command = ManualVerb.Description.Command
  typealias Argument = ManualVerb.Description.Argument

  private(set) var text: String

  /// - Parameter sections: Sections that the command's help does not have.
  init(_ command: Command, sections: String, version: String) {
    let name = Self.escaped(command.commandName)
    text = """
      .TH \(name.uppercased()) 1 "" "\(Self.escaped(version))" "User Commands"
      .SH NAME
      \(name) \\- \(Self.escaped(String((command.abstract ?? "").dropLast())).lowercasedFirst)
      .SH SYNOPSIS
      .B \(name)
      .I VERB TARGET
      .RI [ KEY ]
      .RI [ VALUE ]
      .SH DESCRIPTION

      """
    for paragraph in Self.paragraphs(command.discussion) { add(paragraph) }
    text += ".SH VERBS\n"
    for verb in command.subcommands ?? [] where verb.shouldDisplay && verb.commandName != "help" { add(verb) }
    for section in Self.paragraphs(sections) { add(section) }
    text += """
      .SH FILES
      .TP
      .I ~/.config/APP/settings.toml
      The user's settings.
      .TP
      .I ~/.config/APP/profiles/NAME.toml
      Profiles. The active one takes the place of the user's settings.
      .TP
      .I ~/.config/APP/settings.d/*.toml, ~/.config/APP/settings.d/@host=NAME/*.toml
      Files that dotfiles or home\\-manager declare, below the user's settings; also @os=ID and @arch=NAME.
      .TP
      .I .APP.toml
      A project's settings, in its directory.
      .TP
      .I /etc/xdg/APP/settings.toml, /etc/xdg/APP/settings.d/*.toml
      Administrators' settings, and keys that they lock.
      .TP
      .I ~/.local/state/app\\-settings/files/PATH.backups
      Backups of the file PATH, made before migrations, imports, recoveries and edits. The newest ten are kept.
      .TP
      .I ~/.local/state/app\\-settings/files/PATH.history
      The history of the file PATH.
      .TP
      .I ~/.local/share/app\\-settings/APP.toml, /usr/share/app\\-settings/APP.toml
      Schemas, written by apps.
      .SH SEE ALSO
      .BR gsettings (1),
      .BR dconf (1),
      .BR git\\-config (1)

      """
  }

  private mutating func add(_ verb: Command) {
    text += ".SS \"\(([verb.commandName] + (verb.aliases ?? [])).joined(separator: ", "))\"\n"
    let arguments = (verb.arguments ?? []).filter(\.shouldDisplay)
    let operands = arguments.filter { $0.kind == "positional" }.map { Self.escaped($0.operand) }
    text += ".B settings\\-cli \(([verb.commandName] + operands).joined(separator: " "))\n"
    text += ".PP\n\(Self.escaped(verb.abstract ?? ""))\n"
    for paragraph in Self.paragraphs(verb.discussion) { add(paragraph) }
    for argument in arguments { add(argument) }
  }

  private mutating func add(_ argument: Argument) {
    // Every verb has these; the page lists them once.
    guard argument.names?.contains(where: { $0.name == "help" || $0.name == "color" || $0.name == "version" }) != true
    else { return }
    let value = (argument.valueName ?? "").uppercased()
    let names = argument.allNames.joined(separator: ", ")
    let label = argument.kind == "positional" ? value : argument.kind == "option" ? "\(names) \(value)" : names
    let values = argument.allValues.map { " One of \($0.joined(separator: ", "))." } ?? ""
    text += ".TP\n.B \(Self.escaped(label))\n\(Self.escaped((argument.abstract ?? "") + values))\n"
  }

  /// Adds a paragraph: prose, or a heading in capitals with literal lines.
  private mutating func add(_ paragraph: [Substring]) {
    guard let heading = paragraph.first, heading.isHeading else {
      text += ".PP\n\(Self.escaped(paragraph.joined(separator: "\n")))\n"
      return
    }
    text += heading == "EXAMPLES" ? ".PP\nExamples:\n.PP\n" : ".SH \(heading)\n"
    text += ".EX\n\(Self.escaped(paragraph.dropFirst().joined(separator: "\n")))\n.EE\n"
  }

  private static func paragraphs(_ text: String?) -> [[Substring]] {
    let lines = (text ?? "").split(separator: "\n", omittingEmptySubsequences: false)
    return lines.split(whereSeparator: \.isEmpty).map(Array.init)
  }

  /// A text in which roff finds no commands.
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

extension StringProtocol {
  /// Whether this is a line in capitals.
  fileprivate var isHeading: Bool { !isEmpty && allSatisfy { $0.isUppercase || $0 == " " } && first != " " }
}

extension String {
  fileprivate var lowercasedFirst: String { prefix(1).lowercased() + dropFirst() }
}
