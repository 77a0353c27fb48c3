package import AppSettings

/// How values are shown.
package enum Shown {
  /// Shown in place of a secret.
  package static let redacted = "(secret)"

  /// The value that the text of a command line looks like.
  package static func typed(_ text: String) -> TOMLValue { (try? TOMLValue(parsing: text)) ?? .string(text) }

  /// A value for a message, shortened if it is long.
  package static func short(_ value: TOMLValue) -> String { value.tomlText.shortened(to: 80) }

  /// A value as `get` prints it: a string without quotes, anything else as TOML.
  package static func bare(_ value: TOMLValue) -> String {
    if case .string(let text) = value { text } else { value.tomlText }
  }

  /// A value as `get` prints it, each float as its file has it: a version 1.10 is not 1.1.
  package static func bare(
    _ value: TOMLValue, at path: TOMLPath, in snapshot: SettingsSnapshot, _ schema: SchemaLookup
  ) -> String {
    if case .string(let text) = value { text } else { text(value, at: path, in: snapshot, schema) }
  }

  /// A value as TOML on one line, each float as its file has it.
  package static func text(
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

  /// A table as JSON, one member a line.
  package static func indented(_ table: TOMLTable, _ indent: String = "") -> String {
    guard !table.isEmpty else { return "{}" }
    let members = table.map { key, value in
      let text =
        if case .table(let inner) = value { indented(inner, indent + "  ") } else {
          JSONObject.Member.value(value).text
        }
      return "\(indent)  \(JSONText.quoted(key)): \(text)"
    }
    return "{\n\(members.joined(separator: ",\n"))\n\(indent)}"
  }

  /// The source of a value: `key value layer file line isDefault isLocked problem`.
  ///
  /// - Parameters:
  ///   - redacting: Whether to hide a secret.
  ///   - app: An app to name in a first member `app`.
  package static func record(
    _ path: TOMLPath, in snapshot: SettingsSnapshot, _ schema: SchemaLookup, redacting: Bool = false,
    app: String? = nil
  ) -> JSONObject {
    let origin = schema.origin(of: path, in: snapshot)
    let value = schema.usedValue(of: path, in: snapshot).flatMap { schema.withoutSecrets($0, at: path).value }
    let isHidden = redacting && value != nil && schema.isSecret(path, value)
    return JSONObject(naming: app) + [
      "key": .text(path.description), "value": .value(isHidden ? .string(redacted) : value),
      "layer": .text(origin.layer.kind.rawValue), "file": .text(origin.layer.file),
      "line": .number(origin.position?.line), "isDefault": .flag(origin.isDefault), "isLocked": .flag(origin.isLocked),
      "problem": .text(schema.unusable(at: path, in: snapshot).first?.message),
    ]
  }

  /// One layer's value: `layer file line key value state`.
  ///
  /// A hidden value is hidden here, too: it may be an old secret that still works elsewhere.
  package static func record(_ value: LayerValue, _ schema: SchemaLookup) -> JSONObject {
    [
      "layer": .text(value.layer.kind.rawValue), "file": .text(value.layer.file), "line": .number(value.position?.line),
      "key": .text(value.path.description),
      "value": .value(schema.isSecret(value.path, value.value) ? .string(redacted) : value.value),
      "state": .text(value.state.name),
    ]
  }

  /// A layer, its file and a line in it.
  package static func place(_ layer: SettingsLayer, _ position: TOMLPosition?) -> String {
    guard let file = layer.file else { return layer.kind.rawValue }
    return "\(layer.kind.rawValue) \(PathText.shown(file))" + (position.map { ":\($0.line)" } ?? "")
  }

  /// A value's layer, file and line, in words.
  package static func place(of path: TOMLPath, in snapshot: SettingsSnapshot, _ schema: SchemaLookup) -> String {
    let origin = schema.origin(of: path, in: snapshot)
    let text = place(origin.layer, origin.position)
    return origin.isLocked ? text + " (locked)" : text
  }
}

extension LayerValue.State {
  /// The name for scripts and listings.
  package var name: String {
    switch self {
    case .used: "used"
    case .merged: "merged"
    case .hidden: "hidden"
    case .ignored: "ignored"
    case .unusable: "unusable"
    }
  }
}

extension TOMLValue {
  /// The value as TOML: in a notation, if that is one of it.
  package func text(as notation: String?) -> String {
    notation.flatMap { (try? TOMLValue(parsing: $0)) == self ? $0 : nil } ?? tomlText
  }

  /// Whether JSON says less: it has no dates, and one type of numbers.
  var losesInJSON: Bool {
    switch self {
    case .string, .integer, .boolean: false
    case .array(let items): items.contains(where: \.losesInJSON)
    case .table(let table): table.contains { $0.value.losesInJSON }
    case .float, .offsetDateTime, .localDateTime, .localDate, .localTime: true
    }
  }
}
