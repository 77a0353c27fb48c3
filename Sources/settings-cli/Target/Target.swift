import AppSettings
import AppSettingsSchema
import Glibc
import Synchronization

/// The target of a verb: an app given by its id, or a file given by its path.
struct Target {
  /// The file of an app that is read and written, with the layers below it.
  enum Layer: Equatable {
    /// The file that the app writes: the user's, or the active profile.
    case own
    /// Another file of the person's.
    case personal(PersonalFile)
    /// Administrators' main file, or a drop-in.
    case system, dropIn(String)
  }

  /// The target as typed.
  let name: String
  let layer: Layer

  /// Whether it is a path. A path stands for that file alone, without administrators' files and schema.
  var isFile: Bool { name.utf8.contains(UInt8(ascii: "/")) }

  init(_ name: String, _ layer: Layer = .own) {
    self.name = MeantApp.id(for: name)
    self.layer = layer
  }

  /// The words for a command on this target, for messages.
  var words: String {
    switch layer {
    case .own: name
    case .personal(let file): file.word.map { "\(name) --layer \($0)" } ?? (try? location().file) ?? name
    case .system: "\(name) --system"
    case .dropIn(let dropIn): "\(name) --drop-in \(dropIn)"
    }
  }

  /// Where the settings are.
  ///
  /// - Parameter followsChoice: Whether a store there goes along when another profile is chosen.
  /// - Throws: ``Failure`` with status 2 for a file's name without a slash; ``SettingsError``.
  func location(followingChoice followsChoice: Bool = false) throws -> SettingsLocation {
    if isFile { return try SettingsLocation(file: Arguments.path(name)) }
    try checkNotFile()
    switch layer {
    case .own:
      let location = try SettingsLocation(app: name)
      return followsChoice ? location : try location.resolvingProfile()
    case .personal(let file): return try file.location(of: name)
    case .system: return try SettingsLocation(administratorsOf: name)
    case .dropIn(let dropIn): return try SettingsLocation(administratorsOf: name, dropIn: dropIn)
    }
  }

  /// Throws if the name is one that people give to files: as an app's id it would make a directory of that name.
  private func checkNotFile() throws {
    guard name.lowercased().hasSuffix(".toml") else { return }
    throw Failure(
      .usage, "'\(name)' is not an app's id. For the file in this directory, write './\(name)'.")
  }

  /// The facts of the target's schema.
  var schema: SchemaLookup { SchemaLookup.of(name) }

  /// The target's schema for a verb that needs one; `nil` if there is none.
  ///
  /// - Throws: ``SettingsError`` if the schema cannot be used.
  func fileSchema() throws -> SettingsSchema? {
    if isFile { return nil }
    try checkNotFile()
    return try SettingsSchema.find(app: name)
  }

  /// Opens the target and reads it.
  ///
  /// - Parameters:
  ///   - mayBeUnknown: Whether an app without any files is accepted, even if its id is similar to that of another app or is
  ///     the name of a file here.
  ///   - mayBeNew: Whether one is accepted otherwise.
  ///   - isForWriting: Whether an unusable schema is an error and a pending migration is written. Otherwise the
  ///     migration is made in memory only, with a note.
  ///   - writesLater: Whether a writer leaves the migration to its own write, if it makes one.
  /// - Throws: ``Failure`` if the target cannot be used: status 3 for an unknown app, 6 for a file that does not parse,
  ///   7 for one that cannot be read. Lesser problems go to standard error.
  func open(
    mayBeUnknown: Bool = false, mayBeNew: Bool = false, isForWriting: Bool = false, writesLater: Bool = false
  ) throws -> SettingsStore {
    if isForWriting { _ = try SchemaLookup.find(name) }
    let store = try openUnread(isForWriting: isForWriting, writesLater: writesLater)
    store.core.load()
    let problems = store.currentProblems
    for problem in problems where problem.file == store.location?.file {
      // Reported once: as a warning to a reader, as the failure to a writer.
      if isForWriting, [.newerVersion, .migrationFailed].contains(problem.code) { throw Failure(problem) }
      guard [.unparsable, .io, .readOnly].contains(problem.code), let location = store.location else { continue }
      // The problem says that the app uses defaults, which this command does not: find the plain error.
      _ = try TextReader.document(at: location, showsText: schema.showsText, advice: repairAdvice)
      throw Failure(problem)
    }
    for problem in problems { Output.warning(problem.message) }
    if !isForWriting { notePending(in: store) }
    if !mayBeUnknown, store.snapshot.root.isEmpty { try checkKnown(store, mayBeNew: mayBeNew) }
    return store
  }

  /// Opens the target, which the first access reads.
  ///
  /// - Parameters:
  ///   - isForWriting: Whether that access writes a pending migration.
  ///   - writesLater: Whether a writer leaves that to its own write.
  ///   - followsChoice: Whether the store goes along when another profile is chosen.
  ///   - place: Another location of the same app.
  func openUnread(
    isForWriting: Bool = false, writesLater: Bool = false, followingChoice followsChoice: Bool = false,
    at place: SettingsLocation? = nil
  ) throws -> SettingsStore {
    let lookup = schema
    return try store(
      lookup, migrations: lookup.schema?.migrations ?? .none, acceptsAnyVersion: lookup.schema == nil,
      onlyReads: !isForWriting || writesLater, mayWrite: isForWriting,
      at: place ?? location(followingChoice: followsChoice))
  }

  /// Opens the target with other migrations than those of its schema. There is no other place where a store is opened
  /// to write: its history gets to know the schema's keys here, so that secrets stay out of it.
  ///
  /// - Parameters:
  ///   - onlyReads: Whether the first access leaves a pending migration.
  ///   - mayWrite: Whether the store is used to write at all.
  ///   - place: Another location of the same app.
  func store(
    _ lookup: SchemaLookup, migrations: SettingsMigrations, acceptsAnyVersion: Bool, onlyReads: Bool = false,
    mayWrite: Bool = true, at place: SettingsLocation? = nil
  ) throws -> SettingsStore {
    let location = try place ?? location()
    // A restrictive mask of root would hide the file from the users whom it is for.
    if mayWrite, location.isAdministrators { umask(0o022) }
    // Nobody knows which values are secrets if there is a schema that cannot be used.
    let store = SettingsStore(
      at: location, migrations: migrations, history: lookup.isUsable ? .on : .off, logger: .silent,
      acceptsAnyVersion: acceptsAnyVersion, onlyReads: onlyReads, showsText: lookup.showsText, advice: repairAdvice)
    if mayWrite, let schema = lookup.schema { store.core.history?.describe(schema.historyKeys) }
    store.core.note(secrets: lookup.keys.filter(\.isSecret).flatMap(\.paths), shownAs: Shown.redacted)
    OpenedStore.last.withLock { $0 = (store, isTold: false) }
    return store
  }

  /// Moves a file of the app's to its backups, whatever its text is.
  func moveToBackups(_ location: SettingsLocation) throws -> SettingsBackup? {
    let store = try store(try SchemaLookup.find(name), migrations: .none, acceptsAnyVersion: true, at: location)
    let backup = try store.core.commit(backingUp: "before-removal") { _ in nil }.backup
    Output.noteStored()
    return backup
  }

  /// What to do about the user's file if it does not parse: what `recover --restore` would bring back, and from when.
  var repairAdvice: RepairAdvice {
    // A name with spaces is in double quotes, since the command is in single ones.
    let isPlain = !name.contains { " \"$`\\!'".contains($0) }
    let isQuotable = !name.contains { "\"$`\\!'".contains($0) }
    let word = isPlain ? words : isQuotable ? "\"\(name)\"" : "TARGET"
    let location = try? location()
    return { broken in
      let search = location.map { RecoverySearch(for: broken, at: $0) }
      let correction = "Correct it with 'settings-cli edit \(word)', or "
      guard let source = search?.source else {
        let rest =
          search?.incomplete.map {
            "'settings-cli at \(word) --entry \($0.id)' prints the text of \(Moment.text($0.time)) without the values "
              + "that its history does not keep."
          } ?? "No earlier text of it is kept."
        return correction + "move it to the backups with 'settings-cli recover \(word)'. \(rest)"
      }
      return "\(correction)bring back \(source.words) with 'settings-cli recover \(word) --restore'."
    }
  }

  /// The layers that decide whether a value of the target's file is effective: those of the store, which for a profile
  /// are those with that profile. For another file of the person's they are what the app reads, and for an
  /// administrator's file all administrators' files.
  func effective(_ store: SettingsStore) throws -> SettingsSnapshot {
    func snapshot(at location: SettingsLocation) -> SettingsSnapshot {
      SettingsStore(
        at: location, migrations: schema.schema?.migrations ?? .none, logger: .silent,
        acceptsAnyVersion: schema.schema == nil, onlyReads: true, showsText: schema.showsText
      ).snapshot
    }
    guard !isFile else { return store.snapshot }
    switch layer {
    case .own, .personal(.profile): return store.snapshot
    case .personal: return snapshot(at: try SettingsLocation(app: name).resolvingProfile())
    case .system, .dropIn:
      var result = snapshot(at: try SettingsLocation(app: name).withoutPersonalLayers)
      result.userDocument = TOMLDocument()
      return result
    }
  }

  /// Whether the options name an administrator's file.
  var isAdministrators: Bool {
    switch layer {
    case .own, .personal: false
    case .system, .dropIn: true
    }
  }

  /// Says that other users may read a secret that was stored for all.
  func warnOfExposure(of paths: [TOMLPath]) {
    guard isAdministrators, let secret = paths.first(where: { schema.isSecret($0, nil) }) else { return }
    Output.warning("The secret '\(secret)' is now in a file that all users may read.")
  }

  /// Reports what a write could not keep of the file: its owner, its group, attributes.
  static func tellLosses() {
    // The store stays: to release it takes longer than to read a value.
    let store = OpenedStore.last.withLock { opened in
      defer { opened.isTold = true }
      return opened.isTold ? nil : opened.store
    }
    for problem in store?.currentProblems ?? [] where problem.isLoss { Output.warning(problem.message) }
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
      "Pending: \(versions). Values are shown as they will be; to write them, run 'settings-cli migrate \(words)'.")
  }

  /// Throws if this is an app without a settings file in any layer, a backup or a schema.
  ///
  /// - Parameter mayBeNew: Whether that is fine unless the id is similar to that of another app, or the name of a file here.
  func checkKnown(_ store: SettingsStore, mayBeNew: Bool = false) throws {
    // An app with an unusable schema is known too.
    guard !isFile, try InstalledApp.find(name).isUnknown else { return }
    // What was forgotten is not made again without a word.
    if !mayBeNew, try !store.backups.isEmpty { return }
    if SettingsFile.isThere("./" + name) {
      throw Failure(
        .unknown,
        "Unknown app '\(name)'. For the file in this directory, write './\(name)'."
          + (mayBeNew ? " To make a new app, use --create." : ""))
    }
    if let failure = AppName.unknown(name, mayBeNew: mayBeNew) { throw failure }
  }
}

extension RecoverySource {
  /// What it is, and from when.
  var words: String {
    switch origin {
    case .entry(let entry): "the text of \(Moment.text(time)) (#\(entry.id) of its history)"
    case .backup: "the backup of \(Moment.text(time))"
    }
  }
}

extension SettingsFile {
  /// Whether a path names a file, and not a directory.
  fileprivate static func isThere(_ path: String) -> Bool {
    guard let status = try? Syscalls().status(at: path) else { return false }
    return !status.isDirectory
  }
}

extension TextReader {
  /// Reads a file's document; `nil` if there is no file.
  ///
  /// - Parameters:
  ///   - showsText: Whether the error for one that does not parse may show its text.
  ///   - advice: What that error says to do.
  static func document(
    at location: SettingsLocation, showsText: Bool, advice: RepairAdvice? = nil
  ) throws(SettingsError) -> TOMLDocument? {
    guard let bytes = try SettingsFile(path: location.file).read().bytes else { return nil }
    let advice = advice.map { (location.file, $0) }
    return try TextReader(migrations: .none, acceptsAnyVersion: true, showsText: showsText, advice: advice)
      .parse(bytes, file: location.file)
  }
}
