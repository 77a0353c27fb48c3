import Glibc
import SettingsTOML

/// Writes the history of one file: its own process's writes, and what other programs have changed before them.
///
/// Used under the settings file's lock only. A failure never fails the write that it is about.
package final class HistoryKeeper: Sendable {
  /// What is known after a write, so that the next one of this process reads nothing.
  private let known = Lock<JournalState?>(nil)
  /// Why the last write could not be recorded.
  private let failure = Lock<String?>(nil)

  let location: SettingsLocation
  let system: Syscalls
  let migrations: SettingsMigrations
  private let limit: Int
  /// The keys that this process has declared, and how many those are.
  private let declared: @Sendable () -> [AnySettingsKey]
  private let declaredCount: @Sendable () -> Int
  /// Keys that a schema file describes.
  private let described = Lock<[KnownKeys.Entry]>([])

  init(
    of location: SettingsLocation, _ history: SettingsHistory, _ migrations: SettingsMigrations,
    system: Syscalls, declared: @escaping @Sendable () -> [AnySettingsKey], count: @escaping @Sendable () -> Int
  ) {
    self.location = location
    self.migrations = migrations
    self.declared = declared
    declaredCount = count
    self.system = system
    limit = history.limit
  }

  /// Notes keys that a schema file describes.
  package func describe(_ keys: [KnownKeys.Entry]) { described.withLock { $0 += keys } }

  /// The folder of a file's history.
  func folder(of file: String) throws(SettingsError) -> JournalFolder {
    let file = try PhysicalPath(file, system: system)
    return JournalFolder(path: location.historyDirectory(of: file.description), system: system)
  }

  /// Records a write. The caller holds the settings file's lock.
  ///
  /// - Parameter directory: The directory of the file, open.
  /// - Returns: Why the history could not be written; `nil` if it was, or if that is known already.
  func record(_ write: HistoryWrite, at place: FinalPath, in directory: CInt) -> String? {
    guard limit > 0 else { return nil }
    var reason: String?
    let former = known.withLock { known in
      defer { known = nil }
      return known
    }
    do {
      let status = try system.status(of: directory, path: place.directory)
      let file = JournalState.File(place: place, device: status.device, directory: status.inode)
      let known = former?.file == file ? former : nil
      let folder = try known?.folder ?? folder(of: place.path)
      if write.newDocument?[SettingsFormat.historyPath] == .boolean(false) {
        try folder.removeJournal()
      } else {
        let now = try record(write, of: file, in: folder, known)
        self.known.withLock { $0 = now }
      }
    } catch {
      reason = (error as? SettingsError)?.message ?? (error as? Errno)?.message ?? "\(error)"
    }
    return failure.withLock { former in
      defer { former = reason }
      return former == nil ? reason : nil
    }
  }

  private func record(
    _ write: HistoryWrite, of settings: JournalState.File, in folder: JournalFolder, _ former: JournalState?
  ) throws -> JournalState {
    let keyCount = declaredCount() + described.withLock { $0.count }
    var known: (keys: KnownKeys, size: Int)
    if let former, former.keyCount == keyCount, write.keys.allSatisfy({ former.keys.knows($0) }) {
      known = (former.keys, former.keysSize)
    } else {
      known = try noteKeys(and: write.keys, in: folder)
    }
    let file = try folder.openJournal(former?.stamp)
    var draft: JournalDraft
    if let former, former.stamp == file.stamp, former.keysSize == known.size {
      draft = JournalDraft(following: former, in: folder, migrations)
    } else {
      draft = try JournalDraft(following: file.stamp, in: folder, known, migrations)
    }
    try draft.add(write, by: HistoryRecord.Actor.current(for: location.isAdministrators ? nil : location.app))
    var state = try draft.write(to: file)
    state.keyCount = keyCount
    state.file = settings
    if state.stamp.size > max(limit, 4 * state.kept.bytes.count), let journal = try folder.read() {
      try folder.prune(journal, to: max(limit, 4 * state.kept.bytes.count) / 2)
    }
    return state
  }

  /// Adds the keys of this process to the list of known keys.
  ///
  /// A journal that may hold the value of a key that has become a secret is removed first.
  private func noteKeys(and used: [AnySettingsKey], in folder: JournalFolder) throws -> (keys: KnownKeys, size: Int) {
    var known = try folder.knownKeys()
    var lines: [UInt8] = []
    let former = known.keys
    var own = (declared() + used.filter { !known.keys.knows($0) }).flatMap { key in
      key.paths.map { KnownKeys.Entry(path: $0, isSecret: key.isSecret) }
    }
    own += described.withLock { $0 }
    for entry in own where known.keys.insert(entry) {
      if entry.isSecret, former.mayHaveShown(entry.path) { try folder.removeJournal() }
      HistoryLine.append(known: entry, to: &lines)
    }
    guard !lines.isEmpty else { return known }
    let file = try folder.openKeys()
    known.size = try file.append(lines, isWhole: false).size
    return known
  }
}
