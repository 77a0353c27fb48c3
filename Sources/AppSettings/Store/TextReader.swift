package import SettingsTOML

/// What to do about a text that does not parse, as a sentence.
package typealias RepairAdvice = @Sendable ([UInt8]) -> String

/// Makes layers from texts: parses, names the file in errors, and migrates in memory.
///
/// It reads no files: their names are for messages.
package struct TextReader: Sendable {
  let migrations: SettingsMigrations
  /// Whether files of any version may be written: for tools, which know no versions.
  let acceptsAnyVersion: Bool
  /// Whether errors show the line of a text that does not parse. It may contain secrets, and in such a text no word is
  /// known to belong to a key. So this is for callers who know that there are no secrets; an app's store does not,
  /// because keys are declared at their first use.
  let showsText: Bool
  /// What to do about one file that does not parse, for programs that can say more than a library: gets its text,
  /// returns a sentence.
  let advice: (file: String, text: RepairAdvice)?

  /// - Parameters:
  ///   - migrations: The app's migrations.
  ///   - acceptsAnyVersion: Whether texts of any version are used as they are.
  ///   - showsText: Whether errors show the line that does not parse.
  ///   - advice: What to do about one file that does not parse.
  package init(
    migrations: SettingsMigrations, acceptsAnyVersion: Bool, showsText: Bool = false,
    advice: (file: String, text: RepairAdvice)? = nil
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
      let own = advice?.file == file ? advice?.text(bytes) : nil
      throw SettingsError(
        .unparsable,
        "Cannot parse '\(file)'. It was not changed. "
          + (own ?? "Correct the line, or move the file away to start over."),
        cause: showsText && Redaction.shows(lineOf: error, in: bytes)
          ? error.formatted(file: file) : error.discreet(file: file),
        file: file,
        position: error.position)
    }
  }

  /// Whether a document needs migrations.
  func isOutdated(_ document: TOMLDocument) throws(SettingsError) -> Bool {
    guard !acceptsAnyVersion else { return false }
    return try SettingsMigrations.version(of: document) < migrations.currentVersion
  }

  /// Whether a document has the meaning that this release gives to its keys: no file is needed for that, but no file of
  /// a newer version has it, nor one that could not be migrated.
  func hasMeaning(_ document: TOMLDocument) -> Bool {
    acceptsAnyVersion || document.bytes.isEmpty
      || (try? SettingsMigrations.version(of: document)) == migrations.currentVersion
  }

  /// Whether a newer release has written a document.
  func isNewer(_ document: TOMLDocument) -> Bool {
    guard !acceptsAnyVersion, let version = try? SettingsMigrations.version(of: document) else { return false }
    return version > migrations.currentVersion
  }

  /// The error for a document of a newer release.
  ///
  /// - Parameters:
  ///   - action: What cannot be done with its file.
  ///   - values: What the error says of the values in use; `nil` for nothing.
  func newerVersionError(
    _ document: TOMLDocument, of layer: SettingsLayer, to action: String, using values: String? = nil
  ) throws(SettingsError) -> SettingsError {
    let version = try SettingsMigrations.version(of: document, in: layer.file)
    return SettingsError(
      .newerVersion,
      "Cannot \(action) \(layer.file.map { "'\($0)'" } ?? "the settings"): it has settings version \(version), and "
        + "this release knows versions up to \(migrations.currentVersion). The file is unchanged"
        + (values.map { "; \($0)" } ?? "") + ". Update the app.", file: layer.file,
      position: document.position(of: SettingsFormat.versionPath))
  }

  /// Converts a file's document to its meaning for this release, in memory. There is no other way.
  ///
  /// - Parameters:
  ///   - layer: The layer of the document.
  ///   - target: The version to migrate to; by default the newest.
  ///   - readsNewer: Whether to accept a document of a newer release unchanged.
  ///   - values: What the error for such a document says of the values in use.
  /// - Returns: The migrations that ran.
  /// - Throws: ``SettingsError`` `newerVersion`; `migrationFailed` if a step fails, or the version is not a number. The
  ///   document is unchanged.
  @discardableResult
  func migrate(
    _ document: inout TOMLDocument, of layer: SettingsLayer, upTo target: Int? = nil, readsNewer: Bool = false,
    using values: String = "readable values are used"
  ) throws(SettingsError) -> [Migration] {
    let pending = try pending(in: document, of: layer, upTo: target, readsNewer: readsNewer, using: values)
    guard !pending.isEmpty else { return [] }
    let former = document
    try migrations.run(on: &document, upTo: target, of: layer)
    // Of a file that is only read, the locks are enough.
    if layer.kind == .system, !readsNewer, former.contains(SettingsFormat.locksPath) {
      moveLocks(in: &document, by: pending, from: former)
    }
    return pending
  }

  /// The migrations that ``migrate(_:of:upTo:readsNewer:using:)`` would run.
  ///
  /// - Throws: ``SettingsError`` `newerVersion`; `migrationFailed` if the version is not a number.
  func pending(
    in document: TOMLDocument, of layer: SettingsLayer, upTo target: Int? = nil, readsNewer: Bool = false,
    using values: String = "readable values are used"
  ) throws(SettingsError) -> [Migration] {
    guard !acceptsAnyVersion else { return [] }
    let version = try SettingsMigrations.version(of: document, in: layer.file)
    guard version <= migrations.currentVersion else {
      if readsNewer { return [] }
      throw try newerVersionError(document, of: layer, to: "write", using: values)
    }
    return migrations.pending(from: version).filter { $0.version <= target ?? .max }
  }

  /// Makes the locks of an administrator's document follow their keys. Invalid entries come last.
  private func moveLocks(in document: inout TOMLDocument, by migrations: [Migration], from former: TOMLDocument) {
    guard case .array(let elements)? = document[SettingsFormat.locksPath] else { return }
    let locks = elements.compactMap { try? LockEntry($0) }
    let moved = SettingsMigrations.moved(locks, by: migrations, in: former)
    guard moved != locks else { return }
    let invalid = elements.filter { (try? LockEntry($0)) == nil }
    _ = try? document.set(.array(moved.map(\.value) + invalid), at: SettingsFormat.locksPath)
  }

  /// The locks of an administrator's document.
  package struct Locks: Sendable {
    /// The valid entries.
    package var entries: [LockEntry] = []
    /// An error for each invalid entry, or one if the value is not an array.
    package var errors: [SettingsError] = []
  }

  /// Reads the locks of an administrator's document, which are those of its version.
  package func locks(in document: TOMLDocument, file: String) -> Locks {
    guard let value = document[SettingsFormat.locksPath] else { return Locks() }
    var places = PartPlaces(in: document, by: LineIndex(of: document.bytes))
    func error(_ subject: String, _ reason: String, _ consequence: String, part: [String] = []) -> SettingsError {
      SettingsError(
        .invalidValue, "Cannot use \(subject) of '\(file)': \(reason). \(consequence)", file: file,
        position: places.position(of: SettingsFormat.locksPath, part: part))
    }
    guard case .array(let elements) = value else {
      let reason = "it is \(value.kindName), but must be an array of keys, such as [\"proxy\"]"
      return Locks(errors: [error("'settings-locked'", reason, "This file locks nothing.")])
    }
    var locks = Locks()
    for (index, element) in elements.enumerated() {
      do throws(LockEntry.Invalid) {
        locks.entries.append(try LockEntry(element))
      } catch let invalid {
        locks.errors.append(
          error(
            "entry \(index + 1) of 'settings-locked'", invalid.reason,
            "It locks nothing; the other entries are used.", part: ["[\(index)]"]))
      }
    }
    return locks
  }
}
