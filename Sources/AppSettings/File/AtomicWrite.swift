import Glibc

/// Replaces a file by a whole new one through a temporary file in the same directory, `rename(2)`.
///
/// The caller holds the directory's lock, so the temporary file has one fixed name: what a writer that was killed left
/// behind is taken away by the next one, and strays never pile up.
package struct AtomicWrite: Sendable {
  package let name: String
  package let directory: CInt
  package let directoryPath: String
  package let system: Syscalls
  /// The mode of a new file, less the umask.
  package var newMode: UInt32 = 0o600

  /// The name of the temporary file beside `name`. It does not end in `.toml`, so that no drop-in directory reads it.
  package static func temporaryName(for name: String) -> String { ".\(name).settings-new" }

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
  ///   - keepsDisplaced: Whether what is replaced is to have the temporary name, if the file system can do so.
  ///   - beforeRename: Called when the new file is synced, right before it takes its place.
  /// - Returns: The new file, and how it took its place.
  /// - Throws: The failing call's ``Errno``, or what `beforeRename` throws. The old file is unchanged and the temporary
  ///   file is gone.
  @discardableResult
  package func replace(
    with bytes: [UInt8], keeping old: FileStatus?, keepsDisplaced: Bool = false, beforeRename: () throws -> Void = {}
  ) throws -> (new: FileStatus, outcome: Outcome) {
    let temporary = Self.temporaryName(for: name)
    try system.unlink(temporary, in: directory)
    do {
      let new = try write(bytes, to: temporary, keeping: old)
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

  private func write(_ bytes: [UInt8], to temporary: String, keeping old: FileStatus?) throws(Errno) -> FileStatus {
    let descriptor = try system.open(
      temporary, in: directory, flags: O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW,
      mode: old == nil ? newMode : 0o600)
    defer { system.close(descriptor) }
    try system.writeAll(bytes, to: descriptor, path: name)
    if let old { try keepOwnership(of: old, on: descriptor) }
    try system.synchronize(descriptor, path: name)
    return try system.status(of: descriptor, path: name)
  }

  private func keepOwnership(of old: FileStatus, on descriptor: CInt) throws(Errno) {
    let new = try system.status(of: descriptor, path: name)
    if new.owner != old.owner || new.group != old.group {
      do throws(Errno) {
        try system.setOwner(old.owner, group: old.group, of: descriptor, path: name)
      } catch {
        // Only root may give a file away; the group alone may be one of ours.
        guard error.rawValue == EPERM || error.rawValue == EINVAL else { throw error }
        try? system.setOwner(UInt32.max, group: old.group, of: descriptor, path: name)
      }
    }
    if new.permissions != old.permissions {
      try system.setPermissions(old.permissions, of: descriptor, path: name)
    }
    if let source = try? system.open(name, in: directory, flags: O_RDONLY) {
      system.copyAttributes(from: source, to: descriptor, path: name)
      system.close(source)
    }
  }
}
