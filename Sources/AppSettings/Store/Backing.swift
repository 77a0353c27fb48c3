import Glibc
import SettingsTOML

/// The storage of a store's own layer: a file, or memory for tests and previews.
enum Backing: Sendable {
  case file(SettingsFile, Backups)
  case memory(MemoryFile)

  /// The name in errors.
  var name: String {
    switch self {
    case .file(let file, _): file.path
    case .memory: "the settings in memory"
    }
  }

  /// The present content.
  func read() throws(SettingsError) -> SettingsFile.Contents {
    switch self {
    case .file(let file, _): try file.read()
    case .memory(let memory): SettingsFile.Contents(bytes: memory.bytes)
    }
  }

  /// Replaces the bytes with the result of `body`, under a lock that excludes every other writer.
  ///
  /// Does the same as ``SettingsFile/update(_:_:)``, also for memory.
  func update(
    _ steps: WriteSteps, _ body: (SettingsFile.Contents) throws -> [UInt8]?
  ) throws -> WriteResult {
    switch self {
    case .file(let file, _):
      return try file.update(steps, body)
    case .memory(let memory):
      let old = memory.bytes
      let new = try body(SettingsFile.Contents(bytes: old))
      guard new != old else { return WriteResult() }
      if let new { steps.willReplace(new) }
      memory.bytes = new
      steps.didReplace()
      return WriteResult(isReplaced: true)
    }
  }

  /// Throws `nestedUpdate` if the calling thread is writing in the same directory, and so would wait for itself.
  func checkNotLocked() throws(SettingsError) {
    if case .file(let file, _) = self { try file.checkNotLocked() }
  }

  /// Keeps a copy of the file's content. The caller holds the file's lock.
  func backUp(_ bytes: [UInt8], reason: String, within limit: TimeLimit?) throws {
    try backups(within: limit)?.save(bytes, reason: reason)
  }

  /// The file's backups, for a call with the remaining time.
  func backups(within limit: TimeLimit?) -> Backups? {
    guard case .file(_, var backups) = self else { return nil }
    backups.limit = limit
    return backups
  }

  /// Begins a backup of the file's content, which must be finished before the file is replaced.
  func beginBackup(
    _ contents: SettingsFile.Contents, reason: String, sparing spared: SettingsBackup? = nil, within limit: TimeLimit?
  ) throws -> BackupInProgress {
    guard case .file(let file, _) = self, let backups = backups(within: limit), let bytes = contents.bytes else {
      return BackupInProgress()
    }
    let source = try FinalPath.resolve(file.path, system: file.system).path
    return try backups.begin(of: source, bytes, contents.status, reason: reason, sparing: spared)
  }
}

/// Bytes in memory, for one store, which serialises its writers.
final class MemoryFile: Sendable {
  private let contents: Lock<[UInt8]?>
  private let hooks = Lock<[Int]>([])
  init(_ bytes: [UInt8]?) { contents = Lock(bytes) }

  var bytes: [UInt8]? {
    get { contents.withLock { $0 } }
    set { contents.withLock { $0 = newValue } }
  }

  /// Versions whose side effects are still due.
  var dueHooks: [Int] {
    get { hooks.withLock { $0 } }
    set { hooks.withLock { $0 = newValue } }
  }
}

extension Backing {
  /// Moves files that were set aside and never merged to the backups. The caller holds the lock. A file that cannot be
  /// moved stays and does no harm.
  func rescueSetAside(within limit: TimeLimit?) throws {
    guard case .file(let file, _) = self, let backups = backups(within: limit) else { return }
    let place = try FinalPath.resolve(file.path, system: file.system)
    guard let directory = try? file.system.open(place.directory, flags: O_RDONLY | O_DIRECTORY) else { return }
    defer { file.system.close(directory) }
    try file.rescueSetAside(place, in: directory, to: backups)
  }
}
