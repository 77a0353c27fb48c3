public import AppSettings

extension SettingsStore {
  /// Gives a key's value in the user's file its present form, with a backup and in one write.
  ///
  /// A value that has the present form already stays, and so does an absent one, so that this may run at each start:
  ///
  /// ```swift
  /// try settings.migrate(.tags, from: .json)
  /// ```
  ///
  /// To run once, with a version, put a ``MigrateValue`` into a `Migration`.
  ///
  /// - Returns: Whether the file changed.
  /// - Throws: `SettingsError` `migrationFailed` for a value that has neither form, or as `set(_:for:)`. The file is
  ///   unchanged.
  @discardableResult
  public func migrate<Value>(_ key: SettingsKey<Value>, from form: SettingsOldForm<Value>) throws(SettingsError) -> Bool
  {
    try SettingsError.only {
      core.load()
      try core.flush()
      // Nothing is made for nothing.
      guard try core.readText() != nil else { return false }
      return try core.commit(backingUp: "before-new-form") { [core] bytes in
        guard let bytes else { return nil }
        var document = try core.documentToWrite(of: bytes)
        if let error = core.snapshot.lockError(key.path) { throw error }
        do {
          guard try form.migrate(key, in: &document) else { return bytes }
        } catch {
          throw SettingsError(
            .migrationFailed,
            "Cannot migrate '\(key.name)' in '\(core.name)': \(error). The file is unchanged.",
            file: core.location?.file, position: document.position(of: key.path))
        }
        return document.bytes
      }.hasChanged
    }
  }
}
