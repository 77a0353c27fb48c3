package import AppSettings
import AppSettingsSchema
import Glibc

extension Target {
  /// Opens the target and reads it.
  ///
  /// - Parameters:
  ///   - mayBeUnknown: Whether an app without any files is accepted, even if its id is similar to that of another app or is
  ///     the name of a file here.
  ///   - mayBeNew: Whether one is accepted otherwise.
  ///   - isForWriting: Whether an unusable schema is an error. A pending migration is made in memory: a writer stores it
  ///     with its own write, if it makes one; a reader gets a note.
  /// - Throws: ``ToolError`` if the target cannot be used: status 3 for an unknown app, 6 for a file that does not parse,
  ///   7 for one that cannot be read. Lesser problems are messages.
  package func open(
    mayBeUnknown: Bool = false, mayBeNew: Bool = false, isForWriting: Bool = false
  ) throws -> OpenedSettings {
    if isForWriting { try findSchema() }
    let opened = try openUnread(isForWriting: isForWriting)
    let store = opened.store
    opened.load()
    for problem in store.currentProblems where problem.file == store.location?.file {
      // Reported once: as a warning to a reader, as the failure to a writer.
      if isForWriting, [.newerVersion, .migrationFailed].contains(problem.code) { throw ToolError(problem) }
      guard [.unparsable, .io, .readOnly].contains(problem.code), let location = store.location else { continue }
      // The problem says that the app uses defaults, which no tool does: find the plain error.
      do {
        _ = try TextReader.document(at: location, showsText: opened.schema.showsText, advice: repairAdvice)
      } catch {
        throw ToolError(error, at: location)
      }
      throw ToolError(problem)
    }
    opened.tellProblems()
    if !isForWriting { opened.tellPending() }
    if !mayBeUnknown, !store.snapshot.hasSettings { try checkKnown(opened, mayBeNew: mayBeNew) }
    return opened
  }

  /// Opens the target, which the first access reads.
  ///
  /// - Parameters:
  ///   - isForWriting: Whether the store is used to write.
  ///   - migratesFirst: Whether that access writes a pending migration; otherwise a write does that, if there is one.
  ///   - followsChoice: Whether the store goes along when another profile is chosen.
  ///   - place: Another location of the same app.
  package func openUnread(
    isForWriting: Bool = false, migratingFirst migratesFirst: Bool = false, followingChoice followsChoice: Bool = false,
    at place: SettingsLocation? = nil
  ) throws -> OpenedSettings {
    let lookup = schema
    return try open(
      lookup, migrations: lookup.schema?.migrations ?? .none, acceptsAnyVersion: lookup.schema == nil,
      onlyReads: !migratesFirst, mayWrite: isForWriting,
      at: place ?? location(followingChoice: followsChoice))
  }

  /// Opens the target with other migrations than those of its schema. There is no other place where a tool opens a store
  /// to write: its history gets to know the schema's keys here, so that secrets stay out of it.
  ///
  /// - Parameters:
  ///   - onlyReads: Whether the first access leaves a pending migration.
  ///   - mayWrite: Whether the store is used to write at all.
  ///   - place: Another location of the same app.
  package func open(
    _ lookup: SchemaLookup, migrations: SettingsMigrations, acceptsAnyVersion: Bool, onlyReads: Bool = false,
    mayWrite: Bool = true, at place: SettingsLocation? = nil
  ) throws -> OpenedSettings {
    let location = try place ?? location()
    // A restrictive mask of root would hide the file from the users whom it is for.
    if mayWrite, location.isAdministrators { umask(0o022) }
    // Nobody knows which values are secrets if there is a schema that cannot be used.
    let store = SettingsStore(
      at: location, migrations: migrations, history: lookup.isUsable ? .on : .off, logger: .silent,
      acceptsAnyVersion: acceptsAnyVersion, onlyReads: onlyReads, showsText: lookup.showsText, advice: repairAdvice)
    if mayWrite, let schema = lookup.schema { store.core.history?.describe(schema.historyKeys, schema.migrations) }
    store.core.note(secrets: lookup.keys.filter(\.isSecret).map(\.settingsKey), shownAs: Shown.redacted)
    return OpenedSettings(self, store, lookup)
  }

  /// Opens a file of the target's for what has to do with its whole text, which need not parse.
  package func openText(at place: SettingsLocation? = nil) throws -> OpenedSettings {
    try open(try findSchema(), migrations: .none, acceptsAnyVersion: true, at: place)
  }

  /// Moves a file of the app's to its backups, whatever its text is.
  package func moveToBackups(_ location: SettingsLocation) throws -> SettingsBackup? {
    try openText(at: location).replaceText(backingUp: "before-removal") { _ in nil }.backup
  }
}

extension TextReader {
  /// Reads a file's document; `nil` if there is no file.
  ///
  /// - Parameters:
  ///   - showsText: Whether the error for one that does not parse may show its text.
  ///   - advice: What that error says to do.
  package static func document(
    at location: SettingsLocation, showsText: Bool, advice: RepairAdvice? = nil
  ) throws(SettingsError) -> TOMLDocument? {
    guard let bytes = try SettingsFile(path: location.file).read().bytes else { return nil }
    let advice = advice.map { (location.file, $0) }
    return try TextReader(migrations: .none, acceptsAnyVersion: true, showsText: showsText, advice: advice)
      .parse(bytes, file: location.file)
  }
}
