import AppSettings

/// Decides whose schemas a process follows, and with whose rights it reads the files that their imports name.
///
/// A schema says which files to import. A process without privileges cannot read more through a schema than its user
/// could anyway. Root can read every file, so a user's schema could make root import a file and store its content where
/// that user can read it. So root follows only its own schemas and those of the user who owns the settings, and reads
/// the files named by that user's schemas with that user's rights. Whoever owns a directory or a link along the path to a
/// schema decides what is found there, just as the schema's owner does: a link in a user's directory to a file of
/// root's is that user's schema.
package enum SchemaTrust {
  /// Checks a schema that was found for a settings file.
  ///
  /// - Parameters:
  ///   - status: The status of the schema, from when it was read.
  ///   - path: The schema's path.
  ///   - settings: The settings file, which need not exist; `nil` for a schema that the user named.
  ///   - system: The system calls to use.
  /// - Returns: The rights for its imports; `nil` for those of this process.
  /// - Throws: `SettingsError` `readOnly` for a schema that must not be followed.
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

  /// The first owner other than root of a directory or a link along the path to a file, both along the path as spelled and
  /// along the path without links; root if there is none.
  private static func ownerOnTheWay(to path: String, _ system: Syscalls) throws(SettingsError) -> UInt32 {
    // A path that the user named may be relative.
    let path = path.absolutePath ?? "/" + path
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

  /// The owner of a file, or of the directory that it would be created in.
  private static func owner(of file: String, _ system: Syscalls) throws(SettingsError) -> UInt32 {
    var path = file
    while true {
      do throws(Errno) {
        if let status = try system.status(at: path) { return status.owner }
      } catch {
        throw .system(error, "read", path)
      }
      guard let slash = path.lastSlash, path != "/" else { return 0 }
      path = slash == path.startIndex ? "/" : String(path[..<slash])
    }
  }
}
