import Glibc
import SettingsTOML

/// The history of one file on disk: `journal`, and `keys`, the keys that are known to be secret or not.
///
/// It is written under the settings file's lock, without a sync of its own: after a power failure the newest records may
/// be missing or damaged, and are left out. The list of keys only grows.
struct JournalFolder: Sendable {
  let path: String
  let system: Syscalls

  private var journal: String { path + "/journal" }
  private var keys: String { path + "/keys" }

  // MARK: Reading

  /// The journal; `nil` if there is none, or if its first line is damaged.
  ///
  /// - Throws: ``SettingsError`` `newerVersion` for one that a newer release writes.
  func read() throws -> Journal? {
    guard let text = try map(journal) else { return nil }
    if let journal = Journal(text) { return journal }
    guard let (header, _) = text.line(at: 0), header.starts(with: Journal.name) else { return nil }
    throw SettingsError(
      .newerVersion,
      "Cannot use the history in '\(journal)': a newer release of the library has written it. Update this program, or "
        + "remove the file.", file: journal)
  }

  /// The known keys.
  ///
  /// - Parameter size: The number of bytes of the list that count; by default all.
  func knownKeys(upTo size: Int = .max) throws(Errno) -> (keys: KnownKeys, size: Int) {
    guard let text = try map(keys) else { return (KnownKeys(), 0) }
    var known = KnownKeys()
    var at = 0
    while at < size, let (line, next) = text.line(at: at) {
      if let entry = HistoryLine.known(line) { known.insert(entry) }
      at = next
    }
    return (known, min(size, text.bytes.count))
  }

  private func map(_ file: String) throws(Errno) -> MappedText? {
    let descriptor: CInt
    do throws(Errno) {
      descriptor = try system.open(file, flags: O_RDONLY | O_NOFOLLOW)
    } catch {
      if error.rawValue == ENOENT || error.rawValue == ENOTDIR { return nil }
      throw error
    }
    defer { system.close(descriptor) }
    return try MappedText(descriptor, path: file, system: system)
  }

  // MARK: Writing

  /// The journal as one writer knows it, to find out whether another has written since.
  struct Stamp: Sendable, Equatable {
    var inode: UInt64
    var size: Int
  }

  /// A file of the history, open for adding lines.
  struct Open: ~Copyable {
    fileprivate let descriptor: CInt
    fileprivate let file: String
    fileprivate let system: Syscalls
    /// As it was when it was opened.
    let stamp: Stamp

    /// Adds lines.
    ///
    /// - Parameter isWhole: Whether the present content is known to end with a line.
    func append(_ lines: [UInt8], isWhole: Bool) throws(Errno) -> Stamp {
      var lines = lines
      if !isWhole, stamp.size > 0, try system.lastByte(of: descriptor, size: stamp.size, path: file) != 0x0A {
        // What a killed writer left of a line ends here, and does not count.
        lines.insert(0x0A, at: 0)
      }
      try system.writeAll(lines, to: descriptor, path: file)
      return Stamp(inode: stamp.inode, size: stamp.size + lines.count)
    }

    deinit { system.close(descriptor) }
  }

  /// Opens the journal; makes it if it is missing.
  ///
  /// - Parameter known: The journal that can be used unseen.
  func openJournal(_ known: Stamp?) throws -> Open {
    let file = try open(journal)
    guard file.stamp != known, file.stamp.size > 0, try read() == nil else { return file }
    // A power failure has left nothing of it.
    try removeJournal()
    return try open(journal)
  }

  /// Opens the list of known keys; makes it if it is missing.
  func openKeys() throws -> Open { try open(keys) }

  private func open(_ file: String) throws -> Open {
    func open() throws(Errno) -> CInt {
      try system.open(file, flags: O_RDWR | O_APPEND | O_CREAT | O_NOFOLLOW, mode: 0o600)
    }
    let descriptor: CInt
    do throws(Errno) {
      descriptor = try open()
    } catch {
      guard error.rawValue == ENOENT else { throw error }
      try SettingsFile(path: file, system: system).makeDirectories(path)
      descriptor = try open()
    }
    do throws(Errno) {
      let status = try system.status(of: descriptor, path: file)
      guard status.isRegular else { throw Errno(EINVAL) }
      // Its owner may use a new one, whatever the umask.
      if status.size == 0, status.permissions & 0o600 != 0o600 {
        try system.setPermissions(0o600, of: descriptor, path: file)
      }
      return Open(
        descriptor: descriptor, file: file, system: system, stamp: Stamp(inode: status.inode, size: status.size))
    } catch {
      system.close(descriptor)
      throw error
    }
  }

  /// Removes the journal, but not the list of known keys.
  func removeJournal() throws(Errno) { try remove(journal) }

  private func remove(_ file: String) throws(Errno) {
    do throws(Errno) {
      try system.unlink(file)
    } catch {
      guard error.rawValue == ENOENT || error.rawValue == ENOTDIR else { throw error }
    }
  }

  /// Replaces the journal by its newest segments.
  ///
  /// - Parameter most: The size that is left, unless a single segment is larger.
  func prune(_ journal: Journal, to most: Int) throws {
    var place = journal.end
    while let segment = journal.segment(around: place), journal.end - segment.place <= most || place == journal.end {
      place = segment.place
    }
    guard place > journal.start, place < journal.end else { return }
    let kept = journal.bytes(from: place)
    let directory = try system.open(path, flags: O_RDONLY | O_DIRECTORY)
    defer { system.close(directory) }
    let temporary = ".journal.settings-new"
    try remove(path + "/" + temporary)
    let descriptor = try system.createFile(temporary, in: directory, mode: 0o600)
    defer { system.close(descriptor) }
    do throws(Errno) {
      let header = Journal.header(base: place - Journal.headerLength)
      try system.writeAll(header + kept, to: descriptor, path: self.journal)
      // A journal that is replaced must not be lost as a whole.
      try system.synchronize(descriptor, path: self.journal)
      try system.rename(temporary, to: "journal", in: directory)
    } catch {
      try? system.unlink(temporary, in: directory)
      throw error
    }
  }
}
