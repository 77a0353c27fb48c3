import Glibc
import SettingsTOML

/// The history of one file on disk: `journal`; `keys`, the keys that are known to be secret or not; and `present`, what
/// a writer knew when it was done (``PresentFile``).
///
/// It is written under the settings file's lock, without a sync of its own: after a power failure the newest records
/// may be missing or damaged, and are left out. The list of keys only grows, and is synced when a secret is added:
/// without it, a program that knows nothing of the secret would keep it.
struct JournalFolder: Sendable {
  /// The directory, `files/PATH.history` in the state directory. Its mode is 0700, and that of its files 0600.
  let path: String
  let system: Syscalls

  private var journal: String { path + "/journal" }
  private var keys: String { path + "/keys" }
  private var present: String { path + "/present" }

  // MARK: Reading

  /// The journal; `nil` if there is none, or if nothing of it can be used.
  ///
  /// - Throws: ``SettingsError`` `newerVersion` for one that a newer release writes.
  func read() throws -> Journal? {
    guard let text = try map(journal) else { return nil }
    if let journal = Journal(text) { return journal }
    guard let (header, _) = text.line(at: 0), Journal.isOther(header) else { return nil }
    throw SettingsError(
      .newerVersion,
      "Cannot use the history in '\(journal)': a newer release of the library has written it. Update this program, or "
        + "remove the file.", file: journal)
  }

  /// The known keys.
  ///
  /// - Parameter size: The number of bytes of the list that count; by default all.
  func knownKeys(upTo size: Int = .max) throws(Errno) -> KnownKeys {
    var known = KnownKeys()
    guard let text = try map(keys) else { return known }
    var at = 0
    while at < size, let (line, next) = text.line(at: at) {
      if let entry = HistoryLine.known(line) { known.insert(entry) }
      at = next
    }
    return known
  }

  /// Of the known keys, those that decide whether one of some values is kept: all secrets, and what is at or above a
  /// path.
  func knownKeys(about paths: [TOMLPath]) throws(Errno) -> KnownKeys {
    var known = KnownKeys()
    guard let text = try map(keys) else { return known }
    func insert(_ needle: [UInt8]) {
      var at = 0
      while at < text.bytes.count, let found = text.firstPlace(of: needle, in: at..<text.bytes.count) {
        at = found + 1
        let start = found - HistoryLine.start + 1
        guard start >= 0, start == 0 || text.bytes[start - 1] == 0x0A, let (line, next) = text.line(at: start) else {
          continue
        }
        at = next
        if let entry = HistoryLine.known(line) { known.insert(entry) }
      }
    }
    insert(Array(" -".utf8))
    var sought: Set<TOMLPath> = []
    for path in paths {
      for above in [.root] + path.prefixes where sought.insert(above).inserted {
        insert(Array(" +\(above)\n".utf8))
      }
    }
    // A list without any of them is still a list.
    var at = 0
    while known.isEmpty, let (line, next) = text.line(at: at) {
      if let entry = HistoryLine.known(line) { known.insert(entry) }
      at = next
    }
    return known
  }

  /// The list of known keys as it is now; `nil` if there is none.
  ///
  /// The list only grows, so its size tells which keys are in it.
  func keysStamp() throws(Errno) -> FileStamp? {
    try system.status(at: keys, followingLinks: false).map { FileStamp($0) }
  }

  /// What the last writer knew; `nil` if it has not said so, or if that is damaged.
  func lastKnown() -> JournalState? {
    guard let text = try? map(present) else { return nil }
    return PresentFile(text, in: self)?.state
  }

  /// Whether there has been a journal.
  ///
  /// If so, and nothing of it can be used, the next checkpoint notes the loss.
  func hadJournal() -> Bool {
    [journal, present].contains { (try? system.status(at: $0, followingLinks: false)) != nil }
  }

  /// Whether the journal has a segment from when nothing was declared, which shows nearly every value. A line that
  /// cannot be read may be the checkpoint of one.
  func hasUnguardedSegment() throws -> Bool {
    guard let journal = try read() else { return false }
    // What a killed writer has begun at the end is no line yet.
    return journal.text.bytes.last != 0x0A
      || journal.lines(from: journal.start, to: journal.end).contains { line in
        guard !line.isRecord, !line.isIndex, line.text.count > HistoryLine.start else { return false }
        return (HistoryLine.checkpointHead(line.text)?.known ?? 0) == 0
      }
  }

  /// Whether the journal may have a comment with one of some names.
  func mayHaveComment(naming names: [String]) throws -> Bool {
    try !names.isEmpty && read()?.mayHaveComment(naming: names) == true
  }

  /// The highest number of a record that a journal or `present` still shows, whatever is left of the journal.
  func lastNumber() -> Int {
    var number = lastKnown()?.reserved ?? 0
    guard let text = try? map(journal) else { return number }
    var at = 0
    while let (line, next) = text.line(at: at) {
      if let head = HistoryLine.head(of: line), head.number > number, HistoryLine.body(of: line) != nil {
        number = head.number
      }
      at = next
    }
    return number
  }

  /// Maps a file of the history into memory; `nil` if there is none. A symbolic link in its place is an error.
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

  /// What to say when the system refuses a call for one of its files. No symbolic link is followed here.
  func error(_ error: any Error, _ verb: String) -> SettingsError {
    if let error = error as? SettingsError { return error }
    let errno = error as? Errno ?? Errno(EIO)
    guard errno.rawValue == ELOOP else { return .system(errno, "\(verb) the history in", path) }
    return SettingsError(
      .io, "Cannot \(verb) the history in '\(path)': one of its files is a symbolic link. Remove the link.", file: path)
  }

  // MARK: Writing

  /// A file of the history, open for adding lines.
  struct Open: ~Copyable {
    fileprivate let descriptor: CInt
    fileprivate let file: String
    fileprivate let system: Syscalls
    /// As it was when it was opened.
    let stamp: FileStamp

    /// Adds lines.
    ///
    /// - Parameter isWhole: Whether the present content is known to end with a line.
    /// - Returns: The file after that.
    @discardableResult
    func append(_ lines: [UInt8], isWhole: Bool) throws(Errno) -> FileStamp {
      var lines = lines
      if !isWhole, stamp.size > 0, try system.lastByte(of: descriptor, size: stamp.size, path: file) != 0x0A {
        // What a killed writer left of a line ends here, and is ignored.
        lines.insert(0x0A, at: 0)
      }
      try system.writeAll(lines, to: descriptor, path: file)
      return FileStamp(try system.status(of: descriptor, path: file))
    }

    /// Makes the lines survive a power failure.
    func synchronize() throws(Errno) { try system.synchronize(descriptor, path: file) }

    deinit { system.close(descriptor) }
  }

  /// Opens the journal; makes it if it is missing.
  func openJournal() throws -> Open { try open(journal) }

  /// Opens the list of known keys; makes it if it is missing.
  func openKeys() throws -> Open { try open(keys) }

  /// Opens a file for adding lines. If it is missing, it is made with mode 0600, and so is its directory with mode
  /// 0700.
  private func open(_ file: String, flags: CInt = O_RDWR | O_APPEND) throws -> Open {
    func open() throws(Errno) -> CInt {
      try system.open(file, flags: flags | O_CREAT | O_NOFOLLOW, mode: 0o600)
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
      return Open(descriptor: descriptor, file: file, system: system, stamp: FileStamp(status))
    } catch {
      system.close(descriptor)
      throw error
    }
  }

  /// Removes the journal, and what a killed writer has left of a shorter one, but not the list of known keys.
  func removeJournal() throws(Errno) {
    try remove(journal)
    try remove(path + "/" + Self.shorterJournal)
  }

  private static let shorterJournal = ".journal.settings-new"

  /// Removes the history of a file that is to have none.
  ///
  /// The list of known keys stays, because it says which keys are secret.
  func removeAll() throws(Errno) {
    try removeJournal()
    try remove(present)
  }

  /// Says what is known now. A failure costs the next process some time.
  ///
  /// It is written in place, and never emptied first: `ext4` writes the blocks of such a file at once. What was longer
  /// is overwritten with zeros: it has the lengths of earlier secrets.
  func note(_ state: JournalState) throws {
    let file = try open(present, flags: O_WRONLY)
    var bytes = PresentFile.bytes(of: state)
    bytes += repeatElement(0, count: max(0, file.stamp.size - bytes.count))
    try system.writeAll(bytes, to: file.descriptor, path: present)
  }

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
  /// - Returns: The new journal, and the place of its first byte; `nil` if nothing can go.
  func prune(_ journal: Journal, to most: Int) throws -> (stamp: FileStamp, base: Int)? {
    var place = journal.end
    while let segment = journal.segment(around: place), journal.end - segment.place <= most || place == journal.end {
      place = segment.place
    }
    guard place > journal.start, place < journal.end else { return nil }
    let kept = journal.bytes(from: place)
    let directory = try system.open(path, flags: O_RDONLY | O_DIRECTORY)
    defer { system.close(directory) }
    let temporary = Self.shorterJournal
    try remove(path + "/" + temporary)
    let descriptor = try system.createFile(temporary, in: directory, mode: 0o600)
    defer { system.close(descriptor) }
    do throws(Errno) {
      let base = place - Journal.headerLength
      try system.writeAll(Journal.header(base: base) + kept, to: descriptor, path: self.journal)
      // A journal that is replaced must not be lost as a whole.
      try system.synchronize(descriptor, path: self.journal)
      try system.rename(temporary, to: "journal", in: directory)
      return (FileStamp(try system.status(of: descriptor, path: self.journal)), base)
    } catch {
      try? system.unlink(temporary, in: directory)
      throw error
    }
  }
}
