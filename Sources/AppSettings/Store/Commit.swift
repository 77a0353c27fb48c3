import SettingsTOML

/// One write of a store, in steps: read what others have written, change, check, replace, publish.
///
/// A program that does not lock may save the file during these steps. Then they are repeated on its text. Code of
/// callers runs once: its edits are applied again.
struct Commit {
  /// The work of a commit.
  enum Work {
    /// The pending edits only.
    case pending
    /// Edits made on a view of the present values. If another program saves the file meanwhile, they are made again,
    /// where that is allowed, or else applied again unchanged.
    case edits((SettingsSnapshot, ProblemLog) throws -> [Edit], mayRunAgain: Bool)
    /// Edits made directly in the document, for the check of the new text. The second closure checks another program's
    /// text before they are made in that.
    case rewrite((inout TOMLDocument) throws -> [Edit], checkingAgain: (TOMLDocument) throws -> Void)
    /// A whole text that replaces another, after a backup with `reason` in its name: for restoring, importing, editing,
    /// recovering, and migrating a part. Pending edits stay pending. The closure gets the file's content and runs again
    /// for each text to be replaced; it returns the new text, the same one to leave it, or `nil` for no file. The
    /// backup that the new text comes from stays, however old.
    case text(reason: String, from: () -> SettingsBackup?, ([UInt8]?) throws -> [UInt8]?)

    var replacesText: Bool { if case .text = self { true } else { false } }
  }

  let core: StoreCore
  let work: Work
  /// A document that the file may still hold, so that it need not be read.
  let known: TOMLDocument?

  /// The outcome for the pending edits.
  private(set) var report = WriteReport(number: 0)
  private(set) var sets: [TOMLPath] = []
  /// Whether the work itself changed the text.
  private(set) var hasChanged = false
  /// Whether the text was migrated, in this round or an earlier one: then hooks may be due.
  private(set) var hasMigrated = false
  private(set) var backup: BackupInProgress?
  /// The backup of the text replaced last.
  private var kept: BackupInProgress?
  var keptBackup: SettingsBackup? { kept?.backup }

  /// The edits pending when the file was locked.
  private var pending: [(number: UInt64, edits: [Edit])]?
  /// The edits that the work made.
  private var made: [Edit]?
  /// The document on which the work ran.
  private var firstBase: TOMLDocument?
  private var revision: UInt64 = 0
  private var written: Written?
  /// What the history says of it, if that is not to be seen from the work.
  var reason: SettingsHistoryEntry.Reason?

  /// The new content of the file.
  private struct Written {
    var bytes: [UInt8]?
    /// The meaning of the bytes to this release.
    var document: TOMLDocument
    /// The only paths at which it can differ from the previous content; `nil` if unknown.
    var edited: [TOMLPath]? = []
    /// What is new, for the history.
    var history: HistoryWrite
  }

  init(of core: StoreCore, _ work: Work, knowing known: TOMLDocument?) {
    self.core = core
    self.work = work
    self.known = known
  }

  // MARK: The steps

  /// Takes the pending edits, under the file's lock only: until then, a timed-out caller may withdraw its edit.
  private mutating func takePending() {
    guard pending == nil, !work.replacesText else { return }
    let (pending, newest) = core.state.withLock { $0.beginCommit() }
    self.pending = pending
    report.number = newest
  }

  /// Makes the new text from the file's content; `nil` for none.
  mutating func text(replacing contents: SettingsFile.Contents) throws -> [UInt8]? {
    // The backup of an earlier round is of another text.
    abandonBackup()
    report.changed = []
    report.failures = [:]
    report.failedPaths = [:]
    if case .text(let reason, let source, let body) = work {
      return try text(replacing: contents, reason, from: source, body)
    }
    takePending()

    let bytes = contents.bytes
    var document = try core.takeOver(bytes, knowing: known)
    let isImport = try bytes == nil && core.begin(&document)
    if bytes != nil { backup = try core.migrate(&document, of: contents) }
    let isMigration = backup != nil
    if isMigration { hasMigrated = true }
    let base = document
    let applied = try change(&document, of: base, bytes)
    revision = core.state.withLock { $0.userRevision }
    if bytes == nil, report.changed.isEmpty, !hasChanged, !isImport {
      // Nothing to store: no file is created.
      written = Written(
        bytes: nil, document: TOMLDocument(), history: HistoryWrite(old: nil, new: nil, reason: .update))
      return nil
    }
    let text = document.bytes
    // A migration has parsed and checked its text itself.
    if !text.isSameText(as: bytes), !isMigration || !applied.isEmpty {
      try prove(&document, base: base, edits: applied)
    }
    // A migration may have changed anything.
    var news = HistoryWrite(old: bytes, new: text, reason: reason ?? .edits(applied), of: contents.status)
    news.newDocument = document
    if isImport {
      news.reason = .import
    } else if isMigration, applied.isEmpty {
      news.reason = .migration
    } else {
      if isMigration { news.migrated = base } else { news.oldDocument = base }
      news.paths = applied.map(\.path)
      news.keys = applied.compactMap(\.key)
    }
    written = Written(
      bytes: text, document: document, edited: isMigration || isImport ? nil : applied.map(\.path), history: news)
    return text
  }

  /// Applies the pending edits, then those of the work.
  private mutating func change(
    _ document: inout TOMLDocument, of base: TOMLDocument, _ bytes: [UInt8]?
  ) throws -> [Edit] {
    var unkept = bytes
    var applied: [Edit] = []
    core.apply(pending ?? [], to: &document, &report, &applied) { [core] edits throws(SettingsError) in
      try core.keepUnreadable(edits, in: base, &unkept)
    }
    hasChanged = false
    if made == nil, case .rewrite(let body, _) = work {
      let edits = try body(&document)
      made = edits
      firstBase = base
      sets = edits.map(\.path)
      hasChanged = !edits.isEmpty
      return applied + edits
    }
    if case .rewrite(_, let check) = work {
      try checkStillHolds(on: base)
      if let firstBase, !base.bytes.isSameText(as: firstBase.bytes) { try check(base) }
    }
    var former = made
    if case .edits(_, mayRunAgain: true) = work { former = nil }
    let edits = try former ?? runEdits(on: document)
    made = edits
    sets = edits.map(\.path)
    try core.keepUnreadable(edits, in: base, &unkept)
    hasChanged = try core.apply(edits, to: &document)
    return applied + edits
  }

  /// Throws if another program has saved something at the paths of a rewrite's edits: they may replace whole arrays and
  /// tables, and were made from the previous content.
  private func checkStillHolds(on base: TOMLDocument) throws(SettingsError) {
    guard let firstBase, let made else { return }
    var paths = PathSet()
    for edit in made { paths.insert(edit.path) }
    guard let changed = base.changedPaths(since: firstBase).first(where: { paths.touches($0) }) else { return }
    // The record's path. Components below it may be content of a record.
    let path = TOMLPath(Array(changed.components.prefix(2)))
    throw core.overtakenError("'\(path)'")
  }

  private func runEdits(on document: TOMLDocument) throws -> [Edit] {
    guard case .edits(let body, _) = work else { return [] }
    let view = core.state.withLock { state -> SettingsSnapshot in
      var view = state.snapshot
      view.userDocument = document
      view.pending = PendingEdits(keepingSequence: true)
      return view
    }
    return try body(view, core.problems)
  }

  private mutating func text(
    replacing contents: SettingsFile.Contents, _ reason: String, from source: () -> SettingsBackup?,
    _ body: ([UInt8]?) throws -> [UInt8]?
  ) throws -> [UInt8]? {
    // A change by others is published even if it will not stay. One that does not parse is not.
    _ = try? core.takeOver(contents.bytes, knowing: known)
    written = nil
    hasChanged = false
    revision = core.state.withLock { $0.userRevision }
    let new = try body(contents.bytes)
    guard !new.isSameText(as: contents.bytes) else { return new }
    if contents.bytes != nil {
      try core.backing.checkReplaceable()
      backup = try core.backing.beginBackup(contents, reason: reason, sparing: source(), within: core.commitLimit)
    }
    hasChanged = true
    let document = try core.interpret(new)
    written = Written(
      bytes: new, document: document, edited: nil,
      history: HistoryWrite(
        old: contents.bytes, new: new, reason: SettingsHistoryEntry.Reason(backup: reason), of: contents.status))
    return new
  }

  /// Checks that the new text is valid and contains the edits, and nothing else.
  ///
  /// Parses only what has not been verified: a document that an edit has re-parsed is trusted; of one patched in place
  /// only the changed sections are parsed.
  private func prove(_ document: inout TOMLDocument, base: TOMLDocument, edits: [Edit]) throws(SettingsError) {
    let check = EditCheck(edits)
    if let changed = document.provenChanges(since: base), check.fault(in: document, changed: changed) == nil {
      assert(document.agrees(with: changed, since: base), "What was proven of '\(core.backing.name)' is not so.")
      document.noteProven()
      return
    }
    do throws(TOMLSyntaxError) {
      if document.isMended { document = try TOMLDocument(parsing: document.bytes) }
    } catch {
      throw refusal("line \(error.position.line) of it is not TOML", at: nil)
    }
    guard let fault = check.fault(in: document, since: base) else { return }
    throw refusal(fault.reason, at: base.position(of: fault.path))
  }

  private func refusal(_ reason: String, at position: TOMLPosition?) -> SettingsError {
    SettingsError(
      .internalInconsistency,
      "Refused to write '\(core.backing.name)': the new text does not mean what was asked for: \(reason). The file is "
        + "unchanged. This is an error in the settings library: report it, with the file.", file: core.location?.file,
      position: position)
  }

  /// What the new text that has replaced the file is, for the history.
  var news: HistoryWrite? { written?.history }

  /// The new text is in place: the backup stays, whatever follows.
  mutating func noteReplaced() {
    kept = backup
    backup = nil
  }

  /// The commit has failed, perhaps at its very end. A file that is back in its place must not be a backup too, because
  /// an editor that writes in place would change the backup.
  func noteFailed() {
    guard let kept, let backup = kept.backup, case .file(let file, _) = core.backing,
      let copy = try? file.system.status(at: backup.path), let now = try? file.system.status(at: file.path),
      now.sameFile(copy)
    else { return }
    kept.abandon()
  }

  /// Removes the backup of a text that was not replaced.
  mutating func abandonBackup() {
    backup?.abandon()
    backup = nil
  }

  /// Publishes the present content of the file.
  ///
  /// - Returns: Whether a later replacement by others was seen first.
  func publish(_ result: WriteResult) -> Bool {
    core.state.withLock { state -> Bool in
      state.durable = result.durable
      guard let written else { return false }
      if !work.replacesText { state.isWriteDue = false }
      // Before the first access has ended, nothing is visible.
      defer { if state.isLoaded { core.renewStamp() } }
      let committed = work.replacesText ? nil : report.number
      state.withdraw(report.failures.keys)
      // A later replacement by others was seen first: ours is outdated.
      guard state.userRevision == revision else {
        state.adopt(
          state.userDocument, bytes: state.userBytes, committed: committed, sets: sets, origin: .thisProcess)
        return true
      }
      state.userInode = result.durable?.inode
      state.adopt(
        written.document, bytes: written.bytes, committed: committed, edited: written.edited, sets: sets,
        origin: .thisProcess)
      return false
    }
  }
}

/// The outcome of a commit's work.
package struct CommitOutcome {
  /// Whether the work changed the text.
  package let hasChanged: Bool
  /// The backup of the replaced text, if this kind of work makes one.
  package let backup: SettingsBackup?
}

extension SaveWatch.Wholeness {
  /// The state of a text compared with the file's previous one.
  package init(of text: [UInt8], since known: [UInt8]?) {
    guard let document = try? TOMLDocument(parsing: text) else {
      self = .broken
      return
    }
    guard let known, let former = try? TOMLDocument(parsing: known) else {
      self = .whole
      return
    }
    self = document.changedPaths(since: former).allSatisfy { document.contains($0) } ? .whole : .lacksKeys
  }
}
