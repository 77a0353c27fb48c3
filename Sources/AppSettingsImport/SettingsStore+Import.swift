public import AppSettings

extension SettingsStore {
  /// Imports the settings of another file into the user's file, in one write and with a backup.
  ///
  /// - Parameters:
  ///   - path: The file to import. It is not changed.
  ///   - format: The file's format.
  ///   - mapping: Keys of the file, and the keys they become, both dotted. Keys below a mapped key move with it. A name of
  ///     the file with dots, such as a property list's `view.zoom`, may be written as one name or as a path.
  ///   - ignoring: Keys of the file to leave out, with the keys below them.
  ///   - takesOnlyMapped: Whether to take only the keys in the mapping.
  ///   - table: The table for keys that are not mapped; the root by default.
  ///   - keys: The app's keys, as for
  ///     ``AppSettings/MigrationStep/importFile(_:as:mapping:ignoring:takesOnlyMapped:into:keys:report:)``.
  ///   - dryRun: Whether to only return the report, and write nothing.
  /// - Returns: The imported and the skipped values.
  /// - Throws: `SettingsError` `unparsable`, `io` if the file does not exist, or an error that `set(_:for:)` throws.
  ///   The user's file is unchanged in each case.
  @discardableResult
  public func importFile(
    _ path: String, as format: SettingsImportFormat, mapping: KeyValuePairs<String, String> = [:],
    ignoring: [String] = [], takesOnlyMapped: Bool = false, into table: String? = nil, keys: [AnySettingsKey] = [],
    dryRun: Bool = false
  ) throws(SettingsError) -> SettingsImportReport {
    let rules = SettingsImportRules(
      mapping: mapping, ignoring: ignoring, takesOnlyMapped: takesOnlyMapped, into: table, keys: keys)
    return try SettingsError.only {
      guard let original = try SettingsFile(path: path).read().bytes else {
        throw SettingsError(.io, "Cannot import '\(path)': the file does not exist.", file: path)
      }
      return try importText(original, of: path, as: format, rules: rules, dryRun: dryRun)
    }
  }

  /// Imports a text, which need not be in a file, as `importFile` does.
  ///
  /// - Parameters:
  ///   - advice: The advice of the app's schema. Values that the app would reject are skipped.
  ///   - adapt: Brings an original that says its version, or is TOML, into the form that the settings have here.
  ///   - check: Gets the content of the file; throws to leave it as it is.
  package func importText(
    _ original: [UInt8], of path: String, as format: SettingsImportFormat, rules: SettingsImportRules, dryRun: Bool,
    advice: (any ImportAdvice)? = nil, adapting adapt: ((TOMLDocument) throws -> TOMLDocument)? = nil,
    checking check: ([UInt8]?) throws -> Void = { _ in }
  ) throws -> SettingsImportReport {
    var imported = try SettingsImporting.read(original, of: path, as: format)
    var rules = rules
    if let adapt, try imported.adapt(adapt) { rules.reserved.insert(SettingsFormat.versionPath) }
    let plan = try ImportPlan(imported, of: path, by: rules, advice)
    if !dryRun {
      core.load()
      try core.flush()
    }
    func secrets() -> KnownKeys {
      let known = (location?.file).flatMap { try? core.history?.knownKeys(of: $0) }
      var secrets = known ?? KnownKeys(declared: PathTree(), secrets: [])
      // What nobody has declared is no secret, only for a history.
      secrets.isCautious = false
      return secrets
    }
    func take(into bytes: [UInt8]?) throws -> (text: [UInt8]?, report: SettingsImportReport) {
      var document = try core.documentToWrite(of: bytes)
      let view = core.snapshot
      let report = try plan.carryOut(on: &document, secrets: secrets) { path, value in
        if view.locks.isEmpty { return true }
        let edit = Edit(path: path, value: value, key: advice?.renamedKey(around: path))
        return (try? view.permitted([edit]))?.first?.value == value
      }
      return (report.taken.isEmpty ? bytes : document.bytes, report)
    }
    // Runs before the lock, for which others would wait. It runs again only if the file has changed since.
    let before = try core.readText()
    try check(before)
    var result = try take(into: before)
    guard !dryRun else { return result.report }
    try core.commit(backingUp: "before-import") { bytes in
      try check(bytes)
      if bytes != before { result = try take(into: bytes) }
      return result.text
    }
    return result.report
  }
}
