import SettingsTOML

/// The lines that one write adds to a journal.
///
/// A draft is made in memory and appended as a whole. A process that dies meanwhile leaves at most one incomplete line.
struct JournalDraft {
  var state: JournalState
  private let migrations: SettingsMigrations
  /// Those that decide what of the edits is kept.
  private let keys: KnownKeys
  private var lines: [UInt8] = []
  /// The text of the state as it is kept, if it has been made.
  private var kept: KeptText?
  /// Whether a checkpoint must be next: the journal is new or damaged, or more keys are known than at the last one.
  private var beginsSegment = false
  /// Whether records before it are lost.
  private var hasLost = false
  /// The paths of this draft's records in the last segment. Not a set: a process's first write would wait for its type.
  private var paths: [String] = []
  private(set) var effort = HistoryEffort()

  private var folder: JournalFolder { state.folder }

  /// A segment has at least this size, and at least four times that of its checkpoint.
  static let leastSegment = 64 << 10

  // MARK: Where it begins

  /// Begins where the last write has ended, which may have been another process's.
  ///
  /// - Parameter keys: Those that decide what of the write is kept.
  init(following state: JournalState, _ keys: KnownKeys, _ migrations: SettingsMigrations) {
    self.state = state
    self.keys = keys
    self.migrations = migrations
  }

  /// Begins a journal.
  ///
  /// - Parameters:
  ///   - number: The highest number in use.
  ///   - hasLost: Whether there were records.
  init(
    after number: Int, hasLost: Bool, _ stamp: FileStamp, _ keys: KnownKeys, _ keysStamp: FileStamp?,
    in folder: JournalFolder, _ write: HistoryWrite, _ migrations: SettingsMigrations
  ) {
    self.keys = keys
    self.migrations = migrations
    self.hasLost = hasLost
    state = JournalState(folder: folder, stamp: stamp, keysStamp: keysStamp, keys: keys, number: number)
    lines = Journal.header(base: 0)
    beginsSegment = true
    take(keep(write.old, write.oldDocument, keys), of: write)
  }

  /// Begins with what is in a journal.
  init(
    reading journal: Journal, _ stamp: FileStamp, _ keys: KnownKeys, _ keysStamp: FileStamp?, in folder: JournalFolder,
    _ write: HistoryWrite, _ migrations: SettingsMigrations
  ) throws {
    self.keys = keys
    self.migrations = migrations
    state = JournalState(folder: folder, stamp: stamp, keysStamp: keysStamp, keys: keys, base: journal.base)
    // What a killed writer left of a line ends here, and is ignored, even if nothing but the line break was missing.
    if journal.text.bytes.last != 0x0A { lines = Array("!\n".utf8) }
    let last = folder.lastKnown()
    state.reserved = last?.reserved ?? 0
    guard let end = JournalEnd(of: journal) else {
      state.number = folder.lastNumber()
      (beginsSegment, hasLost) = (true, true)
      take(keep(write.old, write.oldDocument, keys), of: write)
      return
    }
    state.segment = end.segment.place
    state.segmentLimit = Self.segmentLimit(end.segment.next - end.segment.place)
    state.number = end.number(showing: last)
    (beginsSegment, hasLost) = (end.isBroken, end.hasLost)
    // What was not known then is not compared.
    let hasGrown = end.checkpoint.known != state.keysSize
    var kept = try keep(
      write.old, write.oldDocument, hasGrown ? folder.knownKeys(upTo: end.checkpoint.known) : keys)
    // Read only where it is needed: it is made from a whole segment.
    let (isShort, isOther) = (state.number > end.number, end.last?.isOf(write.oldStamp, keptAs: kept) != true)
    var former: [UInt8]?
    if isShort || isOther {
      former = journal.text(after: end.number)
      effort.formerTexts += 1
    }
    if isShort {
      (beginsSegment, hasLost) = (true, true)
      if let former { try addCheckpoint(former, known: end.checkpoint.known) }
    }
    if isOther {
      try addOutside(former, kept, write.oldStatus?.modified)
    }
    if hasGrown {
      kept = keep(write.old, write.oldDocument, keys)
      beginsSegment = true
    }
    take(kept, of: write)
  }

  /// Begins with the old text of a write.
  private mutating func take(_ kept: KeptText, of write: HistoryWrite) {
    self.kept = kept
    state.text = write.old
    state.places = kept.places
  }

  private static func document(of text: [UInt8]?, _ document: TOMLDocument?) -> TOMLDocument? {
    document ?? (try? TOMLDocument(parsing: text ?? []))
  }

  /// A whole text as it is kept.
  private mutating func keep(_ text: [UInt8]?, _ document: TOMLDocument?, _ keys: KnownKeys) -> KeptText {
    effort.wholeTexts += 1
    return KeptText(of: text ?? [], Self.document(of: text, document), keys, migrations)
  }

  /// A whole text as it is kept with all known keys.
  private mutating func keep(_ text: [UInt8]?, _ document: TOMLDocument?) throws -> KeptText {
    let all = try state.keys ?? folder.knownKeys()
    state.keys = all
    return keep(text, document, all)
  }

  /// The text of the state as it is kept.
  private mutating func keptNow(_ document: TOMLDocument?) throws -> KeptText {
    if let kept { return kept }
    let now = try keep(state.text, document)
    kept = now
    return now
  }

  /// The size at which a segment ends, so that checkpoints make up about a quarter of a journal at most.
  private static func segmentLimit(_ checkpoint: Int) -> Int { max(leastSegment, 4 * checkpoint) }

  /// Writes the lines.
  ///
  /// - Returns: What is known then.
  consuming func write(to file: borrowing JournalFolder.Open) throws -> JournalState {
    guard !lines.isEmpty else { return state }
    state.stamp = try file.append(lines, isWhole: true)
    return state
  }

  // MARK: Records

  /// Adds the records of a write: first one for what other programs have changed before it, and one for a migration, if
  /// there are such changes, and then that of the write itself.
  mutating func add(_ write: HistoryWrite, by actor: HistoryRecord.Actor) throws {
    if !state.text.isSameText(as: write.old) {
      let former = try keptNow(nil).bytes
      let kept = try keep(write.old, write.oldDocument)
      try addOutside(former, kept, write.oldStatus?.modified)
      take(kept, of: write)
    }
    if beginsSegment || place - state.segment > state.segmentLimit {
      try addCheckpoint(try keptNow(write.oldDocument).bytes)
    }
    let now = ProcessFacts.nanosecondsSince1970()
    var last = Step(text: write.old, document: write.oldDocument)
    if let migrated = write.migrated {
      let next = Step(text: migrated.bytes, document: migrated)
      try add(last, next, nil, by: actor, .migration, nil, at: now, nil)
      last = next
    }
    try add(
      last, Step(text: write.new, document: write.newDocument), write.paths, by: actor, write.reason, write.reversal,
      at: now, write.stamp)
    state.present = write.stamp
  }

  /// A text, and its document if there is one already.
  private struct Step {
    var text: [UInt8]?
    var document: TOMLDocument?
  }

  /// Adds a record of one text that became another, and takes that up.
  private mutating func add(
    _ old: Step, _ new: Step, _ paths: [TOMLPath]?, by actor: HistoryRecord.Actor,
    _ reason: SettingsHistoryEntry.Reason, _ reversal: Reversal?, at time: Int64, _ stamp: FileStamp?
  ) throws {
    var record = record(by: actor, reason, at: time)
    record.reversal = reversal
    if let (change, places) = change(from: old, to: new, at: paths) {
      (record.text, kept) = (state.places.kept(change), nil)
      record.changes = HistoryRecord.changes(of: (KeptValues(old.document), KeptValues(new.document)), at: paths, keys)
      state.places = places
    } else if isLarge(old.text ?? [], new.text ?? [], paths) {
      let kept = try keep(new.text, new.document)
      (record.isLarge, record.changes) = (true, HistoryRecord.everything)
      (record.followsUnparsed, record.isUnparsed) = (isUnparsed, kept.isUnparsed)
      (state.places, self.kept) = (kept.places, kept)
    } else {
      let (former, kept) = (try keptNow(old.document), try keep(new.text, new.document))
      record.changes = changes(from: (old, former), to: (new, kept), at: paths)
      record.text = TextChange(from: former.bytes, to: kept.bytes)
      (record.followsUnparsed, record.isUnparsed) = (former.isUnparsed, kept.isUnparsed)
      (state.places, self.kept) = (kept.places, kept)
    }
    state.text = new.text
    guard !record.changes.isEmpty || !record.text.parts.isEmpty else { return }
    if let stamp { record.file = HistoryRecord.File(stamp: stamp, keptSize: state.keptSize) }
    append(record)
    if record.isLarge { try addCheckpoint(kept!.bytes) }
  }

  /// The values that differ. The documents are there in most cases, so that those of the kept texts need not be made
  /// where something is left out of them.
  private func changes(
    from old: (step: Step, kept: KeptText), to new: (step: Step, kept: KeptText), at paths: [TOMLPath]?
  ) -> [HistoryRecord.Change] {
    let leaveOutMore = old.kept.leavesOutMore || new.kept.leavesOutMore
    lazy var ofKept = HistoryRecord.changes(
      of: (KeptValues(old.kept.document), KeptValues(new.kept.document)), at: paths, keys, leaveOutMore: leaveOutMore)
    guard !(old.kept.isComplete && new.kept.isComplete), !leaveOutMore, let former = old.step.document,
      let document = new.step.document, let all = state.keys
    else { return ofKept }
    let changes = HistoryRecord.changes(
      of: (KeptValues(whole: former, all, migrations), KeptValues(whole: document, all, migrations)), at: paths, keys)
    assert(
      changes.shown == ofKept.shown,
      "The values that have changed are not those of the kept texts: \(changes), \(ofKept).")
    return changes
  }

  private func record(
    by actor: HistoryRecord.Actor, _ reason: SettingsHistoryEntry.Reason, at time: Int64
  ) -> HistoryRecord {
    HistoryRecord(
      number: state.number + 1, time: Int(time / 1_000_000), actor: actor, reason: reason.rawValue, changes: [],
      text: TextChange(parts: []), segment: state.segment)
  }

  /// Adds the line of a record and notes its paths for the next index.
  private mutating func append(_ record: HistoryRecord) {
    state.number = record.number
    HistoryLine.append(record, to: &lines)
    for change in record.changes {
      let path = change.path.description
      if state.paths != nil { state.paths!.insert(path) } else { paths.append(path) }
    }
  }

  /// The change of the text, and what is left out after it, if that is known from the change alone.
  private mutating func change(
    from old: Step, to new: Step, at paths: [TOMLPath]?
  ) -> (TextChange, KeptPlaces)? {
    guard let paths, let oldDocument = old.document, let newDocument = new.document,
      !Self.isMany(paths.count, new.text ?? [])
    else { return nil }
    effort.judgedPaths += paths.count
    guard !KeptText.mayHide(paths, in: oldDocument, keys, migrations),
      !KeptText.mayHide(paths, in: newDocument, keys, migrations)
    else { return nil }
    let (text, newText) = (old.text ?? [], new.text ?? [])
    let change = TextChange(from: text, to: newText)
    guard let places = state.places.moved(by: change, from: text, to: newText, keys) else { return nil }
    assert(
      places == KeptText(of: newText, newDocument, state.keys ?? (try? folder.knownKeys()) ?? keys, migrations).places,
      "What a change has left out is not what the text has left out.")
    return (change, places)
  }

  /// Whether the text of the state did not parse.
  private var isUnparsed: Bool {
    state.places.all == [KeptPlaces.Place(0..<(state.text?.count ?? 0), shown: KeptText.unparsed.count)]
  }

  /// Whether checking the paths one by one costs more than going through the text.
  private static func isMany(_ paths: Int, _ text: [UInt8]) -> Bool { paths > max(256, text.count / 512) }

  /// Whether a change has too much to list: then the whole text costs less.
  private func isLarge(_ old: [UInt8], _ new: [UInt8], _ paths: [TOMLPath]?) -> Bool {
    if let paths { return Self.isMany(paths.count, new) }
    let ends = Scan.commonEnds(old, new)
    return max(old.count, new.count) - ends.prefix - ends.suffix > max(Self.leastLarge, new.count / 8)
  }

  private static let leastLarge = 32 << 10

  /// Adds what another program has changed since the last record.
  ///
  /// - Parameters:
  ///   - former: The text as it was kept; `nil` if that is lost.
  ///   - kept: The text as it would have been kept.
  private mutating func addOutside(_ former: [UInt8]?, _ kept: KeptText, _ time: Int64?) throws {
    guard let former else {
      (beginsSegment, hasLost) = (true, true)
      return
    }
    guard !former.isSameText(as: kept.bytes) else { return }
    append(
      .outside(
        state.number + 1, from: former, to: kept, keys, in: state.segment,
        at: time ?? ProcessFacts.nanosecondsSince1970()))
  }

  // MARK: Segments

  /// The place of the next line.
  private var place: Int { state.base + state.stamp.size + lines.count }

  /// Begins a segment.
  ///
  /// - Parameters:
  ///   - text: The text as it is kept.
  ///   - known: The size of the list of keys with which it was made; by default the present one.
  private mutating func addCheckpoint(_ text: [UInt8], known: Int? = nil) throws {
    let index = try index()
    let start = place
    HistoryLine.append(
      HistoryCheckpoint(
        head: HistoryCheckpoint.Head(number: state.number, known: known ?? state.keysSize, isAfterLoss: hasLost),
        text: text),
      to: &lines)
    state.segmentLimit = Self.segmentLimit(place - start)
    state.segment = start
    HistoryLine.append(index: index, of: state.number, to: &lines)
    (beginsSegment, hasLost) = (false, false)
    paths = []
    state.paths = []
  }

  /// Where each path was last changed, up to the end of the present segment.
  private func index() throws -> [(path: String, segment: Int)] {
    guard state.segment > 0, let journal = try folder.read() else { return [] }
    var segments = journal.index(of: state.segment)
    if let known = state.paths {
      for path in known { segments[path] = state.segment }
    } else {
      for record in journal.records(from: state.segment, to: journal.end) {
        for change in record.changes { segments[change.path.description] = state.segment }
      }
      for path in paths { segments[path] = state.segment }
    }
    return segments.filter { $0.value >= journal.start }.sorted { $0.key < $1.key }.map { ($0.key, $0.value) }
  }
}

extension [HistoryRecord.Change] {
  /// Those of which something is kept.
  fileprivate var shown: [HistoryRecord.Change] { filter { $0.old != .hidden || $0.new != .hidden } }
}
