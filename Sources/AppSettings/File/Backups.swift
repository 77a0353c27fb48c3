import Glibc

/// A backup that is made along with the replacing of the file.
struct BackupInProgress {
  /// The backup; `nil` for settings in memory.
  var backup: SettingsBackup?
  /// Makes it durable; to be called before the file is replaced.
  var finish: () throws -> Void = {}
  /// Takes it back where the file was not replaced after all.
  var abandon: () -> Void = {}
}

/// The copies of a file from before something replaced it, newest 10 kept.
///
/// They are below the state directory, under the physical path of the file, so that each file has its own and has them
/// whatever leads to it. That path is found when backups are used, not when a store is opened.
package struct Backups: Sendable {
  let location: SettingsLocation
  let system: Syscalls
  /// The time that the present call has for waiting; a whole one for each lock if not given.
  var limit: TimeLimit?

  package static let kept = 10
  /// What the backups of texts that do not parse are made before.
  static let unparsable = "unparsable"

  package init(of location: SettingsLocation, system: Syscalls) {
    self.location = location
    self.system = system
  }

  /// Where the backups of the file are.
  struct Place {
    /// The file itself.
    let file: PhysicalPath
    let directory: String
    /// The file's name without `.toml`, with which the names of its backups begin; of a very long one, a hash.
    let name: String
  }

  /// Finds the file, and with it the place of its backups.
  ///
  /// - Parameter path: Where the location has led to, if that is known: its links may have been turned elsewhere since.
  func place(of path: String? = nil) throws(SettingsError) -> Place {
    let file = try PhysicalPath(path ?? location.file, system: system)
    let name = file.name
    return Place(
      file: file, directory: location.backupsDirectory(of: file.description),
      name: BesideName.label(
        name.endsBytewise(with: ".toml") && name.utf8.count > 5 ? name.droppingLastBytes(5) : name, upTo: 180))
  }

  // MARK: Making one

  /// Writes a copy, durably, and takes away the oldest beyond the number kept.
  ///
  /// The caller holds the settings file's lock. Where the newest backup has this text and was made for this reason, as by a
  /// process that died before it could go on, it serves.
  ///
  /// - Parameters:
  ///   - reason: What the copy is made before, in letters, digits and dashes: `before-v3`.
  ///   - spared: A backup that stays, however old: the one whose text is about to replace this one.
  /// - Returns: The copy.
  /// - Throws: ``SettingsError`` `readOnly`, `io` or `lockTimeout`. No copy was made then, or none that counts on.
  @discardableResult
  package func save(_ bytes: [UInt8], reason: String, sparing spared: SettingsBackup? = nil) throws -> SettingsBackup {
    let backup = try begin(of: nil, bytes, nil, reason: reason, sparing: spared)
    try backup.finish()
    return backup.backup!
  }

  /// Begins to keep the text of a file that is about to be replaced: by a second name for the file where there can be one,
  /// so that there is room for it on a full disk, and else by a copy. The caller holds the file's lock.
  ///
  /// There can be no second name on another file system, in one that knows none, and where the file has other names already,
  /// through which it might be written to.
  ///
  /// It becomes durable by what is returned, which is to be finished when the new text is on disk already: file systems
  /// with a journal have then written both, so that it costs next to nothing.
  ///
  /// - Parameters:
  ///   - source: The file, without a link in its last part; `nil` if only a copy will do.
  ///   - bytes: What the file has, as it was read with `status`.
  ///   - reason: As in ``save(_:reason:sparing:)``, and so `spared`.
  /// - Throws: As ``save(_:reason:sparing:)``.
  func begin(
    of source: String?, _ bytes: [UInt8], _ status: FileStatus?, reason: String, sparing spared: SettingsBackup? = nil
  ) throws -> BackupInProgress {
    let place = try place(of: source)
    let folder = try BackupFolder.open(place.directory, of: place.name, within: limit, system: system)
    removeFormerTemporaries(except: place)
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
          // While the file has both names, an editor that writes in place would write to the backup.
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

  /// Gives the file a second name among the backups; `nil` if there can be none.
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
    // Whoever writes without the lock may have put another file there since it was read.
    let path = folder.file(name)
    guard let linked = try? system.status(at: path), linked.sameFile(status), linked.links == 2,
      linked.size == status.size, linked.modified == status.modified
    else {
      try? system.unlink(path)
      return nil
    }
    return name
  }

  /// Sees to it that a backup is on disk, and its name too.
  private func synchronize(_ path: String) throws(SettingsError) {
    do throws(Errno) {
      try system.makeDurable(FinalPath(directory: String(path[..<path.lastSlash!]), name: path.lastPathPart))
    } catch {
      throw .system(error, "make durable", path)
    }
  }

  // MARK: Those there are

  /// All backups of the file, the newest made first; after them those of older releases.
  ///
  /// - Throws: ``SettingsError`` `io` or `readOnly` if a directory cannot be listed.
  package func list() throws(SettingsError) -> [SettingsBackup] {
    let place = try place()
    var result: [SettingsBackup] = []
    do throws(Errno) {
      let own = FormerBackups(directory: place.directory, sharer: nil)
      result = try backups(in: own, named: place.name, of: place.file) { _ in true }
      let former = location.formerBackups
      if !former.directory.utf8.elementsEqual(place.directory.utf8) {
        result += try backups(in: former, named: location.name, of: place.file) { $0.number == nil }
      }
    } catch {
      throw .system(error, "list", place.directory)
    }
    return result.sorted { $0.name.isNewer(than: $1.name) }
  }

  private func backups(
    in former: FormerBackups, named name: String, of file: PhysicalPath, where isIncluded: (BackupName) -> Bool
  ) throws(Errno) -> [SettingsBackup] {
    let found = (try system.names(in: former.directory) ?? []).compactMap { text -> (String, BackupName)? in
      BackupName(text, of: name).map { (text, $0) }
    }.filter { isIncluded($0.1) }
    var isShared = false
    if found.contains(where: { $0.1.number == nil }) {
      isShared = try former.isShared(with: file, root: location.stateDirectory + "/files", system: system)
    }
    return found.map { text, backup in
      SettingsBackup(
        path: "\(former.directory)/\(text)", name: backup, mayBeOfAnotherFile: isShared && backup.number == nil)
    }
  }

  /// Takes away the oldest, those of older releases first, and none that may be of another file.
  private func prune(sparing spared: SettingsBackup?) {
    guard let all = try? list().filter({ !$0.mayBeOfAnotherFile }) else { return }
    for backup in all.dropFirst(Self.kept) where backup.name != spared?.name { try? system.unlink(backup.path) }
  }

  /// Takes away what killed processes of older releases left where those kept the backups of this file.
  private func removeFormerTemporaries(except place: Place) {
    let directory = location.formerBackups.directory
    guard !directory.utf8.elementsEqual(place.directory.utf8), let names = try? system.names(in: directory) else {
      return
    }
    let strays = names.filter { BackupName.isFormerTemporary($0, of: location.name) }
    // An older release that is writing one just now has this lock.
    guard !strays.isEmpty, let lock = try? DirectoryLock.acquire(directory, timeout: .zero, system: system) else {
      return
    }
    for stray in strays { try? system.unlink(stray, in: lock.descriptor) }
  }
}
