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
      lines += key.table.map { "\(TOMLPath([$0.key])) = \($0.value.tomlText)" }
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

extension SchemaKey {
  /// The key as a table of a schema file.
  fileprivate var table: TOMLTable {
    var table = type.table
    table["default"] = defaultValue
    if hasComputedDefault { table["computed-default"] = true }
    if !summary.isEmpty { table["description"] = .string(summary) }
    table["group"] = group.map { .key($0) }
    if !formerPaths.isEmpty { table["formerly"] = .keys(formerPaths) }
    if isSecret { table["secret"] = true }
    switch projects {
    case .refused: break
    case .allowed: table["project"] = true
    case .safe(let reason): table["project"] = .string(reason)
    }
    table["refers-to"] = reference.map { .string($0.rawValue) }
    if needsRestart { table["needs-restart"] = true }
    return table
  }
}

extension SchemaType {
  /// The type as a table of a schema file.
  fileprivate var table: TOMLTable {
    var table: TOMLTable = ["type": .string(kind.rawValue)]
    table["minimum"] = minimum
    table["maximum"] = maximum
    table["below"] = limit
    table["choices"] = choices.map { .array($0) }
    if let pattern = patterns.first {
      table["pattern"] = patterns.count == 1 ? .string(pattern) : .array(patterns.map { .string($0) })
    }
    table["minimum-count"] = minimumCount.map { .integer(Int64($0)) }
    table["maximum-count"] = maximumCount.map { .integer(Int64($0)) }
    if isUnique { table["unique"] = true }
    if isOrdered { table["ordered"] = true }
    table["elements"] = element.map { .table($0.table) }
    if let fields {
      var members = TOMLTable()
      for field in fields { members[field.name] = .table(field.table) }
      table["fields"] = .table(members)
      if isOpen { table["other-fields"] = true }
    }
    table["ids"] = ids.map { $0 == SchemaType($0.kind) ? .string($0.kind.rawValue) : .table($0.table) }
    if readsOlderForm { table["reads-older-form"] = true }
    table["expects"] = expectedWords.map { .string($0) }
    table["example"] = example
    return table
  }
}

extension SchemaType.Field {
  fileprivate var table: TOMLTable {
    var table = type.table
    if isRequired { table["required"] = true }
    table["default"] = fallback
    if !summary.isEmpty { table["description"] = .string(summary) }
    return table
  }
}
