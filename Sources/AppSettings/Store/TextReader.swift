package import SettingsTOML

/// Makes layers of texts: parses, names the file in errors, and migrates in memory.
package struct TextReader: Sendable {
  let migrations: SettingsMigrations
  /// Whether files of any version may be written: for tools, which know no versions.
  let acceptsAnyVersion: Bool

  package init(migrations: SettingsMigrations, acceptsAnyVersion: Bool) {
    self.migrations = migrations
    self.acceptsAnyVersion = acceptsAnyVersion
  }

  /// Parses a text.
  ///
  /// - Throws: ``SettingsError`` `unparsable`, with the line and a caret.
  package func parse(_ bytes: [UInt8], file: String) throws(SettingsError) -> TOMLDocument {
    do {
      return try TOMLDocument(parsing: bytes)
    } catch {
      throw SettingsError(
        .unparsable,
        "Cannot parse '\(file)'. It was not changed. Correct the line, or move the file away to begin afresh.",
        cause: error.formatted(file: file), file: file, position: error.position)
    }
  }

  /// Whether a document needs migrations.
  func isOutdated(_ document: TOMLDocument) throws(SettingsError) -> Bool {
    guard !acceptsAnyVersion else { return false }
    return try SettingsMigrations.version(of: document) < migrations.currentVersion
  }

  /// Throws if a document was written by a newer release.
  ///
  /// - Throws: ``SettingsError`` `newerVersion`, or `migrationFailed` if the version is no number.
  func checkNotNewer(_ document: TOMLDocument, file: String) throws(SettingsError) {
    guard !acceptsAnyVersion else { return }
    let version = try SettingsMigrations.version(of: document)
    guard version > migrations.currentVersion else { return }
    throw SettingsError(
      .newerVersion,
      "Cannot write '\(file)': it has settings version \(version), and this release knows versions up to "
        + "\(migrations.currentVersion). The file is unchanged; what can be read of it is used. Update the app.",
      file: file, position: document.position(of: SettingsFormat.versionPath))
  }

  /// The paths that an administrator's document locks; of an older one, with where migrations take what is there.
  func locks(in document: TOMLDocument, file: String) throws(SettingsError) -> [TOMLPath] {
    guard let value = document[SettingsFormat.locksPath] else { return [] }
    let position = document.position(of: SettingsFormat.locksPath)
    func failure(_ reason: String) -> SettingsError {
      SettingsError(
        .invalidValue, "Cannot use 'settings-locked' of '\(file)': \(reason). Nothing is locked by that entry.",
        file: file, position: position)
    }
    guard case .array(let elements) = value else {
      throw failure("it is \(value.kindName), and has to be an array of keys, such as [\"proxy\"]")
    }
    var paths: [TOMLPath] = []
    for element in elements {
      guard case .string(let text) = element else { throw failure("it holds \(element.kindName), not only strings") }
      do {
        paths.append(try TOMLPath(parsing: text))
      } catch {
        throw failure("'\(text)' is not a key: \(error)")
      }
    }
    // An older file locks keys by the names that they had.
    guard !acceptsAnyVersion, let version = try? SettingsMigrations.version(of: document) else { return paths }
    return migrations.places(of: paths, from: version)
  }
}
