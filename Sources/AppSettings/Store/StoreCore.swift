import Logging
package import SettingsTOML
public import Synchronization

/// The engine of a store: its state, the one way in which that changes, and who is told.
///
/// Locks, in the order in which they may be taken: `loading` → `committing` → the file's own lock → `state`.
/// Observers, completions and problems are told after `state` is released.
@usableFromInline
package final class StoreCore: Sendable {
  let backing: Backing
  let location: SettingsLocation?
  let reader: TextReader
  package let problems: ProblemLog
  package let waiters = ChangeWaiters()
  let declarations = KeyDeclarations()
  package let follower = FollowerSlot()
  let queue = WriteQueue()

  // Protects what the store knows. Held for look-ups and transitions only, never for a file or foreign code.
  let state: Lock<StoreState>
  // Held while the files are read for the first time, so that one thread reads them and the others wait.
  private let loading = Lock(())
  // Serialises this process's commits, and knows which thread is in one: 0 for none.
  private let committing = Monitor<UInt>(0)

  // How many stores use this engine.
  let openStores = Atomic<Int>(0)

  /// Names the present state among all states of all stores of the process; 0 before the first access.
  @usableFromInline package let stamp = Atomic<UInt64>(0)
  private static let lastStamp = Atomic<UInt64>(0)

  init(backing: Backing, location: SettingsLocation?, reader: TextReader, logger: Logger, overrides: SettingsOverrides)
  {
    self.backing = backing
    self.location = location
    self.reader = reader
    problems = ProblemLog(logger: logger)
    let user = LayerContent(
      layer: SettingsLayer(.user, file: location?.file), document: TOMLDocument())
    state = Lock(StoreState(user: user, overrides: overrides))
  }

  deinit { LiveStores.unregister(ObjectIdentifier(self)) }

  // MARK: Reading

  /// The present state. The first call reads the files, and migrates the user's if it is of an older version.
  package var snapshot: SettingsSnapshot {
    load()
    return state.withLock { $0.snapshot }
  }

  /// The value at a path with the stamp of the state it was found in.
  package func lookUp(_ path: TOMLPath) -> (value: StoredValue, stamp: UInt64) {
    load()
    return state.withLock { (StoredValue(at: path, in: $0.snapshot), stamp.load(ordering: .relaxed)) }
  }

  package func load() {
    if stamp.load(ordering: .acquiring) != 0 { return }
    let isFirst = loading.withLock { _ -> Bool in
      if stamp.load(ordering: .acquiring) != 0 { return false }
      let system = readSystemLayers()
      state.withLock { _ = $0.adopt(systemLayers: system) }
      do throws(SettingsError) {
        let (bytes, document) = try readOnFirstAccess()
        state.withLock { _ = $0.adopt(document, bytes: bytes, committed: nil, origin: .outside) }
      } catch {
        problems.report(SettingsProblem(error.using("Defaults are used.")))
      }
      state.withLock { $0.finishLoading() }
      renewStamp()
      return true
    }
    // They may use the store.
    if isFirst { runDueHooks() }
  }

  /// Reads the user's file, migrates it if it is of an older version, and makes it if there is an older home to take
  /// over. Where that fails, the store goes on in memory.
  private func readOnFirstAccess() throws(SettingsError) -> (bytes: [UInt8]?, document: TOMLDocument) {
    if let bytes = try readUserFile().bytes {
      let document = try reader.parse(bytes, file: backing.name)
      guard let isOutdated = try? reader.isOutdated(document), isOutdated else {
        return (bytes, interpret(document))
      }
    } else if !reader.migrations.hasSomethingToImport || reader.acceptsAnyVersion {
      return (nil, TOMLDocument())
    }
    do {
      try commit(of: [])
      return state.withLock { ($0.userBytes, $0.userDocument) }
    } catch let error as SettingsError {
      // Not writable is no failure of the migration: it is done in memory, each time.
      if error.code != .readOnly { problems.report(SettingsProblem(error)) }
    } catch {
      problems.report(SettingsProblem(.migrationFailed, "\(error)", file: location?.file))
    }
    let now = try readUserFile().bytes
    return (now, try now == nil ? importInMemory() : interpret(now))
  }

  /// Reads the user's file, and takes note of who may read it.
  func readUserFile() throws(SettingsError) -> SettingsFile.Contents {
    let contents = try backing.read()
    let permissions = contents.status?.permissions
    state.withLock { $0.userPermissions = permissions }
    if let permissions, permissions & 0o077 == 0 { problems.resolve { $0.code == .exposedSecret } }
    return contents
  }

  /// Reports a secret that stands in a file which others may read.
  func checkSecrecy(of path: TOMLPath) {
    let exposed = state.withLock { state -> UInt32? in
      guard let permissions = state.userPermissions, permissions & 0o077 != 0,
        state.snapshot.layer(of: path).kind == .user
      else { return nil }
      return permissions
    }
    guard let exposed, let file = location?.file else { return }
    problems.report(
      SettingsProblem(
        .exposedSecret,
        "The secret '\(path)' is in '\(file)', which other users may open (mode \(String(exposed, radix: 8))). "
          + "Run 'chmod go= \(file)'.", path: path, file: file))
  }

  /// What bytes mean to this release: parsed, and migrated in memory if they are of an older version.
  func interpret(_ bytes: [UInt8]?) throws(SettingsError) -> TOMLDocument {
    guard let bytes else { return TOMLDocument() }
    return interpret(try reader.parse(bytes, file: backing.name))
  }

  private func interpret(_ document: TOMLDocument) -> TOMLDocument {
    var document = document
    do {
      if try reader.isOutdated(document) { try reader.migrations.run(on: &document) }
      try reader.checkNotNewer(document, file: backing.name)
    } catch {
      problems.report(SettingsProblem(error))
    }
    return document
  }

  func readSystemLayers() -> [LayerContent] {
    guard let location, case .file(let file, _) = backing else { return [] }
    var contents: [LayerContent] = []
    for path in SystemFiles.paths(of: location, system: file.system, problems: problems) {
      do throws(SettingsError) {
        let systemFile = SettingsFile(path: path, system: file.system)
        guard let bytes = try systemFile.read().bytes else { continue }
        var document = try reader.parse(bytes, file: path)
        if try reader.isOutdated(document) { try reader.migrations.run(on: &document) }
        var locks: [TOMLPath] = []
        do throws(SettingsError) {
          locks = try reader.locks(in: document, file: path)
        } catch {
          problems.report(SettingsProblem(error))
        }
        contents.append(
          LayerContent(layer: SettingsLayer(.system, file: path), document: document, locks: locks))
      } catch {
        problems.report(SettingsProblem(error.using("That file is left out.")))
      }
    }
    return contents
  }

  // MARK: Writing

  /// Makes edits visible in this process and hands them to the writing thread.
  ///
  /// - Parameter completion: Called on the writing thread when the edits are durable, or have failed.
  /// - Throws: ``SettingsError`` `locked`; nothing is changed then.
  @discardableResult
  func enqueue(
    _ edits: [Edit], completion: (@Sendable (WriteQueue.Outcome) -> Void)? = nil
  ) throws(SettingsError) -> UInt64 {
    load()
    let (number, batch, locked) = state.withLock { state -> (UInt64, SettingsChangeBatch?, SettingsError?) in
      for edit in edits {
        if let error = Self.lockError(edit.path, state.snapshot) { return (0, nil, error) }
      }
      let (number, batch) = state.enqueue(edits)
      renewStamp()
      return (number, batch, nil)
    }
    if let locked { throw locked }
    waiters.signal(batch, sets: edits.map(\.path))
    let isFirst = queue.request(upTo: number, completion: completion) { [self] in commitPending() }
    if isFirst { LiveStores.register(self) }
    return number
  }

  /// Waits until everything set so far is on disk.
  func flush() throws(SettingsError) {
    try checkNotInCommit()
    let number = state.withLock { $0.lastNumber }
    if number > 0 { try queue.flush(upTo: number) }
  }

  /// Runs a read-modify-write on freshly read values, under the file's lock.
  func update<Result>(_ body: (inout SettingsTransaction) throws -> Result) throws -> Result {
    load()
    var result: Result?
    let report = try commit { view, problems in
      var transaction = SettingsTransaction(view: view, problems: problems)
      result = try body(&transaction)
      return try transaction.finish()
    }
    if report.number > 0 { queue.finish(report) }
    return result!
  }

  /// Commits edits right away, on this thread, with whatever is pending.
  ///
  /// - Returns: Whether the edits changed the text.
  @discardableResult
  package func commit(of edits: [Edit]) throws -> Bool {
    var changed = false
    let report = try commit(didChange: { changed = $0 }) { view, _ in
      for edit in edits { if let error = Self.lockError(edit.path, view) { throw error } }
      return edits
    }
    if report.number > 0 { queue.finish(report) }
    return changed
  }

  /// Commits what is pending; never throws, since each edit has its own outcome.
  private func commitPending() -> WriteReport {
    let newest = state.withLock { $0.lastNumber }
    do {
      return try commit { _, _ in [] }
    } catch {
      let error = error as? SettingsError ?? SettingsError(.io, "\(error)")
      problems.report(SettingsProblem(error))
      return abandon(upTo: newest, because: error)
    }
  }

  /// Gives up pending edits: memory goes back to what the file says.
  private func abandon(upTo number: UInt64, because error: SettingsError) -> WriteReport {
    var report = WriteReport(number: number)
    let batch = state.withLock { state -> SettingsChangeBatch? in
      for (failed, _) in state.snapshot.pending.byNumber where failed <= number { report.failures[failed] = error }
      defer { renewStamp() }
      return state.adopt(
        state.userDocument, bytes: state.userBytes, committed: number, origin: .thisProcess)
    }
    if let batch { waiters.signal(batch) }
    look()
    return report
  }

  /// The one write path: lock → re-read → migrate → apply → check → replace → publish.
  private func commit(
    didChange: (Bool) -> Void = { _ in }, transaction: (SettingsSnapshot, ProblemLog) throws -> [Edit]
  ) throws -> WriteReport {
    var isMigration = false
    // They may use the store: after all else, and at the first access after that.
    defer { if isMigration, state.withLock({ $0.isLoaded }) { runDueHooks() } }
    try enterCommit()
    defer { leaveCommit() }

    let (pending, newest) = state.withLock { ($0.snapshot.pending.byNumber, $0.lastNumber) }
    var report = WriteReport(number: newest)
    var revision: UInt64 = 0
    var written: Written?
    var outside: [SettingsChangeBatch] = []
    var sets: [TOMLPath] = []
    defer {
      state.withLock { $0.writingBytes = nil }
      for batch in outside { waiters.signal(batch) }
    }

    _ = try backing.update(willReplace: { bytes in state.withLock { $0.writingBytes = bytes } }) { bytes in
      var document = try takeOver(bytes, outside: &outside)
      try reader.checkNotNewer(document, file: backing.name)
      var isImport = false
      if let bytes {
        if try reader.isOutdated(document) {
          try migrate(&document, of: bytes)
          isMigration = true
        }
      } else {
        isImport = try begin(&document)
      }
      let base = document
      var unkept = bytes
      var applied: [Edit] = []
      for (number, edits) in pending {
        do throws(SettingsError) {
          try keepUnreadable(edits, in: base, &unkept)
          if try apply(edits, to: &document) { report.changed.insert(number) }
          applied += edits
        } catch {
          report.failures[number] = error
        }
      }
      let view = state.withLock { state -> SettingsSnapshot in
        var view = state.snapshot
        view.layers[view.userIndex].document = document
        view.pending = PendingEdits()
        return view
      }
      let edits = try transaction(view, problems)
      try keepUnreadable(edits, in: base, &unkept)
      sets = edits.map(\.path)
      let transactionChanged = try apply(edits, to: &document)
      didChange(transactionChanged)
      applied += edits
      revision = state.withLock { $0.userRevision }
      if bytes == nil, report.changed.isEmpty, !transactionChanged, !isImport {
        // Nothing to store: no file is made for it.
        written = Written(bytes: nil, document: TOMLDocument())
        return nil
      }
      let text = document.bytes
      if text != bytes { try verify(text, base: base, edits: applied) }
      // A migration may have changed anything.
      let edited = isMigration || isImport ? nil : applied.map(\.path)
      written = Written(bytes: text, document: document, edited: edited)
      return text
    }
    if let written { publish(written, sets: sets, report: report, revision: revision) }
    return report
  }

  /// The document that the bytes under the lock hold. What others wrote meanwhile becomes visible as a change from
  /// outside, before and apart from this commit's own.
  private func takeOver(
    _ bytes: [UInt8]?, outside: inout [SettingsChangeBatch]
  ) throws(SettingsError) -> TOMLDocument {
    let (isLoaded, knownBytes, known) = state.withLock { ($0.isLoaded, $0.userBytes, $0.userDocument) }
    // The known document may have been migrated in memory: then its text is not the file's.
    let isKnown = isLoaded && knownBytes == bytes
    if isKnown, known.bytes == bytes ?? [] { return known }
    guard let bytes else { return TOMLDocument() }
    let document = try reader.parse(bytes, file: backing.name)
    if isLoaded, !isKnown, let meaning = try? interpret(bytes) {
      let batch = state.withLock { state in
        defer { renewStamp() }
        return state.adopt(meaning, bytes: bytes, committed: nil, origin: .outside)
      }
      if let batch { outside.append(batch) }
    }
    return document
  }

  func enterCommit() throws(SettingsError) {
    let me = PlainThread.currentID
    let isNested = committing.wait { owner -> Bool? in
      if owner == me { return true }
      guard owner == 0 else { return nil }
      owner = me
      return false
    }
    if isNested { throw nestedUpdateError }
  }

  func leaveCommit() { committing.withLock { $0 = 0 } }

  /// Throws where waiting for a write would wait for the caller itself.
  func checkNotInCommit() throws(SettingsError) {
    let me = PlainThread.currentID
    if committing.wait({ owner -> Bool? in owner == me }) { throw nestedUpdateError }
  }

  private var nestedUpdateError: SettingsError {
    SettingsError(
      .nestedUpdate,
      "Cannot write '\(backing.name)' inside 'update' on the same settings: it would wait for itself. Use the "
        + "transaction that the closure is given.", file: location?.file)
  }

  /// Applies the edits of one caller: all of them, or none.
  private func apply(_ edits: [Edit], to document: inout TOMLDocument) throws(SettingsError) -> Bool {
    var result = document
    var changed = false
    for edit in edits {
      do {
        if let value = edit.value {
          changed = try result.set(value, at: edit.path) || changed
        } else {
          changed = try result.remove(at: edit.path) || changed
        }
      } catch {
        throw SettingsError(
          .invalidKey, "Cannot set '\(edit.path)' in '\(backing.name)': \(error.message)", file: location?.file,
          position: result.position(of: edit.path))
      }
    }
    document = result
    return changed
  }

  /// What a commit put into the file.
  private struct Written {
    var bytes: [UInt8]?
    var document: TOMLDocument
    /// The only paths where it can differ from what was there; `nil` if that is not known.
    var edited: [TOMLPath]? = []
  }

  /// Parses the new text once more, and checks that the edits, and nothing else, are in it.
  private func verify(_ text: [UInt8], base: TOMLDocument, edits: [Edit]) throws(SettingsError) {
    guard let parsed = try? TOMLDocument(parsing: text), EditCheck(edits).isMet(by: parsed, since: base) else {
      throw SettingsError(
        .internalInconsistency,
        "Refused to write '\(backing.name)': the new text does not mean what was asked for. The file is unchanged. "
          + "This is an error in the settings library: report it, with the file.", file: location?.file)
    }
  }

  private func publish(_ written: Written, sets: [TOMLPath], report: WriteReport, revision: UInt64) {
    let (batch, wasOvertaken) = state.withLock { state -> (SettingsChangeBatch?, Bool) in
      defer { renewStamp() }
      // Someone replaced the file after us and was seen first: ours is old news.
      guard state.userRevision == revision else {
        return (
          state.adopt(state.userDocument, bytes: state.userBytes, committed: report.number, origin: .thisProcess), true
        )
      }
      return (
        state.adopt(
          written.document, bytes: written.bytes, committed: report.number, edited: written.edited,
          origin: .thisProcess), false
      )
    }
    waiters.signal(batch, sets: sets)
    problems.resolve { $0.code == .unparsable && $0.file == location?.file }
    if wasOvertaken { look() }
  }

  package static func lockError(_ path: TOMLPath, _ snapshot: SettingsSnapshot) -> SettingsError? {
    guard let lock = snapshot.lock(of: path) else { return nil }
    let place = lock.position.map { ", line \($0.line)" } ?? ""
    return SettingsError(
      .locked,
      "Cannot set '\(path)': it is locked by '\(lock.layer.file ?? "an administrator")'\(place). Nothing was written.",
      file: lock.layer.file, position: lock.position)
  }

  func renewStamp() {
    let new = Self.lastStamp.wrappingAdd(1, ordering: .relaxed).newValue
    stamp.store(new, ordering: .releasing)
  }
}
