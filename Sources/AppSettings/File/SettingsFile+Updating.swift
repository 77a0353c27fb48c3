import Glibc

/// What a write knows of the present file, and the hooks for its steps.
///
/// The defaults are for files that nobody else edits.
package struct WriteSteps {
  /// What the writer knew of the file. With it, the write waits for a save by another program that seems to be in
  /// progress, and merges what is written into the replaced file.
  package var known: SaveWatch.Known?
  /// The remaining time to wait for the lock and for other programs' saves; by default a new time limit.
  package var limit: TimeLimit?
  /// The file as last synced; an equal text is not synced again.
  package var durable: FileStatus?
  /// Compares a text with the known one.
  package var wholeness: ([UInt8]) -> SaveWatch.Wholeness = { _ in .whole }
  /// Runs with the new text just before it replaces the file; not for a removal.
  package var willReplace: ([UInt8]) -> Void = { _ in }
  /// Runs when the new text is on disk under its temporary name. If it throws, the file stays.
  package var beforeRename: () throws -> Void = {}
  /// Runs when the file has been replaced.
  package var didReplace: () -> Void = {}
  /// Runs after that, when the replacement is on disk, or could not be synced, with the file's place and its directory.
  package var didSettle: (FinalPath, CInt) -> Void = { _, _ in }

  package init() {}
}

/// The result of a write.
package struct WriteResult: Sendable {
  /// Whether the file was replaced or removed.
  package var isReplaced = false
  /// The file, which is on disk now; `nil` if there is none.
  package var durable: FileStatus?
  /// What the new file could not keep of the replaced one, in words: its owner, its group, an attribute.
  package var lost: [String] = []
}

extension SettingsFile {
  /// Locks and reads the file, and replaces its text with the result of `body`: the only way in which a file changes.
  ///
  /// Missing directories are created (0700) first, and removed if nothing is written after all. A new file is 0600, or
  /// 0644 if it is shared. An existing file keeps its mode, owner and extended attributes as far as the process may set
  /// them; the result lists what it could not keep. Nobody can ever open the new file who may not open the old one.
  ///
  /// Programs that do not lock may save the file at the same time. It is compared with what was read right before it is
  /// replaced. After that, the call waits for programs that still write into the replaced file, and runs `body` again
  /// on their text; if the path leads to another directory by then, everything is repeated there. So `body` may run
  /// several times, the last time on the text that counts.
  ///
  /// - Parameter body: Gets the file's content. Returns the new text, the same one to leave it, or `nil` to remove the
  ///   file.
  /// - Returns: Whether the file was replaced or removed. The result is on disk, even if nothing changed.
  /// - Throws: What `body` throws, or ``SettingsError`` `lockTimeout`, `nestedUpdate` if this thread is already writing
  ///   in the same directory, `readOnly` or `io`. The file is unchanged, unless the message says that its text may not
  ///   survive a power failure. If another program has saved the file in between, it holds that program's text.
  @discardableResult
  package func update(
    _ steps: WriteSteps = WriteSteps(), _ body: (Contents) throws -> [UInt8]?
  ) throws -> WriteResult {
    var limit = steps.limit ?? TimeLimit(lockTimeout)
    var made = MadeDirectories(system: system)
    do {
      return try update(steps, within: &limit, making: &made, body)
    } catch {
      made.remove()
      throw error
    }
  }

  /// Does the same as ``update(_:_:)``, and notes the directories that it creates.
  private func update(
    _ steps: WriteSteps, within limit: inout TimeLimit, making made: inout MadeDirectories,
    _ body: (Contents) throws -> [UInt8]?
  ) throws -> WriteResult {
    while true {
      let place = try FinalPath.resolve(path, system: system)
      guard let lock = try DirectoryLock.acquire(place.directory, for: path, within: &limit, system: system) else {
        made += try makeDirectories(place.directory)
        continue
      }
      // A link may have changed while this waited.
      guard try FinalPath.resolve(path, system: system) == place else { continue }
      do {
        let result = try update(place, in: lock.descriptor, steps, within: limit, body)
        if !result.isReplaced { made.remove() }
        // The directory or a link on the way may have been replaced: the text is in another place then.
        if !result.isReplaced || leads(to: place, in: lock.descriptor) { return result }
      } catch is Overtaken {
        // Again, on the present state. Locking counts the attempts.
      }
    }
  }

  /// Whether the path still leads to a directory; also if the system does not say.
  private func leads(to place: FinalPath, in directory: CInt) -> Bool {
    guard let held = try? system.status(of: directory, path: place.directory),
      let now = try? system.status(at: place.directory).map({ $0.sameFile(held) }) ?? false,
      let found = try? FinalPath.resolve(path, system: system)
    else { return true }
    return now && found == place
  }

  /// Does the same as ``update(_:_:)``, under the lock.
  ///
  /// - Throws: Also ``Overtaken`` if the file is not the one that was read.
  private func update(
    _ place: FinalPath, in directory: CInt, _ steps: WriteSteps, within limit: TimeLimit,
    _ body: (Contents) throws -> [UInt8]?
  ) throws -> WriteResult {
    var write = AtomicWrite(
      name: place.name, directory: directory, directoryPath: place.directory, system: system,
      newMode: isShared ? 0o644 : 0o600)
    var limit = limit
    var result = WriteResult()
    var current = try readAtRest(place.name, in: directory, steps, within: limit)
    var base = current.contents
    /// What another program has saved into a file that this call has replaced.
    var foreign: ForeignSave?
    var ours: [UInt8]?
    while true {
      do {
        if foreign != nil {
          current = try openAndRead(place.name, in: directory)
          guard current.contents.bytes.isSameText(as: ours) else { throw Overtaken() }
        }
        let wanted = try body(base)
        guard !wanted.isSameText(as: current.contents.bytes) else {
          result.durable = try makeDurable(current, place, in: directory, knowing: result.durable ?? steps.durable)
          forget(foreign, in: directory)
          return result
        }
        if current.contents.status != nil {
          try checkWritable(place.name, in: directory)
        } else {
          try synchronizeParents(of: place.directory)
        }
        let outcome: AtomicWrite.Outcome
        (result.durable, outcome) = try replace(&write, current, by: wanted, steps)
        result.lost = write.lost
        result.isReplaced = true
        do {
          defer { steps.didSettle(place, directory) }
          try synchronizeDirectory(place, directory, isGone: wanted == nil)
        } catch {
          // The new text is in its place. Another program's save in the replaced file gets a name for recovery.
          if foreign == nil { _ = try lateSave(into: &current, write, outcome, result.durable, steps, within: limit) }
          foreign = nil
          throw error
        }
        // Now one text on disk contains both.
        forget(foreign, in: directory)
        foreign = nil
        foreign = try lateSave(into: &current, write, outcome, result.durable, steps, within: limit)
        guard let late = foreign?.contents else { return result }
        base = late
        ours = wanted
      } catch {
        guard let save = foreign else { throw error }
        do {
          guard error is Overtaken else { throw error }
          try limit.noteAttempt(at: place.directory)
          // If the text is still ours, someone only opened or touched the file, and the earlier save must still be
          // merged. Otherwise there was a later one, which counts.
          if try openAndRead(place.name, in: directory).contents.bytes.isSameText(as: ours) { continue }
        } catch {
          throw giveBack(save, &write, current, steps, after: error)
        }
        forget(save, in: directory)
        throw Overtaken()
      }
    }
  }

  /// The error if another program has changed the file since it was read.
  struct Overtaken: Error {}

  /// Replaces the file that was read with a new text, or removes it.
  ///
  /// - Returns: The new file, and whether the old one now has the temporary name.
  @discardableResult
  func replace(
    _ write: inout AtomicWrite, _ file: borrowing OpenFile, by bytes: [UInt8]?, _ steps: WriteSteps
  ) throws -> (new: FileStatus?, outcome: AtomicWrite.Outcome) {
    if let bytes { steps.willReplace(bytes) }
    let old = file.contents
    let (name, directory) = (write.name, write.directory)
    func beforeRename() throws {
      try steps.beforeRename()
      let now = try system.status(at: name, in: directory, followingLinks: false)
      // The file was not written to, nor its mode or owner changed, which the new file keeps.
      guard now?.isUntouched(since: old.status) ?? (old.status == nil) else { throw Overtaken() }
    }
    do {
      let replaced: (FileStatus?, AtomicWrite.Outcome)
      if let bytes {
        replaced = try write.replace(
          with: bytes, keeping: old.status, of: file.descriptor, keepsDisplaced: steps.known != nil,
          beforeRename: beforeRename)
      } else {
        try write.displace(beforeRename: beforeRename)
        replaced = (nil, .exchanged)
      }
      steps.didReplace()
      return replaced
    } catch let error as Errno {
      if error.rawValue == (old.status == nil ? EEXIST : ENOENT) { throw Overtaken() }
      throw SettingsError.system(
        error, bytes == nil ? "move away" : "write", path, then: "The file is unchanged.")
    }
  }

  /// A file that the process may not write is not replaced, although the directory's permission would allow it.
  private func checkWritable(_ name: String, in directory: CInt) throws {
    do throws(Errno) {
      try system.checkWritable(name, in: directory)
    } catch {
      if error.rawValue == ENOENT { throw Overtaken() }
      guard error.rawValue == EACCES else {
        throw SettingsError.system(error, "write", path, then: "The file is unchanged.")
      }
      throw SettingsError(
        .readOnly,
        "Cannot write '\(path)': the file's mode does not allow it. The file is unchanged.", file: path)
    }
  }

  private func synchronizeDirectory(
    _ place: FinalPath, _ directory: CInt, isGone: Bool
  ) throws(SettingsError) {
    do throws(Errno) {
      try system.synchronizeDirectory(directory, path: place.directory)
    } catch {
      guard !isGone else {
        throw SettingsError.system(
          error, "sync the removal of", path,
          then: "After a power failure it may exist again. Its text is among the backups.")
      }
      throw SettingsError.system(
        error, "sync", path, then: "The file holds the new text, which may not survive a power failure.")
    }
  }

  /// Makes sure that an existing text is on disk: the program that wrote it may not have synced it.
  private func makeDurable(
    _ file: borrowing OpenFile, _ place: FinalPath, in directory: CInt, knowing durable: FileStatus?
  ) throws(SettingsError) -> FileStatus? {
    let status = file.contents.status
    if let durable, let status, durable.hasSameText(as: status) { return status }
    do throws(Errno) {
      if status == nil {
        try system.synchronizeDirectory(directory, path: place.directory)
      } else {
        try system.makeDurable(file.descriptor, in: directory, place)
      }
    } catch {
      // A read-only file system, or one without that call, has nothing left to write.
      guard error.rawValue == EROFS || error.rawValue == EINVAL || status == nil else {
        throw SettingsError.system(
          error, "sync", path, then: "The file holds the text, which may not survive a power failure.")
      }
    }
    return status
  }
}

extension FileStatus {
  /// Whether nobody has written to a file in between, nor changed its mode or owner. It may have another name.
  fileprivate func isUntouched(since other: FileStatus?) -> Bool {
    guard let other else { return false }
    return hasSameText(as: other) && mode == other.mode && owner == other.owner && group == other.group
  }
}
