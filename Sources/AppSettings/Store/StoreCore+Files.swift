package import SettingsTOML

/// The file behind a store, for modules that build on one.
extension StoreCore {
  /// The name of the settings in errors: the file.
  package var name: String { backing.name }

  /// The present text of the user's file; `nil` if there is no file.
  package func readText() throws(SettingsError) -> [UInt8]? { try backing.read().bytes }

  /// The text of the user's file when it was last read, and its meaning to this release.
  package var known: (bytes: [UInt8]?, document: TOMLDocument) { state.withLock { ($0.userBytes, $0.userDocument) } }

  /// The user's document as this release would write it.
  ///
  /// - Parameter bytes: The content of the file; `nil` for a new document.
  /// - Throws: ``SettingsError`` `unparsable`, `newerVersion`, or `migrationFailed`.
  package func documentToWrite(of bytes: [UInt8]?) throws(SettingsError) -> TOMLDocument {
    var document = TOMLDocument()
    guard let bytes else {
      guard !reader.acceptsAnyVersion, reader.migrations.currentVersion > 1 else { return document }
      do {
        try SettingsFormat.setVersion(reader.migrations.currentVersion, in: &document)
      } catch {
        throw SettingsError(.migrationFailed, "Cannot begin '\(name)': \(error)", file: location?.file)
      }
      return document
    }
    document = try parse(bytes)
    try reader.migrate(&document, of: userLayer)
    return document
  }

  /// Parses a text of the file.
  ///
  /// - Throws: ``SettingsError`` `unparsable`.
  package func parse(_ bytes: [UInt8]) throws(SettingsError) -> TOMLDocument { try reader.parse(bytes, file: name) }

  /// The file's backups, for the commit in progress; `nil` for settings in memory.
  package var backupsInCommit: Backups? { backing.backups(within: commitLimit) }

  /// Keeps a copy of a text, in the commit in progress. Does nothing for memory, which has no backups.
  ///
  /// - Throws: ``SettingsError`` `readOnly`, `io` or `lockTimeout`.
  package func backUp(_ bytes: [UInt8], reason: String) throws {
    try backupsInCommit?.save(bytes, reason: reason)
  }

  /// The error for edits made from a text that another program has replaced.
  package func overtakenError(_ what: String) -> SettingsError {
    SettingsError(
      .io,
      "Cannot write '\(name)': another program has saved \(what) meanwhile. The file holds that program's text. "
        + "Try again.", file: location?.file)
  }
}
