extension SettingsStore {
  /// Converts a key's value in the user's file to its present form, with a backup and in one write.
  ///
  /// A value that is already in the present form stays, and an absent value stays absent, so an app may call this at
  /// each start:
  ///
  /// ```swift
  /// try settings.migrate(.tags, from: .json)
  /// ```
  ///
  /// To convert once, with a version, put ``MigrationStep/migrate(_:from:)`` into a ``Migration``.
  ///
  /// Values in other layers stay as they are. A missing file is not created.
  ///
  /// - Parameters:
  ///   - key: The key.
  ///   - form: The form of its value in older files.
  /// - Returns: Whether the file changed.
  /// - Throws: `SettingsError` `migrationFailed` for a value in neither form, or an error that `set(_:for:)` throws.
  ///   The file is unchanged in each case.
  @discardableResult
  public func migrate<Value>(_ key: SettingsKey<Value>, from form: SettingsOldForm<Value>) throws(SettingsError) -> Bool
  {
    try SettingsError.only {
      core.load()
      try core.flush()
      // A missing file is not created.
      guard try core.readText() != nil else { return false }
      return try core.commit(backingUp: "before-new-form") { [core] bytes in
        guard let bytes else { return nil }
        var document = try core.documentToWrite(of: bytes)
        if let error = core.snapshot.lockError(key.paths) { throw error }
        do {
          guard try form.migrate(key, in: &document) else { return bytes }
        } catch {
          throw SettingsError(
            .migrationFailed,
            "Cannot migrate '\(key.name)' in '\(core.name)': \(error). The file is unchanged.",
            file: core.location?.file,
            position: (error as? MigrationStepError).flatMap { document.position(of: $0.place.path) })
        }
        return document.bytes
      }.hasChanged
    }
  }
}
