import SettingsTOML

/// What is known of a journal after a write.
struct JournalState: Sendable {
  /// Where the settings file was.
  struct File: Sendable, Equatable {
    var place: FinalPath
    var device: UInt64
    /// The inode of its directory.
    var directory: UInt64
  }

  var file: File?
  var folder: JournalFolder
  var stamp: JournalFolder.Stamp
  /// The place of the file's first byte.
  var base: Int
  /// The number of the last record.
  var number: Int
  /// The text of the settings file, and as it is kept.
  var text: [UInt8]?
  var kept: KeptText
  var keys: KnownKeys
  var keysSize: Int
  /// The number of keys that the process knew.
  var keyCount = 0
  /// Where the last segment begins, and the size at which the next one does.
  var segment: Int
  var segmentLimit: Int
  /// The paths that the last segment changes, if this process has written all of it.
  var paths: Set<String>?
}

/// The lines that one write adds to a journal.
struct JournalDraft {
  private var state: JournalState
  private let folder: JournalFolder
  private let migrations: SettingsMigrations
  private var lines: [UInt8] = []
  /// Whether the file is known to end with a whole line.
  private let isWhole: Bool
  /// Whether the last record's text is that of the state.
  private let knowsText: Bool
  /// The digest of the text that the last record led to; `nil` for a new journal.
  private var last: TextDigest?
  /// The keys with which that text was kept.
  private var lastKeys: KnownKeys
  /// Whether a checkpoint must be next: the journal is new, or more keys are known than at the last one.
  private var beginsSegment = false
  /// Whether records before it are lost.
  private var hasLost = false
  /// The paths of this draft's records in the last segment.
  private var paths: Set<String> = []

  /// A segment has at least this size, and at least four times that of its checkpoint.
  static let leastSegment = 64 << 10

  /// Begins where the last write of this process has ended.
  init(following state: JournalState, in folder: JournalFolder, _ migrations: SettingsMigrations) {
    self.state = state
    self.folder = folder
    self.migrations = migrations
    isWhole = true
    knowsText = true
    last = state.kept.digest
    lastKeys = state.keys
  }

  /// Begins with what is in the file.
  init(
    following stamp: JournalFolder.Stamp, in folder: JournalFolder, _ known: (keys: KnownKeys, size: Int),
    _ migrations: SettingsMigrations
  ) throws {
    self.folder = folder
    self.migrations = migrations
    isWhole = false
    knowsText = false
    lastKeys = known.keys
    state = JournalState(
      folder: folder, stamp: stamp, base: 0, number: 0, text: nil, kept: KeptText(bytes: [], isComplete: true),
      keys: known.keys, keysSize: known.size, segment: 0, segmentLimit: 0)
    guard stamp.size > 0, let journal = try folder.read() else {
      lines = Journal.header(base: 0)
      beginsSegment = true
      return
    }
    state.base = journal.base
    guard let segment = journal.segment(around: journal.end), let checkpoint = HistoryLine.checkpoint(segment.text)
    else {
      beginsSegment = true
      hasLost = true
      return
    }
    state.segment = segment.place
    state.segmentLimit = Self.segmentLimit(segment.next - segment.place)
    state.number = checkpoint.number
    last = TextDigest(of: checkpoint.text)
    if let line = journal.last(before: journal.end, where: \.isRecord), line.place > segment.place,
      let record = HistoryLine.record(line.text)
    {
      state.number = record.number
      last = record.after
    }
    if checkpoint.known != known.size {
      lastKeys = try folder.knownKeys(upTo: checkpoint.known).keys
      beginsSegment = true
    }
  }

  private static func segmentLimit(_ checkpoint: Int) -> Int { max(leastSegment, 4 * checkpoint) }

  /// Writes the lines.
  ///
  /// - Returns: What is known then.
  consuming func write(to file: borrowing JournalFolder.Open) throws -> JournalState {
    guard !lines.isEmpty else { return state }
    state.stamp = try file.append(lines, isWhole: isWhole)
    return state
  }

  // MARK: Records

  mutating func add(_ write: HistoryWrite, by actor: HistoryRecord.Actor) throws {
    func parsed(_ bytes: [UInt8]?) -> TOMLDocument? { try? TOMLDocument(parsing: bytes ?? []) }
    if !knowsText || !state.text.isSameText(as: write.old) {
      try addOutside(write.oldDocument ?? parsed(write.old), write.oldTime)
    }
    if beginsSegment || place - state.segment > state.segmentLimit { try addCheckpoint() }
    let now = ProcessFacts.nanosecondsSince1970()
    if let migrated = write.migrated {
      add(KeptText(of: migrated, state.keys, migrations), nil, by: actor, .migration, at: now)
    }
    if let old = write.migrated ?? write.oldDocument, let new = write.newDocument, state.kept.isComplete,
      write.paths?.contains(where: { path in
        [old[path], new[path]].contains { $0.map { state.keys.hides(path, $0) } ?? false }
      }) == false
    {
      add(
        KeptText(bytes: new.bytes, isComplete: true), write.paths, by: actor, write.reason, write.reversal, at: now,
        (old, new))
    } else {
      let new = write.newDocument ?? parsed(write.new)
      add(
        KeptText(of: new, state.keys, migrations), write.paths, by: actor, write.reason, write.reversal, at: now)
    }
    state.text = write.new
  }

  /// Adds what another program has changed since the last record.
  private mutating func addOutside(_ old: TOMLDocument?, _ time: Int64?) throws {
    let kept = KeptText(of: old, lastKeys, migrations)
    if let last, kept.digest != last {
      let former = knowsText ? state.kept.bytes : try folder.read()?.text(after: state.number)?.bytes
      if let former {
        state.kept = KeptText(bytes: former, isComplete: false)
        add(
          kept, nil, by: HistoryRecord.Actor(), .outside, at: time ?? ProcessFacts.nanosecondsSince1970())
      } else {
        beginsSegment = true
        hasLost = true
      }
    }
    state.kept = lastKeys == state.keys ? kept : KeptText(of: old, state.keys, migrations)
  }

  /// - Parameters:
  ///   - paths: The only paths that can differ, if they are known.
  ///   - documents: Those of the text before and after, if nothing is left out of them.
  private mutating func add(
    _ kept: KeptText, _ paths: [TOMLPath]?, by actor: HistoryRecord.Actor, _ reason: SettingsHistoryEntry.Reason,
    _ reversal: Reversal? = nil, at time: Int64, _ documents: (old: TOMLDocument, new: TOMLDocument)? = nil
  ) {
    let old = documents?.old ?? state.kept.document
    let new = documents?.new ?? kept.document
    let changes = HistoryRecord.changes(from: old, to: new, at: paths, state.keys)
    let text = TextChange(from: state.kept.bytes, to: kept.bytes)
    guard !changes.isEmpty || !text.parts.isEmpty else { return state.kept = kept }
    state.number += 1
    let record = HistoryRecord(
      number: state.number, time: Int(time / 1_000_000), actor: actor, reason: reason.rawValue, reversal: reversal,
      changes: changes, text: text, before: state.kept.digest, after: kept.digest)
    HistoryLine.append(record, to: &lines)
    if state.paths != nil {
      for change in changes { state.paths!.insert(change.path.description) }
    } else {
      for change in changes { self.paths.insert(change.path.description) }
    }
    state.kept = kept
  }

  // MARK: Segments

  /// The place of the next line.
  private var place: Int { state.base + state.stamp.size + lines.count }

  private mutating func addCheckpoint() throws {
    // The line break of a damaged last line, which is made when the lines are written.
    if !isWhole, lines.isEmpty, state.stamp.size > 0 { lines = [0x0A] }
    let index = try index()
    let start = place
    HistoryLine.append(
      HistoryCheckpoint(
        number: state.number, text: state.kept.bytes, known: state.keysSize, isAfterLoss: hasLost), to: &lines)
    state.segmentLimit = Self.segmentLimit(place - start)
    state.segment = start
    HistoryLine.append(index: index, of: state.number, to: &lines)
    beginsSegment = false
    hasLost = false
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
      for (_, record) in journal.records(from: state.segment, to: journal.end) {
        for change in record.changes { segments[change.path.description] = state.segment }
      }
      for path in paths { segments[path] = state.segment }
    }
    return segments.filter { $0.value >= journal.start }.sorted { $0.key < $1.key }.map { ($0.key, $0.value) }
  }
}

extension KeptText {
  /// The document; `nil` if the text did not parse.
  var document: TOMLDocument? { Self.document(of: bytes) }

  /// The document of a text as it was kept; `nil` if the text did not parse.
  static func document(of bytes: [UInt8]) -> TOMLDocument? {
    bytes.isSameText(as: unparsed) ? nil : try? TOMLDocument(parsing: bytes)
  }
}

extension HistoryRecord {
  /// The values that differ between two texts as they are kept; none if one of them did not parse.
  static func changes(
    from old: TOMLDocument?, to new: TOMLDocument?, at paths: [TOMLPath]?, _ keys: KnownKeys
  ) -> [Change] {
    guard let old, let new else { return [] }
    func value(_ value: TOMLValue?, _ path: TOMLPath) -> Value {
      guard let value else { return .absent }
      if keys.mayBeSecret(path) || value.holds(KeptText.placeholder) { return .hidden }
      let text = value.tomlText
      return text.utf8.count > mostShown ? .long : .text(text)
    }
    var secrets: Set<TOMLPath> = []
    return (paths ?? new.changedPaths(since: old).outermost).compactMap { path in
      var path = path
      if keys.isSecret(path) {
        if let secret = keys.secret(around: path) {
          // The names in a secret are a part of it.
          path = secret
        } else {
          // Of a table in a sealed garage, the kept texts have the name alone.
          while path.components.count > 1, old[path] == nil, new[path] == nil { path = path.parent }
        }
        guard secrets.insert(path).inserted else { return nil }
      }
      let (before, after) = (old[path], new[path])
      let change = Change(path: path, old: value(before, path), new: value(after, path))
      // A write of something that is not kept is a change, too.
      return before == after && (paths == nil || change.new != .hidden) ? nil : change
    }
  }
}

extension TOMLValue {
  /// Whether the value is a text, or has it in it.
  func holds(_ text: String) -> Bool {
    switch self {
    case .string(let own): own == text
    case .array(let items): items.contains { $0.holds(text) }
    case .table(let table): table.contains { $0.value.holds(text) }
    default: false
    }
  }
}
