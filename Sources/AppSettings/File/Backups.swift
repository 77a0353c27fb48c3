import Glibc

/// A backup made while the file is being replaced.
///
/// It is made first, and becomes durable right before the file is replaced, when the new text is on disk. A write that
/// gives up calls `abandon`.
struct BackupInProgress {
  /// The backup; `nil` for settings in memory.
  var backup: SettingsBackup?
  /// Makes it durable; must be called before the file is replaced.
  var finish: () throws -> Void = {}
  /// Removes it if the file was not replaced after all.
  var abandon: () -> Void = {}
}

/// The backups of a file, made before something replaces it. The newest 10 are kept.
///
/// They are in the state directory, under the physical path of the file, so that each file has its own, whatever path
/// leads to it. That path is found when backups are used, not when a store is opened.
package struct Backups: Sendable {
  let location: SettingsLocation
  let system: Syscalls
  /// The remaining time of the present call for waiting; by default a new time limit for each lock.
  var limit: TimeLimit?

  package static let kept = 10
  /// The reason of backups of texts that do not parse.
  static let unparsable = "unparsable"
  /// The reason of backups of texts that another program saved in the moment of a write, and that are not in the file.
  static let overtaken = "overtaken"

  package init(of location: SettingsLocation, system: Syscalls) {
    self.location = location
    self.system = system
  }

  /// These backups, for a call with the remaining time.
  ///
  /// - Parameter limit: The remaining time; `nil` for a new time limit for each lock.
  func limited(by limit: TimeLimit?) -> Backups {
    var result = self
    result.limit = limit
    return result
  }

  /// The places of the file and its backups.
  struct Place {
    /// The file itself.
    let file: PhysicalPath
    let directory: String
    /// The file's name without `.toml`, with which its backups' names begin; a hash if the name is very long.
    let name: String
  }

  /// Finds the file, and the place of its backups.
  ///
  /// - Parameter path: The path that the location led to, if known: its links may have changed since.
  /// - Throws: ``SettingsError`` `io` for a loop of links, `readOnly` where a directory may not be searched.
  func place(of path: String? = nil) throws(SettingsError) -> Place {
    let file = try PhysicalPath(path ?? location.file, system: system)
    let name = file.name
    return Place(
      file: file, directory: location.backupsDirectory(of: file.description),
      name: BesideName.label(
        name.endsBytewise(with: ".toml") && name.utf8.count > 5 ? name.droppingLastBytes(5) : name, upTo: 180))
  }

  // MARK: Making one

  /// Writes a copy durably, and removes the oldest backups beyond the number kept.
  ///
  /// The caller holds the settings file's lock. If the newest backup has this text and reason, as after a process that
  /// died before it could continue, that one is used.
  ///
  /// - Parameter reason: The reason, in letters, digits and dashes: `before-v3`.
  /// - Returns: The copy.
  /// - Throws: ``SettingsError`` `readOnly`, `io` or `lockTimeout`. No copy was made then, or none that is used later.
  @discardableResult
  package func save(_ bytes: [UInt8], reason: String) throws -> SettingsBackup {
    let backup = try begin(of: nil, bytes, nil, reason: reason)
    try backup.finish()
    return backup.backup!
  }

  /// Begins to keep the text of a file that is about to be replaced. The caller holds the file's lock.
  ///
  /// If possible the file gets a second name, which works on a full disk; otherwise it is copied. A second name is
  /// impossible on another file system, on one without hard links, and for a file that has other names already, through
  /// which it could be written.
  ///
  /// The caller calls `finish` of the result when the new text is on disk: file systems with a journal have then
  /// written both, so that it costs next to nothing.
  ///
  /// - Parameters:
  ///   - source: The file, without a link in its last part; `nil` to make a copy.
  ///   - bytes: The content of the file, as read with `status`.
  ///   - reason: As for ``save(_:reason:)``.
  ///   - spared: A backup that stays, however old: the one whose text is about to replace this one.
  /// - Throws: As ``save(_:reason:)``.
  func begin(
    of source: String?, _ bytes: [UInt8], _ status: FileStatus?, reason: String, sparing spared: SettingsBackup? = nil
  ) throws -> BackupInProgress {
    let place = try place(of: source)
    let folder = try BackupFolder.open(
      place.directory, of: place.name, about: place.file.description, within: limit, system: system)
    func inProgress(_ name: BackupName, abandon: @escaping () -> Void = {}) -> BackupInProgress {
      let path = folder.path + "/" + name.text(of: place.name)
      return BackupInProgress(
        backup: SettingsBackup(path: path, name: name),
        finish: {
          try synchronize(path)
          prune(sparing: spared)
        }, abandon: abandon)
    }
    do {
      if let same = try folder.newest(reason, of: bytes) { return inProgress(same) }
      if let source, let status, let name = try link(source, status, into: folder, reason: reason) {
        let path = folder.file(name)
        let made = folder.made
        return inProgress(name) {
          // While the file has both names, an editor that writes in place would change the backup.
          if let status = try? system.status(at: path), status.links > 1 { try? system.unlink(path) }
          guard !made.all.isEmpty else { return }
          let lock = try? DirectoryLock.acquire(place.directory, timeout: .zero, system: system)
          if lock != nil { made.remove() }
        }
      }
      return inProgress(try folder.write(bytes, reason: reason))
    } catch let error as Errno {
      throw SettingsError.system(error, "make a backup in", place.directory)
    }
  }

  /// Gives the file a second name among the backups; `nil` if that is impossible.
  private func link(
    _ source: String, _ status: FileStatus, into folder: borrowing BackupFolder, reason: String
  ) throws -> BackupName? {
    guard status.links == 1 else { return nil }
    let name: BackupName
    do {
      name = try folder.link(source, reason: reason)
    } catch is Errno {
      return nil
    }
    // A program that writes without the lock may have put another file there since it was read.
    let path = folder.file(name)
    guard let linked = try? system.status(at: path), linked.sameFile(status), linked.links == 2,
      linked.size == status.size, linked.modified == status.modified
    else {
      try? system.unlink(path)
      return nil
    }
    return name
  }

  /// Makes sure that a backup and its name are on disk.
  private func synchronize(_ path: String) throws(SettingsError) {
    try SettingsError.ofSystem("sync", path) { try system.makeDurable(FinalPath(splitting: path)) }
  }

  // MARK: Listing and removing

  /// All backups of the file, newest first.
  ///
  /// - Throws: ``SettingsError`` `io` or `readOnly` if the directory cannot be listed.
  package func list() throws(SettingsError) -> [SettingsBackup] {
    let place = try place()
    let names = try SettingsError.ofSystem("list", place.directory) { try system.names(in: place.directory) ?? [] }
    return names.compactMap { text in
      BackupName(text, of: place.name).map { SettingsBackup(path: "\(place.directory)/\(text)", name: $0) }
    }.sorted { $0.name.isNewer(than: $1.name) }
  }

  /// Removes the oldest backups.
  ///
  /// Any that cannot be removed stay until the next backup is made.
  private func prune(sparing spared: SettingsBackup?) {
    guard let all = try? list() else { return }
    for backup in all.dropFirst(Self.kept) where backup.name != spared?.name { try? system.unlink(backup.path) }
  }
}
