import Glibc

extension Syscalls {
  /// Gives a file the name under which ``SettingsFile/setAside()`` finds it, because its text is nowhere else.
  ///
  /// - Parameter file: The name of the settings file.
  /// - Returns: Its new name.
  func setAside(_ name: String, of file: String, in directory: CInt) throws(Errno) -> String {
    let aside = BesideName.aside(for: file)
    do throws(Errno) {
      try renameNew(name, to: aside, in: directory)
      return aside
    } catch {
      // The existing file is not ours to remove.
      guard error.rawValue == EEXIST else { throw error }
      let substitute = BesideName.substitute(for: aside)
      try renameNew(name, to: substitute, in: directory)
      return substitute
    }
  }
}

/// Files beside a settings file: what other programs saved in the moment of a write that could not add it to the file.
extension SettingsFile {
  /// The paths of the files that were set aside.
  package func setAside() -> [String] {
    guard let place = try? FinalPath.resolve(path, system: system) else { return [] }
    let aside = BesideName.aside(for: place.name)
    let substitutes = BesideName.substitutePrefix(for: aside)
    let names = (try? system.names(in: place.directory)) ?? []
    return names.filter { name in
      (name.isBytewise(aside) || name.beginsBytewise(with: substitutes))
        && (try? system.status(at: "\(place.directory)/\(name)", followingLinks: false))?.isDirectory == false
    }.sorted().map { "\(place.directory)/\($0)" }
  }

  /// Moves files that were set aside to the backups, unless their text is there or in the file. The caller holds the
  /// lock.
  ///
  /// - Returns: The new backups.
  func rescueSetAside(to backups: Backups) throws -> [SettingsBackup] {
    var made: [SettingsBackup] = []
    for path in setAside() {
      // Anyone may have put something else there: a link is not followed, and a file that cannot be removed is not ours.
      guard let status = try? system.status(at: path, followingLinks: false), status.isRegular,
        isRemovable(status, at: path),
        // By now it may be a link.
        let bytes = try openAndRead(path, in: Syscalls.workingDirectory, followingLinks: false).contents.bytes
      else { continue }
      func holds(_ other: String) -> Bool {
        (try? SettingsFile(path: other, system: system).read().bytes).isSameText(as: bytes)
      }
      if try !holds(self.path) && !backups.list().contains(where: { holds($0.path) }) {
        made.append(try backups.save(bytes, reason: Backups.overtaken))
      }
      do throws(Errno) {
        try system.unlink(path)
      } catch {
        throw SettingsError.system(error, "remove", path, then: "Its text is among the backups, too.")
      }
    }
    return made
  }

  /// Whether a file belongs to this user, in a directory with restricted deletion, `unlink(2)`.
  private func isRemovable(_ file: FileStatus, at path: String) -> Bool {
    guard let slash = path.lastSlash, let holder = try? system.status(at: String(path[..<slash])) else { return false }
    return holder.permissions & 0o1000 == 0 || [file.owner, holder.owner].contains(geteuid())
  }
}
