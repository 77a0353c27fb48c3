import SettingsTOML

/// The one way in which anything is written.
extension StoreCore {
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
  /// - Parameter known: What the file had just now: if it still has, it is not read anew.
  /// - Returns: Whether the edits changed the text.
  @discardableResult
  package func commit(of edits: [Edit], knowing known: TOMLDocument? = nil) throws -> Bool {
    var changed = false
    let report = try commit(didChange: { changed = $0 }, knowing: known) { view, _ in
      for edit in edits { if let error = Self.lockError(edit.path, view) { throw error } }
      return edits
    }
    if report.number > 0 { queue.finish(report) }
    return changed
  }

  /// Changes the document as a whole: on what the file has now, under its lock, in one write.
  ///
  /// - Parameter body: Edits the document that the file holds, and returns what it did, path by path, for the check of
  ///   the new text. It need not check its edits itself. A throw changes nothing.
  /// - Returns: Whether the file changed.
  @discardableResult
  func rewrite(_ body: (inout TOMLDocument) throws -> [Edit]) throws -> Bool {
    load()
    var changed = false
    let report = try commit(didChange: { changed = $0 }, rewrite: body) { _, _ in [] }
    if report.number > 0 { queue.finish(report) }
    return changed
  }

  /// Commits what is pending; never throws, since each edit has its own outcome.
  func commitPending() -> WriteReport {
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
    if let batch { announce(batch) }
    look()
    return report
  }

  /// The one write path: lock → re-read → migrate → apply → check → replace → publish.
  private func commit(
    didChange: (Bool) -> Void = { _ in }, knowing known: TOMLDocument? = nil,
    rewrite: (inout TOMLDocument) throws -> [Edit] = { _ in [] },
    transaction: (SettingsSnapshot, ProblemLog) throws -> [Edit]
  ) throws -> WriteReport {
    var isMigration = false
    var backup: BackupInProgress?
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
      for batch in outside { announce(batch) }
    }

    var isReplaced = false
    defer { if !isReplaced { backup?.abandon() } }
    _ = try backing.update(
      willReplace: { bytes in state.withLock { $0.writingBytes = bytes } }, beforeRename: { try backup?.finish() }
    ) { contents in
      let bytes = contents.bytes
      var document = try takeOver(bytes, knowing: known, outside: &outside)
      try reader.checkNotNewer(document, file: backing.name)
      var isImport = false
      if let bytes {
        if try reader.isOutdated(document) {
          backup = try migrate(&document, of: bytes, contents.status)
          isMigration = true
        }
      } else {
        isImport = try begin(&document)
      }
      let base = document
      var unkept = bytes
      var applied: [Edit] = []
      apply(pending, to: &document, &report, &applied) { edits throws(SettingsError) in
        try keepUnreadable(edits, in: base, &unkept)
      }
      let view = state.withLock { state -> SettingsSnapshot in
        var view = state.snapshot
        view.userDocument = document
        view.pending = PendingEdits()
        return view
      }
      let edits = try transaction(view, problems)
      try keepUnreadable(edits, in: base, &unkept)
      sets = edits.map(\.path)
      var transactionChanged = try apply(edits, to: &document)
      applied += edits
      let rewritten = try rewrite(&document)
      if !rewritten.isEmpty { transactionChanged = true }
      applied += rewritten
      didChange(transactionChanged)
      revision = state.withLock { $0.userRevision }
      if bytes == nil, report.changed.isEmpty, !transactionChanged, !isImport {
        // Nothing to store: no file is made for it.
        written = Written(bytes: nil, document: TOMLDocument())
        return nil
      }
      let text = document.bytes
      // A migration alone has read its text anew, and checked it, itself.
      if !text.isSameText(as: bytes), !isMigration || !applied.isEmpty {
        try verify(&document, base: base, edits: applied)
      }
      // A migration may have changed anything.
      let edited = isMigration || isImport ? nil : applied.map(\.path)
      written = Written(bytes: text, document: document, edited: edited)
      return text
    }
    isReplaced = true
    if let written { publish(written, sets: sets, report: report, revision: revision) }
    return report
  }

  /// The document that the bytes under the lock hold. What others wrote meanwhile becomes visible as a change from
  /// outside, before and apart from this commit's own.
  private func takeOver(
    _ bytes: [UInt8]?, knowing parsed: TOMLDocument?, outside: inout [SettingsChangeBatch]
  ) throws(SettingsError) -> TOMLDocument {
    if let parsed, parsed.bytes.isSameText(as: bytes) { return parsed }
    let (isLoaded, knownBytes, known, revision) = state.withLock {
      ($0.isLoaded, $0.userBytes, $0.userDocument, $0.userRevision)
    }
    // The known document may have been migrated in memory: then its text is not the file's.
    let isKnown = isLoaded && knownBytes.isSameText(as: bytes)
    if isKnown, known.bytes.isSameText(as: knownBytes ?? []) { return known }
    guard let bytes else { return TOMLDocument() }
    guard isLoaded, !isKnown else { return try reader.parse(bytes, file: backing.name) }
    let (document, meaning, changed) = try interpret(bytes, since: known)
    let batch = state.withLock { state in
      defer { renewStamp() }
      // Another thread may have taken over something else since.
      let edited = state.userRevision == revision ? changed : nil
      return state.adopt(meaning, bytes: bytes, committed: nil, edited: edited, origin: .outside)
    }
    if let batch { outside.append(batch) }
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

  /// What a commit put into the file.
  private struct Written {
    var bytes: [UInt8]?
    var document: TOMLDocument
    /// The only paths where it can differ from what was there; `nil` if that is not known.
    var edited: [TOMLPath]? = []
  }

  /// Checks that the new text parses, and that the edits, and nothing else, are in it.
  ///
  /// Only what is not known yet is read: a document that an edit has read anew is what its text says, and of one that was
  /// mended in place the changed sections tell.
  private func verify(_ document: inout TOMLDocument, base: TOMLDocument, edits: [Edit]) throws(SettingsError) {
    let check = EditCheck(edits)
    if let changed = document.provenChanges(since: base), check.isMet(by: document, changed: changed) {
      document.noteProven()
      return
    }
    if document.isMended, let parsed = try? TOMLDocument(parsing: document.bytes) { document = parsed }
    guard !document.isMended, check.isMet(by: document, since: base) else {
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
    announce(batch, sets: sets)
    problems.resolve { $0.code == .unparsable && $0.file == location?.file }
    if wasOvertaken { look() }
  }
}

extension [UInt8] {
  func isSameText(as other: [UInt8]?) -> Bool { other.map { isSameText(as: $0) } ?? false }
}

extension [UInt8]? {
  fileprivate func isSameText(as other: [UInt8]?) -> Bool { self?.isSameText(as: other) ?? (other == nil) }
}
