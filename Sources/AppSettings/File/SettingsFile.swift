import Glibc
import SettingsTOML

/// A settings file as bytes: reading it, and the only way in which this library writes it.
///
/// Writing is: lock the directory of the real file → read → let the caller make the new text → temporary file next to
/// it → `fsync` → `rename` → `fsync` of the directory → unlock. A crash at any point leaves the old or the new text.
///
/// ```swift
/// let file = SettingsFile(path: "/home/ada/.config/app/settings.toml")
/// let bytes = try file.read().bytes   // nil if there is no file
/// ```
package struct SettingsFile: Sendable {
  /// The absolute path that was asked for. Its links are followed again for each read and write.
  package let path: String
  /// The system calls, which tests can intercept.
  package let system: Syscalls
  /// The longest wait for another writer.
  package let lockTimeout: Duration
  /// Whether other users may read a new file, as far as the umask lets them.
  package let isShared: Bool

  /// The maximum size of a file: 256 MiB. Settings are never that large; a mistake can be.
  package static let sizeLimit = TOMLDocument.maximumSize

  package init(
    path: String, system: Syscalls = Syscalls(), lockTimeout: Duration = .seconds(30), isShared: Bool = false
  ) {
    self.isShared = isShared
    self.path = path
    self.system = system
    self.lockTimeout = lockTimeout
  }

  /// The content at the path.
  ///
  /// The bytes and the status belong together, unless the file kept changing while it was read.
  package struct Contents: Sendable {
    /// The bytes; `nil` if there is no file.
    package var bytes: [UInt8]?
    package var status: FileStatus?
    /// Whether any process has the file open for writing; `nil` if unknown.
    package var isOpenForWriting: Bool?
  }

  /// Reads the file without a lock. Replacements are atomic, so this reads one version completely. A ``SaveWatch``
  /// decides about a file that a program saves in place.
  ///
  /// A missing file or directory is not an error: the bytes are `nil`. Pipes and devices are never read.
  ///
  /// - Throws: ``SettingsError`` `io` if it is not a regular file, is too large or cannot be read; `readOnly` if the
  ///   process has no permission to read it.
  package func read() throws(SettingsError) -> Contents {
    try openAndRead(path, in: AT_FDCWD).contents
  }

  /// Whether the directory that the path leads to exists; also `true` if the system does not say.
  func hasDirectory() throws(SettingsError) -> Bool {
    let place = try FinalPath.resolve(path, system: system)
    do throws(Errno) {
      return try system.status(at: place.directory) != nil
    } catch {
      return true
    }
  }

  /// A file that was read, still open.
  struct OpenFile: ~Copyable {
    var contents = Contents()
    fileprivate(set) var descriptor: CInt = -1
    let system: Syscalls

    init(system: Syscalls) { self.system = system }

    /// Closes the file, which keeps its content here.
    mutating func close() {
      if descriptor >= 0 { system.close(descriptor) }
      descriptor = -1
    }

    deinit { if descriptor >= 0 { system.close(descriptor) } }
  }

  /// Opens a file and reads it; an empty one stands for a missing file.
  ///
  /// - Parameter followingLinks: Whether `name` may be a symbolic link; otherwise a link is an error.
  /// - Returns: The file, with its content. A missing one has no descriptor and no bytes.
  /// - Throws: ``SettingsError`` `io` or `readOnly`.
  func openAndRead(
    _ name: String, in directory: CInt, followingLinks: Bool = true
  ) throws(SettingsError) -> OpenFile {
    var file = OpenFile(system: system)
    do {
      file.descriptor = try system.open(name, in: directory, flags: O_RDONLY | (followingLinks ? 0 : O_NOFOLLOW))
    } catch {
      if error.rawValue == ENOENT || error.rawValue == ENOTDIR { return file }
      // A socket cannot be opened at all.
      throw error.rawValue == ENXIO ? .notAFile("a socket", path) : .system(error, "read", path)
    }
    try SettingsError.ofSystem("read", path) { try read(&file, name) }
    return file
  }

  /// Reads the present content of an open file.
  func readAgain(_ file: inout OpenFile) throws(SettingsError) {
    guard file.descriptor >= 0 else { return }
    try SettingsError.ofSystem("read", path) {
      try system.rewind(file.descriptor)
      try read(&file, path)
    }
  }

  /// Reads the file, at most four times, until it does not change meanwhile. One that keeps changing is noted as open
  /// for writing.
  private func read(_ file: inout OpenFile, _ name: String) throws {
    var status = try system.status(of: file.descriptor, path: name)
    guard status.isRegular else {
      let isMask = status.isNullDevice && path.isMovable
      throw SettingsError.notAFile(isMask ? "a mask, which leads to '/dev/null'" : status.kindName, path)
    }
    var isOpen: Bool?
    var bytes: [UInt8] = []
    for attempt in 1...Self.mostReads {
      if attempt > 1 { try system.rewind(file.descriptor) }
      guard status.size <= Self.sizeLimit else { throw SettingsError.tooLarge(status.size, path) }
      bytes = try system.readAll(file.descriptor, path: name, expecting: status.size, limit: Self.sizeLimit)
      guard bytes.count <= Self.sizeLimit else { throw SettingsError.tooLarge(bytes.count, path) }
      // In this order: if opened since, it is still open; if closed since, its status has changed.
      isOpen = system.isOpenForWriting(file.descriptor, path: name)
      let now = try system.status(of: file.descriptor, path: name)
      let isUnchanged = now.hasSameText(as: status)
      status = now
      if isUnchanged { break }
      isOpen = true
    }
    file.contents = Contents(bytes: bytes, status: status, isOpenForWriting: isOpen)
  }

  /// The number of times that a changing text is read before it counts as being written.
  private static let mostReads = 4
}

extension SettingsError {
  fileprivate static func notAFile(_ kind: String, _ path: String) -> SettingsError {
    // A directory with the name of a file is in the way of one. Any other one was named in place of a file in it.
    let advice =
      if kind == "a directory", !path.hasSuffix(".toml") {
        "Name a file in it, such as '\(path == "/" ? "" : path)/settings.toml'."
      } else {
        path.isMovable ? "Move it away, or name another file." : "Name a regular file instead."
      }
    return SettingsError(
      .io, "Cannot read '\(path)': it is \(kind), and settings are kept in a regular file. \(advice)", file: path)
  }

  fileprivate static func tooLarge(_ size: Int, _ path: String) -> SettingsError {
    SettingsError(
      .io,
      "Cannot read '\(path)': it has \(size) bytes, and the limit for a settings file is \(SettingsFile.sizeLimit).",
      file: path)
  }
}
