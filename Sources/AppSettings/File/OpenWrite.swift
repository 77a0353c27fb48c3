import Glibc

/// A write of a settings file, from its lock until nothing that other programs save can meet it any more: the only way
/// in which a file changes.
///
/// ```swift
/// var write = OpenWrite(of: file, after: known)
/// repeat { try write.reopen() } while try !write.replace(with: … write.contents …)
/// while let save = write.settle() { … }
/// ```
///
/// **Before the exchange** nothing is done. If another program saves the file, ``replace(with:backup:)`` returns
/// `false`, and the caller reads that program's text and makes its own of that one instead.
///
/// **From the exchange on** the text is a fact, and is never made again. What it has displaced has a name of its own
/// from that moment, and keeps it unless it is what was read. A process that dies after that leaves both texts.
///
/// ``settle()`` returns what was saved there, for the caller to add to the present text with ``reread()`` and another
/// ``replace(with:backup:)``, which may displace the next save, and so on: each round takes in one. A link or a
/// directory that was displaced goes back at once, and the write is one that has not happened yet.
///
/// Missing directories are created (0700) first, and removed if nothing is written after all. A new file is 0600, or
/// 0644 if it is shared. An existing file keeps its mode, owner and extended attributes as far as the process may set
/// them; ``lost`` lists what it could not keep. A user who may not open the old file can never open the new one.
///
/// From ``reopen()`` on, it holds the directory's lock as long as it exists.
struct OpenWrite: ~Copyable {
  let file: SettingsFile
  /// Where the path led when it was locked.
  private(set) var place = FinalPath(directory: "", name: "")
  /// The locked directory.
  private(set) var directory: CInt = -1
  private var lock: DirectoryLock?
  private var limit: TimeLimit
  private var made: MadeDirectories
  /// What the writer knows of the file; `nil` for a file that nobody else edits.
  private var known: SaveWatch.Known?
  /// The file that was read, or that the last replacement has displaced.
  private var current: SettingsFile.OpenFile
  /// What the last replacement has displaced, if that is not certainly what was read.
  private var displaced: ForeignSave?
  /// Whether files were set aside that ``settle()`` does not return.
  private(set) var hasAsides = false

  /// How often the file was replaced or removed.
  private(set) var replacements = 0
  /// Whether the file was replaced or removed: from then on the write cannot be given up.
  var isReplaced: Bool { replacements > 0 }
  /// The text put in place last, and the one that it was to replace.
  private(set) var last: (base: [UInt8]?, text: [UInt8]?)
  /// The file as last synced; an equal text is not synced again.
  private(set) var durable: FileStatus?
  /// What the new file could not keep of the replaced one, in words: its owner, its group, an attribute.
  private(set) var lost: [String] = []

  /// The content of the file when it was read.
  var contents: SettingsFile.Contents { current.contents }
  private var system: Syscalls { file.system }

  /// - Parameters:
  ///   - known: What the writer knew of the file. With it, the write waits for saves by programs that do not lock.
  ///   - durable: The file as last synced.
  ///   - limit: The remaining time to wait for the lock and for other programs' saves; by default a new time limit.
  init(
    of file: SettingsFile, after known: SaveWatch.Known? = nil, knowing durable: FileStatus? = nil,
    within limit: TimeLimit? = nil
  ) {
    self.file = file
    self.known = known
    self.durable = durable
    self.limit = limit ?? TimeLimit(file.lockTimeout)
    made = MadeDirectories(system: file.system)
    current = SettingsFile.OpenFile(system: file.system)
  }

  deinit {
    // Under the lock, so that no other write is about to use them.
    if !isReplaced { made.remove() }
  }

  /// Locks the directory to which the path leads now, and reads the file.
  ///
  /// - Throws: ``SettingsError`` `lockTimeout`, `nestedUpdate` if this thread is already writing in the same directory,
  ///   `readOnly` or `io`.
  mutating func reopen() throws {
    while true {
      // A thread must not wait for its own lock.
      lock = nil
      directory = -1
      place = try FinalPath.resolve(file.path, system: system)
      guard
        let found = try DirectoryLock.acquire(place.directory, for: file.path, within: &limit, system: system)
      else {
        made += try file.makeDirectories(place.directory)
        continue
      }
      // A link may have changed while this waited.
      guard try FinalPath.resolve(file.path, system: system) == place else { continue }
      directory = found.descriptor
      lock = consume found
      var hasWaited = false
      current = try file.readAtRest(place.name, in: directory, known, within: limit, &hasWaited)
      if !hasWaited || isInPlace() { return }
    }
  }

  /// Reads the present text in the same place, when no program seems to be saving it.
  mutating func reread() throws {
    guard isInPlace() else { throw Overtaken() }
    try limit.noteAttempt(at: place.directory)
    var hasWaited = false
    current = try file.readAtRest(place.name, in: directory, known, within: limit, &hasWaited)
  }

  /// Whether the path still leads to the directory and name that were locked; also if the system does not say.
  func isInPlace() -> Bool {
    guard let held = try? system.status(of: directory, path: place.directory),
      let now = try? system.status(at: place.directory).map({ $0.sameFile(held) }) ?? false,
      let found = try? FinalPath.resolve(file.path, system: system)
    else { return true }
    return now && found == place
  }

  // MARK: Replacing

  /// The error if another program has changed the file since it was read.
  private struct Overtaken: Error {}

  /// Replaces the file that was read with a text, or removes it. An equal text is made durable.
  ///
  /// - Parameters:
  ///   - bytes: The new text; `nil` for no file.
  ///   - backup: A backup of the old one, which is finished before.
  /// - Returns: `false` if another program has saved the file first, or removed the directory of a new one. Nothing of
  ///   the text is in place then, and the file has to be read again.
  /// - Throws: ``SettingsError`` `readOnly`, `io` or `lockTimeout`. The file is unchanged, unless ``replacements`` has
  ///   grown: then the text is in place, but may not survive a power failure.
  mutating func replace(with bytes: [UInt8]?, backup: BackupInProgress? = nil) throws -> Bool {
    guard !bytes.isSameText(as: contents.bytes) else {
      try makeDurable()
      return true
    }
    do {
      if contents.status != nil { try checkWritable() } else { try file.synchronizeParents(of: place.directory) }
      try exchange(bytes, backup)
    } catch is Overtaken {
      return false
    }
    try synchronizeDirectory()
    return true
  }

  /// Puts the text in place, or moves the file away, provided that the file is still the one that was read.
  private mutating func exchange(_ bytes: [UInt8]?, _ backup: BackupInProgress?) throws {
    var write = AtomicWrite(
      name: place.name, directory: directory, directoryPath: place.directory, system: system,
      newMode: file.isShared ? 0o644 : 0o600)
    defer { lost = write.lost }
    let (old, system, name, directory) = (contents.status, system, place.name, directory)
    func compare() throws {
      try backup?.finish()
      let now = try system.status(at: name, in: directory, followingLinks: false)
      guard now?.isUntouched(since: old) ?? (old == nil) else { throw Overtaken() }
    }
    let new: FileStatus?
    let aside: String?
    do {
      if let bytes {
        (new, aside) = try write.replace(
          with: bytes, keeping: old, of: current.descriptor, keepsDisplaced: known != nil, beforeRename: compare)
      } else {
        try compare()
        (new, aside) = (nil, try system.setAside(name, of: name, in: directory))
      }
    } catch let error as Errno {
      // No file can be made in a directory that was removed.
      let isOvertaken =
        old == nil ? error.rawValue == EEXIST || error.rawValue == ENOENT && !isInPlace() : error.rawValue == ENOENT
      if isOvertaken { throw Overtaken() }
      throw SettingsError.system(
        error, bytes == nil ? "move away" : "write", file.path, then: "The file is unchanged.")
    }
    // Another name than the usual one: that has a file which a killed process left.
    if let aside, !aside.isBytewise(BesideName.aside(for: name)) { hasAsides = true }
    try noteDisplaced(aside, by: new)
    replacements += 1
    last = (contents.bytes, bytes)
    durable = new
    if known != nil { known = SaveWatch.Known(bytes: bytes, inode: new?.inode) }
  }

  /// Removes what was displaced if it certainly is what was read.
  ///
  /// - Parameter aside: Its name; `nil` if the file system cannot exchange, so that it has none.
  /// - Throws: ``Overtaken`` if it is a link or a directory, and has its place back.
  private mutating func noteDisplaced(_ aside: String?, by ours: FileStatus?) throws {
    guard let read = contents.status else { return }
    guard let aside else {
      // What is still written into it can be read.
      if known != nil, !isAsRead() { displaced = ForeignSave() }
      return
    }
    let found = try? system.status(at: aside, in: directory, followingLinks: false)
    if known == nil || found?.sameFile(read) == true && isAsRead() {
      // A file that is open has to be kept as an orphan when its name goes.
      current.close()
      return remove(aside)
    }
    if let found, !found.isRegular, hasGivenBack(aside, displacedBy: ours) { throw Overtaken() }
    displaced = ForeignSave(name: place.sibling(aside))
  }

  /// Whether the file that was read still has its text, and nobody writes to it. Its times do not tell: programs set
  /// them.
  private mutating func isAsRead() -> Bool {
    let read = contents
    defer { current.contents = read }
    return (try? file.readAgain(&current)) != nil && contents.isOpenForWriting != true
      && contents.bytes.isSameText(as: read.bytes)
  }

  /// Gives a displaced link or directory its name back; returns `false` if the system refuses.
  private mutating func hasGivenBack(_ aside: String, displacedBy ours: FileStatus?) -> Bool {
    do throws(Errno) {
      if let ours {
        guard try system.exchange(place.name, with: aside, in: directory) else { return false }
        // Someone may have saved into ours, or over it.
        let now = try? system.status(at: aside, in: directory, followingLinks: false)
        if now?.hasSameText(as: ours) == true { remove(aside) } else { hasAsides = true }
      } else {
        try system.renameNew(aside, to: place.name, in: directory)
      }
      try? system.synchronizeDirectory(directory, path: place.directory)
      return true
    } catch {
      return false
    }
  }

  private func remove(_ name: String) { try? system.unlink(name, in: directory) }

  /// A file that the process may not write is not replaced, although the directory's permission would allow it.
  private func checkWritable() throws {
    do throws(Errno) {
      try system.checkWritable(place.name, in: directory)
    } catch {
      if error.rawValue == ENOENT { throw Overtaken() }
      guard error.rawValue == EACCES else {
        throw SettingsError.system(error, "write", file.path, then: "The file is unchanged.")
      }
      throw SettingsError(
        .readOnly,
        "Cannot write '\(file.path)': the file's mode does not allow it. The file is unchanged.", file: file.path)
    }
  }

  // MARK: Durability

  /// Makes the new name durable. If that fails, the new text is in place all the same, and the error says so.
  private mutating func synchronizeDirectory() throws(SettingsError) {
    do throws(Errno) {
      try system.synchronizeDirectory(directory, path: place.directory)
    } catch {
      displaced = settle()
      let isGone = last.text == nil
      let state =
        isGone
        ? "After a power failure it may exist again. Its text is among the backups."
        : "The file holds the new text, which may not survive a power failure."
      throw .system(
        error, isGone ? "sync the removal of" : "sync", file.path,
        then: state + (displaced.map { " \($0)" } ?? ""))
    }
  }

  /// Makes sure that an existing text is on disk: the program that wrote it may not have synced it.
  private mutating func makeDurable() throws(SettingsError) {
    let status = contents.status
    if let durable, let status, durable.hasSameText(as: status) { return }
    do throws(Errno) {
      if status == nil {
        try system.synchronizeDirectory(directory, path: place.directory)
      } else {
        try system.makeDurable(current.descriptor, in: directory, place)
      }
    } catch {
      // A read-only file system, or one without that call, has nothing left to write.
      guard error.rawValue == EROFS || error.rawValue == EINVAL || status == nil else {
        throw .system(
          error, "sync", file.path, then: "The file holds the text, which may not survive a power failure.")
      }
    }
    durable = status
  }

  // MARK: Saves of other programs

  /// Waits until nobody writes any more to what the last replacement has displaced.
  ///
  /// - Returns: What another program has saved there, which is in no text at the path; `nil` if nothing.
  mutating func settle() -> ForeignSave? {
    guard var save = displaced else { return nil }
    displaced = nil
    let read = contents
    defer { current.contents = read }
    do {
      if let name = save.name {
        var other = try file.openAndRead(name, in: directory, followingLinks: false)
        save.bytes = try file.textAtRest(of: &other, after: read, within: limit)
      } else {
        save.bytes = try file.textAtRest(of: &current, after: read, within: limit)
      }
      if save.bytes.isSameText(as: read.bytes) {
        forget(save)
        return nil
      }
      save.name = save.name ?? file.keep(save.bytes ?? [], beside: place, in: directory)
    } catch {
      save.error = error
    }
    return save
  }

  /// Puts a save in the place of the file that this write has removed.
  ///
  /// - Returns: `false` if the system refuses, or if there is a file by now.
  func giveBack(_ save: ForeignSave) -> Bool {
    guard let name = save.name?.lastPathPart, (try? system.renameNew(name, to: place.name, in: directory)) != nil else {
      return false
    }
    try? system.synchronizeDirectory(directory, path: place.directory)
    return true
  }

  /// Removes the name of a save that is in the file.
  func forget(_ save: ForeignSave) {
    if let name = save.name { try? system.unlink(name) }
  }
}

extension SettingsFile {
  /// Replaces the text of a file that nobody else edits with the result of `body`, under its lock.
  ///
  /// Use it for files that only this library writes, such as a list of due work: it does not wait for other programs.
  ///
  /// - Parameters:
  ///   - limit: The remaining time; by default a new time limit.
  ///   - body: Gets the file's content; returns the new text, or `nil` for no file. Runs again if the file has changed
  ///     meanwhile.
  /// - Returns: Whether the file was replaced or removed.
  /// - Throws: What `body` throws, or ``SettingsError`` `lockTimeout`, `nestedUpdate`, `readOnly` or `io`.
  @discardableResult
  package func update(within limit: TimeLimit? = nil, _ body: (Contents) throws -> [UInt8]?) throws -> Bool {
    var write = OpenWrite(of: self, within: limit)
    repeat { try write.reopen() } while try !write.replace(with: body(write.contents))
    return write.isReplaced
  }
}

extension FileStatus {
  /// Whether nobody has written to a file in between, nor changed its mode or owner. It may have another name.
  fileprivate func isUntouched(since other: FileStatus?) -> Bool {
    guard let other else { return false }
    return hasSameText(as: other) && mode == other.mode && owner == other.owner && group == other.group
  }
}
