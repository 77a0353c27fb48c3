package import AppSettings
import AppSettingsSchema
import Glibc
import Synchronization

/// The settings of an app, or a file, opened as tools show and change them: with what the app's schema says of them, which
/// keys are secrets, and who has locked what.
///
/// `settings-cli`, the settings page and the fleet are views of it, and so can be an app's own dialog.
public struct OpenedSettings: Sendable {
  package let target: Target
  package let store: SettingsStore
  /// What the app's schema says; without one, every question has an answer, too.
  package let schema: SchemaLookup
  private let told: ToldProblems

  package init(_ target: Target, _ store: SettingsStore, _ schema: SchemaLookup) {
    (self.target, self.store, self.schema, told) = (target, store, schema, ToldProblems())
  }

  /// The values of all files, as they were read last.
  package var snapshot: SettingsSnapshot { store.snapshot }

  /// The path of the file that is written.
  public var file: String { store.location?.file ?? "" }

  // MARK: Reading

  /// Reads the files, which the first access does otherwise, and writes a pending migration where that is due.
  package func load() {
    store.core.load()
    if !store.core.onlyReads { tellLosses() }
  }

  /// Reads again what has changed, without waiting for a notice.
  package func look() {
    store.core.look()
    store.core.lookAround()
  }

  /// The bytes of the file that is written; `nil` if there is none.
  package func readText() throws -> [UInt8]? { try store.core.readText() }

  // MARK: Writing

  /// Makes edits in one write.
  ///
  /// - Parameters:
  ///   - check: Gets the file's present content; throws to leave it as it is.
  ///   - edits: Returns the edits, from the present values; runs under the file's lock.
  /// - Returns: Whether the text has changed.
  /// - Throws: ``ToolError``, or what the closures throw.
  @discardableResult package func commit(
    checking check: ([UInt8]?) throws -> Void = { _ in }, making edits: (SettingsSnapshot) throws -> [Edit]
  ) throws -> Bool {
    try writing { try store.core.commit(checking: check, making: edits) }
  }

  /// What ``commit(checking:making:)`` would change: the text before and after.
  package func preview(
    checking check: ([UInt8]?) throws -> Void, making edits: (SettingsSnapshot) throws -> [Edit]
  ) throws -> (old: [UInt8]?, new: [UInt8]?) {
    try store.core.preview(checking: check, making: edits)
  }

  /// Replaces the whole text in one write, after a backup.
  ///
  /// - Parameters:
  ///   - reason: The backup's name.
  ///   - text: Returns the new text for the present one; `nil` for no file. Runs under the file's lock.
  @discardableResult package func replaceText(
    backingUp reason: String, with text: ([UInt8]?) throws -> [UInt8]?
  ) throws -> (hasChanged: Bool, backup: SettingsBackup?) {
    let outcome = try writing { try store.core.commit(backingUp: reason) { try text($0) } }
    return (outcome.hasChanged, outcome.backup)
  }

  /// Runs what writes. Says what the write could not keep of the file, and what helps where it lacks permission.
  package func writing<Result>(_ body: () throws -> Result) throws -> Result {
    do {
      let result = try body()
      tellLosses()
      return result
    } catch let error as SettingsError where error.code == .readOnly {
      throw ToolError(error, at: store.location)
    }
  }

  /// Throws if it cannot be said where the values are that decide what takes effect.
  package func checkPlaces() throws {
    guard !target.isFile, case .personal(let file) = target.layer else { return }
    if case .profile = file { return }
    _ = try SettingsLocation(app: target.name, environment: target.environment).resolvingProfile()
  }

  private func tellLosses() {
    for problem in store.currentProblems where problem.isLoss && told.insert(problem) {
      target.tell(ToolMessage(.warning, problem.message))
    }
  }

  /// Says what is wrong with the files, once.
  package func tellProblems() {
    for problem in store.currentProblems where told.insert(problem) {
      target.tell(ToolMessage(.warning, problem.message))
    }
  }

  /// Says that the values shown are those after a migration that is not written yet.
  package func tellPending() {
    guard store.core.onlyReads, store.core.isWriteDue,
      // A failed migration is not shown, and has been reported.
      !store.currentProblems.contains(where: { $0.code == .migrationFailed })
    else { return }
    var versions = "the import into a new file"
    if case .pending(let migrations)? = try? store.migrationStatus {
      versions = migrations.map { "\($0.version) '\($0.name)'" }.joined(separator: ", ")
    }
    target.tell(
      ToolMessage(
        .note,
        "Pending: \(versions). Values are shown as they will be; to write them, run 'settings-cli migrate "
          + "\(target.words)'."))
  }
}

/// The problems of settings that were told.
private final class ToldProblems: Sendable {
  // Protects them: a watch tells them on another thread.
  private let problems = Mutex<[SettingsProblem]>([])

  /// Returns whether it was not told yet.
  func insert(_ problem: SettingsProblem) -> Bool {
    problems.withLock { problems in
      guard !problems.contains(problem) else { return false }
      problems.append(problem)
      return true
    }
  }
}

// MARK: - Opening

extension Target {
  /// Opens the target and reads it.
  ///
  /// - Parameters:
  ///   - mayBeUnknown: Whether an app without any files is accepted, even if its id is similar to that of another app or is
  ///     the name of a file here.
  ///   - mayBeNew: Whether one is accepted otherwise.
  ///   - isForWriting: Whether an unusable schema is an error and a pending migration is written. Otherwise the
  ///     migration is made in memory only, with a note.
  ///   - writesLater: Whether a writer leaves the migration to its own write, if it makes one.
  /// - Throws: ``ToolError`` if the target cannot be used: status 3 for an unknown app, 6 for a file that does not parse,
  ///   7 for one that cannot be read. Lesser problems are told.
  package func open(
    mayBeUnknown: Bool = false, mayBeNew: Bool = false, isForWriting: Bool = false, writesLater: Bool = false
  ) throws -> OpenedSettings {
    if isForWriting { try findSchema() }
    let opened = try openUnread(isForWriting: isForWriting, writesLater: writesLater)
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
    if !mayBeUnknown, store.snapshot.root.isEmpty { try checkKnown(opened, mayBeNew: mayBeNew) }
    return opened
  }

  /// Opens the target, which the first access reads.
  ///
  /// - Parameters:
  ///   - isForWriting: Whether that access writes a pending migration.
  ///   - writesLater: Whether a writer leaves that to its own write.
  ///   - followsChoice: Whether the store goes along when another profile is chosen.
  ///   - place: Another location of the same app.
  package func openUnread(
    isForWriting: Bool = false, writesLater: Bool = false, followingChoice followsChoice: Bool = false,
    at place: SettingsLocation? = nil
  ) throws -> OpenedSettings {
    let lookup = schema
    return try open(
      lookup, migrations: lookup.schema?.migrations ?? .none, acceptsAnyVersion: lookup.schema == nil,
      onlyReads: !isForWriting || writesLater, mayWrite: isForWriting,
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
    if mayWrite, let schema = lookup.schema { store.core.history?.describe(schema.historyKeys) }
    store.core.note(secrets: lookup.keys.filter(\.isSecret).flatMap(\.paths), shownAs: Shown.redacted)
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

// MARK: - What takes effect

extension OpenedSettings {
  /// The layers that decide whether a value of the target's file is effective: those of the store, which for a profile
  /// are those with that profile. For another file of the person's they are what the app reads, and for an
  /// administrator's file all administrators' files.
  package var effective: SettingsSnapshot {
    get throws {
      func snapshot(at location: SettingsLocation) -> SettingsSnapshot {
        SettingsStore(
          at: location, migrations: schema.schema?.migrations ?? .none, logger: .silent,
          acceptsAnyVersion: schema.schema == nil, onlyReads: true, showsText: schema.showsText
        ).snapshot
      }
      guard !target.isFile else { return store.snapshot }
      switch target.layer {
      case .own, .personal(.profile): return store.snapshot
      case .personal:
        return snapshot(at: try SettingsLocation(app: target.name, environment: target.environment).resolvingProfile())
      case .system, .dropIn:
        var result = snapshot(
          at: try SettingsLocation(app: target.name, environment: target.environment).withoutPersonalLayers)
        result.userDocument = TOMLDocument()
        return result
      }
    }
  }

  /// Throws if a higher layer hides the stored value, or a part of it.
  ///
  /// - Parameter snapshot: The layers that decide it.
  package func checkEffective(
    _ path: TOMLPath, _ value: TOMLValue?, in snapshot: SettingsSnapshot
  ) throws(ToolError) {
    guard let part = value?.firstPart(missingIn: schema.effectiveValue(of: path, in: snapshot)) else { return }
    let hidden = path.appending(part)
    let layer = schema.origin(of: hidden, in: snapshot).layer
    let subject = part.isRoot ? "it" : "'\(hidden)' in it"
    throw ToolError(
      .notWritable,
      "Stored '\(path)' in '\(file)', but \(subject) has no effect: the value comes from the "
        + "\(layer.kind.rawValue) layer\(layer.file.map { " '\($0)'" } ?? "").")
  }

  /// Says that other users may read a secret that was stored for all.
  package func warnOfExposure(of paths: [TOMLPath]) {
    guard target.isAdministrators, let secret = paths.first(where: { schema.isSecret($0, nil) }) else { return }
    target.tell(ToolMessage(.warning, "The secret '\(secret)' is now in a file that all users may read."))
  }

  /// Says what values lack after a change, so that the app cannot use them.
  package func warnOfLacks(around paths: [TOMLPath]) {
    for lack in schema.lacks(around: paths, in: store.snapshot) { target.tell(ToolMessage(.warning, lack)) }
  }
}

extension TOMLValue {
  /// The path of the first value in this one that another lacks; `nil` if it lacks none. What else the other has, as
  /// tables of several layers do, does not matter.
  fileprivate func firstPart(missingIn other: TOMLValue?) -> TOMLPath? {
    guard case .table(let table) = self, case .table(let others)? = other else { return self == other ? nil : .root }
    for (key, value) in table {
      if let part = value.firstPart(missingIn: others[key]) { return TOMLPath([key] + part.components) }
    }
    return nil
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
