import Glibc

extension SettingsFile {
  /// Syncs the file and its name, as they are; nothing where there is no file, or where this process has no permission.
  ///
  /// - Throws: ``SettingsError`` `io`.
  package func makeDurable() throws(SettingsError) {
    let place = try FinalPath.resolve(path, system: system)
    do throws(Errno) {
      guard try system.status(at: place.path) != nil else { return }
      let descriptor = try system.open(place.path, flags: O_RDONLY)
      defer { system.close(descriptor) }
      try system.synchronize(descriptor, path: path)
      try system.synchronizeDirectory(at: place.directory)
    } catch {
      // Whoever may not open the file or its directory has not written it either.
      guard ![EACCES, EPERM, EROFS, EINVAL].contains(error.rawValue) else { return }
      throw .system(error, "make durable", path, then: "A power failure may bring its former text back.")
    }
  }
}
