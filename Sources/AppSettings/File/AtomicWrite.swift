import Glibc

/// Replaces a file by a whole new one through a temporary file in the same directory, `rename(2)`.
///
/// The caller holds the directory's lock, so the temporary file has one fixed name: what a writer that was killed left
/// behind is taken away by the next one, and strays never pile up. Where a directory has that name, or another user's
/// file that this process may not remove, it is a random one, and the next writer takes away those as well.
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

  package init(name: String, directory: CInt, directoryPath: String, system: Syscalls, newMode: UInt32 = 0o600) {
    self.name = name
    self.directory = directory
    self.directoryPath = directoryPath
    self.system = system
    self.newMode = newMode
    temporary = BesideName.temporary(for: name)
  }

  /// How the new file took its place.
  package enum Outcome: Sendable, Equatable {
    /// In the place of the old one, or of none.
    case renamed
    /// What was there has the temporary name now, for the caller to look at and to remove.
    case exchanged
  }

  /// Writes and syncs the new file, then renames it over the old one. The caller syncs the directory.
  ///
  /// - Parameters:
  ///   - old: The file to take mode, owner and extended attributes from; ``newMode`` without one, and then the new file
  ///     replaces none.
  ///   - source: The same file, open.
  ///   - keepsDisplaced: Whether what is replaced is to have the temporary name, if the file system can do so.
  ///   - beforeRename: Called when the new file is synced, right before it takes its place.
  /// - Returns: The new file, and how it took its place.
  /// - Throws: The failing call's ``Errno``, or what `beforeRename` throws. The old file is unchanged and the temporary
  ///   file is gone.
  package mutating func replace(
    with bytes: [UInt8], keeping old: FileStatus?, of source: CInt, keepsDisplaced: Bool = false,
    beforeRename: () throws -> Void = {}
  ) throws -> (new: FileStatus, outcome: Outcome) {
    try clearName()
    do {
      let new = try write(bytes, keeping: old, of: source)
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

  /// Takes the file away: it has the temporary name then, for the caller to look at and to remove.
  ///
  /// - Parameter beforeRename: Called right before it loses its name.
  /// - Throws: The failing call's ``Errno``, or what `beforeRename` throws. The file is where it was.
  mutating func displace(beforeRename: () throws -> Void) throws {
    try clearName()
    try beforeRename()
    try system.renameNew(name, to: temporary, in: directory)
  }

  /// Takes away what a killed writer has left, and finds another name where this one cannot be had.
  private mutating func clearName() throws(Errno) {
    do {
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

  private mutating func write(_ bytes: [UInt8], keeping old: FileStatus?, of source: CInt) throws(Errno) -> FileStatus {
    let descriptor = try system.createFile(temporary, in: directory, mode: old == nil ? newMode : 0o600)
    defer { system.close(descriptor) }
    try system.writeAll(bytes, to: descriptor, path: name)
    if let old { try keepRights(of: old, source, on: descriptor) }
    try system.synchronize(descriptor, path: name)
    return try system.status(of: descriptor, path: name)
  }

  /// Gives the new file, which only its owner may open so far, what the old one has. At no step may anyone open it who may
  /// not open the old one.
  private mutating func keepRights(of old: FileStatus, _ source: CInt, on descriptor: CInt) throws(Errno) {
    lost = []
    var new = try system.status(of: descriptor, path: name)
    if new.owner != old.owner || new.group != old.group {
      do throws(Errno) {
        try system.setOwner(old.owner, group: old.group, of: descriptor, path: name)
      } catch {
        // Only root may give a file away; the group alone may be one of ours.
        guard error.rawValue == EPERM || error.rawValue == EINVAL else { throw error }
        try? system.setOwner(UInt32.max, group: old.group, of: descriptor, path: name)
      }
      new = try system.status(of: descriptor, path: name)
    }
    let hasOtherGroup = new.group != old.group
    // Before the mode: an access list that came from the directory would give by it what the old file never gave.
    let attributes = try system.copyAttributes(
      from: source, to: descriptor, hasOtherGroup: hasOtherGroup, path: name)
    var permissions = old.permissions
    if hasOtherGroup {
      // Nobody has chosen this group: it may do what everyone may.
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
