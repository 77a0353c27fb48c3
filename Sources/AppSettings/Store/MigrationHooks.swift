import SettingsTOML
import Synchronization

/// The work due after a migration's commit, stored on disk so that it survives the process.
///
/// Its directory is next to the backups. The list is written before the settings file and emptied after the work: work
/// may be done twice, but is never forgotten. One process at a time does it: the one that holds the lock of a separate
/// directory, for which nobody waits. The list's lock is not held meanwhile, so that another thread's commit, for which
/// a hook may wait, can add to the list.
///
/// `NAME.after-commit` holds `due.toml`, which is the list, and `running`, the directory that is locked.
struct MigrationHooks: Sendable {
  let directory: String
  let backups: Backups
  /// The directory of the file's backups, in which ``directory`` is.
  private let parent: String

  private static let versions: TOMLPath = ["versions"]

  /// - Throws: ``SettingsError`` `io` or `readOnly` if the file's path cannot be resolved. Nothing was created.
  init(_ backups: Backups) throws(SettingsError) {
    let place = try backups.place()
    self.backups = backups
    parent = place.directory
    directory = "\(parent)/\(place.name).after-commit"
  }

  private var file: SettingsFile { SettingsFile(path: directory + "/due.toml", system: backups.system) }

  /// Adds versions to the list.
  ///
  /// The list is durable when this returns. A version that is in it already is not added again.
  ///
  /// - Throws: ``SettingsError`` `readOnly`, `io` or `lockTimeout`. The caller must not write the migration then.
  func add(_ versions: [Int]) throws {
    // Creates the directory, and makes sure that it is on disk.
    _ = try BackupFolder.open(parent, of: "", within: backups.limit, system: backups.system)
    try update { contents in
      let all = Set(Self.listed(contents.bytes) + versions)
      return Array(Self.text(of: all.sorted()).utf8)
    }
    try SettingsError.ofSystem("sync", parent) { try backups.system.synchronizeDirectory(at: parent) }
  }

  /// Does the due work, one version after the other, and removes each from the list.
  ///
  /// A version whose work fails stays in the list.
  ///
  /// - Parameter work: Gets a version, and returns whether it is finished.
  /// - Throws: ``SettingsError`` `lockTimeout`, at once, if another process or thread is doing the work, `nestedUpdate`
  ///   if this thread is; otherwise the error of reading or writing the list.
  func run(_ work: (Int) -> Bool) throws {
    guard try !Self.listed(file.read().bytes).isEmpty else { return }
    let turn = directory + "/running"
    try file.makeDirectories(turn)
    // A locked directory means that another process does the work: no need to wait.
    guard let lock = try DirectoryLock.acquire(turn, timeout: .zero, system: backups.system) else { return }
    // The previous holder of the lock may have done it.
    for version in Self.listed(try file.read().bytes) where work(version) {
      try update { contents in
        Array(Self.text(of: Self.listed(contents.bytes).filter { $0 != version }).utf8)
      }
    }
    _ = consume lock
  }

  /// Writes the list, within the time of its call.
  private func update(_ body: (SettingsFile.Contents) throws -> [UInt8]?) throws {
    try file.update(within: backups.limit, body)
  }

  private static func listed(_ bytes: [UInt8]?) -> [Int] {
    guard let bytes, let document = try? TOMLDocument(parsing: bytes), case .array(let items)? = document[versions]
    else { return [] }
    return items.compactMap { item in if case .integer(let version) = item { Int(version) } else { nil } }
  }

  private static func text(of versions: [Int]) -> String {
    "# Work due after migrations.\nversions = [\(versions.map(String.init).joined(separator: ", "))]\n"
  }
}
