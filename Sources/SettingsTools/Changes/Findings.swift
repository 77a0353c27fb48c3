package import AppSettings
package import AppSettingsSchema

extension SettingsFinding {
  /// The word for how bad it is.
  package var severity: String { isError ? "error" : "warning" }

  /// The finding as a JSON object.
  package var json: String { Shown.object(members) }

  package var members: [(String, String)] {
    [
      ("file", JSONText.quoted(file)),
      ("line", position.map { String($0.line) } ?? "null"),
      ("column", position.map { String($0.column) } ?? "null"),
      ("severity", JSONText.quoted(severity)),
      ("kind", JSONText.quoted(kind.rawValue)),
      ("key", key.map { JSONText.quoted($0.description) } ?? "null"),
      ("message", JSONText.quoted(message)),
      ("suggestion", suggestion.map(JSONText.quoted) ?? "null"),
    ]
  }
}

extension Target {
  /// The schema to check against. An invalid one is a finding, and the rest is checked without it.
  package func schema(
    named file: String?, _ findings: inout [SettingsFinding]
  ) throws -> SettingsSchema? {
    do {
      guard let file else { return try fileSchema() }
      if let found = try SettingsSchema.read(SettingsLocation(file: file).file) { return found }
      throw ToolError(.unknown, "Cannot find the schema file '\(file)'.")
    } catch let error as SettingsError {
      findings.append(
        SettingsFinding(
          .schema, error.message, file: error.file ?? file ?? name, position: error.position))
      return nil
    }
  }
}

extension SettingsMigrationPreview {
  /// The changes of a migration as a unified diff, without secrets.
  package func difference(_ schema: SettingsSchema) -> String {
    let texts = ShownTexts(Array(before.utf8), Array(after.utf8), SchemaLookup(schema: schema))
    return UnifiedDiff.text(from: texts.old, to: texts.new, oldName: oldName, newName: newName)
  }
}
