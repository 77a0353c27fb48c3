import Glibc
package import SettingsTOML

extension Syscalls {
  /// Gives a file the name under which ``SettingsFile/setAside(_:)`` finds it, because its text is nowhere else.
  ///
  /// If another file has that name, random digits are added.
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

/// Files beside a settings file: what other programs saved in the moment of a write that did not add it to the file.
extension SettingsFile {
  /// The paths of these files.
  ///
  /// Usually there are none. One remains if a process died during a write, or if a save could not be added.
  ///
  /// - Parameter listed: The hidden names in directories that were listed for other files: each is listed once.
  package func setAside(_ listed: inout [ExactKey: [String]]) -> [String] {
    guard let place = try? FinalPath.resolve(path, system: system) else { return [] }
    let aside = BesideName.aside(for: place.name)
    let substitutes = BesideName.substitutePrefix(for: aside)
    let hidden =
      listed[ExactKey(place.directory)]
      ?? ((try? system.names(in: place.directory)) ?? []).filter { $0.utf8.first == UInt8(ascii: ".") }
    listed[ExactKey(place.directory)] = hidden
    return hidden.filter {
      ($0.isBytewise(aside) || $0.beginsBytewise(with: substitutes))
        && (try? system.status(at: place.sibling($0), followingLinks: false))?.isDirectory == false
    }.sorted().map { place.sibling($0) }
  }

  /// Moves them to the backups, unless their text is in the file. The caller holds the lock.
  ///
  /// - Returns: The paths at which their texts are now: of backups or, if that is impossible, their own.
  func rescueSetAside(to backups: Backups) -> [String] {
    func holds(_ other: String, _ bytes: [UInt8]) -> Bool {
      (try? SettingsFile(path: other, system: system).read().bytes).isSameText(as: bytes)
    }
    var listed: [ExactKey: [String]] = [:]
    return setAside(&listed).compactMap { aside in
      do {
        guard let status = try system.status(at: aside, followingLinks: false) else { return nil }
        guard status.isRegular else { return aside }
        guard isRemovable(status, at: aside) else { return nil }
        // By now it may be a link.
        let contents = try openAndRead(aside, in: Syscalls.workingDirectory, followingLinks: false).contents
        guard let bytes = contents.bytes, contents.isOpenForWriting != true else { return aside }
        var backup: String?
        if !holds(path, bytes) {
          backup =
            try backups.list().first { holds($0.path, bytes) }?.path
            ?? backups.save(bytes, reason: Backups.overtaken).path
        }
        try system.unlink(aside)
        return backup
      } catch {
        return aside
      }
    }
  }

  /// Whether a file belongs to this user, in a directory with restricted deletion, `unlink(2)`.
  private func isRemovable(_ file: FileStatus, at path: String) -> Bool {
    guard let slash = path.lastSlash, let holder = try? system.status(at: String(path[..<slash])) else { return false }
    return holder.permissions & 0o1000 == 0 || [file.owner, holder.owner].contains(geteuid())
  }
}
