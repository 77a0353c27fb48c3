import Glibc

/// What a write knows of the file from before, and what it has done at each step.
///
/// The defaults are for files that nobody else edits.
package struct WriteSteps {
  /// What the writer knew of the file. With it, a save by another program that seems to be under way is waited for, and
  /// what is written into the replaced file is merged.
  package var known: SaveWatch.Known?
  /// The time that there is to wait for the lock, and for other programs' saves; a whole one if not given.
  package var limit: TimeLimit?
  /// The file as last synced; nothing is synced again for an equal text.
  package var durable: FileStatus?
  /// What a text is like beside the known one.
  package var wholeness: ([UInt8]) -> SaveWatch.Wholeness = { _ in .whole }
  /// Called with the new text just before the file is replaced by it; not where the file is to go.
  package var willReplace: ([UInt8]) -> Void = { _ in }
  /// Called when the new text is on disk under its temporary name. What it throws leaves the file.
  package var beforeRename: () throws -> Void = {}
  /// Called when the file is replaced.
  package var didReplace: () -> Void = {}

  package init() {}
}

/// What a write has done.
package struct WriteResult: Sendable {
  /// Whether the file was replaced or removed.
  package var isReplaced = false
  /// The file, which is on disk now; `nil` if there is none.
  package var durable: FileStatus?
  /// What the new file could not take over from the replaced one, in words: its owner, its group, an attribute.
  package var lost: [String] = []
}

extension SettingsFile {
  /// Locks, reads, and replaces the text by what `body` makes of it: the one way in which a file changes.
  ///
  /// Missing directories are made (0700) first, and removed if nothing is written after all. A new file is 0600, or 0644
  /// if it is shared; an existing one keeps mode, owner and extended attributes as far as the process may set them, and
  /// what it could not keep is in the result. At no moment may anyone open the new file who may not open the old one.
  ///
  /// Programs that do not lock may save the file meanwhile. It is compared with what was read right before it is
  /// replaced. After that, what somebody still writes into the replaced file is waited for, and becomes the text that
  /// `body` is asked about again; and if the path leads to another directory by now, all is done again there. So `body`
  /// may run several times, the last time for the text that counts.
  ///
  /// - Parameter body: Gets what the file holds; returns the text that it is to have, the same one to leave it as it is,
  ///   and `nil` for no file.
  /// - Returns: Whether the file was replaced or removed. That is on disk then, and also if it was so already.
  /// - Throws: What `body` throws, or ``SettingsError`` `lockTimeout`, `nestedUpdate` if this thread is writing in the
  ///   same directory already, `readOnly` or `io`. The file is unchanged, unless the message says that its text may not
  ///   survive a power failure. If another program has saved the file meanwhile, it holds what that has saved.
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

  /// As ``update(_:_:)``; notes the directories that it makes.
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
      // A link may have been turned elsewhere while this waited.
      guard try FinalPath.resolve(path, system: system) == place else { continue }
      do {
        let result = try update(place, in: lock.descriptor, steps, within: limit, body)
        if !result.isReplaced { made.remove() }
        // The directory may have been replaced, or a link on the way: what was written is somewhere else then.
        if !result.isReplaced || leads(to: place, in: lock.descriptor) { return result }
      } catch is Overtaken {
        // Again, with what is there now. Locking counts how often.
      }
    }
  }

  /// Whether the path still leads to a directory; so too where the system does not say.
  private func leads(to place: FinalPath, in directory: CInt) -> Bool {
    guard let held = try? system.status(of: directory, path: place.directory),
      let now = try? system.status(at: place.directory).map({ $0.sameFile(held) }) ?? false,
      let found = try? FinalPath.resolve(path, system: system)
    else { return true }
    return now && found == place
  }

  /// As ``update(_:_:)``, under the lock.
  ///
  /// - Throws: Also ``Overtaken``, if the file is not what was read.
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
    /// What another program has saved into a file that this call has replaced by its own text.
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
          try synchronizeDirectory(place, directory, isGone: wanted == nil)
        } catch {
          // The new text is in its place. What another program has saved into the replaced file gets the name under which
          // a recovery finds it.
          if foreign == nil { _ = try lateSave(into: &current, write, outcome, result.durable, steps, within: limit) }
          foreign = nil
          throw error
        }
        // Now one text on disk has both.
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
          // If the text is still ours, someone only opened or touched the file, and the save before that still has to be
          // merged. Otherwise there has been a later one, which counts.
          if try openAndRead(place.name, in: directory).contents.bytes.isSameText(as: ours) { continue }
        } catch {
          throw giveBack(save, &write, current, steps, after: error)
        }
        forget(save, in: directory)
        throw Overtaken()
      }
    }
  }

  /// Another program has changed the file since it was read.
  struct Overtaken: Error {}

  /// Puts a new text in the place of what was read, or nothing.
  ///
  /// - Returns: The new file, and whether what was there has the temporary name now.
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
      // Not written to, and neither its mode nor its owner changed, which the new file is to have.
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

  /// A file that the process may not write is not replaced either, though the directory's permission would do for that.
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
        "Cannot write '\(path)': this process has no permission to, by the mode of the file. The file is unchanged.",
        file: path)
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
          error, "make durable that the file is gone from", path,
          then: "After a power failure it may be there again. Its text is among the backups.")
      }
      throw SettingsError.system(
        error, "make durable", path, then: "The file holds the new text, which may not survive a power failure.")
    }
  }

  /// Sees to it that a text that is there already is on disk: whoever wrote it may not have synced it.
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
      // A file system that cannot be written to, or that knows no such call, has nothing that is still to be written.
      guard error.rawValue == EROFS || error.rawValue == EINVAL || status == nil else {
        throw SettingsError.system(
          error, "make durable", path, then: "The file holds the text, which may not survive a power failure.")
      }
    }
    return status
  }
}

extension FileStatus {
  /// Whether nobody has written to a file in between, nor changed its mode or owner. It may have got another name.
  fileprivate func isUntouched(since other: FileStatus?) -> Bool {
    guard let other else { return false }
    return hasSameText(as: other) && mode == other.mode && owner == other.owner && group == other.group
  }
}
