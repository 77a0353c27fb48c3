import AppSettings

// The schema as TOML text. It is also for people to read, so it is not written with the document's edits.

extension SettingsSchema {
  /// The version of the form of schema files.
  static let formVersion: Int64 = 1

  /// The schema as TOML text. Steps of code are only named: a tool that meets one says that the app itself has to
  /// migrate. Defaults of secrets are left out.
  public var text: String {
    var lines = [
      "# The settings of \(app), for settings-cli and editors. The app writes this file: changes to it are lost.",
      "app = \(TOMLValue.string(app).tomlText)",
    ]
    if let name { lines.append("name = \(TOMLValue.string(name).tomlText)") }
    if let icon { lines.append("icon = \(TOMLValue.string(icon).tomlText)") }
    lines.append("schema-version = \(Self.formVersion)")
    for group in groups {
      lines += ["", "[groups.\(Self.quoted(group.path))]"]
      lines.append("description = \(TOMLValue.string(group.summary).tomlText)")
    }
    for key in keys {
      lines += ["", "[keys.\(Self.quoted(key.path))]"]
      if key.hidesCases {
        lines.append(
          "# Its cases are not known: conform the app's enumeration to CaseIterable to have them here as choices.")
      }
      lines += key.attributes.map { "\(TOMLPath([$0.name])) = \($0.value.tomlText)" }
    }
    for migration in migrations.migrations {
      lines += ["", "[[migrations]]", "version = \(migration.version)"]
      lines.append("name = \(TOMLValue.string(migration.name).tomlText)")
      if migration.steps.isEmpty {
        lines.append("steps = []")
      } else {
        lines.append("steps = [")
        lines += migration.steps.map { "  \(TOMLValue.table(StepForms.form(of: $0)).tomlText)," }
        lines.append("]")
      }
    }
    return lines.joined(separator: "\n") + "\n"
  }

  /// A path as one key, in quotes if it contains a dot.
  private static func quoted(_ path: TOMLPath) -> String { TOMLPath([path.description]).description }
}

/// A member of a table in a schema file.
struct SchemaAttribute {
  var name: String
  var value: TOMLValue

  init(_ name: String, _ value: TOMLValue) {
    self.name = name
    self.value = value
  }
}

extension SchemaKey {
  fileprivate var attributes: [SchemaAttribute] {
    var result = type.attributes
    if let defaultValue { result.append(SchemaAttribute("default", defaultValue)) }
    if hasComputedDefault { result.append(SchemaAttribute("computed-default", true)) }
    if !summary.isEmpty { result.append(SchemaAttribute("description", .string(summary))) }
    if let group { result.append(SchemaAttribute("group", .string(group.description))) }
    if !formerPaths.isEmpty {
      result.append(SchemaAttribute("formerly", .array(formerPaths.map { .string($0.description) })))
    }
    if isSecret { result.append(SchemaAttribute("secret", true)) }
    switch projects {
    case .refused: break
    case .allowed: result.append(SchemaAttribute("project", true))
    case .safe(let reason): result.append(SchemaAttribute("project", .string(reason)))
    }
    if let reference { result.append(SchemaAttribute("refers-to", .string(reference.rawValue))) }
    if needsRestart { result.append(SchemaAttribute("needs-restart", true)) }
    return result
  }
}

extension SchemaType {
  /// The type as the members of a schema file.
  fileprivate var attributes: [SchemaAttribute] {
    var result = [SchemaAttribute("type", .string(kind.rawValue))]
    func add(_ name: String, _ value: TOMLValue?) { if let value { result.append(SchemaAttribute(name, value)) } }
    add("minimum", minimum)
    add("maximum", maximum)
    add("below", limit)
    add("choices", choices.map { .array($0) })
    switch patterns.count {
    case 0: break
    case 1: add("pattern", .string(patterns[0]))
    default: add("pattern", .array(patterns.map { .string($0) }))
    }
    add("minimum-count", minimumCount.map { .integer(Int64($0)) })
    add("maximum-count", maximumCount.map { .integer(Int64($0)) })
    if isUnique { add("unique", true) }
    if isOrdered { add("ordered", true) }
    add("elements", element.map { .table($0.table) })
    if let fields {
      var table = TOMLTable()
      for field in fields { table[field.name] = .table(field.table) }
      add("fields", .table(table))
      if isOpen { add("other-fields", true) }
    }
    add("ids", ids.map { $0 == SchemaType($0.kind) ? .string($0.kind.rawValue) : .table($0.table) })
    if readsOlderForm { add("reads-older-form", true) }
    add("expects", expectedWords.map { .string($0) })
    add("example", example)
    return result
  }

  fileprivate var table: TOMLTable {
    var table = TOMLTable()
    for attribute in attributes { table[attribute.name] = attribute.value }
    return table
  }
}

extension SchemaType.Field {
  fileprivate var table: TOMLTable {
    var table = type.table
    if isRequired { table["required"] = true }
    if let fallback { table["default"] = fallback }
    if !summary.isEmpty { table["description"] = .string(summary) }
    return table
  }
}
