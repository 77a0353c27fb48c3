import Glibc

/// The system calls of the write path, and the seam at which a test makes one fail or die.
///
/// Nothing else in this module calls libc for files. Each call is retried on `EINTR` and throws ``Errno`` otherwise.
package struct Syscalls: Sendable {
  /// The calls, as the seam and the trace name them.
  package enum Call: String, Sendable, CaseIterable {
    case open, openDirectory, read, write, stat, chmod, chown, xattr, fsync, rename, unlink, fsyncDirectory, mkdir, lock
    case readlink, list, link, lease, rmdir
  }

  /// Called before each call with its name and path. Throwing makes the call fail with that number; returning a
  /// count limits how many bytes one `read` or `write` moves. `nil` in production.
  package var intercept: (@Sendable (Call, String) throws(Errno) -> Int?)?

  package init(intercept: (@Sendable (Call, String) throws(Errno) -> Int?)? = nil) { self.intercept = intercept }

  /// `AT_FDCWD`: paths are taken from the working directory.
  package static var workingDirectory: CInt { AT_FDCWD }

  @discardableResult
  func step(_ call: Call, _ path: String) throws(Errno) -> Int? {
    guard let intercept else { return nil }
    return try intercept(call, path)
  }

  /// Runs a call until it is not interrupted.
  func retry(_ body: () -> Int) throws(Errno) -> Int {
    while true {
      let result = body()
      if result >= 0 { return result }
      let number = errno
      if number != EINTR { throw Errno(number) }
    }
  }

  /// `openat(2)` with `O_CLOEXEC`; never waits for a pipe's other end and never takes a controlling terminal.
  package func open(
    _ path: String, in directory: CInt = Syscalls.workingDirectory, flags: CInt, mode: UInt32 = 0
  ) throws(Errno) -> CInt {
    try step(flags & O_DIRECTORY != 0 ? .openDirectory : .open, path)
    return CInt(
      try retry { path.withPath { Int(openat(directory, $0, flags | O_CLOEXEC | O_NONBLOCK | O_NOCTTY, mode)) } })
  }

  /// `close(2)`. Not retried: on Linux the descriptor is gone whatever it says.
  package func close(_ descriptor: CInt) { _ = Glibc.close(descriptor) }

  package func status(of descriptor: CInt, path: String) throws(Errno) -> FileStatus {
    try step(.stat, path)
    var raw = stat()
    _ = try retry { Int(fstat(descriptor, &raw)) }
    return FileStatus(raw)
  }

  /// `fstatat(2)`; `nil` where there is nothing.
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
