import Glibc

/// Replaces a file with a new one by a temporary file in the same directory and `rename(2)`.
///
/// The caller holds the directory's lock, so the temporary file has one fixed name: the next writer removes what a
/// killed one left unfinished, and strays never pile up. If a directory has that name, or another user's file that this
/// process may not remove, the name is random, and the next writer finds that file too.
///
/// A file that has been in the settings file's place never has the temporary name, so that it is never removed unseen.
///
/// A rename replaces the file in one step (rename(2), renameat2(2)): another process that opens the name gets either
/// the old file or the new one, and a process that has the old one open keeps it.
///
/// ```swift
/// var write = AtomicWrite(name: "a.toml", directory: lock.descriptor, directoryPath: "/home/ada", system: system)
/// let (new, displaced) = try write.replace(with: bytes, keeping: status, of: descriptor)
/// ```
package struct AtomicWrite: Sendable {
  /// The name of the file in the directory, after ``FinalPath`` has followed symbolic links.
  package let name: String
  /// The locked directory, open, so that every call uses this one, even if its path leads to another one by now.
  package let directory: CInt
  /// The path of the directory, to list it.
  package let directoryPath: String
  package let system: Syscalls
  /// The mode of a new file, less the umask.
  package let newMode: UInt32

  /// The name of the temporary file.
  package private(set) var temporary: String
  /// What could not be kept of the replaced file, in words.
  private(set) var lost: [String] = []

  package init(name: String, directory: CInt, directoryPath: String, system: Syscalls, newMode: UInt32 = 0o600) {
    self.name = name
    self.directory = directory
    self.directoryPath = directoryPath
    self.system = system
    self.newMode = newMode
    temporary = BesideName.temporary(for: name)
  }

  /// Writes and syncs the new file, then renames it over the old one. The caller syncs the directory.
  ///
  /// - Parameters:
  ///   - old: The file whose mode, owner and extended attributes are kept. Without one, the mode is ``newMode``, and
  ///     the new file replaces none.
  ///   - source: The same file, open.
  ///   - keepsDisplaced: Whether the old file should be set aside, for the caller to check and remove.
  ///   - beforeRename: Runs when the new file is synced, right before the rename.
  /// - Returns: The new file, and the name of the one that was in its place; `nil` if the file system cannot exchange
  ///   names.
  /// - Throws: The failing call's ``Errno``, or what `beforeRename` throws. The old file is unchanged, and the
  ///   temporary file is removed.
  package mutating func replace(
    with bytes: [UInt8], keeping old: FileStatus?, of source: CInt, keepsDisplaced: Bool = false,
    beforeRename: () throws -> Void = {}
  ) throws -> (new: FileStatus, displaced: String?) {
    let new = try write(bytes, keeping: old, of: source)
    do {
      try beforeRename()
      if old == nil {
        try system.renameNew(temporary, to: name, in: directory)
      } else {
        // First, so that what is displaced has that name from the very moment of the exchange.
        if keepsDisplaced { temporary = try system.setAside(temporary, of: name, in: directory) }
        if try keepsDisplaced && system.exchange(name, with: temporary, in: directory) { return (new, temporary) }
        try system.rename(temporary, to: name, in: directory)
      }
      return (new, nil)
    } catch {
      try? system.unlink(temporary, in: directory)
      throw error
    }
  }

  /// Frees the temporary name, or chooses another one if that is impossible.
  private mutating func clearName() throws(Errno) {
    do throws(Errno) {
      return try system.unlink(temporary, in: directory)
    } catch {
      guard [EISDIR, EPERM, EBUSY].contains(error.rawValue) else { throw error }
    }
    let taken = BesideName.temporary(for: name)
    let prefix = BesideName.substitutePrefix(for: taken)
    for stray in try system.names(in: directoryPath) ?? [] where stray.beginsBytewise(with: prefix) {
      try? system.unlink(stray, in: directory)
    }
    temporary = BesideName.substitute(for: taken)
  }

  /// Writes the temporary file, gives it the rights of the old file, and syncs it.
  ///
  /// - Throws: ``Errno``. The temporary file is removed.
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
