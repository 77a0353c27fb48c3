import AppSettings

extension SettingsSchema {
  /// A settings file in which every key is commented out at its default, under its description.
  ///
  /// Descriptions begin with `# `, keys with `#` alone: to set a key, remove the `#`. With every such `#` removed, the
  /// file sets what the app does without a file. Headers are not commented out, so that each key is in its table
  /// whichever keys are set.
  public var commentedDefaults: String {
    var lines = [
      "# The settings of \(app).",
      "# Each key is commented out at its default: take away the '#' before one to set it.",
    ]
    // A file without a version is taken for version 1 and would be migrated from there.
    if migrations.currentVersion > 1 { lines += ["", "settings-version = \(migrations.currentVersion)"] }
    let summaries = summariesOfGroups
    for (table, keys) in tables {
      if !table.isRoot {
        lines.append("")
        lines += Self.comment(summaries[table] ?? "")
        lines.append("[\(table)]")
      }
      for key in keys {
        lines.append("")
        lines += key.comment
      }
    }
    return lines.joined(separator: "\n") + "\n"
  }

  /// The keys by table: the root first, the other tables in the order of their first keys.
  var tables: [(path: TOMLPath, keys: [SchemaKey])] {
    var order: [TOMLPath] = [.root]
    var found: [TOMLPath: [SchemaKey]] = [.root: []]
    for key in keys {
      if found[key.path.parent] == nil { order.append(key.path.parent) }
      found[key.path.parent, default: []].append(key)
    }
    return order.map { ($0, found[$0] ?? []) }.filter { !$0.keys.isEmpty }
  }

  /// The descriptions of groups, by the path of their table.
  var summariesOfGroups: [TOMLPath: String] {
    Dictionary(groups.map { ($0.path, $0.summary) }, uniquingKeysWith: { first, _ in first })
  }

  /// Formats text as comment lines, which may not contain control characters.
  fileprivate static func comment(_ text: String) -> [String] {
    guard !text.isEmpty else { return [] }
    return DocumentText.lines(text).map { $0.allSatisfy(\.isWhitespace) ? "#" : "# " + $0 }
  }
}

extension SchemaKey {
  fileprivate var comment: [String] {
    var lines = SettingsSchema.comment(summary)
    lines += SettingsSchema.comment(type.expectedInFull.capitalizedFirst + ".")
    let name = TOMLPath([path.last ?? ""]).description
    if let defaultValue { return lines + ["#\(name) = \(defaultValue.tomlText)"] }
    let reason =
      isSecret ? "a secret, its default is not told" : hasComputedDefault ? "computed by the app" : "no default"
    return lines + ["# \(name) = (\(reason))"]
  }
}

extension String {
  /// The text with its first letter in upper case.
  var capitalizedFirst: String { prefix(1).uppercased() + dropFirst() }
}
