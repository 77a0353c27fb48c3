import Glibc

extension SettingsFile {
  /// Syncs the present file and its name. Does nothing if there is no file, or this process has no permission.
  ///
  /// Use it before work that relies on the file, because another process may have written it and died before it could
  /// sync it.
  ///
  /// - Throws: ``SettingsError`` `io`.
  package func makeDurable() throws(SettingsError) {
    let place = try FinalPath.resolve(path, system: system)
    do throws(Errno) {
      guard try system.status(at: place.path) != nil else { return }
      try system.makeDurable(place)
    } catch {
      // A process that may not open the file or its directory has not written it either.
      guard ![EACCES, EPERM, EROFS, EINVAL].contains(error.rawValue) else { return }
      throw .system(error, "sync", path, then: "A power failure may bring back its old text.")
    }
  }
}

extension Syscalls {
  /// Syncs an existing file and its name: the program that wrote it may not have synced them.
  ///
  /// Its name is part of the directory, so `fsync(2)` of the file does not make that durable.
  func makeDurable(_ file: CInt, in directory: CInt, _ place: FinalPath) throws(Errno) {
    try synchronize(file, path: place.path)
    try synchronizeDirectory(directory, path: place.directory)
  }

  /// Does the same as ``makeDurable(_:in:_:)`` for a file that is not open.
  func makeDurable(_ place: FinalPath) throws(Errno) {
    let file = try open(place.path, flags: O_RDONLY)
    defer { close(file) }
    let directory = try open(place.directory, flags: O_RDONLY | O_DIRECTORY)
    defer { close(directory) }
    try makeDurable(file, in: directory, place)
  }
}
