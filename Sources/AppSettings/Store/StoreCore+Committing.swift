import SettingsTOML

/// The only way in which anything is written.
///
/// All of them pass a ``Commit/Work`` to ``commit(_:knowing:because:checking:within:)``.
extension StoreCore {
  /// Runs a read-modify-write on the present values, under the file's lock.
  ///
  /// - Throws: What `body` throws, or ``SettingsError``, as ``commit(_:knowing:because:checking:within:)``.
  func update<Result>(_ body: (inout SettingsTransaction) throws -> Result) throws -> Result {
    let limit = TimeLimit(lockTimeout)
    load()
    var done: (result: Result, edits: [Edit])?
    try withoutActuallyEscaping(body) { body in
      let work = Commit.Work.edits { view, problems in
        // Callers' code runs once.
        if let done { return done.edits }
        var transaction = SettingsTransaction(view: view, problems: problems)
        let result = try body(&transaction)
        done = (result, try transaction.finish())
        return done!.edits
      }
      _ = try commit(work, within: limit)
    }
    return done!.result
  }

  /// Commits edits made from the present values, under the file's lock. They are made again if another program saves
  /// the file before the new text is in place.
  ///
  /// - Parameter check: Gets the content of each text before the edits are made in it; throws to leave it as it is.
  /// - Returns: Whether the edits changed the text.
  @discardableResult
  package func commit(
    checking check: ([UInt8]?) throws -> Void = { _ in }, making edits: (SettingsSnapshot) throws -> [Edit]
  ) throws -> Bool {
    let limit = TimeLimit(lockTimeout)
    load()
    return try withoutActuallyEscaping(edits) { edits in
      let work = Commit.Work.edits { view, _ in try view.permitted(try edits(view)) }
      return try withoutActuallyEscaping(check) { try commit(work, checking: $0, within: limit).hasChanged }
    }
  }

  /// Returns the file's texts before and after what ``commit(checking:making:)`` would do, and writes nothing; `nil` is
  /// no file.
  package func preview(
    checking check: ([UInt8]?) throws -> Void = { _ in }, making edits: (SettingsSnapshot) throws -> [Edit]
  ) throws -> (old: [UInt8]?, new: [UInt8]?) {
    let bytes = try readText()
    try check(bytes)
    var document = try documentToWrite(of: bytes)
    var view = snapshot
    view.userDocument = document
    let hasChanged = try apply(view.permitted(edits(view)), to: &document)
    return (bytes, bytes == nil && !hasChanged ? nil : document.bytes)
  }

  /// Commits edits at once, on this thread, together with pending ones.
  ///
  /// - Parameters:
  ///   - known: The latest known content of the file: if it still has it, it is not parsed again.
  ///   - timeout: The longest wait for others; by default the file's.
  /// - Returns: Whether the edits changed the text.
  @discardableResult
  package func commit(of edits: [Edit], knowing known: TOMLDocument? = nil, timeout: Duration? = nil) throws -> Bool {
    let work = Commit.Work.edits { view, _ in try view.permitted(edits) }
    return try commit(work, knowing: known, within: TimeLimit(timeout ?? lockTimeout)).hasChanged
  }

  /// Changes the document as a whole: on the file's present content, under its lock, in one write.
  ///
  /// - Parameters:
  ///   - body: Edits the file's document, and returns its edits by path, for the check of the new text. It need not
  ///     check them itself. If it throws, nothing is changed. It runs once.
  ///   - check: Gets another program's text, if one saves the file before the new text is in place; throws if it
  ///     forbids the edits.
  /// - Returns: Whether the file changed.
  @discardableResult
  package func rewrite(
    _ body: (inout TOMLDocument) throws -> [Edit], checkingAgain check: (TOMLDocument) throws -> Void
  ) throws -> Bool {
    var first: (base: TOMLDocument, edits: [Edit])?
    return try rewrite(because: { nil }) { document in
      guard let (base, edits) = first else {
        let base = document
        let edits = try body(&document)
        first = (base, edits)
        return edits
      }
      try check(document)
      // The edits may replace whole arrays and tables, and were made from the first content.
      let paths = PathTree(edits.map(\.path))
      if let path = document.changedPaths(since: base).first(where: { paths.touches($0) }) {
        // The record's path. Components below it may be content of a record.
        throw overtakenError("'\(path.prefix(2))'")
      }
      _ = try apply(edits, to: &document)
      return edits
    }
  }

  /// Does the same with code that may run again.
  ///
  /// - Parameter cause: Called after `body`; returns what the history says of it, if that is not to be seen from the
  ///   edits.
  @discardableResult
  func rewrite(
    because cause: @escaping () -> HistoryCause?, _ body: (inout TOMLDocument) throws -> [Edit]
  ) throws -> Bool {
    let limit = TimeLimit(lockTimeout)
    load()
    return try withoutActuallyEscaping(body) { try commit(.rewrite($0), because: cause, within: limit).hasChanged }
  }

  /// Commits a whole text, see ``Commit/Work/text(reason:from:_:)``.
  ///
  /// - Parameters:
  ///   - reason: The reason of the old text's backup.
  ///   - source: Called after `body`; returns the backup of the new text, which stays, however old.
  ///   - body: Gets the file's content; returns the new text, the same one to leave it unchanged, or `nil` for no file.
  ///     Runs again if another program saves the file before the new text is in place.
  @discardableResult
  package func commit(
    backingUp reason: String, from source: @escaping () -> SettingsBackup? = { nil },
    _ body: ([UInt8]?) throws -> [UInt8]?
  ) throws -> CommitOutcome {
    let limit = TimeLimit(lockTimeout)
    return try withoutActuallyEscaping(body) { try commit(.text(reason: reason, from: source, $0), within: limit) }
  }

  /// The only write path: lock → re-read → migrate → apply → check → replace → publish.
  ///
  /// It reports the outcome to those whose pending edits it included.
  ///
  /// - Parameters:
  ///   - cause: What the history says of it, if that is not to be seen from the work.
  ///   - check: Gets the content of each text to be changed; throws to leave it as it is.
  ///   - limit: The total time for waiting.
  /// - Throws: ``SettingsError``, or what the work or the check throws. If the new text is in place nevertheless, the
  ///   message says so.
  @discardableResult
  func commit(
    _ work: Commit.Work, knowing known: TOMLDocument? = nil, because cause: @escaping () -> HistoryCause? = { nil },
    checking check: ([UInt8]?) throws -> Void = { _ in }, within limit: TimeLimit
  ) throws -> CommitOutcome {
    var hasMigrated = false
    // Hooks may use the store: they run after all else, and after the first access.
    defer { if hasMigrated, state.withLock({ $0.isLoaded }) { runDueHooks(within: limit) } }
    try enterCommit(within: limit)
    defer { leaveCommit() }

    var commit = Commit(of: self, work, knowing: known)
    commit.cause = cause
    state.withLock { $0.commitLimit = limit }
    do {
      defer {
        hasMigrated = commit.hasMigrated
        commit.abandonBackup()
      }
      switch backing {
      case .file(let file, _): try commit.write(to: file, checking: check, within: limit)
      case .memory(let memory): try commit.write(to: memory, checking: check)
      }
    } catch {
      report(commit)
      // It may have failed at its very end, by the directory's `fsync`, or because the path leads elsewhere.
      let looks = state.withLock { state in
        state.writingTexts = []
        return commit.stored != nil && state.isLoaded
      }
      if looks { look() }
      throw error
    }
    let wasOvertaken = commit.publish()
    report(commit)
    problems.resolve { $0.code == .unparsable && $0.file == location?.file }
    if commit.stored != nil { problems.resolveWrites(before: commit.earlierReports) }
    if wasOvertaken, state.withLock({ $0.isLoaded }) { look() }
    finish(commit.report)
    return CommitOutcome(hasChanged: commit.hasChanged, backup: commit.hasChanged ? commit.keptBackup : nil)
  }

  /// Reports what a finished write could not do: record itself in the history, or keep attributes of the file.
  private func report(_ commit: Commit) {
    if let reason = commit.unrecorded { problems.report(SettingsProblem(unrecorded: reason, of: backing.name)) }
    if !commit.lost.isEmpty { problems.report(SettingsProblem(lost: commit.lost, of: backing.name)) }
  }

  /// The document of the bytes under the lock. Changes by others become visible as a change from outside, before and
  /// separate from this commit's own.
  ///
  /// - Parameters:
  ///   - bytes: The content of the file; `nil` for no file.
  ///   - parsed: A document that may be that of the bytes.
  ///   - revision: ``StoreState/userRevision`` before the bytes were read. What another thread has seen since may be
  ///     newer, and stays visible. Otherwise it becomes the revision of the bytes.
  /// - Throws: ``SettingsError`` `unparsable`, `newerVersion` or `migrationFailed`. The visible values are unchanged.
  func takeOver(
    _ bytes: [UInt8]?, knowing parsed: TOMLDocument?, since revision: inout UInt64
  ) throws(SettingsError) -> TOMLDocument {
    let (isLoaded, knownBytes, known, present) = state.withLock {
      ($0.isLoaded, $0.userBytes, $0.userDocument, $0.userRevision)
    }
    // The known document may be migrated in memory: then its text is not the file's.
    let isKnown = isLoaded && knownBytes.isSameText(as: bytes)
    if !isLoaded || isKnown { revision = present }
    if let parsed, parsed.bytes.isSameText(as: bytes) { return parsed }
    if isKnown, known.bytes.isSameText(as: knownBytes ?? []) { return known }
    guard isLoaded, !isKnown else {
      return try bytes.map { bytes throws(SettingsError) in try reader.parse(bytes, file: backing.name) }
        ?? TOMLDocument()
    }
    var document = TOMLDocument()
    var meaning = document
    var changed: [TOMLPath]?
    do throws(SettingsError) {
      if let bytes { (document, meaning, changed) = try interpret(bytes, since: known) }
    } catch {
      if error.code != .unparsable { noteUserFailure(error, using: Self.sentence(after: error)) }
      throw error
    }
    revision = state.withLock { [revision] state in
      guard state.userRevision == revision else { return revision }
      defer { renewStamp() }
      state.adopt(meaning, bytes: bytes, committed: nil, edited: changed, origin: .outside)
      return state.userRevision
    }
    return document
  }

  /// Throws if waiting for a write would mean waiting for the caller itself: within a commit of this store, or of
  /// another one whose file is in the same directory.
  package func checkNotNested() throws(SettingsError) {
    try checkNotInCommit()
    try backing.checkNotLocked()
  }

  /// Throws if the calling thread is within a commit of this store.
  func checkNotInCommit() throws(SettingsError) {
    let me = PlainThread.currentID
    if committing.wait({ owner -> Bool? in owner == me }) { throw nestedUpdateError }
  }

  package var nestedUpdateError: SettingsError {
    SettingsError(
      .nestedUpdate,
      "Cannot write '\(backing.name)' inside 'update' on the same settings: it would wait for itself. Use the "
        + "transaction that the closure is given.", file: location?.file)
  }
}

extension SettingsProblem {
  /// The problem of a written file that could not keep all its attributes.
  fileprivate init(lost: [String], of file: String) {
    self.init(
      .io,
      "\(Self.lossBeginning)\(file)', but could not keep \(lost.joined(separator: ", ")): this process has no "
        + "permission for that. Nobody can read more than before. Its owner or root can restore this.", file: file)
  }

  /// The problem of a write that is not in the history.
  fileprivate init(unrecorded reason: String, of file: String) {
    self.init(
      .io,
      "Wrote '\(file)', but could not record that in its history: \(reason.withoutFullStop). The settings are not "
        + "affected.", file: file)
  }

  /// The problem of a text that another program has saved in the moment of a write.
  ///
  /// - Parameter path: The file that holds it.
  package init(overtaken path: String, of file: String) {
    let status = try? Syscalls().status(at: path, followingLinks: false)
    guard status?.isRegular != false else {
      self.init(
        .io,
        "\(Self.keptBeginning)\(path)': it may have been in the place of '\(file)' in the moment of a write, and is no "
          + "file with settings. Remove it, unless you need it.", file: file)
      return
    }
    let advice = path.hasSuffix(".toml") ? "" : " 'settings-cli recover' moves it to the backups."
    self.init(
      .io,
      "\(Self.keptBeginning)\(path)': '\(file)' had this text in the moment of a write, and not all of it is in the "
        + "file now. Another program may have saved it: compare the two.\(advice)", file: file)
  }

  /// The problem of such a text that no file could keep.
  init(lost save: ForeignSave, of file: String) {
    self.init(.io, "\(Self.lossBeginning)\(file)'. \(save)", file: file)
  }

  private static let lossBeginning = "Wrote '"
  private static let keptBeginning = "Kept '"

  /// Whether this is one of these problems, of a write that is done.
  package var isLoss: Bool {
    code == .io && (message.hasPrefix(Self.lossBeginning) || message.hasPrefix(Self.keptBeginning))
  }
}
