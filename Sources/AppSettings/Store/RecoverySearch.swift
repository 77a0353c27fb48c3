package import FoundationEssentials
import Glibc
import SettingsTOML

/// A text that can replace a settings file that does not parse.
package struct RecoverySource: Sendable, Hashable {
  /// Where it comes from.
  package enum Origin: Sendable, Hashable {
    /// The text after an entry of the history.
    case entry(SettingsHistoryEntry)
    case backup(SettingsBackup)
  }

  package let origin: Origin
  /// The whole text.
  package let bytes: [UInt8]

  /// Since when the file had it, or when the backup was made.
  package var time: Date {
    switch origin {
    case .entry(let entry): entry.time
    case .backup(let backup): backup.date
    }
  }

  var backup: SettingsBackup? { if case .backup(let backup) = origin { backup } else { nil } }
}

/// The search for the newest text of a settings file that parses.
///
/// The history has every text, but not all values: what it leaves out of its newest text is taken from the text that
/// does not parse, if that is certain, also where a recovery has moved that to the backups. Otherwise the newest text that
/// lacks nothing is taken.
///
/// The newer source wins: a backup is used if the history has no usable text that is as new. Nothing is written.
package struct RecoverySearch: Sendable, Hashable {
  /// The text; `nil` if there is none.
  package private(set) var source: RecoverySource?
  /// The newest entry whose text parses, if that text cannot be used, because the history does not keep all its values.
  package private(set) var incomplete: SettingsHistoryEntry?

  /// The number of texts without all their values after which the history is given up.
  private static let mostTried = 200

  /// Searches the history from its newest entry back to the newest usable backup: to the entry with its text, or else to
  /// its time. It gives up after 200 texts that lack values.
  ///
  /// - Parameters:
  ///   - broken: The present text of the file; `nil` if it does not exist.
  ///   - location: The location of the file.
  ///   - migrations: Those with which the history was written.
  ///   - system: The system calls.
  package init(
    for broken: [UInt8]?, at location: SettingsLocation, _ migrations: SettingsMigrations = .none,
    system: Syscalls = Syscalls()
  ) {
    let backup = Self.newestBackup(at: location, system)
    if let backup { source = RecoverySource(origin: .backup(backup.0), bytes: backup.1) }
    guard let physical = try? PhysicalPath(location.file, system: system) else { return }
    let folder = JournalFolder(path: location.historyDirectory(of: physical.description), system: system)
    let contents = SettingsFile.Contents(bytes: broken)
    guard let reader = try? HistoryReader(folder, of: location.file, contents, nil, migrations) else { return }
    func kept(_ bytes: [UInt8]) -> [UInt8] {
      KeptText(of: bytes, try? TOMLDocument(parsing: bytes), reader.knownKeys, migrations).bytes
    }
    let backedUp = backup.map { kept($0.1) }
    // The present text, and the one that the last recovery has moved away.
    var broken = [broken].compactMap(\.self)
    let isMissing = broken.isEmpty
    var tried = 0
    // Whether the newest text was moved to the backup.
    var wasRemoved = false
    // The newest usable text of the history, if by the times the backup is newer.
    var older: RecoverySource?
    reader.visit(nil) { entry, _ in
      // Times can be wrong, the order of the history cannot. What a write replaces is in the history before it is a
      // backup: the text after an entry, or before the first.
      func isBackedUp(_ text: [UInt8]?) -> Bool { backedUp != nil && text?.isSameText(as: backedUp!) == true }
      let text = try? reader.text(after: entry.id)
      // A backup with the same text may have other values in the place of those that are left out.
      let isNewest = older == nil && tried == 0 && !wasRemoved
      let mayDiffer = isNewest && text.map(KeptText.leavesOut) == true
      if isBackedUp(text), !mayDiffer {
        source = older ?? source
        return false
      }
      if older == nil, let text, !entry.isUnparsed, Self.parses(text) {
        // The text was moved away: there was a better one before.
        if text.isEmpty, entry.reason == .recover || isMissing {
          wasRemoved = entry.reason != .recover
          if !wasRemoved, let moved = Self.lastMovedAway(at: location, system) { broken.append(moved) }
          return true
        }
        func completed() -> [UInt8]? {
          broken.lazy.compactMap { LeftOutText(text, $0).whole { kept($0.bytes) } }.first
        }
        let whole = !KeptText.leavesOut(text) ? text : tried == 0 ? completed() : nil
        if isBackedUp(text) {
          // What the broken text has is the present one's.
          if let whole { source = RecoverySource(origin: .entry(entry), bytes: whole) } else { incomplete = entry }
          return false
        }
        // The name of a backup has whole seconds.
        let isOlder = backup.map { entry.time < $0.0.date } ?? false
        if let whole {
          older = RecoverySource(origin: .entry(entry), bytes: whole)
        } else {
          if tried == 0, !isOlder { incomplete = entry }
          tried += 1
        }
        if !isOlder, let older { source = older }
      } else if older != nil {
        // Looked through for the backup alone.
        tried += 1
      }
      if older != nil, isBackedUp(try? reader.text(before: entry.id)) { source = older }
      return (older == nil || source != older) && tried < Self.mostTried
    }
  }

  static func parses(_ bytes: [UInt8]) -> Bool { (try? TOMLDocument(parsing: bytes)) != nil }

  /// The text that the last recovery has moved to the backups.
  private static func lastMovedAway(at location: SettingsLocation, _ system: Syscalls) -> [UInt8]? {
    let backups = (try? Backups(of: location, system: system).list()) ?? []
    return backups.first { $0.reason == Backups.unparsable }
      .flatMap { try? SettingsFile(path: $0.path, system: system).read().bytes }
  }

  /// The newest backup that parses. A text that another program saved in the moment of a write, and that is not what
  /// the file had then, is the last resort.
  private static func newestBackup(
    at location: SettingsLocation, _ system: Syscalls
  ) -> (SettingsBackup, [UInt8])? {
    let all = (try? Backups(of: location, system: system).list()) ?? []
    for backup in all.filter({ $0.reason != Backups.overtaken }) + all.filter({ $0.reason == Backups.overtaken }) {
      let bytes = try? SettingsFile(path: backup.path, system: system).read().bytes
      if let bytes, parses(bytes) { return (backup, bytes) }
    }
    return nil
  }
}

/// A text of the history, and a later one that does not parse, but has what the history leaves out.
///
/// The history leaves out secrets, and values of keys that no program has declared. They are taken from lines of the
/// later text that begin like the kept ones.
private struct LeftOutText {
  private let kept: [UInt8]
  private let broken: [UInt8]
  private let change: TextChange

  init(_ kept: [UInt8], _ broken: [UInt8]) {
    (self.kept, self.broken) = (kept, broken)
    change = TextChange(from: kept, to: broken, linewise: true)
  }

  /// The kept text with what it leaves out; `nil` if it is not certain what that is.
  ///
  /// - Parameter keeping: Returns what the history keeps of a text: it must be the same.
  func whole(_ keeping: (TOMLDocument) -> [UInt8]) -> [UInt8]? {
    for fill in [Self.all, Self.single] {
      if let parts = filled(by: fill), let bytes = TextChange(parts: parts).applied(to: kept),
        !KeptText.leavesOut(bytes), let document = try? TOMLDocument(parsing: bytes),
        keeping(document).isSameText(as: kept)
      {
        return bytes
      }
    }
    return nil
  }

  private typealias Lines = [ArraySlice<UInt8>]

  private func filled(by fill: (Lines, Lines) -> Lines?) -> [TextChange.Part]? {
    var parts: [TextChange.Part] = []
    var shift = 0
    var (keptTable, brokenTable) = (TableScan(of: kept), TableScan(of: broken))
    for part in change.parts {
      let place = part.offset + shift
      shift += part.added.count - part.removed.count
      guard KeptText.leavesOut(part.removed) else { continue }
      // A line with the same name in another table is another value.
      guard keptTable.header(before: part.offset) == brokenTable.header(before: place),
        let lines = fill(part.removed[...].lines, part.added[...].lines)
      else { return nil }
      parts.append(
        TextChange.Part(
          offset: part.offset, removed: part.removed, added: Array(lines.joined(separator: CollectionOfOne(0x0A)))))
    }
    return parts
  }

  /// Finds the tables of ascending places in one pass over a text.
  private struct TableScan {
    private let text: [UInt8]
    private var place = 0
    private var header: ArraySlice<UInt8>?

    init(of text: [UInt8]) { self.text = text }

    /// - Parameter end: The beginning of a line.
    mutating func header(before end: Int) -> ArraySlice<UInt8>? {
      header = text[place..<end].lines.last(where: LeftOutText.isHeader) ?? header
      place = end
      return header
    }
  }

  private static func isHeader(_ line: ArraySlice<UInt8>) -> Bool {
    line.first { $0 != 0x20 && $0 != 0x09 } == UInt8(ascii: "[")
  }

  /// All lines that stand there now, if they stand for nothing but what is left out.
  private static func all(_ kept: Lines, _ lines: Lines) -> Lines? {
    kept.allSatisfy { $0.isEmpty || KeptText.leavesOut(Array($0)) } ? lines : single(kept, lines)
  }

  /// For each line that leaves something out, the only one that begins alike, below the same header.
  private static func single(_ kept: Lines, _ lines: Lines) -> Lines? {
    var result: Lines = []
    for (index, line) in kept.enumerated() {
      guard let beginning = KeptText.beginning(of: line) else {
        result.append(line)
        continue
      }
      let found = lines.indices.filter { lines[$0].starts(with: beginning) }
      guard !beginning.isEmpty, found.count == 1,
        lines[..<found[0]].last(where: isHeader) == kept[..<index].last(where: isHeader)
      else { return nil }
      result.append(lines[found[0]])
    }
    return result
  }
}

extension SettingsBackup {
  /// When it was made.
  package var date: Date {
    let digits = Array(time.utf8.filter { $0 >= 0x30 && $0 <= 0x39 })
    func number(_ range: Range<Int>) -> CInt { digits[range].reduce(0) { $0 &* 10 &+ CInt($1 - 0x30) } }
    let year = digits.count - 10
    var parts = tm()
    parts.tm_year = number(0..<year) &- 1900
    (parts.tm_mon, parts.tm_mday) = (number(year..<year + 2) - 1, number(year + 2..<year + 4))
    parts.tm_hour = number(year + 4..<year + 6)
    (parts.tm_min, parts.tm_sec) = (number(year + 6..<year + 8), number(year + 8..<year + 10))
    return Date(timeIntervalSince1970: Double(timegm(&parts)))
  }
}
