public import AppSettings

extension SettingsStore {
  /// Imports the settings of another file into the user's file, in one write and with a backup.
  ///
  /// - Parameters:
  ///   - path: The file. It stays as it is.
  ///   - format: Its form.
  ///   - rules: Which key of the original becomes which key of the settings.
  ///   - dryRun: Whether to make the report only, and write nothing.
  /// - Returns: What was taken and what was not.
  /// - Throws: `SettingsError` `unparsable`, `io` if there is no such file, or as `set(_:for:)`. The user's file is
  ///   unchanged.
  @discardableResult
  public func importFile(
    _ path: String, as format: SettingsImportFormat, rules: SettingsImportRules = SettingsImportRules(),
    dryRun: Bool = false
  ) throws(SettingsError) -> SettingsImportReport {
    try SettingsError.only {
      guard let original = try SettingsFile(path: path).read().bytes else {
        throw SettingsError(.io, "Cannot import '\(path)': the file does not exist.", file: path)
      }
      return try importText(original, of: path, as: format, rules: rules, dryRun: dryRun)
    }
  }

  /// As ``importFile(_:as:rules:dryRun:)``, for a text that may be in no file.
  ///
  /// - Parameter advice: What the app's schema says. What the app would refuse is not taken.
  package func importText(
    _ original: [UInt8], of path: String, as format: SettingsImportFormat, rules: SettingsImportRules, dryRun: Bool,
    advice: ImportAdvice? = nil
  ) throws -> SettingsImportReport {
    let plan = try ImportPlan(SettingsImporting.read(original, of: path, as: format), of: path, by: rules, advice)
    if !dryRun {
      core.load()
      try core.flush()
    }
    func take(into bytes: [UInt8]?) throws -> (text: [UInt8]?, report: SettingsImportReport) {
      var document = try core.documentToWrite(of: bytes)
      let view = core.snapshot
      let report = try plan.carryOut(on: &document) { path, value in
        view.locks.isEmpty
          || (try? view.permitted([Edit(path: path, value: value, key: advice?.declared(path))]))?.first?.value == value
      }
      return (report.taken.isEmpty ? bytes : document.bytes, report)
    }
    // Before the lock: under it, others wait. It is done again only if the file has changed since.
    let before = try core.readText()
    var result = try take(into: before)
    guard !dryRun else { return result.report }
    try core.commit(backingUp: "before-import") { bytes in
      if bytes != before { result = try take(into: bytes) }
      return result.text
    }
    return result.report
  }
}
