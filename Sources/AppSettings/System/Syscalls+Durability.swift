import Glibc

/// Calls that make changes survive a power failure.
extension Syscalls {
  /// Makes the content and the attributes of an open file survive a power failure, `fsync(2)`.
  ///
  /// It may take many milliseconds. It does not make the name of a new file durable.
  package func synchronize(_ descriptor: CInt, path: String) throws(Errno) {
    try step(.fsync, path)
    _ = try retry { Int(fsync(descriptor)) }
  }

  /// Makes the names in an open directory survive a power failure, by `fsync(2)` of the directory.
  package func synchronizeDirectory(_ descriptor: CInt, path: String) throws(Errno) {
    try step(.fsyncDirectory, path)
    _ = try retry { Int(fsync(descriptor)) }
  }

  /// Opens a directory and syncs it.
  func synchronizeDirectory(at path: String) throws(Errno) {
    let descriptor = try open(path, flags: O_RDONLY | O_DIRECTORY)
    defer { close(descriptor) }
    try synchronizeDirectory(descriptor, path: path)
  }
}
