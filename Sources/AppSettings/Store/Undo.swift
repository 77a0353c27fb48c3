import SettingsTOML

/// One change that is to be taken back.
///
/// Values are compared in the form of this release: the texts before and after the change are first migrated in memory.
struct Undo {
  let entry: SettingsHistoryEntry
  /// What the history will say of it.
  private(set) var cause: HistoryCause
  private let record: HistoryRecord
  private let reader: HistoryReader
  private let core: StoreCore
  /// Where values are to be put back; `nil` for all that the record changed.
  private var names: [TOMLPath]?
  /// The kept texts before and after it.
  private let before: [UInt8]
  private let after: [UInt8]
  /// Both in today's form.
  private var old = TOMLDocument()
  private var new = TOMLDocument()

  /// - Throws: ``SettingsError`` `noHistory`, `migrationFailed`.
  init(
    _ record: HistoryRecord, _ entry: SettingsHistoryEntry, _ what: HistoryTarget, in reader: HistoryReader,
    of core: StoreCore
  ) throws(SettingsError) {
    self.record = record
    self.entry = entry
    self.reader = reader
    self.core = core
    names = what.names
    cause = HistoryCause(
      reason: what.isRedo ? .redo : .undo, reversal: Reversal(entry: record.number, paths: names))
    before = try reader.parsedText(before: record.number)
    after = try reader.text(after: record.number)
    // In today's form there is nothing of it to take back.
    guard entry.reason != .migration else { return }
    do throws(SettingsError) {
      (old, new) = (try today(before), try today(after))
    } catch {
      // A step may not take what stands for a value that is not kept. The other values do not need it.
      let hidden = [before, after].compactMap(KeptText.document(of:)).flatMap { text in
        text.leafPaths().filter { text[$0]?.holds(Redaction.placeholder) == true }
      }
      guard error.code == .migrationFailed, !hidden.isEmpty else { throw error }
      (old, new) = (try today(before, without: hidden), try today(after, without: hidden))
    }
    guard let names else { return }
    // A value that has moved goes back whole: its other place is part of it.
    for move in new.moves(since: old) {
      guard names.contains(where: { name in move.contains { $0.isRelated(to: name) } }) else { continue }
      self.names! += move.filter { !names.contains($0) }
    }
    cause.reversal?.paths = self.names
  }

  /// The edits that put the earlier values back into a document of today.
  ///
  /// - Throws: ``SettingsError`` `conflict`, `noHistory`.
  func edits(of document: TOMLDocument) throws(SettingsError) -> [Edit] {
    guard entry.reason != .migration else { return [] }
    for change in record.changes where change.old == .hidden || change.new == .hidden {
      guard isWanted(change.path) else { continue }
      // Of a table around the only value that is wanted, other values may be left out.
      if let name = names?.first(where: { $0.hasPrefix(change.path) && $0 != change.path }),
        !reader.knownKeys.isSecret(name)
      {
        continue
      }
      throw notKept(change.path)
    }
    var edits: [Edit] = []
    for path in old.changedPaths(since: new).outermost
    where isWanted(path) && !path.isReserved {
      var path = path
      // Of a table around it, only the value itself is wanted.
      if let name = names?.first(where: { $0.hasPrefix(path) }), [old, new].allSatisfy({ $0.isTable(at: path) }) {
        path = name
      }
      let (former, now) = (old[path], document[path])
      if former == now { continue }
      guard now == new[path] else { throw conflict(path) }
      if let taken = document.value(inPlaceOfTableAbove: path), new[taken] != document[taken] { throw conflict(taken) }
      // A migration may have moved what stands for a value that is not kept.
      guard former?.holds(Redaction.placeholder) != true else { throw notKept(path) }
      edits.append(Edit(path: path, value: former))
    }
    return edits
  }

  /// The tables that the change has added and whose lines are as they were then, which go with their headers and
  /// comments.
  ///
  /// - Parameter kept: The document of today as the history would keep it.
  func addedTables(keptAs kept: KeptText) -> Set<TOMLPath> {
    guard let document = kept.document else { return [] }
    return Set(
      old.changedPaths(since: new).compactMap { added($0, since: old, in: new) }
        .filter { table in
          guard isWanted(whole: table), let lines = new.linesGoing(with: table) else { return false }
          return document[table] == new[table] && document.linesGoing(with: table) == lines
        })
  }

  /// The change of the text back.
  var returning: TextReturn {
    TextReturn(from: after, to: before, isPart: !record.changes.allSatisfy { isWanted($0.path) })
  }

  /// A document of today as the history would keep it.
  func keptForm(of document: TOMLDocument) -> KeptText {
    KeptText(of: document.bytes, document, reader.knownKeys, core.reader.migrations)
  }

  private func isWanted(_ path: TOMLPath) -> Bool { names?.contains { path.isRelated(to: $0) } ?? true }

  /// The outermost table at or above a path that one document has and an earlier one has not.
  private func added(_ path: TOMLPath, since old: TOMLDocument, in new: TOMLDocument) -> TOMLPath? {
    guard old[path] == nil else { return nil }
    return path.prefixes.first { old[$0] == nil && new.isTable(at: $0) }
  }

  /// Whether all of a table is to be taken back.
  private func isWanted(whole table: TOMLPath) -> Bool { names?.contains { table.hasPrefix($0) } ?? true }

  /// An earlier text in today's form.
  private func today(_ bytes: [UInt8], without hidden: [TOMLPath] = []) throws(SettingsError) -> TOMLDocument {
    guard var document = KeptText.document(of: bytes) else {
      throw failure(.noHistory, "the file did not parse at that time")
    }
    try? document.removeAll(at: hidden)
    guard try core.reader.isOutdated(document) else { return document }
    do throws(SettingsError) {
      try core.reader.migrate(&document, of: core.userLayer)
    } catch {
      throw failure(.migrationFailed, "the text of that time cannot be upgraded to today's form: \(error.message)")
    }
    return document
  }

  private func notKept(_ path: TOMLPath) -> SettingsError {
    failure(
      .noHistory,
      "the value of '\(path)' is not in the history, because it is a secret, or because no program had declared the key. "
        + "Set it yourself. To take back an older change, name its key or its number"
    )
  }

  /// The error for a value that was changed again since. It names the later entry, if that is known.
  private func conflict(_ path: TOMLPath) -> SettingsError {
    var later: SettingsHistoryEntry?
    // A change to or from a text that does not parse names no values.
    reader.visit(nil) { entry, record in
      guard entry.id > self.entry.id else { return false }
      guard entry.followsUnparsed || reader.hasChanged(record, at: [path]) else { return true }
      later = entry
      return false
    }
    let since = later.map { " by #\($0.id)" } ?? ""
    return failure(.conflict, "'\(path)' was changed since\(since). Undo that first, or set the value")
  }

  private func failure(_ code: SettingsError.Code, _ reason: String) -> SettingsError {
    SettingsError(
      code,
      "Cannot \(cause.reason.rawValue) #\(entry.id) in '\(core.name)': \(reason.withoutFullStop). "
        + "The file is unchanged.",
      file: core.location?.file)
  }
}

extension TOMLDocument {
  /// The two places of each value that has moved since another version: one path has lost it, one has got it, and no
  /// other has either.
  fileprivate func moves(since old: TOMLDocument) -> [[TOMLPath]] {
    var lost: [TOMLValue: [TOMLPath]] = [:]
    var got: [TOMLValue: [TOMLPath]] = [:]
    for path in Set(changedPaths(since: old).flatMap(\.prefixes)) where !path.isReserved {
      let (former, now) = (old[path], self[path])
      if let former, now == nil { lost[former, default: []].append(path) }
      if let now, now != former { got[now, default: []].append(path) }
    }
    return lost.compactMap { value, paths in
      guard let places = got[value], places.count == 1, paths.count == 1 else { return nil }
      return paths + places
    }
  }

  /// The path above another one that has a value which is not a table.
  fileprivate func value(inPlaceOfTableAbove path: TOMLPath) -> TOMLPath? {
    path.parent.prefixes.first { self.contains($0) && !self.isTable(at: $0) }
  }
}
