import AppSettings

/// Whose schemas a process follows, and with whose rights it reads what their imports name.
///
/// A schema says which files to import. To whoever may read only their own, it can name nothing more than they could read
/// anyway. Root can read every file: a user could have it read one for them, and store the content where they can read it.
/// So root follows a schema of root's, and one of the user whom the settings belong to, and reads with that user's
/// rights what the latter names. Whoever owns a directory or a link on the way to a schema says what is found there, as
/// its owner does: a link in a user's directory that leads to a file of root's is that user's schema.
package enum SchemaTrust {
  /// Checks a schema that was found, for the settings in a file.
  ///
  /// - Parameters:
  ///   - status: The schema's, as it was read.
  ///   - settings: The settings file, which need not exist; `nil` for a schema that the caller was told to use.
  /// - Returns: Whose rights its imports have; `nil` for this process's own.
  /// - Throws: ``SettingsError`` `readOnly` for one that is not to be followed.
  static func rights(
    of status: FileStatus?, at path: String, forSettings settings: String?, _ system: Syscalls
  ) throws(SettingsError) -> UserRights? {
    guard UserRights.isRoot, let status else { return nil }
    func refuse(_ reason: String) -> SettingsError {
      SettingsError(
        .readOnly,
        "Cannot use the schema '\(path)': \(reason). Run this as the user whom the settings belong to, or give the "
          + "schema to root.", file: path)
    }
    if status.permissions & 0o002 != 0 || (status.group != 0 && status.permissions & 0o020 != 0) {
      throw refuse("others than its owner may write it, and root does not follow what anyone may say")
    }
    let schemaOwner = try status.owner != 0 ? status.owner : ownerOnTheWay(to: path, system)
    guard schemaOwner != 0 else { return nil }
    if let settings {
      let owner = try owner(of: settings, system)
      guard owner == schemaOwner else {
        throw refuse(
          "it belongs to user \(schemaOwner), and root follows only schemas of root or of whom the settings belong to, "
            + "which is user \(owner)")
      }
    }
    return UserRights(of: schemaOwner)
  }

  /// The first owner other than root of a directory or a link on the way to a file, as the path is spelled and as it is
  /// without links; root if there is none.
  private static func ownerOnTheWay(to path: String, _ system: Syscalls) throws(SettingsError) -> UInt32 {
    // A path that is named may be relative.
    let path = path.isAbsolutePath ? path : (ProcessFacts.workingDirectory() ?? "") + "/" + path
    for path in [path, try PhysicalPath(path, system: system).description] {
      var place = ""
      for part in path.pathParts {
        place += "/" + part
        do throws(Errno) {
          let owner = try system.status(at: place, followingLinks: false)?.owner ?? 0
          if owner != 0 { return owner }
        } catch {
          throw .system(error, "read", place)
        }
      }
    }
    return 0
  }

  /// Whom a file belongs to, or the directory that it would be made in.
  private static func owner(of file: String, _ system: Syscalls) throws(SettingsError) -> UInt32 {
    var path = file
    while true {
      do throws(Errno) {
        if let status = try system.status(at: path) { return status.owner }
      } catch {
        throw .system(error, "read", path)
      }
      guard let slash = path.lastIndex(of: "/"), path != "/" else { return 0 }
      path = slash == path.startIndex ? "/" : String(path[..<slash])
    }
  }
}
