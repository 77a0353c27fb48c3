import CSystem
import Glibc

/// A system error number, `errno(3)`.
package struct Errno: Error, Sendable, Hashable {
  package let rawValue: Int32
  package init(_ rawValue: Int32) { self.rawValue = rawValue }

  /// `strerror(3)`'s text. Glibc's is safe to call from any thread for known numbers.
  package var message: String {
    String(cString: strerror(rawValue))
  }
}

extension Errno: CustomStringConvertible {
  package var description: String { message }
}

/// What `stat(2)` says of a file, as far as it is used here.
package struct FileStatus: Sendable, Hashable {
  package var device: UInt64
  package var inode: UInt64
  package var mode: UInt32
  package var owner: UInt32
  package var group: UInt32
  package var size: Int
  /// How many names it has.
  package var links: Int
  /// When the content was last written to, in nanoseconds since 1970. Programs can set it to any time.
  package var modified: Int64

  /// The time since it was last written to; negative if that is in the future.
  var age: Int64 {
    let (age, overflows) = ProcessFacts.nanosecondsSince1970().subtractingReportingOverflow(modified)
    return overflows ? .max : age
  }

  /// When content, names, mode or owner last changed, in nanoseconds since 1970. Only the kernel sets it.
  package var changed: Int64

  /// The kinds of file, inode(7). Not `S_IFMT` and its kin, which two modules define.
  private var kind: UInt32 { mode & 0o170000 }

  package var isRegular: Bool { kind == 0o100000 }
  package var isDirectory: Bool { kind == 0o040000 }
  package var permissions: UInt32 { mode & 0o7777 }

  /// What an error calls a file of this kind.
  package var kindName: String {
    switch kind {
    case 0o100000: "a file"
    case 0o040000: "a directory"
    case 0o010000: "a named pipe"
    case 0o140000: "a socket"
    case 0o020000, 0o060000: "a device"
    case 0o120000: "a symbolic link"
    default: "something else"
    }
  }

  init(_ raw: stat) {
    device = UInt64(raw.st_dev)
    inode = UInt64(raw.st_ino)
    mode = raw.st_mode
    owner = raw.st_uid
    group = raw.st_gid
    size = Int(raw.st_size)
    links = Int(raw.st_nlink)
    modified = Self.nanoseconds(raw.st_mtim)
    changed = Self.nanoseconds(raw.st_ctim)
  }

  /// The nearest time that there is a number for: years 1677 to 2262. File systems know others.
  private static func nanoseconds(_ time: timespec) -> Int64 {
    let (seconds, overflows) = Int64(time.tv_sec).multipliedReportingOverflow(by: 1_000_000_000)
    let (sum, exceeds) = seconds.addingReportingOverflow(Int64(time.tv_nsec))
    return overflows || exceeds ? (time.tv_sec < 0 ? .min : .max) : sum
  }
}

/// The system calls of the write path, and the seam at which a test makes one fail or die.
///
/// Nothing else in this module calls libc for files. Each call is retried on `EINTR` and throws ``Errno`` otherwise.
package struct Syscalls: Sendable {
  /// The calls, as the seam and the trace name them.
  package enum Call: String, Sendable, CaseIterable {
    case open, openDirectory, read, write, stat, chmod, chown, xattr, fsync, rename, unlink, fsyncDirectory, mkdir, lock
    case readlink, list, link, lease
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

  /// Goes back to the beginning of an open file, `lseek(2)`.
  package func rewind(_ descriptor: CInt) throws(Errno) {
    _ = try retry { Int(lseek(descriptor, 0, SEEK_SET)) }
  }

  /// Reads a regular file to the end, with `limit` + 1 bytes at the most.
  package func readAll(_ descriptor: CInt, path: String, expecting size: Int, limit: Int) throws(Errno) -> [UInt8] {
    var bytes: [UInt8] = []
    while bytes.count <= limit {
      // One more than there should be: a read that comes short of that has found the end, and needs no other to say so.
      let chunk = bytes.isEmpty && size > 0 ? min(size + 1, 1 << 20) : 1 << 16
      let allowed = try step(.read, path) ?? chunk
      var failure: Errno?
      let wanted = min(chunk, allowed, limit + 1 - bytes.count)
      let added = [UInt8](unsafeUninitializedCapacity: wanted) { buffer, count in
        do throws(Errno) {
          count = try retry { Glibc.read(descriptor, buffer.baseAddress, wanted) }
        } catch {
          failure = error
        }
      }
      if let failure { throw failure }
      if bytes.isEmpty { bytes = added } else { bytes += added }
      if added.isEmpty || added.count < wanted && bytes.count >= size { break }
    }
    return bytes
  }

  /// Writes every byte.
  ///
  /// A write beyond the process's limit on the size of files (`RLIMIT_FSIZE`, `setrlimit(2)`) throws `EFBIG`. The signal
  /// that the kernel sends with that, `SIGXFSZ`, would end the process. It goes to the thread that writes, so that
  /// blocking it there and taking it back changes nothing for others, nor how the process handles it elsewhere.
  package func writeAll(_ bytes: [UInt8], to descriptor: CInt, path: String) throws(Errno) {
    var limitSignal = sigset_t()
    var former = sigset_t()
    sigemptyset(&limitSignal)
    sigaddset(&limitSignal, SIGXFSZ)
    pthread_sigmask(SIG_BLOCK, &limitSignal, &former)
    defer { pthread_sigmask(SIG_SETMASK, &former, nil) }
    var offset = 0
    while offset < bytes.count {
      do {
        let allowed = try step(.write, path) ?? Int.max
        let count = min(bytes.count - offset, allowed)
        offset += try retry {
          bytes.withUnsafeBytes { Glibc.write(descriptor, $0.baseAddress! + offset, count) }
        }
      } catch {
        if error.rawValue == EFBIG {
          var noTime = timespec()
          _ = sigtimedwait(&limitSignal, nil, &noTime)
        }
        throw error
      }
    }
  }

  package func synchronize(_ descriptor: CInt, path: String) throws(Errno) {
    try step(.fsync, path)
    _ = try retry { Int(fsync(descriptor)) }
  }

  package func synchronizeDirectory(_ descriptor: CInt, path: String) throws(Errno) {
    try step(.fsyncDirectory, path)
    _ = try retry { Int(fsync(descriptor)) }
  }

  package func rename(_ old: String, to new: String, in directory: CInt) throws(Errno) {
    try step(.rename, new)
    _ = try retry { old.withPath { old in new.withPath { Int(renameat(directory, old, directory, $0)) } } }
  }

  /// `renameat2(2)` with `RENAME_NOREPLACE`: throws `EEXIST` where the new name is taken.
  ///
  /// On a file system that does not know the flag, all who go by the lock are kept out by it.
  package func renameNew(_ old: String, to new: String, in directory: CInt) throws(Errno) {
    do throws(Errno) {
      try step(.rename, new)
      _ = try retry { exchangeOrRename(old, new, in: directory, UInt32(CSYSTEM_RENAME_NOREPLACE)) }
    } catch {
      guard error.rawValue == EINVAL || error.rawValue == ENOSYS else { throw error }
      guard try status(at: new, in: directory, followingLinks: false) == nil else { throw Errno(EEXIST) }
      try rename(old, to: new, in: directory)
    }
  }

  /// `renameat2(2)` with `RENAME_EXCHANGE`: each of two files gets the other's name, in one step.
  ///
  /// Watchers of the directory see a file of the first name go, then one come, as with programs that keep a backup when
  /// they save. With the names the other way round they would see it go last.
  ///
  /// - Returns: Whether it did; `false` where the file system cannot.
  package func exchange(_ name: String, with other: String, in directory: CInt) throws(Errno) -> Bool {
    do throws(Errno) {
      try step(.rename, name)
      _ = try retry { exchangeOrRename(name, other, in: directory, UInt32(CSYSTEM_RENAME_EXCHANGE)) }
      return true
    } catch {
      guard error.rawValue == EINVAL || error.rawValue == ENOSYS else { throw error }
      return false
    }
  }

  private func exchangeOrRename(_ old: String, _ new: String, in directory: CInt, _ flags: UInt32) -> Int {
    old.withPath { old in new.withPath { Int(renameat2(directory, old, directory, $0, flags)) } }
  }

  /// Whether anyone has a file open for writing, or mapped so; `nil` where the kernel does not say.
  ///
  /// A read lease (`fcntl(2)`, "File leases") is refused with `EAGAIN` while the file is open for writing. It takes an
  /// own file or `CAP_LEASE`, and a file system with leases. The lease is given back at once: whoever opens the file
  /// in that moment waits for microseconds, and what the kernel then sends this process is `SIGURG`, which does
  /// nothing by default, instead of `SIGIO`, which would end it.
  ///
  /// - Parameter descriptor: The file, opened for reading only.
  package func isOpenForWriting(_ descriptor: CInt, path: String) -> Bool? {
    do throws(Errno) { try step(.lease, path) } catch { return nil }
    _ = fcntl(descriptor, CInt(CSYSTEM_F_SETSIG), SIGURG)
    if fcntl(descriptor, CInt(CSYSTEM_F_SETLEASE), F_RDLCK) == 0 {
      _ = fcntl(descriptor, CInt(CSYSTEM_F_SETLEASE), F_UNLCK)
      return false
    }
    return errno == EAGAIN ? true : nil
  }

  /// `link(2)`: a second name for a file, which must not be there yet. A symbolic link is not followed.
  package func link(_ path: String, to new: String) throws(Errno) {
    try step(.link, new)
    _ = try retry { path.withPath { path in new.withPath { Int(Glibc.link(path, $0)) } } }
  }

  /// `unlinkat(2)`; not an error where there is nothing.
  package func unlink(_ name: String, in directory: CInt = Syscalls.workingDirectory) throws(Errno) {
    try step(.unlink, name)
    do {
      _ = try retry { name.withPath { Int(unlinkat(directory, $0, 0)) } }
    } catch {
      if error.rawValue != ENOENT { throw error }
    }
  }

  /// `readlink(2)`; `nil` where there is no symbolic link.
  package func linkTarget(_ path: String) throws(Errno) -> String? {
    try step(.readlink, path)
    var buffer = [UInt8](repeating: 0, count: Int(PATH_MAX))
    do {
      let count = try retry {
        buffer.withUnsafeMutableBytes { buffer in
          path.withPath { readlink($0, buffer.baseAddress!.assumingMemoryBound(to: CChar.self), buffer.count) }
        }
      }
      return PathText.text(buffer[..<count])
    } catch {
      if error.rawValue == EINVAL || error.rawValue == ENOENT || error.rawValue == ENOTDIR { return nil }
      throw error
    }
  }

  /// The names in a directory, unsorted, without `.` and `..`; `nil` where there is none.
  package func names(in path: String) throws(Errno) -> [String]? {
    try step(.list, path)
    guard let stream = path.withPath({ opendir($0) }) else {
      let number = errno
      // No directory can have a name that is too long.
      if [ENOENT, ENOTDIR, ENAMETOOLONG].contains(number) { return nil }
      throw Errno(number)
    }
    defer { closedir(stream) }
    var names: [String] = []
    while let entry = readdir(stream) {
      let name = withUnsafeBytes(of: &entry.pointee.d_name) { PathText.text($0.prefix { $0 != 0 }) }
      if name != "." && name != ".." { names.append(name) }
    }
    return names
  }

  /// Opens a directory to lock it, as a descriptor of this process alone.
  ///
  /// A lock belongs to the open file, which a child made by `fork(2)` would share and keep locked for as long as it lives:
  /// its copy is closed before `fork()` returns there.
  package func openToLock(_ path: String) throws(Errno) -> OwnDescriptor {
    try step(.openDirectory, path)
    var result = csystem_own_descriptor()
    _ = try retry {
      path.withPath { Int(csystem_own_open($0, O_RDONLY | O_DIRECTORY | O_NONBLOCK | O_NOCTTY, &result)) }
    }
    return OwnDescriptor(result)
  }

  /// Another descriptor of the same open file, this process's alone, too.
  package func duplicate(_ descriptor: OwnDescriptor) throws(Errno) -> OwnDescriptor {
    var result = csystem_own_descriptor()
    _ = try retry { Int(csystem_own_duplicate(descriptor.raw, &result)) }
    return OwnDescriptor(result)
  }

  /// Closes a descriptor.
  ///
  /// - Parameter unlocks: Whether the lock of the open file is released first, so that it ends here whoever else has the
  ///   file open.
  package func close(_ descriptor: OwnDescriptor, unlocks: Bool) { csystem_own_close(descriptor.raw, unlocks ? 1 : 0) }

  /// Takes an exclusive `flock(2)` if it is free. Released by `close`, and by the kernel when the process ends.
  package func tryLock(_ descriptor: OwnDescriptor, path: String) throws(Errno) -> Bool {
    try step(.lock, path)
    do {
      _ = try retry { Int(flock(descriptor.number, LOCK_EX | LOCK_NB)) }
      return true
    } catch {
      if error.rawValue == EWOULDBLOCK { return false }
      throw error
    }
  }

  /// Waits for an exclusive `flock(2)`, without a limit.
  package func waitForLock(_ descriptor: OwnDescriptor) throws(Errno) {
    _ = try retry { Int(flock(descriptor.number, LOCK_EX)) }
  }
}

/// A descriptor that a child made by `fork(2)` does not get.
package struct OwnDescriptor: Sendable {
  package let number: CInt
  private let forks: UInt32

  fileprivate init(_ raw: csystem_own_descriptor) {
    number = raw.number
    forks = raw.forks
  }

  fileprivate var raw: csystem_own_descriptor { csystem_own_descriptor(number: number, forks: forks) }
}
