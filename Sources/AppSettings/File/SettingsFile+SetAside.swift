import Glibc

/// The name of another program's save that a write has replaced, until both are merged.
extension SettingsFile {
  /// Gives a file the name under which ``rescueSetAside(_:in:to:)`` finds it.
  ///
  /// - Parameter file: The name of the settings file.
  /// - Returns: Its new name.
  func setAside(_ name: String, of file: String, in directory: CInt) throws(Errno) -> String {
    let aside = BesideName.aside(for: file)
    do throws(Errno) {
      try system.renameNew(name, to: aside, in: directory)
      return aside
    } catch {
      // The existing file is not ours to remove.
      guard error.rawValue == EEXIST else { throw error }
      let substitute = BesideName.substitute(for: aside)
      try system.renameNew(name, to: substitute, in: directory)
      return substitute
    }
  }

  /// Moves files to the backups that a process set aside and left, killed or with a failed disk.
  func rescueSetAside(_ place: FinalPath, in directory: CInt, to backups: Backups) throws {
    let aside = BesideName.aside(for: place.name)
    let substitutes = BesideName.substitutePrefix(for: aside)
    let names = (try? system.names(in: place.directory)) ?? []
    for name in names where name.isBytewise(aside) || name.beginsBytewise(with: substitutes) {
      try rescue(name, of: place, in: directory, to: backups)
    }
  }

  private func rescue(_ aside: String, of place: FinalPath, in directory: CInt, to backups: Backups) throws {
    // Anyone may have put something else there: a link is not followed, and a file that cannot be removed is not ours.
    guard let status = try? system.status(at: aside, in: directory, followingLinks: false), status.isRegular,
      isRemovable(status, in: directory, place),
      // By now it may be a link.
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

  /// Whether a file belongs to this user, in a directory with restricted deletion, `unlink(2)`.
  private func isRemovable(_ file: FileStatus, in directory: CInt, _ place: FinalPath) -> Bool {
    guard let holder = try? system.status(of: directory, path: place.directory) else { return false }
    return holder.permissions & 0o1000 == 0 || [file.owner, holder.owner].contains(geteuid())
  }
}
