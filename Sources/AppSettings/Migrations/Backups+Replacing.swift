import Glibc

extension Backups {
  /// What a backup holds; `nil` if it is gone.
  func bytes(of backup: SettingsBackup) throws(SettingsError) -> [UInt8]? {
    try SettingsFile(path: backup.path, system: system).read().bytes
  }

  /// Puts another text in the place of a backup's, in one step, and durably; or removes it.
  ///
  /// The caller holds the settings file's lock.
  ///
  /// - Parameter bytes: The new text; `nil` to remove the backup.
  /// - Throws: ``SettingsError`` `readOnly`, `io` or `lockTimeout`. The backup is as it was, or has the new text.
  func replace(_ backup: SettingsBackup, by bytes: [UInt8]?) throws(SettingsError) {
    let slash = backup.path.utf8.lastIndex(of: UInt8(ascii: "/"))!
    let directory = String(backup.path[..<slash])
    let name = String(backup.path[backup.path.utf8.index(after: slash)...])
    var limit = limit ?? TimeLimit(SettingsFile(path: directory, system: system).lockTimeout)
    guard let lock = try DirectoryLock.acquire(directory, for: directory, within: &limit, system: system) else {
      return
    }
    let temporary = BackupFolder.temporaryName
    do throws(Errno) {
      try system.unlink(bytes == nil ? name : temporary, in: lock.descriptor)
      if let bytes {
        let descriptor = try system.open(
          temporary, in: lock.descriptor, flags: O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW, mode: 0o600)
        defer { system.close(descriptor) }
        try system.writeAll(bytes, to: descriptor, path: name)
        try system.synchronize(descriptor, path: name)
        try system.rename(temporary, to: name, in: lock.descriptor)
      }
      try system.synchronizeDirectory(lock.descriptor, path: directory)
    } catch {
      try? system.unlink(temporary, in: lock.descriptor)
      throw .system(error, "seal", backup.path)
    }
  }
}
