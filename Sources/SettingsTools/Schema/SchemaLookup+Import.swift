package import AppSettings
package import AppSettingsImport
import AppSettingsSchema

extension SchemaLookup {
  /// The rules for an import; `nil` without a schema, or with one that lists no keys.
  ///
  /// - Parameters:
  ///   - app: The app whose variables may be imported; `nil` for a file given by its path.
  ///   - takesUnknown: Whether keys that the schema does not list are imported.
  package func importAdvice(app: String?, takesUnknown: Bool) -> (any ImportAdvice)? {
    keys.isEmpty ? nil : SchemaAdvice(self, variables: variables(of: app), takesUnknown: takesUnknown)
  }

  /// A document to import, in the form that the settings have where it goes.
  ///
  /// Its version stays in it where no schema says how to make that today's, so that the app does: only in a file without
  /// values. The first version needs no words.
  ///
  /// - Parameter present: The file that it is imported into.
  /// - Throws: ``ToolError`` with status 8 for a version that the schema does not know, or, without a schema, another one
  ///   than that of the values there.
  package func adapted(_ document: TOMLDocument, to present: TOMLDocument) throws -> TOMLDocument {
    let version = try SettingsMigrations.version(of: document)
    var result = document
    if let migrations = schema?.migrations {
      guard version <= migrations.currentVersion else {
        throw ToolError(
          .migration,
          "it has settings version \(version), and the app's schema knows versions up to \(migrations.currentVersion). "
            + "Update the app.")
      }
      try migrations.run(on: &result)
    } else if present.takesAnyVersion {
      if version > 1 { return result }
    } else {
      let other = try SettingsMigrations.version(of: present)
      guard version == other else {
        throw ToolError(
          .migration,
          "it has settings version \(version), the file here has version \(other), and the app has no schema here that "
            + "says how to convert them. Start the app once, so that it installs its schema.")
      }
    }
    try result.remove(at: SettingsFormat.versionPath)
    return result
  }

  /// The names of keys by the variables that override them. A variable that overrides several keys is left out, and one
  /// of several names of a key stands for the newest.
  private func variables(of app: String?) -> [String: TOMLPath] {
    var found: [String: TOMLPath] = [:]
    var ambiguous: Set<String> = []
    for key in keys {
      for path in key.paths {
        for name in Set([app, nil]).map({ EnvironmentForm.name(of: path, app: $0) }) {
          if let other = found[name], self.key(other)?.path != key.path { ambiguous.insert(name) }
          if found[name] == nil { found[name] = path }
        }
      }
    }
    return found.filter { !ambiguous.contains($0.key) }
  }
}

extension TOMLDocument {
  /// Whether it has neither values nor a version, so that values of any version can go into it.
  package var takesAnyVersion: Bool {
    self[SettingsFormat.versionPath] == nil && root.allSatisfy { SettingsFormat.isReserved($0.key) }
  }
}

/// The schema's advice on one import.
private final class SchemaAdvice: ImportAdvice {
  private let schema: SchemaLookup
  private let variables: [String: TOMLPath]
  private let takesUnknown: Bool
  /// Of whole keys and their entries: a table is checked once, however many values of it are imported.
  private var verdicts: [TOMLPath: String?] = [:]
  private var rests: [TOMLPath: Bool] = [:]

  init(_ schema: SchemaLookup, variables: [String: TOMLPath], takesUnknown: Bool) {
    self.schema = schema
    self.variables = variables
    self.takesUnknown = takesUnknown
  }

  func key(of variable: String) -> TOMLPath? { variables[variable] }
  func renamedKey(around path: TOMLPath) -> AnySettingsKey? { schema.renamedKey(around: path)?.key.settingsKey }
  func hasKey(around path: TOMLPath) -> Bool { schema.key(around: path) != nil }

  func adapted(_ value: TOMLValue, at path: TOMLPath, from text: SchemaType.ImportedText) -> TOMLValue {
    schema.type(of: path)?.restoring(value, from: text) ?? value
  }

  func refusal(of path: TOMLPath, in values: TOMLTable) -> String? {
    guard let key = schema.key(around: path) else { return takesUnknown && !schema.knows(path) ? nil : lack(of: path) }
    if !takesUnknown, !schema.knows(path), schema.singleValue(above: path) == nil { return lack(of: path) }
    let name = key.paths.first { path.hasPrefix($0) } ?? key.path
    guard let reason = verdict(of: name, in: values) else { return nil }
    // Only the wrong entries of a table are refused, if the app accepts the others.
    guard path != name, !key.isSecret, key.type.kind == .records || key.type.element != nil,
      acceptsRest(of: name, in: values)
    else { return reason }
    return verdict(of: path.prefix(name.components.count + 1), in: values)
  }

  private func verdict(of path: TOMLPath, in values: TOMLTable) -> String? {
    if let known = verdicts[path] { return known }
    let verdict = values[path: path].flatMap { schema.refusal(of: path, $0) }
    verdicts[path] = .some(verdict)
    return verdict
  }

  /// Whether the app accepts a table without the entries that are wrong by themselves.
  private func acceptsRest(of name: TOMLPath, in values: TOMLTable) -> Bool {
    if let known = rests[name] { return known }
    var rest = TOMLTable()
    for (id, value) in values[path: name]?.table ?? rest where verdict(of: name.appending(id), in: values) == nil {
      rest[id] = value
    }
    let accepts = schema.refusal(of: name, .table(rest)) == nil
    rests[name] = accepts
    return accepts
  }

  /// Why a path outside every key's value cannot be imported.
  private func lack(of path: TOMLPath) -> String? {
    if let key = schema.keys(below: path).first { return "it is the table of '\(key.path)'" }
    let hint = schema.suggestion(for: path).map { "; did you mean '\($0)'?" } ?? ""
    return "the app's schema does not have '\(path)'\(hint)"
  }
}
