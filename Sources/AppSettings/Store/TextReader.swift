package import SettingsTOML

/// Makes layers from texts: parses, names the file in errors, and migrates in memory.
package struct TextReader: Sendable {
  let migrations: SettingsMigrations
  /// Whether files of any version may be written: for tools, which know no versions.
  let acceptsAnyVersion: Bool
  /// Whether errors show the line of a text that does not parse. It may contain secrets, and in such a text no word is
  /// known to belong to a key. So this is for callers who know that there are no secrets; an app's store does not,
  /// because keys are declared at their first use.
  let showsText: Bool
  /// What to do about one file that does not parse, as a sentence, for programs that can say more than a library.
  let advice: (file: String, text: String)?

  package init(
    migrations: SettingsMigrations, acceptsAnyVersion: Bool, showsText: Bool = false,
    advice: (file: String, text: String)? = nil
  ) {
    self.showsText = showsText
    self.advice = advice
    self.migrations = migrations
    self.acceptsAnyVersion = acceptsAnyVersion
  }

  /// Parses a text.
  ///
  /// - Throws: ``SettingsError`` `unparsable`, with the position and what was expected there; and if the text may be
  ///   shown, with the line and a caret.
  package func parse(_ bytes: [UInt8], file: String) throws(SettingsError) -> TOMLDocument {
    do {
      return try TOMLDocument(parsing: bytes)
    } catch {
      let own = advice?.file == file ? advice?.text : nil
      throw SettingsError(
        .unparsable,
        "Cannot parse '\(file)'. It was not changed. "
          + (own ?? "Correct the line, or move the file away to start over."),
        cause: showsText ? error.formatted(file: file) : error.discreet(file: file), file: file,
        position: error.position)
    }
  }

  /// Whether a document needs migrations.
  func isOutdated(_ document: TOMLDocument) throws(SettingsError) -> Bool {
    guard !acceptsAnyVersion else { return false }
    return try SettingsMigrations.version(of: document) < migrations.currentVersion
  }

  /// Converts a file's document to its meaning for this release, in memory. There is no other way.
  ///
  /// - Parameters:
  ///   - layer: The layer of the document.
  ///   - target: The version to migrate to; by default the newest.
  ///   - readsNewer: Whether to accept a document of a newer release unchanged.
  /// - Returns: The migrations that ran.
  /// - Throws: ``SettingsError`` `newerVersion`; `migrationFailed` if a step fails, or the version is not a number. The
  ///   document is unchanged.
  @discardableResult
  func migrate(
    _ document: inout TOMLDocument, of layer: SettingsLayer, upTo target: Int? = nil, readsNewer: Bool = false
  ) throws(SettingsError) -> [Migration] {
    guard !acceptsAnyVersion else { return [] }
    let version = try SettingsMigrations.version(of: document, in: layer.file)
    guard version <= migrations.currentVersion else {
      if readsNewer { return [] }
      throw SettingsError(
        .newerVersion,
        "Cannot write \(layer.file.map { "'\($0)'" } ?? "the settings"): it has settings version \(version), and this "
          + "release knows versions up to \(migrations.currentVersion). The file is unchanged; readable values are "
          + "used. Update the app.", file: layer.file, position: document.position(of: SettingsFormat.versionPath))
    }
    try migrations.run(on: &document, upTo: target, of: layer)
    return migrations.pending(from: version).filter { $0.version <= target ?? .max }
  }

  /// The paths that an administrator's document locks. For an older document, this includes the places to which
  /// migrations move the values.
  ///
  /// - Returns: The paths of all valid entries, and an error for each invalid one, or one if it is not an array.
  package func locks(in document: TOMLDocument, file: String) -> (paths: [TOMLPath], errors: [SettingsError]) {
    guard let value = document[SettingsFormat.locksPath] else { return ([], []) }
    let position = document.position(of: SettingsFormat.locksPath)
    func error(_ subject: String, _ reason: String, _ consequence: String) -> SettingsError {
      SettingsError(
        .invalidValue, "Cannot use \(subject) of '\(file)': \(reason). \(consequence)", file: file, position: position)
    }
    guard case .array(let elements) = value else {
      let reason = "it is \(value.kindName), but must be an array of keys, such as [\"proxy\"]"
      return ([], [error("'settings-locked'", reason, "This file locks nothing.")])
    }
    var paths: [TOMLPath] = []
    var errors: [SettingsError] = []
    for (index, element) in elements.enumerated() {
      let reason: String
      if case .string(let text) = element {
        do {
          paths.append(try TOMLPath(parsing: text))
          continue
        } catch {
          reason = error.message.withoutFullStop
        }
      } else {
        reason = "it is \(element.kindName), but must be a string that names a key"
      }
      errors.append(
        error("entry \(index + 1) of 'settings-locked'", reason, "It locks nothing; the other entries are used."))
    }
    // An older file locks keys by their old names.
    guard !acceptsAnyVersion, let version = try? SettingsMigrations.version(of: document) else {
      return (paths, errors)
    }
    return (migrations.places(of: paths, from: version), errors)
  }
}
