import AppSettings
import AppSettingsSchema
import Synchronization

/// What a verb works on: an app by its id, or a file by its path.
struct Target {
  /// As it was typed.
  let name: String

  /// Whether it is a path. A path is just that file: it has no administrators' files and no schema.
  var isFile: Bool { name.utf8.contains(UInt8(ascii: "/")) }

  init(_ name: String) { self.name = name }

  /// Where the settings are.
  func location() throws -> SettingsLocation {
    isFile ? try SettingsLocation(file: Arguments.path(name)) : try SettingsLocation(app: name)
  }

  /// What the target's schema says.
  var schema: SchemaLookup { SchemaLookup.of(name) }

  /// The target's schema for a verb that cannot do without; `nil` if it has none.
  ///
  /// - Throws: ``SettingsError`` for one that cannot be used.
  func fileSchema() throws -> SettingsSchema? { isFile ? nil : try SettingsSchema.find(app: name) }

  /// Opens the target and reads it.
  ///
  /// - Parameters:
  ///   - mayBeUnknown: Whether an app of which there is nothing yet is as good as any.
  ///   - isForWriting: Whether a schema that cannot be used is an error, and a migration that is pending is written. It is
  ///     done in memory else, and said.
  /// - Throws: ``Failure`` with what makes it unusable: status 3 for an app that there is not, 6 for a file that does not
  ///   parse, 7 for one that cannot be read. Lesser problems go to standard error.
  func open(mayBeUnknown: Bool = false, isForWriting: Bool = false) throws -> SettingsStore {
    if isForWriting { _ = try SchemaLookup.find(name) }
    let store = try openUnread(isForWriting: isForWriting)
    store.core.load()
    let problems = store.currentProblems
    for problem in problems where problem.file == store.location?.file {
      // Said once, as what it is: to whoever reads a warning, and to whoever writes the end.
      if isForWriting, [.newerVersion, .migrationFailed].contains(problem.code) { throw Failure(problem) }
      guard [.unparsable, .io, .readOnly].contains(problem.code), let location = store.location else { continue }
      // The problem says that defaults are used, which is the app's way and not this command's: find the plain error.
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
  /// - Parameter isForWriting: Whether that access writes a migration that is pending.
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

  /// Says what a write could not keep of the file: its owner, its group, attributes.
  static func tellLosses() {
    for problem in opened.withLock({ $0 })?.currentProblems ?? [] where problem.isLoss {
      Output.warning(problem.message)
    }
  }

  /// Says that what a store shows is what a migration would make of the file.
  func notePending(in store: SettingsStore) {
    guard store.core.onlyReads, store.core.isWriteDue,
      // What failed is not shown, and has been said.
      !store.currentProblems.contains(where: { $0.code == .migrationFailed })
    else { return }
    var versions = "the import that a new file begins with"
    if case .pending(let migrations)? = try? store.migrationStatus {
      versions = migrations.map { "\($0.version) '\($0.name)'" }.joined(separator: ", ")
    }
    Output.note("Pending: \(versions). This is shown as it will be; 'settings-cli migrate \(name)' writes it.")
  }

  /// Throws if this is an app that has no settings file in any layer, no backup and no schema.
  private func checkKnown(_ store: SettingsStore) throws {
    guard !isFile, store.snapshot.root.isEmpty, let file = store.location?.file else { return }
    // Also an app whose schema cannot be used is one.
    guard try SettingsFile(path: file).read().bytes == nil, store.snapshot.layers.count == 1,
      try InstalledApp.find(name).schema == nil, try store.backups.isEmpty
    else { return }
    let hint = Suggestion.nearest(to: name, among: try InstalledApp.all().map(\.app).filter { $0 != name })
    throw Failure(
      .unknown,
      "There is no app '\(name)': it has neither settings nor a schema."
        + (hint.map { " Did you mean '\($0)'?" } ?? ""))
  }
}

extension TextReader {
  /// The document that a file holds now; `nil` if there is none.
  ///
  /// - Parameter showsText: Whether the error for one that does not parse may show its text.
  static func document(at location: SettingsLocation, showsText: Bool) throws(SettingsError) -> TOMLDocument? {
    guard let bytes = try SettingsFile(path: location.file).read().bytes else { return nil }
    return try TextReader(migrations: .none, acceptsAnyVersion: true, showsText: showsText)
      .parse(bytes, file: location.file)
  }
}
