import SettingsTOML

/// What a history says of one value.
extension HistoryReader {
  /// Whether a record has changed a value at or below one of some paths.
  ///
  /// A change of a table around the path is one of the path if it added, removed or changed the value there, or if the
  /// history leaves that value out, so that nobody can tell.
  func hasChanged(_ record: HistoryRecord, at paths: [TOMLPath]) -> Bool {
    record.changes.contains { change in
      var values = ChangedValues(change, of: record, in: self)
      return paths.contains { values.differ(at: $0) }
    }
  }

  /// The newest entries that have changed some values of the present file, none of which is in another.
  ///
  /// Of many values, in one pass over all records; of a few, from one record that concerns them to the next.
  func newestEntries(of paths: [TOMLPath]) -> [TOMLPath: SettingsHistoryEntry] {
    var found: [TOMLPath: SettingsHistoryEntry] = [:]
    guard paths.count > 8 else {
      for path in paths {
        visit([path]) { entry, _ in
          found[path] = entry
          return false
        }
      }
      return found
    }
    var tree = PathTree(capacity: paths.count)
    for (index, path) in paths.enumerated() { tree.insert(path, index) }
    visit(nil) { entry, record in
      for change in record.changes {
        var values = ChangedValues(change, of: record, in: self)
        for path in tree.keys(touching: change.path).map({ paths[$0] }) where found[path] == nil {
          guard values.differ(at: path) else { continue }
          found[path] = entry
          // What is newer has not changed the value, so nothing has taken this back.
          found[path]?.isUndone = false
        }
      }
      return found.count < paths.count
    }
    return found
  }

  /// The newest text before the entry with a number that parses, as it is kept.
  ///
  /// So undoing a change that repaired a broken text compares with the last text that had values.
  ///
  /// - Throws: ``SettingsError`` `noHistory`.
  func parsedText(before number: Int) throws(SettingsError) -> [UInt8] {
    var bytes = try text(before: number)
    var number = number
    while bytes.isSameText(as: KeptText.unparsed), number > 1 {
      number -= 1
      bytes = try text(before: number)
    }
    return bytes
  }
}

/// The values of one change of a record, for questions about several paths.
private struct ChangedValues {
  private let change: HistoryRecord.Change
  private let record: HistoryRecord
  private let reader: HistoryReader
  /// The texts before and after, for values that the change does not show.
  private lazy var texts: (old: TOMLDocument, new: TOMLDocument)? = {
    guard let texts = try? (reader.text(before: record.number), reader.text(after: record.number)),
      let old = KeptText.document(of: texts.0), let new = KeptText.document(of: texts.1)
    else { return nil }
    return (old, new)
  }()
  private lazy var tables = (old: change.old.table, new: change.new.table)

  init(_ change: HistoryRecord.Change, of record: HistoryRecord, in reader: HistoryReader) {
    (self.change, self.record, self.reader) = (change, record, reader)
  }

  mutating func differ(at path: TOMLPath) -> Bool {
    if change.path.hasPrefix(path) { return true }
    guard path.hasPrefix(change.path) else { return false }
    switch (change.old, change.new) {
    case (.hidden, _), (_, .hidden), (.long, _), (_, .long):
      guard !reader.knownKeys.isSecret(path), let texts else { return true }
      return texts.old[path] != texts.new[path] || texts.old[path]?.holds(Redaction.placeholder) == true
    default:
      let rest = path.rest(below: change.path)
      return tables.old?[path: rest] != tables.new?[path: rest]
    }
  }
}

extension HistoryRecord.Value {
  /// The table that it is; `nil` for another value.
  fileprivate var table: TOMLTable? {
    guard case .text(let text) = self, case .table(let table)? = try? TOMLValue(parsing: text) else { return nil }
    return table
  }
}

extension [TOMLPath] {
  /// Those that are not below another one: a table that becomes a value, or the other way, is one change.
  var outermost: [TOMLPath] {
    let all = Set(self)
    return filter { !$0.parent.prefixes.contains(where: all.contains) }
  }
}
