import AppSettings
import CFleetSystem
import Glibc

/// Whole files.
enum File {
  /// An error of libc: the call, the path, and the number.
  struct Failed: Error, CustomStringConvertible {
    let call: String
    let path: String
    /// `nil` for what is not a file.
    let number: CInt?

    init(_ call: String, _ path: String, _ error: Errno = Errno(errno)) {
      (self.call, self.path, number) = (call, path, error.rawValue)
    }

    /// - Parameter path: That of a directory, a pipe or a device.
    init(notFile path: String) { (call, self.path, number) = ("read", path, nil) }

    var isMissing: Bool { number == ENOENT || number == ENOTDIR }
    var isOfNoFile: Bool { number == nil }
    var description: String {
      "Cannot \(call) '\(path)': \(number.map { String(cString: strerror($0)) } ?? "it is not a regular file")."
    }
  }

  /// Reads a file, without waiting for anybody: what is not a regular file is refused.
  ///
  /// - Parameters:
  ///   - limit: The number of bytes that is enough to see that there are too many.
  ///   - isTyped: Whether a person has named it for this run, so that it can be a pipe, too.
  ///   - flags: More flags of open(2).
  static func read(
    _ path: String, upTo limit: Int = .max, isTyped: Bool = false, _ flags: CInt = 0
  ) throws(Failed) -> [UInt8] {
    let descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY | (isTyped ? 0 : O_NONBLOCK) | flags)
    guard descriptor >= 0 else { throw Failed("open", path) }
    defer { close(descriptor) }
    if !isTyped, try status(path, of: descriptor)?.isRegular == false { throw Failed(notFile: path) }
    return try read(from: descriptor, path, upTo: limit)
  }

  /// Reads a descriptor to its end.
  ///
  /// - Parameter limit: The number of bytes that is enough to see that there are too many.
  static func read(from descriptor: CInt, _ path: String, upTo limit: Int = .max) throws(Failed) -> [UInt8] {
    var bytes: [UInt8] = []
    var part = [UInt8](repeating: 0, count: 64 << 10)
    while bytes.count < limit {
      let count = Glibc.read(descriptor, &part, part.count)
      if count < 0 {
        if errno == EINTR { continue }
        throw Failed("read", path)
      }
      if count == 0 { return bytes }
      bytes += part[..<count]
    }
    return bytes
  }

  /// A descriptor from which nothing can be read. The caller closes it.
  static func nothing() throws(Failed) -> CInt {
    let descriptor = open("/dev/null", O_RDONLY | O_CLOEXEC)
    guard descriptor >= 0 else { throw Failed("open", "/dev/null") }
    return descriptor
  }

  /// A file without a name that has bytes, to be read from its beginning. The caller closes it.
  static func inMemory(_ bytes: [UInt8]) throws(Failed) -> CInt {
    let name = "a file in memory"
    let descriptor = fleet_memory_file()
    guard descriptor >= 0 else { throw Failed("make", name) }
    do throws(Failed) {
      try write(bytes, to: descriptor, name)
      guard lseek(descriptor, 0, SEEK_SET) == 0 else { throw Failed("rewind", name) }
    } catch {
      close(descriptor)
      throw error
    }
    return descriptor
  }

  /// The file's bytes; `nil` if there is no such file.
  static func readIfThere(_ path: String) throws(Failed) -> [UInt8]? {
    do {
      return try read(path)
    } catch {
      if error.isMissing { return nil }
      throw error
    }
  }

  /// The file's bytes; `nil` if there is no file, or something else in its place: a link, or a file of somebody else's
  /// that this process may not read.
  static func readIfFile(_ path: String) throws(Failed) -> [UInt8]? {
    do {
      return try read(path, O_NOFOLLOW)
    } catch {
      // The opens of a socket and of a link fail already.
      if error.isMissing || error.isOfNoFile || [ENXIO, ELOOP, EACCES].contains(error.number) { return nil }
      throw error
    }
  }

  /// Removes a pipe, a socket, a device or a link in the place of a file. Files and directories stay.
  static func removeIfSpecial(_ path: String) throws(Failed) {
    guard let present = present(path), !present.isRegular, !present.isDirectory else { return }
    try remove(path)
  }

  /// Whether there is something in the place of a file, other than a directory.
  static func isBlocked(_ path: String) -> Bool { present(path).map { !$0.isDirectory } ?? false }

  /// Whether there is a file that this process may not read, or may not write.
  static func isForeign(_ path: String) -> Bool {
    present(path)?.isRegular == true && faccessat(AT_FDCWD, path, R_OK | W_OK, AT_EACCESS) != 0
  }

  /// Replaces a file in one step, which a power failure does not undo and does not tear. Sources: rename(2), fsync(2).
  ///
  /// - Parameter temporary: The name of the new file until it is whole, in the same directory; by default the file's own
  ///   with `.new` at its end.
  static func replace(
    _ path: String, with bytes: [UInt8], mode: mode_t = 0o600, temporary: String? = nil
  ) throws(Failed) {
    let temporary = temporary ?? path + ".new"
    try removeIfSpecial(temporary)
    try make(temporary, of: bytes, mode: mode, O_TRUNC | O_NOFOLLOW | O_NONBLOCK)
    guard rename(temporary, path) == 0 else {
      let failure = Failed("rename", temporary)
      unlink(temporary)
      throw failure
    }
    try sync(directoryOf: path)
  }

  /// Replaces a file in one step for those who read it. It need not survive a power failure.
  static func swap(_ path: String, with bytes: [UInt8], mode: mode_t) throws(Failed) {
    let temporary = path + ".new"
    do throws(Failed) {
      try removeIfSpecial(temporary)
      try put(bytes, at: temporary, mode: mode)
      guard rename(temporary, path) == 0 else { throw Failed("rename", temporary) }
    } catch {
      unlink(temporary)
      throw error
    }
  }

  /// What is at a path, which is not followed if it is a link; `nil` for nothing, and for what cannot be known.
  static func present(_ path: String) -> FileStatus? { try? Syscalls().status(at: path, followingLinks: false) }

  /// The owner, type and permissions of a file; `nil` if there is none.
  ///
  /// - Parameter descriptor: The file, if it is open.
  static func status(_ path: String, of descriptor: CInt? = nil) throws(Failed) -> FileStatus? {
    do throws(Errno) {
      guard let descriptor else { return try Syscalls().status(at: path) }
      return try Syscalls().status(of: descriptor, path: path)
    } catch {
      throw Failed("read", path, error)
    }
  }

  /// Writes a file that nobody else reads, and that need not survive a power failure.
  static func put(_ bytes: [UInt8], at path: String, mode: mode_t = 0o600) throws(Failed) {
    let descriptor = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC | O_NONBLOCK, mode)
    guard descriptor >= 0 else { throw Failed("create", path) }
    defer { close(descriptor) }
    // Whatever the umask is: the check of a document depends on the mode.
    guard fchmod(descriptor, mode) == 0 else { throw Failed("change the mode of", path) }
    try write(bytes, to: descriptor, path)
  }

  /// Makes a file that is not there yet and that only its owner reads.
  static func create(_ path: String, with bytes: [UInt8]) throws(Failed) {
    try make(path, of: bytes, mode: 0o600, O_EXCL)
    try sync(directoryOf: path)
  }

  /// Removes a file, and makes that durable. One that is not there counts as removed.
  static func remove(_ path: String) throws(Failed) {
    guard unlink(path) == 0 else {
      let failure = Failed("remove", path)
      if failure.isMissing { return }
      throw failure
    }
    try sync(directoryOf: path)
  }

  /// Makes a directory and those above it.
  static func makeDirectory(_ path: String, mode: mode_t = 0o700) throws(Failed) {
    if mkdir(path, mode) == 0 || errno == EEXIST { return }
    guard errno == ENOENT, let parent = parent(of: path), parent != path else { throw Failed("make", path) }
    try makeDirectory(parent, mode: mode)
    guard mkdir(path, mode) == 0 || errno == EEXIST else { throw Failed("make", path) }
  }

  /// Removes a directory and all that is in it; links are removed and not followed.
  static func removeDirectory(_ path: String) {
    for name in (try? names(in: path)) ?? [] {
      let inner = "\(path)/\(name)"
      if unlink(inner) != 0 { removeDirectory(inner) }
    }
    rmdir(path)
  }

  /// The names in a directory, in byte order; none if there is no such directory.
  static func names(in path: String) throws(Failed) -> [String] {
    do throws(Errno) {
      return (try Syscalls().names(in: path) ?? []).sorted { $0.utf8.lexicographicallyPrecedes($1.utf8) }
    } catch {
      throw Failed("read", path, error)
    }
  }

  static func parent(of path: String) -> String? {
    path.utf8.lastIndex(of: UInt8(ascii: "/")).map { $0 == path.startIndex ? "/" : String(path[..<$0]) }
  }

  /// Makes a file that is on the disk, or none.
  private static func make(_ path: String, of bytes: [UInt8], mode: mode_t, _ flags: CInt) throws(Failed) {
    let descriptor = open(path, O_WRONLY | O_CREAT | O_CLOEXEC | flags, mode)
    guard descriptor >= 0 else { throw Failed("create", path) }
    do throws(Failed) {
      defer { close(descriptor) }
      try write(bytes, to: descriptor, path)
      guard fsync(descriptor) == 0 else { throw Failed("sync", path) }
    } catch {
      unlink(path)
      throw error
    }
  }

  /// Writes all of some bytes.
  static func write(_ bytes: [UInt8], to descriptor: CInt, _ path: String) throws(Failed) {
    do throws(Errno) {
      try Syscalls().writeAll(bytes, to: descriptor, path: path)
    } catch {
      throw Failed("write", path, error)
    }
  }

  private static func sync(directoryOf path: String) throws(Failed) {
    let directory = parent(of: path) ?? "."
    let descriptor = open(directory, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
    guard descriptor >= 0 else { throw Failed("open", directory) }
    defer { close(descriptor) }
    guard fsync(descriptor) == 0 else { throw Failed("sync", directory) }
  }
}
