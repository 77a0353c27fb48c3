import Glibc

extension Backups {
  /// Replaces the text of a backup durably, in one step.
  ///
  /// The backup keeps its name, and so its number and time. A garage that gets a cipher seals its old backups in this
  /// way.
  ///
  /// - Parameter text: Gets the backup's content, returns its new text, or `nil` to leave it. Not called if it is gone.
  /// - Throws: What `text` throws, or ``SettingsError`` `readOnly`, `io` or `lockTimeout`. The backup has its old or
  ///   new text.
  package func replace(_ backup: SettingsBackup, by text: ([UInt8]) throws -> [UInt8]?) throws {
    let place = FinalPath(splitting: backup.path)
    var limit = limit ?? TimeLimit(SettingsFile(path: place.directory, system: system).lockTimeout)
    guard let lock = try DirectoryLock.acquire(place.directory, for: place.directory, within: &limit, system: system),
      let old = try SettingsFile(path: backup.path, system: system).read().bytes, let new = try text(old)
    else { return }
    try SettingsError.ofSystem("seal", backup.path) {
      try system.writeBackup(new, for: place.name, in: lock.descriptor) { temporary throws(Errno) in
        try system.rename(temporary, to: place.name, in: lock.descriptor)
      }
      try system.synchronizeDirectory(lock.descriptor, path: place.directory)
    }
  }
}
