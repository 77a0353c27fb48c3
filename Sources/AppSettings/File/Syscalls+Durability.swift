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

  /// Opens a directory and syncs it.
  func synchronizeDirectory(at path: String) throws(Errno) {
    let descriptor = try open(path, flags: O_RDONLY | O_DIRECTORY)
    defer { close(descriptor) }
    try synchronizeDirectory(descriptor, path: path)
  }

  /// Syncs a file that is there already, and its name: whoever wrote it may not have done so.
  func makeDurable(_ file: CInt, in directory: CInt, _ place: FinalPath) throws(Errno) {
    try synchronize(file, path: place.path)
    try synchronizeDirectory(directory, path: place.directory)
  }

  /// As ``makeDurable(_:in:_:)``, for a file that is not open.
  func makeDurable(_ place: FinalPath) throws(Errno) {
    let file = try open(place.path, flags: O_RDONLY)
    defer { close(file) }
    let directory = try open(place.directory, flags: O_RDONLY | O_DIRECTORY)
    defer { close(directory) }
    try makeDurable(file, in: directory, place)
  }
}
