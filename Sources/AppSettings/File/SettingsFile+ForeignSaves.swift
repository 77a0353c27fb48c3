import Glibc

/// What another program has saved into a file that a write replaced, until one text on disk contains both.
struct ForeignSave {
  var contents: SettingsFile.Contents
  /// The name of the file that holds it, next to the settings file; `nil` if it has none.
  var name: String?
  /// The file that the write has put in its place; `nil` if it has removed the file.
  var ours: FileStatus?
}

/// Saves by programs that do not lock: waiting for their end, and keeping their content.
extension SettingsFile {
  /// Finds what another program has saved and the new file has replaced: in another file, which that program moved to
  /// the path at the last moment, or in the file that was read. Waits for a program that is still writing it. The
  /// replaced file then loses its temporary name; one that must be merged gets a name that a recovery finds.
  ///
  /// - Parameter ours: The file that the write has put in its place; `nil` if it has removed the file.
  /// - Returns: `nil` if nobody has saved anything.
  /// - Throws: ``SettingsError`` `lockTimeout` if that save does not end; the replaced file is at the path again.
  func lateSave(
    into current: inout OpenFile, _ write: AtomicWrite, _ outcome: AtomicWrite.Outcome, _ ours: FileStatus?,
    _ steps: WriteSteps, within limit: TimeLimit
  ) throws -> ForeignSave? {
    let temporary = write.temporary
    guard steps.known != nil else {
      if outcome == .exchanged { try? system.unlink(temporary, in: write.directory) }
      return nil
    }
    let read = current.contents
    do {
      var late: Contents?
      if outcome == .exchanged,
        let status = try? system.status(at: temporary, in: write.directory, followingLinks: false),
        let former = read.status, !status.sameFile(former)
      {
        // Not a regular file: a link, which must be followed.
        guard status.isRegular else { throw Overtaken() }
        var other = try openAndRead(temporary, in: write.directory, followingLinks: false)
        late = try textAtRest(of: &other, after: read, steps, within: limit)
      } else if read.status != nil {
        late = try textAtRest(of: &current, after: read, steps, within: limit)
      }
      guard let late else {
        // Its name is not synced: the next write removes what a power failure leaves of it.
        if outcome == .exchanged { try? system.unlink(temporary, in: write.directory) }
        return nil
      }
      guard outcome == .exchanged else { return ForeignSave(contents: late, ours: ours) }
      do throws(Errno) {
        let name = try setAside(temporary, of: write.name, in: write.directory)
        return ForeignSave(contents: late, name: name, ours: ours)
      } catch {
        throw SettingsError.system(error, "merge what another program has saved meanwhile with a write of", path)
      }
    } catch {
      guard outcome == .exchanged else {
        if (error as? SettingsError)?.code == .lockTimeout { throw error }
        // An unreadable part of the old file takes nothing from the new one.
        return nil
      }
      // Their file returns to its place, and ours is removed.
      guard (try? putBack(temporary, write, inPlaceOf: ours)) == true else {
        let aside = try? setAside(temporary, of: write.name, in: write.directory)
        throw notPutBack(
          "could not be put back",
          "is in '\(write.directoryPath)/\(aside ?? temporary)'"
            + (aside == nil ? ". Copy it: the next write removes that file" : Self.recoverable), after: error)
      }
      try? system.synchronizeDirectory(write.directory, path: write.directoryPath)
      throw error
    }
  }

  /// Puts another program's save back in its place, as if it had come first and this call after it. If the system
  /// refuses, it stays next to the file, where a recovery finds it.
  ///
  /// - Returns: The error to throw.
  func giveBack(
    _ save: ForeignSave, _ write: inout AtomicWrite, _ file: borrowing OpenFile, _ steps: WriteSteps,
    after error: any Error
  ) -> any Error {
    if (try? putBack(save, &write, file, steps)) == true { return error }
    let name = save.name ?? keep(save.contents.bytes ?? [], of: write)
    return notPutBack(
      "could neither be merged nor put back",
      name.map { "is in '\(write.directoryPath)/\($0)'" + Self.recoverable } ?? "could not be kept", after: error)
  }

  private static let recoverable = ": 'settings-cli recover' moves it to the backups"

  private func notPutBack(_ what: String, _ place: String, after error: any Error) -> SettingsError {
    SettingsError(
      (error as? SettingsError)?.code ?? .io,
      "Cannot write '\(path)': another program saved the file meanwhile, and its text \(what). That text \(place).",
      cause: "\(error)", file: path)
  }

  /// - Returns: Whether it is in its place.
  private func putBack(
    _ save: ForeignSave, _ write: inout AtomicWrite, _ file: borrowing OpenFile, _ steps: WriteSteps
  ) throws -> Bool {
    if let ours = save.ours {
      let now = try system.status(at: write.name, in: write.directory, followingLinks: false)
      guard now?.hasSameText(as: ours) == true else { return false }
    }
    if let name = save.name {
      // Nothing is written for this, so that it also succeeds on a full disk.
      guard try putBack(name, write, inPlaceOf: save.ours) else { return false }
    } else {
      var steps = steps
      steps.known = nil
      try replace(&write, file, by: save.contents.bytes ?? [], steps)
    }
    try? system.synchronizeDirectory(write.directory, path: write.directoryPath)
    return true
  }

  /// Puts the file displaced by a write back in its place, unless something else than the write's file is there.
  ///
  /// - Parameters:
  ///   - name: Its present name.
  ///   - ours: The file that the write has put in its place; `nil` if it has removed the file.
  /// - Returns: Whether it is in its place. Otherwise there is yet another text, which stays.
  private func putBack(
    _ name: String, _ write: AtomicWrite, inPlaceOf ours: FileStatus?
  ) throws(Errno) -> Bool {
    let directory = write.directory
    if let ours {
      do throws(Errno) {
        guard try system.exchange(write.name, with: name, in: directory) else { return false }
        let displaced = try? system.status(at: name, in: directory, followingLinks: false)
        if let displaced, !displaced.hasSameText(as: ours) {
          _ = try system.exchange(write.name, with: name, in: directory)
          return false
        }
        try? system.unlink(name, in: directory)
        return true
      } catch {
        // Our file has been removed.
        guard error.rawValue == ENOENT else { throw error }
      }
    }
    try system.renameNew(name, to: write.name, in: directory)
    return true
  }

  /// Writes a text that no longer has a name next to the file. A disk that cannot sync is better than none.
  private func keep(_ text: [UInt8], of write: AtomicWrite) -> String? {
    let name = BesideName.substitute(for: BesideName.aside(for: write.name))
    guard let descriptor = try? system.createFile(name, in: write.directory, mode: 0o600) else { return nil }
    defer { system.close(descriptor) }
    do {
      try system.writeAll(text, to: descriptor, path: name)
    } catch {
      try? system.unlink(name, in: write.directory)
      return nil
    }
    try? system.synchronize(descriptor, path: name)
    try? system.synchronizeDirectory(write.directory, path: write.directoryPath)
    return name
  }

  /// Removes a save that has been merged.
  func forget(_ save: ForeignSave?, in directory: CInt) {
    if let name = save?.name { try? system.unlink(name, in: directory) }
  }

  /// Reads the file when no other program seems to be saving it.
  func readAtRest(
    _ name: String, in directory: CInt, _ steps: WriteSteps, within limit: TimeLimit
  ) throws(SettingsError) -> OpenFile {
    var watch = SaveWatch()
    while true {
      let file = try openAndRead(name, in: directory)
      guard let known = steps.known, !file.contents.bytes.isSameText(as: known.bytes),
        let wait = watch.wait(
          for: file.contents, after: known, .doubt, wholeness: { steps.wholeness(file.contents.bytes ?? []) })
      else { return file }
      guard SaveWatch.pause(for: wait, until: limit.end) else { throw .neverAtRest(path, limit.duration) }
    }
  }

  /// The content of a file when nobody writes to it any more; `nil` if it equals what was read.
  private func textAtRest(
    of file: inout OpenFile, after read: Contents, _ steps: WriteSteps, within limit: TimeLimit
  ) throws(SettingsError) -> Contents? {
    let isOther = file.contents.status.map { status in read.status.map { !$0.sameFile(status) } ?? true } ?? false
    if !isOther, !file.isFresh, system.isOpenForWriting(file.descriptor, path: path) != true, let status = read.status,
      let now = try? system.status(of: file.descriptor, path: path), now.hasSameText(as: status)
    {
      return nil
    }
    var watch = SaveWatch()
    let known = SaveWatch.Known(bytes: read.bytes, inode: read.status?.inode)
    while true {
      try readAgain(&file)
      let contents = file.contents
      if contents.bytes.isSameText(as: read.bytes), contents.isOpenForWriting != true { return nil }
      guard
        let wait = watch.wait(
          for: contents, after: known, .doubt, wholeness: { steps.wholeness(contents.bytes ?? []) })
      else { return contents.bytes.isSameText(as: read.bytes) ? nil : contents }
      guard SaveWatch.pause(for: wait, until: limit.end) else { throw .neverAtRest(path, limit.duration) }
    }
  }
}

extension SettingsError {
  fileprivate static func neverAtRest(_ path: String, _ time: Duration) -> SettingsError {
    SettingsError(
      .lockTimeout,
      "Cannot write '\(path)': another program has been writing to it for \(time). "
        + "The file holds what that program has written. 'fuser -v \(path)' names the programs that have it open.",
      file: path)
  }
}
