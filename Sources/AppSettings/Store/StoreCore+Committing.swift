import SettingsTOML

/// The only way in which anything is written.
extension StoreCore {
  /// Runs a read-modify-write on the present values, under the file's lock.
  func update<Result>(_ body: (inout SettingsTransaction) throws -> Result) throws -> Result {
    let limit = TimeLimit(lockTimeout)
    load()
    var result: Result?
    try withoutActuallyEscaping(body) { body in
      _ = try commit(
        .edits(
          { view, problems in
            var transaction = SettingsTransaction(view: view, problems: problems)
            result = try body(&transaction)
            return try transaction.finish()
          }, mayRunAgain: false), within: limit)
    }
    return result!
  }

  /// Commits edits made from the present values, under the file's lock. After another program's save they are made
  /// again.
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
      let work = Commit.Work.edits({ view, _ in try view.permitted(try edits(view)) }, mayRunAgain: true)
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
    let work = Commit.Work.edits({ view, _ in try view.permitted(edits) }, mayRunAgain: true)
    return try commit(work, knowing: known, within: TimeLimit(timeout ?? lockTimeout)).hasChanged
  }

  /// Changes the document as a whole: on the file's present content, under its lock, in one write.
  ///
  /// - Parameters:
  ///   - body: Edits the file's document, and returns its edits by path, for the check of the new text. It need not
  ///     check them itself. If it throws, nothing is changed.
  ///   - check: Gets another program's text, if one saves the file meanwhile; throws if it forbids the edits.
  /// - Returns: Whether the file changed.
  @discardableResult
  package func rewrite(
    as reason: SettingsHistoryEntry.Reason? = nil, _ body: (inout TOMLDocument) throws -> [Edit],
    checkingAgain check: (TOMLDocument) throws -> Void
  ) throws -> Bool {
    let limit = TimeLimit(lockTimeout)
    load()
    return try withoutActuallyEscaping(body) { body in
      try withoutActuallyEscaping(check) {
        try commit(.rewrite(body, checkingAgain: $0), as: reason, within: limit).hasChanged
      }
    }
  }

  /// Commits a whole text, see ``Commit/Work/text(reason:from:_:)``.
  ///
  /// - Parameters:
  ///   - reason: The reason of the old text's backup.
  ///   - source: Called after `body`; returns the backup of the new text, which stays, however old.
  ///   - body: Gets the file's content; returns the new text, the same one to leave it unchanged, or `nil` for no file.
  ///     Runs again if another program saves the file meanwhile.
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
  ///   - reason: What the history says of it, if that is not to be seen from the work.
  ///   - check: Gets the content of each text to be changed; throws to leave it as it is.
  ///   - limit: The total time for waiting.
  @discardableResult
  func commit(
    _ work: Commit.Work, knowing known: TOMLDocument? = nil, as reason: SettingsHistoryEntry.Reason? = nil,
    checking check: ([UInt8]?) throws -> Void = { _ in }, within limit: TimeLimit
  ) throws -> CommitOutcome {
    var hasMigrated = false
    // Hooks may use the store: they run after all else, and after the first access.
    defer { if hasMigrated, state.withLock({ $0.isLoaded }) { runDueHooks(within: limit) } }
    try enterCommit(within: limit)
    defer { leaveCommit() }

    var commit = Commit(of: self, work, knowing: known)
    commit.reason = reason
    var unrecorded: String?
    var wasReplaced = false
    var steps = state.withLock { state in
      state.commitLimit = limit
      return state.writeSteps
    }
    steps.limit = limit
    steps.willReplace = { [self] bytes in state.withLock { $0.writingTexts.append(bytes) } }
    steps.beforeRename = { try commit.backup?.finish() }
    steps.didReplace = {
      commit.noteReplaced()
      wasReplaced = true
    }
    steps.didSettle = { [history] place, directory in
      unrecorded = commit.news.flatMap { history?.record($0, at: place, in: directory) } ?? unrecorded
    }
    let result: WriteResult
    do {
      defer {
        hasMigrated = commit.hasMigrated
        commit.abandonBackup()
      }
      result = try backing.update(steps) { contents in
        try check(contents.bytes)
        return try commit.text(replacing: contents)
      }
    } catch {
      commit.noteFailed()
      // It may have failed at its very end, by the directory's `fsync`, or because another program saved the file.
      let looks = state.withLock { state in
        state.writingTexts = []
        return wasReplaced && state.isLoaded
      }
      if looks { look() }
      throw error
    }
    let wasOvertaken = commit.publish(result)
    if let unrecorded { problems.report(SettingsProblem(unrecorded: unrecorded, of: backing.name)) }
    if !result.lost.isEmpty { problems.report(SettingsProblem(lost: result.lost, of: backing.name)) }
    problems.resolve { $0.code == .unparsable && $0.file == location?.file }
    if wasOvertaken, state.withLock({ $0.isLoaded }) { look() }
    finish(commit.report)
    return CommitOutcome(hasChanged: commit.hasChanged, backup: commit.hasChanged ? commit.keptBackup : nil)
  }

  /// The document of the bytes under the lock. Changes by others become visible as a change from outside, before and
  /// separate from this commit's own.
  func takeOver(
    _ bytes: [UInt8]?, knowing parsed: TOMLDocument?
  ) throws(SettingsError) -> TOMLDocument {
    if let parsed, parsed.bytes.isSameText(as: bytes) { return parsed }
    let (isLoaded, knownBytes, known, revision) = state.withLock {
      ($0.isLoaded, $0.userBytes, $0.userDocument, $0.userRevision)
    }
    // The known document may be migrated in memory: then its text is not the file's.
    let isKnown = isLoaded && knownBytes.isSameText(as: bytes)
    if isKnown, known.bytes.isSameText(as: knownBytes ?? []) { return known }
    guard isLoaded, !isKnown else {
      return try bytes.map { bytes throws(SettingsError) in try reader.parse(bytes, file: backing.name) }
        ?? TOMLDocument()
    }
    var document = TOMLDocument()
    var meaning = document
    var changed: [TOMLPath]?
    if let bytes { (document, meaning, changed) = try interpret(bytes, since: known) }
    state.withLock { state in
      defer { renewStamp() }
      // Another thread may have stored a newer content.
      let edited = state.userRevision == revision ? changed : nil
      state.adopt(meaning, bytes: bytes, committed: nil, edited: edited, origin: .outside)
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

  private static let lossBeginning = "Wrote '"

  /// Whether this is that problem.
  package var isLoss: Bool { code == .io && message.hasPrefix(Self.lossBeginning) }
}
