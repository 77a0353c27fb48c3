import Glibc

/// Replaces a file with a new one by a temporary file in the same directory and `rename(2)`.
///
/// The caller holds the directory's lock, so the temporary file has one fixed name: the next writer removes what a
/// killed one left unfinished, and strays never pile up. A file that has been in the settings file's place, and may be
/// all that is left of its text, is set aside instead. If a directory has that name, or another user's file that this
/// process may not remove, the name is random, and the next writer finds that file too.
package struct AtomicWrite: Sendable {
  package let name: String
  package let directory: CInt
  package let directoryPath: String
  package let system: Syscalls
  /// The mode of a new file, less the umask.
  package let newMode: UInt32

  /// The name of the temporary file.
  package private(set) var temporary: String
  /// What could not be kept of the replaced file, in words.
  private(set) var lost: [String] = []
  /// The names of files that had the temporary name and were set aside.
  private(set) var asides: [String] = []

  package init(name: String, directory: CInt, directoryPath: String, system: Syscalls, newMode: UInt32 = 0o600) {
    self.name = name
    self.directory = directory
    self.directoryPath = directoryPath
    self.system = system
    self.newMode = newMode
    temporary = BesideName.temporary(for: name)
  }

  /// How the new file got its place.
  package enum Outcome: Sendable, Equatable {
    /// It has replaced the old file, or none.
    case renamed
    /// The old file now has the temporary name, for the caller to check and remove.
    case exchanged
  }

  /// Writes and syncs the new file, then renames it over the old one. The caller syncs the directory.
  ///
  /// - Parameters:
  ///   - old: The file whose mode, owner and extended attributes are kept. Without one, the mode is ``newMode``, and
  ///     the new file replaces none.
  ///   - source: The same file, open.
  ///   - keepsDisplaced: Whether the old file should get the temporary name, if the file system can do that.
  ///   - beforeRename: Runs when the new file is synced, right before the rename.
  /// - Returns: The new file, and how it got its place.
  /// - Throws: The failing call's ``Errno``, or what `beforeRename` throws. The old file is unchanged, and the
  ///   temporary file is removed.
  package mutating func replace(
    with bytes: [UInt8], keeping old: FileStatus?, of source: CInt, keepsDisplaced: Bool = false,
    beforeRename: () throws -> Void = {}
  ) throws -> (new: FileStatus, outcome: Outcome) {
    let new = try write(bytes, keeping: old, of: source)
    do {
      try beforeRename()
      if old == nil {
        try system.renameNew(temporary, to: name, in: directory)
      } else if try keepsDisplaced && system.exchange(name, with: temporary, in: directory) {
        return (new, .exchanged)
      } else {
        try system.rename(temporary, to: name, in: directory)
      }
      return (new, .renamed)
    } catch {
      try? system.unlink(temporary, in: directory)
      throw error
    }
  }

  /// Moves the file away: it gets the temporary name, for the caller to check and remove.
  ///
  /// - Parameter beforeRename: Runs right before the file loses its name.
  /// - Throws: The failing call's ``Errno``, or what `beforeRename` throws. The file is in its old place.
  mutating func displace(beforeRename: () throws -> Void) throws {
    try beforeRename()
    do throws(Errno) {
      try system.renameNew(name, to: temporary, in: directory)
    } catch {
      guard error.rawValue == EEXIST else { throw error }
      try clearName()
      try system.renameNew(name, to: temporary, in: directory)
    }
  }

  /// Frees the temporary name, or chooses another one if that is impossible.
  private mutating func clearName() throws(Errno) {
    do throws(Errno) {
      return try clear(temporary)
    } catch {
      guard [EISDIR, EPERM, EBUSY].contains(error.rawValue) else { throw error }
    }
    let taken = BesideName.temporary(for: name)
    let prefix = BesideName.substitutePrefix(for: taken)
    for stray in try system.names(in: directoryPath) ?? [] where stray.beginsBytewise(with: prefix) {
      try? clear(stray)
    }
    temporary = BesideName.substitute(for: taken)
  }

  private mutating func clear(_ stray: String) throws(Errno) {
    guard let found = try system.status(at: stray, in: directory, followingLinks: false) else { return }
    if found.isDirectory { throw Errno(EISDIR) }
    if found.isRegular, try isUnfinished(found, stray) { return try system.unlink(stray, in: directory) }
    asides.append(try system.setAside(stray, of: name, in: directory))
  }

  /// Whether a file with the temporary name has never had the other one: it was made since the file in that place last
  /// changed, as an exchange would have changed it too. Without such a file: it was not renamed since it was written.
  private func isUnfinished(_ found: FileStatus, _ stray: String) throws(Errno) -> Bool {
    guard let present = try system.status(at: name, in: directory, followingLinks: false) else {
      return found.changed == found.modified
    }
    return try system.birth(of: stray, in: directory).map { $0 > present.changed } ?? false
  }

  private mutating func write(_ bytes: [UInt8], keeping old: FileStatus?, of source: CInt) throws(Errno) -> FileStatus {
    let mode = old == nil ? newMode : 0o600
    let descriptor: CInt
    do throws(Errno) {
      descriptor = try system.createFile(temporary, in: directory, mode: mode)
    } catch {
      guard error.rawValue == EEXIST else { throw error }
      try clearName()
      descriptor = try system.createFile(temporary, in: directory, mode: mode)
    }
    defer { system.close(descriptor) }
    do throws(Errno) {
      try system.writeAll(bytes, to: descriptor, path: name)
      if let old { try keepRights(of: old, source, on: descriptor) }
      try system.synchronize(descriptor, path: name)
      return try system.status(of: descriptor, path: name)
    } catch {
      try? system.unlink(temporary, in: directory)
      throw error
    }
  }

  /// Gives the new file, which only its owner may open so far, the rights of the old one. At no step can anyone open it
  /// who may not open the old one.
  private mutating func keepRights(of old: FileStatus, _ source: CInt, on descriptor: CInt) throws(Errno) {
    lost = []
    var new = try system.status(of: descriptor, path: name)
    if new.owner != old.owner || new.group != old.group {
      do throws(Errno) {
        try system.setOwner(old.owner, group: old.group, of: descriptor, path: name)
      } catch {
        // Only root may give a file away, but the group may be one of this process's.
        guard error.rawValue == EPERM || error.rawValue == EINVAL else { throw error }
        try? system.setOwner(UInt32.max, group: old.group, of: descriptor, path: name)
      }
      new = try system.status(of: descriptor, path: name)
    }
    let hasOtherGroup = new.group != old.group
    // Before the mode: with an access list from the directory, the mode would give rights that the old file had not.
    let attributes = try system.copyAttributes(
      from: source, to: descriptor, hasOtherGroup: hasOtherGroup, path: name)
    var permissions = old.permissions
    if hasOtherGroup {
      // Nobody chose this group: it gets the rights of everyone.
      permissions &= attributes.hasList ? ~0o2000 : ~0o2070 | (permissions & 0o007) << 3
      lost.append("the group \(old.group) (it is \(new.group) now)")
    }
    if new.owner != old.owner {
      permissions &= ~0o4000
      lost.append("the owner \(old.owner) (it is \(new.owner) now)")
    }
    lost += attributes.lost.map { "the extended attribute '\($0)'" }
    if try system.status(of: descriptor, path: name).permissions != permissions {
      try system.setPermissions(permissions, of: descriptor, path: name)
    }
  }
}
