package import AppSettings
package import AppSettingsSchema

extension SettingsFinding {
  /// The word for how bad it is.
  package var severity: String { isError ? "error" : "warning" }

  /// As `check --json` prints it.
  package var json: JSONObject {
    [
      "file": .text(file), "line": .number(position?.line), "column": .number(position?.column),
      "severity": .text(severity), "kind": .text(kind.rawValue), "key": .text(key?.description),
      "message": .text(message), "suggestion": .text(suggestion),
    ]
  }
}

extension Target {
  /// What is wrong with the files. For administrators' main file, these are all files of theirs: what every user gets.
  ///
  /// - Parameters:
  ///   - place: Where the target was opened.
  ///   - project: The project whose file to check, too.
  ///   - others: Other files of the person's to check, too.
  package func findings(
    _ schema: SettingsSchema?, at place: SettingsLocation? = nil, project: SettingsProject? = nil,
    others: [SettingsLocation] = []
  ) throws -> [SettingsFinding] {
    let isOfAll = layer == .system
    let place =
      try isOfAll
      ? SettingsLocation(app: name, environment: environment).withoutPersonalLayers : place ?? location()
    return SettingsCheck.findings(at: place, schema: schema, checksOwn: !isOfAll, project: project, others: others)
      .map { $0.advised(at: [place] + others) }
  }

  /// The schema to check against. An invalid one is a finding, and the rest is checked without it.
  package func schema(
    named file: String?, _ findings: inout [SettingsFinding]
  ) throws -> SettingsSchema? {
    do {
      return try file.map(SettingsSchema.read(named:)) ?? fileSchema()
    } catch let error as SettingsError {
      findings.append(
        SettingsFinding(
          .schema, error.message, file: error.file ?? file ?? name, position: error.position))
      return nil
    }
  }
}

extension SettingsSchema {
  /// Reads a schema file that was named.
  ///
  /// - Throws: ``ToolError`` with status 3 if there is none; ``SettingsError`` if it cannot be used.
  package static func read(named file: String) throws -> SettingsSchema {
    if let schema = try read(SettingsLocation(file: file).file) { return schema }
    throw ToolError(.unknown, "Cannot find the schema file '\(file)'.")
  }
}

extension OpenedSettings {
  /// What is wrong with all files, also with a schema that cannot be used.
  package var allFindings: [SettingsFinding] {
    var findings: [SettingsFinding] = []
    if !schema.isUsable { _ = try? target.schema(named: nil, &findings) }
    return findings + ((try? target.findings(schema.schema, at: store.location)) ?? [])
  }
}

extension SettingsMigrationPreview {
  /// The changes of a migration as a unified diff, without secrets.
  package func difference(_ schema: SettingsSchema) -> String {
    let texts = ShownTexts(Array(before.utf8), Array(after.utf8), SchemaLookup(schema: schema))
    return UnifiedDiff.text(from: texts.old, to: texts.new, oldName: oldName, newName: newName)
  }
}
