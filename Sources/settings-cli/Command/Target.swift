import AppSettings
import AppSettingsSchema
import Synchronization

/// The target of a verb: an app given by its id, or a file given by its path.
struct Target {
  /// The target as typed.
  let name: String

  /// Whether it is a path. A path stands for that file alone, without administrators' files and schema.
  var isFile: Bool { name.utf8.contains(UInt8(ascii: "/")) }

  init(_ name: String) { self.name = name }

  /// Where the settings are.
  func location() throws -> SettingsLocation {
    isFile ? try SettingsLocation(file: Arguments.path(name)) : try SettingsLocation(app: name)
  }

  /// The facts of the target's schema.
  var schema: SchemaLookup { SchemaLookup.of(name) }

  /// The target's schema for a verb that needs one; `nil` if there is none.
  ///
  /// - Throws: ``SettingsError`` if the schema cannot be used.
  func fileSchema() throws -> SettingsSchema? { isFile ? nil : try SettingsSchema.find(app: name) }

  /// Opens the target and reads it.
  ///
  /// - Parameters:
  ///   - mayBeUnknown: Whether an app without any files is accepted.
  ///   - isForWriting: Whether an unusable schema is an error and a pending migration is written. Otherwise the
  ///     migration is made in memory only, with a note.
  /// - Throws: ``Failure`` if the target cannot be used: status 3 for an unknown app, 6 for a file that does not parse,
  ///   7 for one that cannot be read. Lesser problems go to standard error.
  func open(mayBeUnknown: Bool = false, isForWriting: Bool = false) throws -> SettingsStore {
    if isForWriting { _ = try SchemaLookup.find(name) }
    let store = try openUnread(isForWriting: isForWriting)
    store.core.load()
    let problems = store.currentProblems
    for problem in problems where problem.file == store.location?.file {
      // Reported once: as a warning to a reader, as the failure to a writer.
      if isForWriting, [.newerVersion, .migrationFailed].contains(problem.code) { throw Failure(problem) }
      guard [.unparsable, .io, .readOnly].contains(problem.code), let location = store.location else { continue }
      // The problem says that the app uses defaults, which this command does not: find the plain error.
      _ = try TextReader.document(at: location, showsText: schema.showsText)
      throw Failure(problem)
    }
    for problem in problems { Output.warning(problem.message) }
    notePending(in: store)
    if !mayBeUnknown { try checkKnown(store) }
    return store
  }

  /// Opens the target, which the first access reads.
  ///
  /// - Parameter isForWriting: Whether that access writes a pending migration.
  func openUnread(isForWriting: Bool = false) throws -> SettingsStore {
    let lookup = schema
    let store = SettingsStore(
      at: try location(), migrations: lookup.schema?.migrations ?? .none, logger: .silent,
      acceptsAnyVersion: lookup.schema == nil, onlyReads: !isForWriting, showsText: lookup.showsText)
    Self.opened.withLock { $0 = store }
    return store
  }

  // Protects the target's store. A process has one target.
  private static let opened = Mutex<SettingsStore?>(nil)

  /// Reports what a write could not keep of the file: its owner, its group, attributes.
  static func tellLosses() {
    for problem in opened.withLock({ $0 })?.currentProblems ?? [] where problem.isLoss {
      Output.warning(problem.message)
    }
  }

  /// Reports that the values shown are those after a migration that is not written yet.
  func notePending(in store: SettingsStore) {
    guard store.core.onlyReads, store.core.isWriteDue,
      // A failed migration is not shown, and has been reported.
      !store.currentProblems.contains(where: { $0.code == .migrationFailed })
    else { return }
    var versions = "the import into a new file"
    if case .pending(let migrations)? = try? store.migrationStatus {
      versions = migrations.map { "\($0.version) '\($0.name)'" }.joined(separator: ", ")
    }
    Output.note(
      "Pending: \(versions). Values are shown as they will be; to write them, run 'settings-cli migrate \(name)'.")
  }

  /// Throws if this is an app without a settings file in any layer, a backup or a schema.
  func checkKnown(_ store: SettingsStore) throws {
    guard !isFile, store.snapshot.root.isEmpty, let file = store.location?.file else { return }
    // An app with an unusable schema is known too.
    guard try SettingsFile(path: file).read().bytes == nil, store.snapshot.layers.count == 1,
      try InstalledApp.find(name).schema == nil, try store.backups.isEmpty
    else { return }
    let hint = Suggestion.nearest(to: name, among: try InstalledApp.all().map(\.app).filter { $0 != name })
    throw Failure(
      .unknown,
      "Unknown app '\(name)': it has neither settings nor a schema."
        + (hint.map { " Did you mean '\($0)'?" } ?? ""))
  }
}

extension TextReader {
  /// Reads a file's document; `nil` if there is no file.
  ///
  /// - Parameter showsText: Whether the error for one that does not parse may show its text.
  static func document(at location: SettingsLocation, showsText: Bool) throws(SettingsError) -> TOMLDocument? {
    guard let bytes = try SettingsFile(path: location.file).read().bytes else { return nil }
    return try TextReader(migrations: .none, acceptsAnyVersion: true, showsText: showsText)
      .parse(bytes, file: location.file)
  }
}
