import SettingsTOML

/// The history of one file as it is now, with what is in the file but not in the journal yet.
struct HistoryReader: Sendable {
  private let journal: Journal?
  private let folder: JournalFolder
  /// What other programs have changed since the last record.
  private let unrecorded: HistoryRecord?
  /// The file's text as it is kept, with the keys of the last segment.
  private let now: KeptText
  private let keys: KnownKeys
  /// The number of the last record in the journal.
  private let lastNumber: Int
  private let file: String

  /// - Parameters:
  ///   - contents: The file's content.
  ///   - document: Its document; `nil` if it does not parse.
  init(
    _ folder: JournalFolder, of file: String, _ contents: SettingsFile.Contents, _ document: TOMLDocument?,
    _ migrations: SettingsMigrations
  ) throws {
    self.folder = folder
    self.file = file
    journal = try folder.read()
    guard let journal, let segment = journal.segment(around: journal.end),
      let checkpoint = HistoryLine.checkpoint(segment.text)
    else {
      keys = try folder.knownKeys().keys
      now = KeptText(of: document, keys, migrations)
      (unrecorded, lastNumber) = (nil, 0)
      return
    }
    keys = try folder.knownKeys(upTo: checkpoint.known).keys
    now = KeptText(of: document, keys, migrations)
    let last = journal.last(before: journal.end, where: \.isRecord).flatMap { HistoryLine.record($0.text) }
    lastNumber = max(checkpoint.number, last?.number ?? 0)
    let known = lastNumber == last?.number ? last!.after : TextDigest(of: checkpoint.text)
    guard known != now.digest, let former = journal.text(after: lastNumber) else {
      unrecorded = nil
      return
    }
    let kept = KeptText(bytes: former.bytes, isComplete: false)
    let changes = HistoryRecord.changes(from: kept.document, to: now.document, at: nil, keys)
    unrecorded = HistoryRecord(
      number: lastNumber + 1,
      time: Int((contents.status?.modified ?? ProcessFacts.nanosecondsSince1970()) / 1_000_000),
      actor: HistoryRecord.Actor(), reason: SettingsHistoryEntry.Reason.outside.rawValue, changes: changes,
      text: TextChange(from: former.bytes, to: now.bytes), before: known, after: now.digest)
  }

  /// Whether records before the first one were lost, other than by age.
  var hasLost: Bool {
    guard let journal, let first = journal.line(at: journal.start) else { return false }
    return HistoryLine.checkpoint(first.text)?.isAfterLoss == true
  }

  /// Calls `body` with entries, newest first, until it returns `false`.
  ///
  /// - Parameter paths: The names of a value: only entries that have changed it; `nil` for all.
  func visit(_ paths: [TOMLPath]?, _ body: (SettingsHistoryEntry, HistoryRecord) throws -> Bool) rethrows {
    var undone = UndoneEntries()
    func visit(_ record: HistoryRecord, isUnrecorded: Bool = false) throws -> Bool {
      if let paths, !hasChanged(record, at: paths) { return true }
      var entry = SettingsHistoryEntry(record)
      entry.isUndone = undone.visit(record, at: paths)
      entry.isUnrecorded = isUnrecorded
      return try body(entry, record)
    }
    if let unrecorded, try !visit(unrecorded, isUnrecorded: true) { return }
    guard let journal else { return }
    try journal.visitRecords(before: journal.end, touching: paths) { try visit($0) }
  }

  /// The record with a number.
  ///
  /// - Throws: ``SettingsError`` `noHistory`.
  func record(_ number: Int) throws(SettingsError) -> HistoryRecord {
    if let unrecorded, unrecorded.number == number { return unrecorded }
    guard let line = journal?.record(atLeast: number), let record = HistoryLine.record(line.text),
      record.number == number
    else { throw noEntry(number) }
    return record
  }

  /// The text after the entry with a number, as it is kept. 0 is the text with which the history begins.
  ///
  /// - Throws: ``SettingsError`` `noHistory`.
  func text(after number: Int) throws(SettingsError) -> [UInt8] {
    if let unrecorded, unrecorded.number == number { return now.bytes }
    guard let text = journal?.text(after: number) else { throw noEntry(number) }
    return text.bytes
  }

  /// The text before the entry with a number, as it is kept.
  func text(before number: Int) throws(SettingsError) -> [UInt8] {
    if let unrecorded, unrecorded.number == number, let text = journal?.text(after: lastNumber) { return text.bytes }
    guard let text = journal?.text(before: number) else { throw noEntry(number) }
    return text.bytes
  }

  /// The number of the last entry at a time, in milliseconds since 1970; `nil` if the history begins later.
  func number(at time: Int) -> Int? {
    if let unrecorded, unrecorded.time <= time { return unrecorded.number }
    guard let journal else { return nil }
    if let next = journal.record(since: time + 1)?.head?.number {
      let first = journal.record(atLeast: 0)?.head?.number
      return next == first ? nil : next - 1
    }
    return lastNumber
  }

  private func noEntry(_ number: Int) -> SettingsError {
    let first = journal?.record(atLeast: 0)?.head?.number
    let last = unrecorded?.number ?? lastNumber
    let has = first.map { "it has #\($0) to #\(last)" } ?? (last > 0 ? "it has #\(last) only" : "it is empty")
    return SettingsError(.noHistory, "The history of '\(file)' has no entry #\(number): \(has).", file: file)
  }

  /// The newest text as it is kept, and whether that is all of it.
  var present: KeptText { now }
  /// The keys that decide what is kept.
  var knownKeys: KnownKeys { keys }
}
