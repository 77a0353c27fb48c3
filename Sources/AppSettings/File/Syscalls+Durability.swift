import Glibc

/// What survives a power failure.
extension Syscalls {
  package func synchronize(_ descriptor: CInt, path: String) throws(Errno) {
    try step(.fsync, path)
    _ = try retry { Int(fsync(descriptor)) }
  }

  package func synchronizeDirectory(_ descriptor: CInt, path: String) throws(Errno) {
    try step(.fsyncDirectory, path)
    _ = try retry { Int(fsync(descriptor)) }
  }
}
