import Glibc

/// The system calls of the write path, and the seam at which tests make one fail or kill the process.
///
/// Nothing else in this module calls libc for files. A call is retried on `EINTR`, and throws other errors as
/// ``Errno``.
///
/// ```swift
/// let full = Syscalls { call, _ throws(Errno) in
///   if call == .write { throw Errno(ENOSPC) }
///   return nil
/// }
/// ```
package struct Syscalls: Sendable {
  /// The calls by their names in the seam and the trace.
  package enum Call: String, Sendable, CaseIterable {
    case open, openDirectory, read, write, stat, chmod, chown, xattr, fsync, rename, unlink, fsyncDirectory, mkdir, lock
    case readlink, list, link, lease, rmdir
  }

  /// Runs before each call, with its name and path. If it throws, the call fails with that number; if it returns a
  /// count, one `read` or `write` moves at most so many bytes. `nil` in production.
  package var intercept: (@Sendable (Call, String) throws(Errno) -> Int?)?

  package init(intercept: (@Sendable (Call, String) throws(Errno) -> Int?)? = nil) { self.intercept = intercept }

  /// `AT_FDCWD`: paths are taken from the working directory.
  package static var workingDirectory: CInt { AT_FDCWD }

  /// Runs the code of a test before a call, if there is any.
  @discardableResult
  func step(_ call: Call, _ path: String) throws(Errno) -> Int? {
    guard let intercept else { return nil }
    return try intercept(call, path)
  }

  /// Repeats a call while it is interrupted.
  func retry(_ body: () -> Int) throws(Errno) -> Int {
    while true {
      let result = body()
      if result >= 0 { return result }
      let number = errno
      if number != EINTR { throw Errno(number) }
    }
  }

  /// `openat(2)` with `O_CLOEXEC`; never waits for the other end of a pipe and never takes a controlling terminal.
  package func open(
    _ path: String, in directory: CInt = Syscalls.workingDirectory, flags: CInt, mode: UInt32 = 0
  ) throws(Errno) -> CInt {
    try step(flags & O_DIRECTORY != 0 ? .openDirectory : .open, path)
    return CInt(
      try retry { path.withPath { Int(openat(directory, $0, flags | O_CLOEXEC | O_NONBLOCK | O_NOCTTY, mode)) } })
  }

  /// `close(2)`. Not retried: on Linux the descriptor is closed in any case.
  package func close(_ descriptor: CInt) { _ = Glibc.close(descriptor) }

  /// `fstat(2)`: the status of an open file.
  ///
  /// - Parameters:
  ///   - descriptor: The file.
  ///   - path: The name of the file, for ``intercept``.
  package func status(of descriptor: CInt, path: String) throws(Errno) -> FileStatus {
    try step(.stat, path)
    var raw = stat()
    _ = try retry { Int(fstat(descriptor, &raw)) }
    return FileStatus(raw)
  }

  /// `fstatat(2)`; `nil` if there is no file.
  package func status(
    at path: String, in directory: CInt = Syscalls.workingDirectory, followingLinks: Bool = true
  ) throws(Errno) -> FileStatus? {
    try step(.stat, path)
    var raw = stat()
    do {
      _ = try retry { path.withPath { Int(fstatat(directory, $0, &raw, followingLinks ? 0 : AT_SYMLINK_NOFOLLOW)) } }
    } catch {
      if error.rawValue == ENOENT || error.rawValue == ENOTDIR { return nil }
      throw error
    }
    return FileStatus(raw)
  }

  /// Throws if the process may not write an existing file: `EACCES` by its effective ids, `EROFS` by the mount.
  package func checkWritable(_ name: String, in directory: CInt) throws(Errno) {
    _ = try retry { name.withPath { Int(faccessat(directory, $0, W_OK, AT_EACCESS)) } }
  }
}
