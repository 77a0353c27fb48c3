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
/// does not parse, if that is certain. Otherwise the newest text that lacks nothing is taken.
///
/// The newer source wins: a backup is used if the history has no usable text that is as new. Nothing is written.
package struct RecoverySearch: Sendable, Hashable {
  /// The text; `nil` if there is none.
  package private(set) var source: RecoverySource?
  /// The newest entry whose text parses, if that text cannot be used, because the history does not keep all its values.
  package private(set) var incomplete: SettingsHistoryEntry?

  /// The number of texts without all their values after which the history is given up.
  private static let mostTried = 200

  /// Searches the history from its newest entry back to the time of the newest usable backup. It gives up after 200
  /// texts that lack values.
  ///
  /// - Parameters:
  ///   - broken: The present text of the file; `nil` if it does not exist.
  ///   - location: The location of the file.
  ///   - system: The system calls.
  package init(for broken: [UInt8]?, at location: SettingsLocation, system: Syscalls = Syscalls()) {
    let backup = Self.newestBackup(at: location, system)
    if let backup { source = RecoverySource(origin: .backup(backup.0), bytes: backup.1) }
    guard let physical = try? PhysicalPath(location.file, system: system) else { return }
    let folder = JournalFolder(path: location.historyDirectory(of: physical.description), system: system)
    let contents = SettingsFile.Contents(bytes: broken)
    guard let reader = try? HistoryReader(folder, of: location.file, contents, nil, .none) else { return }
    var tried = 0
    reader.visit(nil) { entry, _ in
      // The name of a backup has whole seconds. What a write replaces is in the history before it is a backup.
      if let backup, entry.time < backup.0.date { return false }
      guard !entry.isUnparsed, let kept = try? reader.text(after: entry.id), Self.parses(kept) else { return true }
      // The text was moved away: there was a better one before.
      if kept.isEmpty, entry.reason == .recover || broken == nil { return true }
      let whole =
        !KeptText.leavesOut(kept)
        ? kept
        : tried == 0
          ? LeftOutText(kept, broken ?? []).whole { KeptText(of: $0.bytes, $0, reader.knownKeys, .none).bytes } : nil
      if let whole {
        source = RecoverySource(origin: .entry(entry), bytes: whole)
        return false
      }
      if tried == 0 { incomplete = entry }
      tried += 1
      return tried < Self.mostTried
    }
  }

  static func parses(_ bytes: [UInt8]) -> Bool { (try? TOMLDocument(parsing: bytes)) != nil }

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
  private let change: TextChange

  init(_ kept: [UInt8], _ broken: [UInt8]) {
    self.kept = kept
    change = TextChange(from: kept, to: broken, linewise: true)
  }

  /// The kept text with what it leaves out; `nil` if it is not certain what that is.
  ///
  /// - Parameter keeping: Returns what the history keeps of a text: it must be the same.
  func whole(_ keeping: (TOMLDocument) -> [UInt8]) -> [UInt8]? {
    for fill in [Self.all, Self.single] {
      let parts = change.parts.filter { KeptText.leavesOut($0.removed) }.compactMap { part in
        fill(Self.lines(part.removed), Self.lines(part.added)).map { lines in
          TextChange.Part(
            offset: part.offset, removed: part.removed, added: Array(lines.joined(separator: CollectionOfOne(0x0A))))
        }
      }
      // The history keeps the same of it only if nothing is missing.
      if let bytes = TextChange(parts: parts).applied(to: kept), let document = try? TOMLDocument(parsing: bytes),
        keeping(document).isSameText(as: kept), !bytes.isSameText(as: kept)
      {
        return bytes
      }
    }
    return nil
  }

  private static func lines(_ bytes: [UInt8]) -> [ArraySlice<UInt8>] {
    bytes.split(separator: 0x0A, omittingEmptySubsequences: false)
  }

  /// All lines that stand there now, if they stand for nothing but what is left out.
  private static func all(_ kept: [ArraySlice<UInt8>], _ lines: [ArraySlice<UInt8>]) -> [ArraySlice<UInt8>]? {
    kept.allSatisfy { $0.isEmpty || KeptText.leavesOut(Array($0)) } ? lines : single(kept, lines)
  }

  /// For each line that leaves something out, the only one that begins alike.
  private static func single(_ kept: [ArraySlice<UInt8>], _ lines: [ArraySlice<UInt8>]) -> [ArraySlice<UInt8>]? {
    var result: [ArraySlice<UInt8>] = []
    for line in kept {
      guard let beginning = KeptText.beginning(of: line) else {
        result.append(line)
        continue
      }
      let found = lines.filter { $0.starts(with: beginning) }
      guard !beginning.isEmpty, found.count == 1 else { return nil }
      result.append(found[0])
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
    parts.tm_year = number(0..<year) - 1900
    (parts.tm_mon, parts.tm_mday) = (number(year..<year + 2) - 1, number(year + 2..<year + 4))
    parts.tm_hour = number(year + 4..<year + 6)
    (parts.tm_min, parts.tm_sec) = (number(year + 6..<year + 8), number(year + 8..<year + 10))
    return Date(timeIntervalSince1970: Double(timegm(&parts)))
  }
}
