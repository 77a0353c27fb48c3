import Glibc

/// Taking a file away without ever losing its text.
extension SettingsFile {
  /// Moves the file to the backups if it is to be, under its lock. Links that lead to it stay.
  ///
  /// A backup is made first, and is on disk with its name when the file goes. The file is then renamed within its
  /// directory, and removed only if what has been renamed is what was kept: whoever writes without the lock may have put
  /// another text there, which is put back, and everything begins anew.
  ///
  /// - Parameter isToGo: Whether a text is to be moved away.
  /// - Returns: The backup; `nil` if the file is not to go, or there is none.
  /// - Throws: ``SettingsError``. The file is where it was, unless the message says otherwise.
  func moveAside(
    to backups: Backups, reason: String, within limit: TimeLimit, if isToGo: ([UInt8]) -> Bool
  ) throws -> SettingsBackup? {
    var limit = limit
    var steps = WriteSteps()
    steps.known = SaveWatch.Known()
    steps.wholeness = { SaveWatch.Wholeness(of: $0, since: nil) }
    while true {
      let place = try FinalPath.resolve(path, system: system)
      guard let lock = try DirectoryLock.acquire(place.directory, for: path, within: &limit, system: system) else {
        return nil
      }
      // A link may have been turned elsewhere while this waited.
      guard try FinalPath.resolve(path, system: system) == place else { continue }
      let directory = lock.descriptor
      try rescueSetAside(place, in: directory, to: backups)
      // What is being saved just now will be whole in a moment.
      let contents = try readAtRest(place.name, in: directory, steps, within: limit).contents
      guard let bytes = contents.bytes else {
        // Whoever took it away may have been killed before that was on disk.
        try synchronizeRemoval(place, in: directory, to: nil)
        return nil
      }
      guard isToGo(bytes) else { return nil }
      let kept = try backups.begin(of: place.path, bytes, contents.status, reason: reason)
      do {
        try kept.finish()
      } catch {
        kept.abandon()
        throw error
      }
      let aside: String
      do throws(Errno) {
        aside = try setAside(place.name, of: place.name, in: directory)
      } catch {
        kept.abandon()
        // Somebody else has moved it away.
        if error.rawValue == ENOENT { continue }
        throw cannotMoveAway(error)
      }
      guard let moved = try? openAndRead(aside, in: directory, followingLinks: false).contents,
        moved.isSame(as: contents), moved.isOpenForWriting != true
      else {
        try putBack(place, from: aside, in: directory, backups)
        kept.abandon()
        continue
      }
      do throws(Errno) {
        try system.unlink(aside, in: directory)
      } catch {
        try putBack(place, from: aside, in: directory, backups)
        kept.abandon()
        throw cannotMoveAway(error)
      }
      try synchronizeRemoval(place, in: directory, to: kept.backup)
      return kept.backup
    }
  }

  /// Gives a file the name under which ``rescueSetAside(_:in:to:)`` finds it.
  ///
  /// - Parameter file: The name of the settings file.
  /// - Returns: The name that it has now.
  func setAside(_ name: String, of file: String, in directory: CInt) throws(Errno) -> String {
    let aside = BesideName.aside(for: file)
    do throws(Errno) {
      try system.renameNew(name, to: aside, in: directory)
      return aside
    } catch {
      // What is there is not ours to remove.
      guard error.rawValue == EEXIST else { throw error }
      let substitute = BesideName.substitute(for: aside)
      try system.renameNew(name, to: substitute, in: directory)
      return substitute
    }
  }

  private func synchronizeRemoval(
    _ place: FinalPath, in directory: CInt, to backup: SettingsBackup?
  ) throws(SettingsError) {
    do throws(Errno) {
      try system.synchronizeDirectory(directory, path: place.directory)
    } catch {
      guard error.rawValue != EROFS, error.rawValue != EINVAL else { return }
      let place = backup.map { "It is in '\($0.path)' now. After" } ?? "After"
      throw SettingsError.system(
        error, "make durable that the file is gone from", path, then: "\(place) a power failure it may be there again.")
    }
  }

  private func cannotMoveAway(_ error: Errno) -> SettingsError {
    .system(error, "move away", path, then: "The file is where it was.")
  }

  /// Gives the file that was renamed its name again; if there is a new one by now, it becomes a backup.
  private func putBack(
    _ place: FinalPath, from aside: String, in directory: CInt, _ backups: Backups
  ) throws {
    do throws(Errno) {
      try system.renameNew(aside, to: place.name, in: directory)
    } catch {
      guard error.rawValue == EEXIST else {
        throw SettingsError.system(error, "put back", path, then: "It is '\(place.directory)/\(aside)' now.")
      }
      try rescueSetAside(place, in: directory, to: backups)
    }
  }

  /// Puts files into the backups that a process has renamed and not removed, since it was killed.
  func rescueSetAside(_ place: FinalPath, in directory: CInt, to backups: Backups) throws {
    let aside = BesideName.aside(for: place.name)
    let substitutes = BesideName.substitutePrefix(for: aside)
    let names = (try? system.names(in: place.directory)) ?? []
    for name in names where name.isBytewise(aside) || name.beginsBytewise(with: substitutes) {
      try rescue(name, of: place, in: directory, to: backups)
    }
  }

  private func rescue(_ aside: String, of place: FinalPath, in directory: CInt, to backups: Backups) throws {
    // Anybody may have put something else there: a link is not followed, and what this process may not remove is not of
    // its making.
    guard let status = try? system.status(at: aside, in: directory, followingLinks: false), status.isRegular,
      isRemovable(status, in: directory, place),
      // By now there may be a link.
      let bytes = try openAndRead(aside, in: directory, followingLinks: false).contents.bytes
    else { return }
    try backups.save(bytes, reason: Backups.unparsable)
    do throws(Errno) {
      try system.unlink(aside, in: directory)
    } catch {
      throw SettingsError.system(
        error, "remove", "\(place.directory)/\(aside)", then: "Its text is among the backups, too.")
    }
  }

  /// Whether a file is this user's own where only owners may remove theirs, `unlink(2)`.
  private func isRemovable(_ file: FileStatus, in directory: CInt, _ place: FinalPath) -> Bool {
    guard let holder = try? system.status(of: directory, path: place.directory) else { return false }
    return holder.permissions & 0o1000 == 0 || [file.owner, holder.owner].contains(geteuid())
  }
}

extension SettingsFile.Contents {
  /// Whether this is the same file with the same text.
  fileprivate func isSame(as other: Self) -> Bool {
    guard let status, let otherStatus = other.status else { return false }
    return status.sameFile(otherStatus) && status.size == otherStatus.size && status.modified == otherStatus.modified
      && bytes.isSameText(as: other.bytes)
  }
}
