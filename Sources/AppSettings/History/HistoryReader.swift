import SettingsTOML

/// The history of one file as it is now, with what is in the file but not in the journal yet.
///
/// It takes no lock. Writes do not disturb it, because a journal only grows or is replaced, and this maps it as it was.
struct HistoryReader: Sendable {
  private let journal: Journal?
  private let folder: JournalFolder
  /// What other programs have changed since the last record.
  private let unrecorded: HistoryRecord?
  /// The file's text as it is kept, with the keys of the last segment.
  private let now: KeptText
  let knownKeys: KnownKeys
  /// The number of the last record in the journal.
  private let lastNumber: Int
  /// The last segment: to find it takes a look at all of its text.
  nonisolated(unsafe) private let last: Journal.Line?  // points into the text of `journal`, which does not change
  private let file: String
  /// Records that had too much to list, with their changes.
  private let large = LargeRecords()

  /// - Parameters:
  ///   - contents: The file's content.
  ///   - document: Its document; `nil` if it does not parse.
  /// - Throws: ``SettingsError`` `newerVersion` if a newer release wrote the history; ``Errno`` if it cannot be read.
  init(
    _ folder: JournalFolder, of file: String, _ contents: SettingsFile.Contents, _ document: TOMLDocument?,
    _ migrations: SettingsMigrations
  ) throws {
    self.folder = folder
    self.file = file
    journal = try folder.read()
    let end = journal.flatMap { JournalEnd(of: $0) }
    knownKeys = try folder.knownKeys(upTo: end?.checkpoint.known ?? .max)
    now = KeptText(of: contents.bytes ?? [], document, knownKeys, migrations)
    // Records without a text are still there.
    (lastNumber, last) = (end?.number ?? folder.lastNumber(), end?.segment)
    guard let journal, let end, end.last?.isOf(contents.status.map { FileStamp($0) } ?? .none, keptAs: now) != true,
      let former = journal.text(after: lastNumber), !former.isSameText(as: now.bytes)
    else {
      unrecorded = nil
      return
    }
    unrecorded = .outside(
      end.number(showing: folder.lastKnown()) + 1, from: former, to: now, knownKeys, in: end.segment.place,
      at: contents.status?.modified ?? ProcessFacts.nanosecondsSince1970())
  }

  /// Whether the file has something that is not in the journal yet.
  var hasUnrecorded: Bool { unrecorded != nil }

  /// The numbers of entries before which others were lost, other than by age, the oldest first. Where nothing of the
  /// journal is left, the number that the next entry has.
  var losses: [Int] {
    guard let journal else { return folder.hadJournal() ? [lastNumber + 1] : [] }
    var found: [Int] = []
    var last: Int?
    var isLost = false
    for line in journal.lines(from: journal.start, to: journal.end) {
      guard line.isCheckpoint || line.isRecord, let head = line.head, HistoryLine.body(of: line.text) != nil else {
        continue
      }
      if line.isCheckpoint {
        if HistoryLine.checkpointHead(line.text)?.isAfterLoss == true { isLost = true }
      } else {
        if isLost || last.map({ head.number > $0 + 1 }) ?? true { found.append(head.number) }
        isLost = false
      }
      last = max(last ?? 0, head.number)
    }
    let next = unrecorded?.number ?? lastNumber + 1
    return isLost || last == nil || next > lastNumber + 1 ? found + [next] : found
  }

  /// Calls `body` with entries, newest first, until it returns `false`.
  ///
  /// Records are read one after the other, so stopping early saves reading the rest. With `paths`, an index leads from
  /// one segment that concerns them to the next.
  ///
  /// - Parameters:
  ///   - paths: The names of a value: only entries that have changed it; `nil` for all.
  ///   - time: Only those that are not older by their own time, in milliseconds since 1970.
  func visit(
    _ paths: [TOMLPath]?, since time: Int = .min, _ body: (SettingsHistoryEntry, HistoryRecord) throws -> Bool
  ) rethrows {
    var undone = UndoneEntries()
    func visit(_ record: HistoryRecord, isUnrecorded: Bool = false) throws -> Bool {
      if let paths, !hasChanged(record, at: paths) { return true }
      var entry = SettingsHistoryEntry(record)
      entry.isUndone = undone.visit(record, at: paths)
      entry.isUnrecorded = isUnrecorded
      return record.time < time ? true : try body(entry, record)
    }
    if let unrecorded, try !visit(unrecorded, isUnrecorded: true) { return }
    guard let journal else { return }
    try journal.visitRecords(before: journal.end, in: last, touching: paths, since: time) { try visit(listed($0)) }
  }

  /// A record with its changes, also one that had too many to list them.
  private func listed(_ record: HistoryRecord) -> HistoryRecord {
    guard record.isLarge else { return record }
    if let known = large.known.withLock({ $0[record.number] }) { return known }
    var listed = record
    listed.changes = []
    if let old = journal?.text(before: record.number), let new = journal?.text(after: record.number) {
      let values = (KeptValues(KeptText.document(of: old)), KeptValues(KeptText.document(of: new)))
      listed.changes = HistoryRecord.changes(of: values, at: nil, knownKeys)
      listed.text = TextChange(from: old, to: new)
    }
    large.known.withLock { [listed] in $0[record.number] = listed }
    return listed
  }

  /// The record with a number.
  ///
  /// - Throws: ``SettingsError`` `noHistory`.
  func record(_ number: Int) throws(SettingsError) -> HistoryRecord {
    if let unrecorded, unrecorded.number == number { return unrecorded }
    guard let line = journal?.record(atLeast: number), let record = HistoryLine.record(line.text),
      record.number == number
    else { throw noEntry(number) }
    return listed(record)
  }

  /// The text after the entry with a number, as it is kept. 0 is the text with which the history begins.
  ///
  /// - Throws: ``SettingsError`` `noHistory`.
  func text(after number: Int) throws(SettingsError) -> [UInt8] {
    if let unrecorded, unrecorded.number == number { return now.bytes }
    guard let text = journal?.text(after: number) else { throw noEntry(number) }
    return text
  }

  /// The text before the entry with a number, as it is kept.
  ///
  /// - Throws: ``SettingsError`` `noHistory`.
  func text(before number: Int) throws(SettingsError) -> [UInt8] {
    if let unrecorded, unrecorded.number == number, let text = journal?.text(after: lastNumber) { return text }
    guard let text = journal?.text(before: number) else { throw noEntry(number) }
    return text
  }

  /// The number of the last entry at a time, in milliseconds since 1970; `nil` if the history begins later.
  func number(at time: Int) -> Int? {
    if let unrecorded, unrecorded.time <= time { return unrecorded.number }
    guard let journal else { return nil }
    // Clocks are set back: the time of one entry says nothing about that of another.
    return journal.last(before: journal.end) { $0.isRecord && HistoryLine.time(of: $0.text) ?? 0 <= time }?.head?.number
  }

  /// The number of the last entry; `nil` without one.
  var number: Int? { unrecorded?.number ?? journal?.last(before: journal!.end, where: \.isRecord)?.head?.number }

  /// The error for a number that the history does not have. It says which numbers there are.
  private func noEntry(_ number: Int) -> SettingsError {
    func failure(_ reason: String) -> SettingsError {
      SettingsError(.noHistory, "The history of '\(file)' has no \(reason).", file: file)
    }
    let first = journal?.record(atLeast: 0)?.head?.number
    if let line = journal?.record(atLeast: number), line.head?.number == number {
      return failure("text of entry #\(number): it was damaged")
    }
    let last = self.number ?? 0
    let has = first.map { "it has #\($0) to #\(last)" } ?? (last > 0 ? "it has #\(last) only" : "it is empty")
    return failure("entry #\(number): \(has)")
  }
}

/// What was worked out of records that had too much to list, by their numbers.
private final class LargeRecords: Sendable {
  let known = Lock<[Int: HistoryRecord]>([:])
}
