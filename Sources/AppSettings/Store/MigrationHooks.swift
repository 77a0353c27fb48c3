import SettingsTOML
import Synchronization

/// What is still to be done after a migration's commit, kept on disk so that it outlives the process.
///
/// Beside the backups is a directory for it. The list is written before the settings file is, and emptied after the
/// work: it can be done twice, and is never forgotten. One process at a time does the work: the one that has the lock of
/// a directory of its own, which nobody waits for. The list's lock is not held meanwhile, so that a commit by another
/// thread, which a hook may wait for, can add to the list.
///
/// An older release may have left a list where it kept the backups. The first list here begins with what stands in that
/// one, which stays as it is, since another file may have shared it.
struct MigrationHooks: Sendable {
  let directory: String
  let backups: Backups
  /// The directory of the file's backups, in which ``directory`` is.
  private let parent: String

  private static let versions: TOMLPath = ["versions"]

  init(_ backups: Backups) throws(SettingsError) {
    let place = try backups.place()
    self.backups = backups
    parent = place.directory
    directory = Self.directory(in: place.directory, of: place.name)
  }

  private static func directory(in parent: String, of name: String) -> String { "\(parent)/\(name).after-commit" }

  private var file: SettingsFile { SettingsFile(path: directory + "/due.toml", system: backups.system) }

  /// Adds versions to the list.
  func add(_ versions: [Int]) throws {
    // Makes the directory, and sees to it that it is on disk.
    _ = try BackupFolder.open(parent, of: "", within: backups.limit, system: backups.system)
    try update { contents in
      let all = Set(try listed(contents.bytes) + versions)
      return Array(Self.text(of: all.sorted()).utf8)
    }
    do throws(Errno) {
      try backups.system.synchronizeDirectory(at: parent)
    } catch {
      throw SettingsError.system(error, "sync", parent)
    }
  }

  /// Does what is due, one after the other, and strikes each off.
  ///
  /// - Parameter work: Gets a version, and says whether it is done with.
  func run(_ work: (Int) -> Bool) throws {
    guard try !listed(file.read().bytes).isEmpty else { return }
    let turn = directory + "/running"
    try file.makeDirectories(turn)
    // Who finds it locked need not wait: the one that has the lock does the work.
    guard let lock = try DirectoryLock.acquire(turn, timeout: .zero, system: backups.system) else { return }
    // It may have been done by the one that had the lock before.
    for version in try listed(file.read().bytes) where work(version) {
      try update { contents in
        Array(Self.text(of: try listed(contents.bytes).filter { $0 != version }).utf8)
      }
    }
    _ = consume lock
  }

  /// Writes the list, within the time of the call that it is for.
  private func update(_ body: (SettingsFile.Contents) throws -> [UInt8]?) throws {
    var steps = WriteSteps()
    steps.limit = backups.limit
    try file.update(steps, body)
  }

  /// What a list says; without one, what an older release left.
  private func listed(_ bytes: [UInt8]?) throws -> [Int] {
    if let bytes { return Self.listed(bytes) }
    let location = backups.location
    let former = Self.directory(in: location.formerBackups.directory, of: location.name)
    guard !former.utf8.elementsEqual(directory.utf8) else { return [] }
    return Self.listed(try SettingsFile(path: former + "/due.toml", system: backups.system).read().bytes)
  }

  private static func listed(_ bytes: [UInt8]?) -> [Int] {
    guard let bytes, let document = try? TOMLDocument(parsing: bytes), case .array(let items)? = document[versions]
    else { return [] }
    return items.compactMap { item in if case .integer(let version) = item { Int(version) } else { nil } }
  }

  private static func text(of versions: [Int]) -> String {
    "# What is to be done after migrations, and is not done yet.\nversions = [\(versions.map(String.init).joined(separator: ", "))]\n"
  }
}
