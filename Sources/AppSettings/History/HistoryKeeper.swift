import Glibc
import SettingsTOML

/// Writes the history of one file: its own process's writes, and what other programs have changed before them.
///
/// Used under the settings file's lock only. A failure never fails the write that it is about.
///
/// If this process has written the file before and nobody else has since, recording a write costs only what the write
/// changes: lines are appended, and nothing is read. ``effort`` tells how much work it was.
package final class HistoryKeeper: Sendable {
  /// What is known after a write, so that the next one of this process reads nothing.
  private let known = Lock<JournalState?>(nil)
  /// Why the last write could not be recorded.
  private let failure = Lock<String?>(nil)

  let location: SettingsLocation
  let system: Syscalls
  /// The store's migrations.
  private let ownMigrations: SettingsMigrations
  /// The size of a journal, in bytes, from which its oldest records are removed; 0 if this process writes no history.
  private let limit: Int
  /// The keys that this process has declared, and how many those are.
  private let declared: @Sendable () -> [AnySettingsKey]
  private let declaredCount: @Sendable () -> Int
  /// Keys that a schema file describes, and its migrations.
  private let described = Lock<(keys: [KnownKeys.Entry], migrations: SettingsMigrations?)>(([], nil))
  /// How much work the writes were.
  package let effort = Lock(HistoryEffort())

  /// - Parameters:
  ///   - location: The location of the file.
  ///   - history: How much is kept.
  ///   - migrations: The app's migrations.
  ///   - system: The system calls.
  ///   - declared: Returns the keys that this process has used.
  ///   - count: Returns the number of these keys, which never falls.
  init(
    of location: SettingsLocation, _ history: SettingsHistory, _ migrations: SettingsMigrations,
    system: Syscalls, declared: @escaping @Sendable () -> [AnySettingsKey], count: @escaping @Sendable () -> Int
  ) {
    self.location = location
    ownMigrations = migrations
    self.declared = declared
    declaredCount = count
    self.system = system
    limit = history.limit
  }

  /// They give the names that keys had in earlier versions, so that secrets are also found in older texts.
  var migrations: SettingsMigrations { described.withLock { $0.migrations } ?? ownMigrations }

  /// Notes keys that a schema file describes.
  ///
  /// - Parameter migrations: The file's migrations, where the store itself makes none.
  package func describe(_ keys: [KnownKeys.Entry], _ migrations: SettingsMigrations? = nil) {
    described.withLock { described in
      described.keys += keys
      described.migrations = migrations ?? described.migrations
    }
  }

  /// The folder of a file's history.
  ///
  /// It depends on the physical path of the file, so a file has one history, whatever links lead to it.
  func folder(of file: String) throws(SettingsError) -> JournalFolder {
    let file = try PhysicalPath(file, system: system)
    return JournalFolder(path: location.historyDirectory(of: file.description), system: system)
  }

  /// Records a write. The caller holds the settings file's lock.
  ///
  /// If the new text has `settings-history = false`, the history is removed and nothing is recorded. While writes keep
  /// failing, only the first one returns a reason.
  ///
  /// - Parameters:
  ///   - directory: The directory of the file, open.
  ///   - new: The file that has the new text; `nil` for no file.
  /// - Returns: Why the history could not be written; `nil` if it was, or if that is known already.
  func record(_ write: HistoryWrite, at place: FinalPath, in directory: CInt, as new: FileStatus?) -> String? {
    guard limit > 0 else { return nil }
    var reason: String?
    var folder: JournalFolder?
    let former = known.withLock { known in
      defer { known = nil }
      return known
    }
    do {
      let status = try system.status(of: directory, path: place.directory)
      let file = JournalState.File(place: place, device: status.device, directory: status.inode)
      let known = former?.file == file ? former : nil
      let own = try known?.folder ?? self.folder(of: place.path)
      folder = own
      if write.newDocument?[SettingsFormat.historyPath] == .boolean(false) {
        try own.removeAll()
      } else {
        var write = write
        write.stamp = try stamp(of: new, at: place, in: directory)
        var now = try record(write, in: own, known)
        now.file = file
        self.known.withLock { [now] in $0 = now }
      }
    } catch {
      reason = folder?.error(error, "write").message ?? (error as? SettingsError)?.message ?? "\(error)"
    }
    return failure.withLock { former in
      defer { former = reason }
      return former == nil ? reason : nil
    }
  }

  /// The file in its place, after all that was done to its names; `nil` if it is another one by now.
  private func stamp(of new: FileStatus?, at place: FinalPath, in directory: CInt) throws -> FileStamp? {
    let now = try system.status(at: place.name, in: directory, followingLinks: false)
    guard let now, let new else { return now == nil && new == nil ? FileStamp.none : nil }
    return now.hasSameText(as: new) ? FileStamp(now) : nil
  }

  /// Adds the records of a write, in the quickest possible way: with what this process knows, with what `present` says,
  /// or by reading the journal.
  private func record(_ write: HistoryWrite, in folder: JournalFolder, _ former: JournalState?) throws -> JournalState {
    let keysStamp = try folder.keysStamp()
    let count = declaredCount() + described.withLock { $0.keys.count }
    if var state = former, state.keysStamp == keysStamp, state.declaredCount == count {
      let keys = try state.keys ?? folder.knownKeys()
      state.keys = keys
      if write.keys.allSatisfy(keys.knows) {
        let file = try folder.openJournal()
        if state.stamp == file.stamp {
          return try add(write, to: file, isFollowing: true, JournalDraft(following: state, keys, migrations))
        }
      }
    }
    let declared = declarations(of: write.keys)
    if var state = folder.lastKnown(), declared != nil, state.declared == declared, state.keysStamp == keysStamp,
      state.present == write.oldStamp, state.places.fit(length: write.old?.count ?? 0)
    {
      let file = try folder.openJournal()
      if state.stamp == file.stamp {
        (state.text, state.declaredCount) = (write.old, count)
        let keys = try keysStamp == nil ? KnownKeys() : folder.knownKeys(about: write.paths ?? [])
        return try add(write, to: file, isFollowing: false, JournalDraft(following: state, keys, migrations))
      }
    }
    let (keys, removed) = try noteKeys(and: write.keys, in: folder)
    let size = try folder.keysStamp()
    var draft: JournalDraft
    let file: JournalFolder.Open
    if let journal = try folder.read() {
      file = try folder.openJournal()
      draft = try JournalDraft(reading: journal, file.stamp, keys, size, in: folder, write, migrations)
    } else {
      let hadJournal = removed == nil && folder.hadJournal()
      let number = hadJournal ? folder.lastNumber() : removed ?? 0
      if hadJournal { try folder.removeJournal() }
      file = try folder.openJournal()
      draft = JournalDraft(
        after: number, hasLost: hadJournal, file.stamp, keys, size, in: folder, write, migrations)
    }
    (draft.state.declared, draft.state.declaredCount) = (declared, count)
    return try add(write, to: file, isFollowing: false, draft)
  }

  /// Writes the lines of a draft, and shortens the journal if it has become too long.
  private func add(
    _ write: HistoryWrite, to file: borrowing JournalFolder.Open, isFollowing: Bool, _ draft: JournalDraft
  ) throws -> JournalState {
    var draft = draft
    try draft.add(write, by: HistoryRecord.Actor.current(for: location.isAdministrators ? nil : location.app))
    effort.withLock { [own = draft.effort] in $0 = own }
    var state = try draft.write(to: file)
    let folder = state.folder
    let most = max(limit, 4 * state.keptSize)
    if state.stamp.size > most, let journal = try folder.read(), let pruned = try folder.prune(journal, to: most / 2) {
      (state.stamp, state.base) = (pruned.stamp, pruned.base)
    }
    note(&state, isFollowing: isFollowing)
    return state
  }

  /// Says what is known, where the next process would otherwise have to work it out from much, and before numbers are
  /// used that it could not know of.
  private func note(_ state: inout JournalState, isFollowing: Bool) {
    let isLong = state.text?.count ?? 0 > Self.mostUnsaid
    guard isLong || !isFollowing || state.number > state.reserved || state.places.all.count > Self.mostHidden else {
      return
    }
    if isFollowing, state.number > state.reserved { state.reserved = state.number + Self.numbersAtOnce - 1 }
    state.reserved = max(state.reserved, state.number)
    // Without it the next process has more work.
    try? state.folder.note(state)
  }

  /// What is left out of a text that is not longer is quickly found again.
  private static let mostUnsaid = 64 << 10
  /// If more parts than this are left out of the text, `present` says where they are.
  private static let mostHidden = 1_000
  /// The number of record numbers reserved at once, so that not every write must update `present`.
  private static let numbersAtOnce = 16

  /// A digest of what this process has declared, and how far it migrates: that decides which names a text of an earlier
  /// version may have. `nil` if that would take long.
  private func declarations(of used: [AnySettingsKey]) -> UInt64? {
    guard used.count <= 16 else { return nil }
    var sum = UInt64(migrations.currentVersion)
    var text: [UInt8] = []
    func add(_ path: TOMLPath, _ isSecret: Bool) {
      text.removeAll(keepingCapacity: true)
      text.append(isSecret ? 1 : 0)
      for component in path.components {
        text += component.utf8
        text.append(0xFF)
      }
      sum = sum &+ TextDigest(of: text).value
    }
    let keys = declared()
    let others = used.filter { key in !keys.contains { $0.path == key.path && $0.isSecret == key.isSecret } }
    for key in keys + others { for path in key.paths { add(path, key.isSecret) } }
    described.withLock { for entry in $0.keys { add(entry.path, entry.isSecret) } }
    return sum == 0 ? 1 : sum
  }

  /// What keys, and those that a schema file describes, are to the history.
  private func entries(of keys: [AnySettingsKey]) -> [KnownKeys.Entry] {
    keys.flatMap { key in key.paths.map { KnownKeys.Entry(path: $0, isSecret: key.isSecret) } }
      + described.withLock { $0.keys }
  }

  /// The keys of a file, also those that other programs have declared.
  package func knownKeys(of file: String) throws -> KnownKeys {
    var known = try folder(of: file).knownKeys()
    for entry in entries(of: declared()) { known.insert(entry) }
    return known
  }

  /// Adds the keys of this process to the list of known keys.
  ///
  /// A journal that may hold the value of a key that has become a secret, or a comment about it, is removed first.
  ///
  /// - Returns: All that are known, and the number of the last record of a journal that was removed.
  private func noteKeys(
    and used: [AnySettingsKey], in folder: JournalFolder
  ) throws -> (keys: KnownKeys, removed: Int?) {
    var known = try folder.knownKeys()
    let former = known
    let new = entries(of: declared() + used.filter { !known.knows($0) }).filter { known.insert($0) }
    guard !new.isEmpty else { return (known, nil) }
    var removed: Int?
    let secrets = new.filter(\.isSecret)
    if !secrets.isEmpty,
      try secrets.contains(where: { former.mayHaveShown($0.path) }) || folder.hasUnguardedSegment()
        || folder.mayHaveComment(naming: secrets.compactMap(\.path.last).filter { !former.hides(comment: $0) })
    {
      removed = folder.lastNumber()
      try folder.removeJournal()
    }
    var lines: [UInt8] = []
    for entry in new { HistoryLine.append(known: entry, to: &lines) }
    let file = try folder.openKeys()
    try file.append(lines, isWhole: false)
    if !secrets.isEmpty { try file.synchronize() }
    return (known, removed)
  }
}

/// How much work a write's history was: what tests count, so that a write costs what it changes.
package struct HistoryEffort: Sendable, Equatable {
  /// The paths whose names were judged one by one.
  package var judgedPaths = 0
  /// How often a whole text was gone through for what must not be kept.
  package var wholeTexts = 0
  /// How often an earlier text was made from the records of the journal.
  package var formerTexts = 0
}
