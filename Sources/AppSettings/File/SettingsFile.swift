import Glibc
import SettingsTOML

/// A settings file as bytes: reading it, and the one way in which anything here writes it.
///
/// Writing is: lock the directory of the real file → read → let the caller make the new text → temporary file beside it
/// → `fsync` → `rename` → `fsync` of the directory → unlock. A crash at any point leaves the old or the new text.
package struct SettingsFile: Sendable {
  /// The path as it was asked for, absolute. Its links are followed afresh for each read and write.
  package let path: String
  package let system: Syscalls
  /// The longest wait for another writer.
  package let lockTimeout: Duration
  /// Whether other users may read a new file, as far as the umask lets them.
  package let isShared: Bool

  /// The largest file that is read: 256 MiB. Settings are never that large; a mistake can be.
  package static let sizeLimit = 256 << 20

  package init(
    path: String, system: Syscalls = Syscalls(), lockTimeout: Duration = .seconds(30), isShared: Bool = false
  ) {
    self.isShared = isShared
    self.path = path
    self.system = system
    self.lockTimeout = lockTimeout
  }

  /// What is at the path.
  package struct Contents: Sendable {
    /// The bytes; `nil` if there is no file.
    package var bytes: [UInt8]?
    package var status: FileStatus?

    package init(bytes: [UInt8]? = nil, status: FileStatus? = nil) {
      self.bytes = bytes
      self.status = status
    }
  }

  /// Reads the file without a lock. Replacements are atomic, so this sees one of them whole.
  ///
  /// - Throws: ``SettingsError`` `io` for what is not a regular file, is too large or cannot be read; `readOnly` where
  ///   the process lacks the permission to read.
  package func read() throws(SettingsError) -> Contents {
    try read(path, in: AT_FDCWD)
  }

  private func read(_ name: String, in directory: CInt) throws(SettingsError) -> Contents {
    do {
      let descriptor: CInt
      do {
        descriptor = try system.open(name, in: directory, flags: O_RDONLY)
      } catch {
        if error.rawValue == ENOENT || error.rawValue == ENOTDIR { return Contents() }
        // A socket cannot be opened at all.
        if error.rawValue == ENXIO { throw SettingsError.notAFile("a socket", path) }
        throw error
      }
      defer { system.close(descriptor) }
      let status = try system.status(of: descriptor, path: name)
      guard status.isRegular else { throw SettingsError.notAFile(status.kindName, path) }
      guard status.size <= Self.sizeLimit else { throw SettingsError.tooLarge(status.size, path) }
      let bytes = try system.readAll(descriptor, path: name, expecting: status.size, limit: Self.sizeLimit)
      guard bytes.count <= Self.sizeLimit else { throw SettingsError.tooLarge(bytes.count, path) }
      return Contents(bytes: bytes, status: status)
    } catch let error as SettingsError {
      throw error
    } catch {
      throw .system(error as? Errno ?? Errno(EIO), "read", path)
    }
  }

  /// Locks, reads, and replaces the text by what `body` makes of it.
  ///
  /// Missing directories are made (0700) first, so call this only to write. A new file is 0600, or 0644 if it is shared; an existing one keeps
  /// mode, owner and extended attributes as far as the process may set them.
  ///
  /// - Parameters:
  ///   - willReplace: Called with the new text just before the file is replaced by it.
  ///   - beforeRename: Called when the new text is on disk under its temporary name. What it throws leaves the file.
  ///   - body: Gets what the file holds; returns the new text, or `nil` to leave the file alone.
  /// - Returns: Whether the file was replaced.
  /// - Throws: What `body` throws, or ``SettingsError`` `lockTimeout`, `readOnly` or `io`. The file is unchanged,
  ///   unless the message says that the new text may not survive a power failure.
  @discardableResult
  package func update(
    willReplace: ([UInt8]) -> Void = { _ in }, beforeRename: () throws -> Void = {},
    _ body: (Contents) throws -> [UInt8]?
  ) throws -> Bool {
    while true {
      let place = try FinalPath.resolve(path, system: system)
      guard let lock = try DirectoryLock.acquire(place.directory, timeout: lockTimeout, system: system) else {
        try makeDirectories(place.directory)
        continue
      }
      // A link may have been turned elsewhere while this waited.
      guard try FinalPath.resolve(path, system: system) == place else { continue }
      let contents = try read(place.name, in: lock.descriptor)
      guard let bytes = try body(contents), !bytes.isSameText(as: contents.bytes) else { return false }
      if contents.status != nil { try checkWritable(place.name, in: lock.descriptor) }
      willReplace(bytes)
      let write = AtomicWrite(
        name: place.name, directory: lock.descriptor, directoryPath: place.directory, system: system,
        newMode: isShared ? 0o644 : 0o600)
      do {
        try write.replace(with: bytes, keeping: contents.status, beforeRename: beforeRename)
      } catch let error as Errno {
        throw SettingsError.system(error, "write", path, then: "The file is unchanged.")
      }
      do throws(Errno) {
        try system.synchronizeDirectory(lock.descriptor, path: place.directory)
      } catch {
        throw SettingsError.system(
          error, "make durable", path, then: "The file holds the new text, which may not survive a power failure.")
      }
      return true
    }
  }

  /// A file that the process may not write is not replaced either, though the directory's permission would do for that.
  private func checkWritable(_ name: String, in directory: CInt) throws(SettingsError) {
    do throws(Errno) {
      try system.checkWritable(name, in: directory)
    } catch {
      guard error.rawValue == EACCES else { throw .system(error, "write", path, then: "The file is unchanged.") }
      throw SettingsError(
        .readOnly,
        "Cannot write '\(path)': this process has no permission to, by the mode of the file. The file is unchanged.",
        file: path)
    }
  }

  /// Makes a directory and its parents, each 0700 (XDG Base Directory specification, "Referencing this
  /// specification"), or 0755 for a shared file.
  package func makeDirectories(_ directory: String) throws(SettingsError) {
    var missing: [String] = []
    var current = directory
    do throws(Errno) {
      while try system.status(at: current) == nil {
        missing.append(current)
        guard let slash = current.lastIndex(of: "/"), slash != current.startIndex else { break }
        current = String(current[..<slash])
      }
      for path in missing.reversed() { try system.makeDirectory(path, mode: isShared ? 0o755 : 0o700) }
    } catch {
      throw .system(error, "make the directory", directory, then: "Nothing was written.")
    }
    do throws(Errno) {
      guard let status = try system.status(at: directory), !status.isDirectory else { return }
      throw Errno(ENOTDIR)
    } catch {
      throw .system(error, "make the directory", directory, then: "Nothing was written.")
    }
  }
}

extension SettingsError {
  fileprivate static func notAFile(_ kind: String, _ path: String) -> SettingsError {
    SettingsError(
      .io, "Cannot read '\(path)': it is \(kind), and settings are kept in a regular file. Move it away.", file: path)
  }

  fileprivate static func tooLarge(_ size: Int, _ path: String) -> SettingsError {
    SettingsError(
      .io,
      "Cannot read '\(path)': it has \(size) bytes, and the limit for a settings file is \(SettingsFile.sizeLimit).",
      file: path)
  }
}
