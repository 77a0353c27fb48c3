import AppSettings

/// How values are shown.
enum Shown {
  /// A value as `get` prints it: a string without quotes, anything else as TOML.
  static func bare(_ value: TOMLValue) -> String {
    if case .string(let text) = value { text } else { value.tomlText }
  }

  /// A value as `get` prints it, each float as its file has it: a version 1.10 is not 1.1.
  static func bare(
    _ value: TOMLValue, at path: TOMLPath, in snapshot: SettingsSnapshot, _ schema: SchemaLookup
  ) -> String {
    if case .string(let text) = value { text } else { text(value, at: path, in: snapshot, schema) }
  }

  /// A value as TOML on one line, each float as its file has it.
  static func text(
    _ value: TOMLValue, at path: TOMLPath, in snapshot: SettingsSnapshot, _ schema: SchemaLookup
  ) -> String {
    guard value.hasFloat else { return value.tomlText }
    if case .table(let table) = value {
      let members = table.map { key, value in
        "\(TOMLPath([key])) = \(text(value, at: path.appending(key), in: snapshot, schema))"
      }
      return "{ " + members.joined(separator: ", ") + " }"
    }
    for name in schema.names(of: path) {
      guard let layer = snapshot.layerIndex(of: name), let text = snapshot.layers[layer].document.lineText(at: name),
        (try? TOMLValue(parsing: text)) == value
      else { continue }
      return text
    }
    return value.tomlText
  }

  /// A value as JSON, keys in the order of the file. Values without a JSON form (dates, `nan`, `inf`) become strings.
  static func json(_ value: TOMLValue?) -> String {
    switch value {
    case nil: "null"
    case .string(let text): JSONText.quoted(text)
    case .integer(let number): String(number)
    case .float(let number) where number.isFinite: "\(number)"
    case .boolean(let flag): flag ? "true" : "false"
    case .array(let elements): "[" + elements.map(json).joined(separator: ",") + "]"
    case .table(let table): object(table.map { ($0.key, json($0.value)) })
    case let other?: JSONText.quoted(other.tomlText)
    }
  }

  /// A table as JSON, one member a line.
  static func indented(_ table: TOMLTable, _ indent: String = "") -> String {
    guard !table.isEmpty else { return "{}" }
    let members = table.map { key, value in
      let text = if case .table(let inner) = value { indented(inner, indent + "  ") } else { json(value) }
      return "\(indent)  \(JSONText.quoted(key)): \(text)"
    }
    return "{\n\(members.joined(separator: ",\n"))\n\(indent)}"
  }

  /// A JSON object from members whose values are JSON.
  static func object(_ members: [(String, String)]) -> String {
    var text = "{"
    text.reserveCapacity(members.reduce(2) { $0 + $1.0.utf8.count + $1.1.utf8.count + 4 })
    for (name, value) in members {
      if text.utf8.count > 1 { text += "," }
      text += JSONText.quoted(name)
      text += ":"
      text += value
    }
    return text + "}"
  }

  /// The source of a value, as JSON members: `key value layer file line isDefault isLocked problem`.
  ///
  /// - Parameters:
  ///   - redacting: Whether to hide a secret.
  ///   - app: An app to name in a first member `app`.
  static func record(
    _ path: TOMLPath, in snapshot: SettingsSnapshot, _ schema: SchemaLookup, redacting: Bool = false,
    app: String? = nil
  ) -> String {
    let origin = schema.origin(of: path, in: snapshot)
    let value = schema.usedValue(of: path, in: snapshot).flatMap { schema.withoutSecrets($0, at: path).value }
    return object(
      (app.map { [("app", JSONText.quoted($0))] } ?? []) + [
        ("key", JSONText.quoted(path.description)),
        ("value", redacting && value != nil && schema.isSecret(path, value) ? JSONText.quoted(redacted) : json(value)),
        ("layer", JSONText.quoted(origin.layer.kind.rawValue)),
        ("file", origin.layer.file.map(JSONText.quoted) ?? "null"),
        ("line", origin.position.map { String($0.line) } ?? "null"),
        ("isDefault", origin.isDefault ? "true" : "false"),
        ("isLocked", origin.isLocked ? "true" : "false"),
        ("problem", schema.unusable(at: path, in: snapshot).first.map { JSONText.quoted($0.message) } ?? "null"),
      ])
  }

  /// One layer's value, as a JSON object: `layer file line key value state`.
  ///
  /// A hidden value is hidden here, too: it may be an old secret that still works elsewhere.
  static func record(_ value: LayerValue, _ schema: SchemaLookup) -> String {
    let isSecret = schema.isSecret(value.path, value.value)
    return object([
      ("layer", JSONText.quoted(value.layer.kind.rawValue)),
      ("file", value.layer.file.map(JSONText.quoted) ?? "null"),
      ("line", value.position.map { String($0.line) } ?? "null"),
      ("key", JSONText.quoted(value.path.description)),
      ("value", isSecret ? JSONText.quoted(redacted) : json(value.value)),
      ("state", JSONText.quoted(value.state.name)),
    ])
  }

  /// A layer, its file and a line in it.
  static func place(_ layer: SettingsLayer, _ position: TOMLPosition?) -> String {
    guard let file = layer.file else { return layer.kind.rawValue }
    return "\(layer.kind.rawValue) \(PathText.shown(file))" + (position.map { ":\($0.line)" } ?? "")
  }

  /// A value's layer, file and line, in words.
  static func place(of path: TOMLPath, in snapshot: SettingsSnapshot, _ schema: SchemaLookup) -> String {
    let origin = schema.origin(of: path, in: snapshot)
    let text = place(origin.layer, origin.position)
    return origin.isLocked ? text + " (locked)" : text
  }

  /// The same as a comment behind a value.
  static func origin(of path: TOMLPath, in snapshot: SettingsSnapshot, _ schema: SchemaLookup) -> String {
    let terminal = Terminal.output
    return terminal.styled("  # \(terminal.shown(place(of: path, in: snapshot, schema)))", .dim)
  }

  /// A line for each layer's value and the app's default, in the form of `list --origin`: the value as TOML, then the
  /// layer, file and line, and what becomes of the value.
  static func layers(
    of path: TOMLPath, _ values: [LayerValue], default: TOMLValue?, _ schema: SchemaLookup, lock: SettingsLock?
  ) -> [String] {
    let terminal = Terminal.output
    func line(_ place: TOMLPath, _ value: TOMLValue, _ note: String) -> String {
      (schema.isSecret(place, value)
        ? terminal.styled(redacted, .dim) : terminal.styled(terminal.shown(value.tomlText), style(of: value)))
        + terminal.styled("  # \(terminal.shown(note))", .dim)
    }
    var lines = values.map { value in
      var note = place(value.layer, value.position)
      if value.path != path { note += ", as '\(value.path)'" }
      switch value.state {
      case .used: break
      case .merged: note += ", merged with the layers above"
      case .hidden(let layer, let position): note += ", hidden by \(place(layer, position))"
      case .ignored: note += ", ignored: locked by \(lock?.place ?? "an administrator")"
      case .unusable: note += ", not usable"
      }
      return line(value.path, value.value, note)
    }
    if let value = `default` {
      let isUsed = !values.contains { $0.state == .used }
      lines.append(line(path, value, "the app's default" + (isUsed ? "" : ", hidden")))
    }
    return lines
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

extension LayerValue.State {
  /// The name for scripts and listings.
  var name: String {
    switch self {
    case .used: "used"
    case .merged: "merged"
    case .hidden: "hidden"
    case .ignored: "ignored"
    case .unusable: "unusable"
    }
  }
}
