import AppSettings
import SettingsTools

// How values are shown on a terminal.

extension Shown {
  /// The same as a comment behind a value.
  static func origin(of path: TOMLPath, in snapshot: SettingsSnapshot, _ schema: SchemaLookup) -> String {
    let terminal = Terminal.output
    return terminal.styled("  # \(terminal.shown(place(of: path, in: snapshot, schema)))", .dim)
  }

  /// A line for each layer's value and the app's default, in the form of `list --origin`: the value as TOML, then the
  /// layer, file and line, and what becomes of the value.
  static func layers(
    of path: TOMLPath, _ values: [LayerValue], _ schema: SchemaLookup, lock: SettingsLock?
  ) -> [String] {
    let terminal = Terminal.output
    return values.map { value in
      let isDefault = value.layer.kind == .default
      var note = isDefault ? "the app's default" : place(value.layer, value.position)
      if value.path != path { note += ", as '\(value.path)'" }
      switch value.state {
      case .used: break
      case .merged: note += ", merged with the layers above"
      case .hidden(let layer, let position): note += isDefault ? ", hidden" : ", hidden by \(place(layer, position))"
      case .ignored: note += ", ignored: locked by \(lock?.place ?? "an administrator")"
      case .unusable: note += ", not usable"
      }
      let isSecret = schema.isSecret(value.path, value.value)
      let text = isSecret ? terminal.styled(redacted, .dim) : styled(value.value, value.value.tomlText)
      return text + terminal.styled("  # \(terminal.shown(note))", .dim)
    }
  }

  /// A line `key = value`, with colours if enabled.
  ///
  /// - Parameters:
  ///   - value: `nil` for a secret.
  ///   - text: The value's text.
  static func line(_ path: TOMLPath, _ value: TOMLValue?, _ text: @autoclosure () -> String, keyWidth: Int = 0)
    -> String
  {
    let terminal = Terminal.output
    let key = path.description
    let padding = String(repeating: " ", count: max(0, keyWidth - key.count))
    return terminal.styled(terminal.shown(key), .cyan) + padding + " = "
      + (value.map { terminal.styled(terminal.shown(text()), style(of: $0)) } ?? terminal.styled(redacted, .dim))
  }

  /// The text of a value in the colour of its kind.
  static func styled(_ value: TOMLValue, _ text: String) -> String {
    Terminal.output.styled(Terminal.output.shown(text), style(of: value))
  }

  private static func style(of value: TOMLValue) -> Terminal.Style? {
    switch value {
    case .string: .green
    case .integer, .float: .yellow
    case .boolean: .magenta
    case .array, .table: nil
    default: .blue
    }
  }

  /// A unified diff, with colours if enabled.
  static func difference(_ text: String) -> String {
    let terminal = Terminal.output
    guard terminal.hasColor || terminal.isTerminal else { return text }
    var result = ""
    for line in text.split(separator: "\n", omittingEmptySubsequences: false) {
      let style: Terminal.Style? =
        if line.hasPrefix("---") || line.hasPrefix("+++") { .bold } else if line.hasPrefix("@@") {
          .cyan
        } else if line.hasPrefix("-") { .red } else if line.hasPrefix("+") { .green } else { nil }
      result += terminal.styled(terminal.shown(String(line)), line.isEmpty ? nil : style) + "\n"
    }
    result.removeLast()
    return result
  }
}
