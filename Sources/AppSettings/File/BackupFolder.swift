import Glibc

/// The directory of one file's backups, locked for making one.
///
/// The settings file's lock excludes most other processes. This lock excludes those that see another file at the same
/// path, such as containers that share a state directory.
struct BackupFolder: ~Copyable {
  /// The directory: `files/PATH.backups` in the state directory.
  let path: String
  /// The settings file's name without `.toml`.
  let name: String
  let system: Syscalls
  /// The backups, newest first.
  let names: [BackupName]
  /// The directories created for it.
  ///
  /// A write that gives up removes them with its backup, if that is a second name of the file.
  let made: MadeDirectories
  private let lock: DirectoryLock

  /// The only name of temporary files, so that one from a killed process is replaced.
  static let temporaryName = ".backup.settings-new"

  /// Creates the directory if needed, and removes what killed processes have left in it.
  ///
  /// - Parameters:
  ///   - file: The settings file, if it exists.
  ///   - limit: The remaining time to wait for its lock; by default a new time limit.
  /// - Throws: ``SettingsError`` `readOnly`, `io` or `lockTimeout`.
  static func open(
    _ path: String, of name: String, about file: String? = nil, within limit: TimeLimit?, system: Syscalls
  ) throws(SettingsError) -> BackupFolder {
    let directory = SettingsFile(path: path, system: system)
    var limit = limit ?? TimeLimit(directory.lockTimeout)
    var made = MadeDirectories(system: system)
    while true {
      guard let lock = try DirectoryLock.acquire(path, for: path, within: &limit, system: system) else {
        made += try directory.makeDirectories(path)
        continue
      }
      let all = try SettingsError.ofSystem("make a backup in", path) { try system.names(in: path) ?? [] }
      let substitutes = BesideName.substitutePrefix(for: temporaryName)
      for stray in all where stray == temporaryName || stray.beginsBytewise(with: substitutes) {
        try? system.unlink(stray, in: lock.descriptor)
      }
      let names = all.compactMap { BackupName($0, of: name) }
      // If a backup exists, this was done before it was made.
      if names.isEmpty { try directory.synchronizeParents(of: path, about: file) }
      return BackupFolder(
        path: path, name: name, system: system, names: names.sorted { $0.isNewer(than: $1) }, made: made,
        lock: lock)
    }
  }

  /// The newest backup, if it has this reason and text: a process that died before it could continue may have made it.
  ///
  /// Older ones are not compared, since the same text may need a backup again later.
  func newest(_ reason: String, of bytes: [UInt8]) throws -> BackupName? {
    guard let newest = names.first, newest.reason == reason,
      (try? SettingsFile(path: file(newest), system: system).read().bytes).isSameText(as: bytes)
    else { return nil }
    return newest
  }

  /// Gives a file a second name, as the newest backup.
  ///
  /// That needs no space, and the time does not depend on the file's size. A program that writes to the file in place
  /// while it has both names changes the backup as well.
  ///
  /// - Throws: ``Errno`` if the file system cannot do that.
  func link(_ source: String, reason: String) throws -> BackupName {
    try add(reason) { name throws(Errno) in try system.link(source, to: file(name)) }
  }

  /// Writes a copy, synced, as the newest backup. ``synchronize(_:)`` makes its name durable.
  ///
  /// - Throws: ``Errno``, or ``SettingsError`` `io` if the numbers are used up. No backup was made.
  func write(_ bytes: [UInt8], reason: String) throws -> BackupName {
    try add(reason) { name throws(Errno) in
      let label = name.text(of: self.name)
      try system.writeBackup(bytes, for: label, in: lock.descriptor) { temporary throws(Errno) in
        try system.renameNew(temporary, to: label, in: lock.descriptor)
      }
    }
  }

  /// Calls `make` with one name after another until one is free.
  private func add(_ reason: String, _ make: (BackupName) throws(Errno) -> Void) throws -> BackupName {
    var number = names.first?.number ?? 0
    while true {
      number += 1
      let name = BackupName(number: number, time: ProcessFacts.timestamp(), reason: reason)
      guard BackupName(name.text(of: self.name), of: self.name) == name else {
        throw SettingsError(
          .io,
          "Cannot make a backup in '\(path)': '\(names.first?.text(of: self.name) ?? "")' has the highest number "
            + "allowed. Move that file away.", file: path)
      }
      do throws(Errno) {
        try make(name)
        return name
      } catch {
        guard error.rawValue == EEXIST else { throw error }
      }
    }
  }

  /// The path of a backup.
  func file(_ name: BackupName) -> String { "\(path)/\(name.text(of: self.name))" }
}

extension Syscalls {
  /// Writes a file under a temporary name, syncs it, and lets the caller give it its name.
  ///
  /// - Throws: ``Errno``. The temporary file is removed.
  func writeBackup(
    _ bytes: [UInt8], for name: String, in directory: CInt, place: (_ temporary: String) throws(Errno) -> Void
  ) throws(Errno) {
    var temporary = BackupFolder.temporaryName
    do throws(Errno) {
      try unlink(temporary, in: directory)
    } catch {
      // A directory has the name.
      guard error.rawValue == EISDIR else { throw error }
      temporary = BesideName.substitute(for: BackupFolder.temporaryName)
    }
    do throws(Errno) {
      let descriptor = try createFile(temporary, in: directory, mode: 0o600)
      defer { close(descriptor) }
      try writeAll(bytes, to: descriptor, path: name)
      try synchronize(descriptor, path: name)
      try place(temporary)
    } catch {
      try? unlink(temporary, in: directory)
      throw error
    }
  }
}
