import SettingsTOML

/// One write of a store, in steps: read what others have written, change, check, replace, publish.
///
/// A program that does not lock may save the file during these steps. Then they are repeated on its text. Code of
/// callers runs once: its edits are applied again.
///
/// A commit is a value: assigning its earlier value takes back a failed attempt.
///
/// | step | what it does |
/// |---|---|
/// | adopt | makes visible what others have written: `StoreCore.takeOver(_:knowing:since:)` |
/// | migrate | converts an older file, and begins a backup of it |
/// | change | applies the pending edits, then those of the work |
/// | prove | checks that the new text means what was asked for, and nothing else |
/// | replace | exchanges the files |
/// | publish | makes the new state of the store |
struct Commit {
  /// The work of a commit.
  ///
  /// If another program saves the file before the new text is in its place, the closures run again, on its text. After
  /// that, what they have made is applied as data. The one exception is a `text` that has removed the file: its closure
  /// is asked whether a text that was saved just before is to be removed, too.
  enum Work {
    /// The pending edits only.
    case pending
    /// Edits made on a view of the present values.
    case edits((SettingsSnapshot, ProblemLog) throws -> [Edit])
    /// Edits made directly in the document, for the check of the new text.
    case rewrite((inout TOMLDocument) throws -> [Edit])
    /// A whole text that replaces another, after a backup with `reason` in its name: for restoring, importing, editing,
    /// recovering, and migrating a part. Pending edits stay pending. The closure gets the file's content; it returns
    /// the new text, the same one to leave it, or `nil` for no file. The backup that the new text comes from stays,
    /// however old.
    case text(reason: String, from: () -> SettingsBackup?, ([UInt8]?) throws -> [UInt8]?)

    var replacesText: Bool { if case .text = self { true } else { false } }
  }

  let core: StoreCore
  let work: Work
  /// A document that the file may still hold, so that it need not be read.
  let known: TOMLDocument?

  /// The outcome for the pending edits.
  private(set) var report = WriteReport(number: 0)
  /// The paths that the work itself has set, including those set to what they were.
  private(set) var sets: [TOMLPath] = []
  /// Whether the work itself changed the text.
  var hasChanged = false
  /// Whether the text was migrated, in this round or an earlier one: then hooks may be due.
  private(set) var hasMigrated = false
  /// The backup of the text that is about to be replaced; finished right before the exchange.
  private(set) var backup: BackupInProgress?
  /// The backup of the text that was replaced.
  var kept: BackupInProgress?
  var keptBackup: SettingsBackup? { kept?.backup }

  /// The edits pending when the file was locked.
  private var pending: [(number: UInt64, edits: [Edit])]?
  /// The edits that the work made.
  private var made: [Edit] = []
  /// The text that has replaced the file, and the one that it was made from; `nil` before that.
  var stored: (base: [UInt8]?, text: [UInt8]?)?
  /// Whether something of another program's text is in no text at the path.
  var isIncomplete = false
  /// ``StoreState/userRevision`` when the file was read, to detect that another text was seen since.
  var revision: UInt64 = 0
  /// The new content and its meaning, once they are made.
  var written: Written?
  /// What the history says of it, if that is not to be seen from the work. Asked after the edits are made.
  var cause: () -> HistoryCause? = { nil }
  /// The file, which is on disk now; `nil` if there is none.
  var durable: FileStatus?
  /// What the new file could not keep of the replaced one, in words.
  var lost: [String] = []
  /// Why the history could not be written.
  var unrecorded: String?
  /// ``ProblemLog/reports`` before a whole new text was interpreted: what was reported since is about that text.
  private(set) var earlierReports = UInt64.max

  /// The new content of the file.
  struct Written {
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
  ///
  /// It is called again for each text that another program has saved meanwhile, and starts from that text. Pending
  /// edits are taken only once.
  ///
  /// - Throws: ``SettingsError`` `unparsable`, `newerVersion`, `migrationFailed`, `invalidKey` or
  ///   `internalInconsistency`, the error of a backup, or what the work throws. The file is unchanged.
  mutating func text(replacing contents: SettingsFile.Contents) throws -> [UInt8]? {
    // The backup of an earlier round is of another text.
    abandonBackup()
    report.changed = []
    report.failures = [:]
    report.failedPaths = [:]
    hasChanged = false
    if case .text(let reason, let source, let body) = work {
      return try text(replacing: contents, reason, from: source, body)
    }
    takePending()

    let bytes = contents.bytes
    var document = try core.takeOver(bytes, knowing: known, since: &revision)
    let isImport = try bytes == nil && core.begin(&document)
    let original = document
    if bytes != nil { backup = try core.migrate(&document, of: contents) }
    let isMigration = backup != nil
    if isMigration { hasMigrated = true }
    let base = document
    let applied = try change(&document, of: base, bytes)
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
    let cause = cause()
    // A new file had no earlier text, even if it begins with its version.
    var news = HistoryWrite(
      old: bytes, oldStatus: contents.status, oldDocument: bytes == nil ? TOMLDocument() : original, new: text,
      newDocument: document, reason: cause?.reason ?? .edits(applied), reversal: cause?.reversal)
    if isImport {
      news.reason = .import
    } else if isMigration, applied.isEmpty {
      news.reason = .migration
    } else {
      if isMigration { news.migrated = base }
      news.paths = applied.map(\.path)
      news.keys = applied.compactMap(\.key)
    }
    written = Written(
      bytes: text, document: document, edited: isMigration || isImport ? nil : applied.map(\.path), history: news)
    return text
  }

  /// Applies the pending edits, then those of the work.
  ///
  /// - Returns: The edits that were applied, for the check.
  private mutating func change(
    _ document: inout TOMLDocument, of base: TOMLDocument, _ bytes: [UInt8]?
  ) throws -> [Edit] {
    var unkept = bytes
    var applied: [Edit] = []
    core.apply(pending ?? [], to: &document, &report, &applied) { [core] edits throws(SettingsError) in
      try core.keepUnreadable(edits, in: base, &unkept)
    }
    if stored == nil {
      if case .rewrite(let body) = work {
        made = try body(&document)
        sets = made.map(\.path)
        hasChanged = !made.isEmpty
        return applied + made
      }
      made = try runEdits(on: document)
      sets = made.map(\.path)
      for index in made.indices {
        made[index].isMove = made[index].source.map { document[$0] == made[index].value } ?? false
      }
    } else {
      for index in made.indices where made[index].isMove {
        made[index].value = made[index].source.flatMap { document[$0] } ?? made[index].value
      }
    }
    try core.keepUnreadable(made, in: base, &unkept)
    hasChanged = try core.apply(made, to: &document)
    return applied + made
  }

  /// Lets the work make its edits from a view with all layers, in which the document is the own one.
  private func runEdits(on document: TOMLDocument) throws -> [Edit] {
    guard case .edits(let body) = work else { return [] }
    let view = core.state.withLock { state -> SettingsSnapshot in
      var view = state.snapshot
      view.userDocument = document
      view.pending = PendingEdits(keepingSequence: true)
      return view
    }
    return try body(view, core.problems)
  }

  /// Makes a whole new text, with a backup of the old one.
  private mutating func text(
    replacing contents: SettingsFile.Contents, _ reason: String, from source: () -> SettingsBackup?,
    _ body: ([UInt8]?) throws -> [UInt8]?
  ) throws -> [UInt8]? {
    // A change by others is published even if it will not stay. One that does not parse is not.
    let old = try? core.takeOver(contents.bytes, knowing: known, since: &revision)
    written = nil
    if reason == Backups.unparsable { core.rescueSetAside() }
    let new = try body(contents.bytes)
    guard !new.isSameText(as: contents.bytes) else { return new }
    if contents.bytes != nil {
      try core.backing.checkReplaceable()
      backup = try core.backing.beginBackup(contents, reason: reason, sparing: source(), within: core.commitLimit)
    }
    hasChanged = true
    let document = try interpret(new)
    // It may be migrated, and is then not the text's.
    let newDocument = document.bytes.isSameText(as: new ?? []) ? document : nil
    written = Written(
      bytes: new, document: document, edited: nil,
      history: HistoryWrite(
        old: contents.bytes, oldStatus: contents.status, oldDocument: old, new: new, newDocument: newDocument,
        reason: SettingsHistoryEntry.Reason(backup: reason)))
    return new
  }

  /// The meaning of a whole new text.
  private mutating func interpret(_ text: [UInt8]?) throws(SettingsError) -> TOMLDocument {
    earlierReports = core.problems.reports
    return try core.interpret(text)
  }

  /// Checks that the new text is valid and contains the edits, and nothing else.
  ///
  /// Parses only what has not been verified: a document that an edit has re-parsed is trusted; of one patched in place
  /// only the changed sections are parsed.
  ///
  /// - Throws: ``SettingsError`` `internalInconsistency`, which means a defect of this library. The file is unchanged.
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

  /// The error for a text that must not be written.
  private func refusal(_ reason: String, at position: TOMLPosition?) -> SettingsError {
    SettingsError(
      .internalInconsistency,
      "Refused to write '\(core.backing.name)': the new text does not mean what was asked for: \(reason). The file is "
        + "unchanged. This is an error in the settings library: report it, with the file.", file: core.location?.file,
      position: position)
  }

  /// The new text is in place, and its backup stays, whatever follows.
  mutating func noteStored(_ text: [UInt8]?, over base: [UInt8]?) {
    stored = stored ?? (base, text)
    kept = backup ?? kept
    backup = nil
  }

  /// Makes the text that a foreign one and the stored one give one after the other: the same edits on that text.
  ///
  /// - Throws: If they do not fit.
  mutating func text(adding foreign: SettingsFile.Contents) throws -> [UInt8]? {
    guard let stored, !foreign.bytes.isSameText(as: stored.text) else { return foreign.bytes }
    if case .text = work {
      guard !foreign.bytes.isSameText(as: stored.base) else { return stored.text }
      return try merge(TextMerge(base: stored.base, earlier: foreign.bytes, later: stored.text))
    }
    let before = self
    let text = try text(replacing: foreign)
    guard report.failures.count == before.report.failures.count else { throw TextMerge.Unfit() }
    report.changed.formUnion(before.report.changed)
    hasChanged = hasChanged || before.hasChanged
    return text
  }

  /// Takes a merged text for what the file holds.
  mutating func merge(_ merge: TextMerge) throws -> [UInt8] {
    _ = try? core.takeOver(merge.later, knowing: nil, since: &revision)
    let document = try interpret(merge.bytes)
    written?.bytes = merge.bytes
    written?.document = document
    written?.edited = nil
    isIncomplete = isIncomplete || !merge.isComplete
    return merge.bytes
  }

  /// Removes the backup of a text that was not replaced.
  mutating func abandonBackup() {
    backup?.abandon()
    backup = nil
  }

  /// Publishes the present content of the file.
  ///
  /// - Returns: Whether a later replacement by others was seen first.
  func publish() -> Bool {
    core.state.withLock { state -> Bool in
      state.durable = durable
      guard let written else { return false }
      if !work.replacesText { state.isWriteDue = false }
      // Before the first access has ended, nothing is visible.
      defer { if state.isLoaded { core.renewStamp() } }
      let committed = work.replacesText ? nil : report.number
      state.withdraw(report.failures.keys)
      // A later replacement by others was seen first: ours is outdated.
      guard state.userRevision == revision else {
        // If it is in its place all the same, it is news.
        state.writingTexts = []
        state.adopt(
          state.userDocument, bytes: state.userBytes, committed: committed, sets: sets, origin: .thisProcess)
        return true
      }
      state.userInode = durable?.inode
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
