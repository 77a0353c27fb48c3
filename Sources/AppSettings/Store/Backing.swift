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
  ///
  /// - Throws: ``SettingsError`` `io` or `readOnly`; never for memory.
  func read() throws(SettingsError) -> SettingsFile.Contents {
    switch self {
    case .file(let file, _): try file.read()
    case .memory(let memory): SettingsFile.Contents(bytes: memory.bytes)
    }
  }

  /// Throws `nestedUpdate` if the calling thread is writing in the same directory, and so would wait for itself.
  func checkNotLocked() throws(SettingsError) {
    if case .file(let file, _) = self { try file.checkNotLocked() }
  }

  /// The file's backups, for a call with the remaining time.
  ///
  /// - Returns: `nil` for memory.
  func backups(within limit: TimeLimit?) -> Backups? {
    if case .file(_, let backups) = self { backups.limited(by: limit) } else { nil }
  }

  /// Begins a backup of the file's content, which must be finished before the file is replaced.
  ///
  /// - Parameters:
  ///   - contents: The content of the file, as it was read under the lock.
  ///   - reason: The reason, which is part of the backup's name.
  ///   - spared: A backup that stays, however old: the one whose text is about to replace this one.
  ///   - limit: The remaining time of the call.
  /// - Returns: A backup that is not durable yet; for memory, and without a file, one that does nothing.
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
///
/// The lock is for readers.
final class MemoryFile: Sendable {
  private let contents: Lock<[UInt8]?>
  private let hooks = Lock<[Int]>([])
  init(_ bytes: [UInt8]?) { contents = Lock(bytes) }

  /// The content; `nil` stands for no file.
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
