import SettingsTOML

/// What an undo or a redo has taken back.
struct Reversal: Sendable, Equatable {
  /// The number of the entry: for a redo, that of an undo.
  var entry: Int
  /// The only values of it that were put back, by their names; `nil` for all.
  var paths: [TOMLPath]?
}

/// Which entries of a history are undone, found from the newest entry to the oldest.
///
/// An entry is undone if an undo of it is in force: one that neither a redo nor another undo has taken back in turn. An
/// undo of single values takes back only those.
///
/// It must visit every entry, the newest first, because each result depends on newer entries.
struct UndoneEntries {
  /// What a later entry has taken back of an entry.
  private struct Cover {
    /// `nil` for all values.
    var paths: [TOMLPath]?
    /// What of that has been taken back in turn.
    var exceptions: [TOMLPath]

    func contains(_ path: TOMLPath) -> Bool {
      paths?.contains { $0.isRelated(to: path) } != false && !exceptions.contains { $0.isRelated(to: path) }
    }
  }

  private var covers: [Int: [Cover]] = [:]

  /// Returns whether an entry is undone, and notes what it has taken back itself.
  ///
  /// - Parameters:
  ///   - record: The next one: every one that is newer came before.
  ///   - names: The only values that count, by their names; `nil` for all of the entry.
  mutating func visit(_ record: HistoryRecord, at names: [TOMLPath]?) -> Bool {
    let covers = covers.removeValue(forKey: record.number) ?? []
    let paths = record.changes.map(\.path)
    var undone = paths.filter { path in covers.contains { $0.contains(path) } }
    let isUndone =
      covers.contains { $0.paths == nil && $0.exceptions.isEmpty } || !paths.isEmpty && undone.count == paths.count
    if isUndone { undone = paths }
    if !isUndone, let reversal = record.reversal {
      self.covers[reversal.entry, default: []].append(Cover(paths: reversal.paths, exceptions: undone))
    }
    guard !isUndone, let names else { return isUndone }
    let wanted = paths.filter { path in names.contains { $0.isRelated(to: path) } }
    return !wanted.isEmpty && wanted.allSatisfy(undone.contains)
  }
}

extension HistoryLine {
  /// What the member of a reversal begins with.
  static let reversalStart = Array(",\"of\":".utf8)

  /// Adds the members of a reversal to a record's line.
  static func append(_ reversal: Reversal?, to line: inout [UInt8]) {
    guard let reversal else { return }
    line += reversalStart
    line += "\(reversal.entry)".utf8
    guard let paths = reversal.paths else { return }
    line += ",\"at\":[".utf8
    for (index, path) in paths.enumerated() { line += (index > 0 ? [0x2C] : []) + quoted(path.description) }
    line.append(UInt8(ascii: "]"))
  }

  /// The reversal in the members of a record's line; `nil` if there is none.
  static func reversal(_ members: TOMLTable) -> Reversal? {
    guard case .integer(let number)? = members["of"] else { return nil }
    guard case .array(let names)? = members["at"] else { return Reversal(entry: Int(number)) }
    return Reversal(
      entry: Int(number),
      paths: names.compactMap { $0.string.flatMap { $0.isEmpty ? .root : try? TOMLPath(parsing: $0) } })
  }
}
