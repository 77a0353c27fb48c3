import Glibc

/// Calls that make changes survive a power failure.
extension Syscalls {
  package func synchronize(_ descriptor: CInt, path: String) throws(Errno) {
    try step(.fsync, path)
    _ = try retry { Int(fsync(descriptor)) }
  }

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
