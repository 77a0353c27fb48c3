package import SettingsTOML

/// Backups and restoring.
extension SettingsStore {
  /// The backups of the user's file, made before something replaced it, newest first.
  ///
  /// Stores on the same file have the same backups, whatever path or link leads to it.
  ///
  /// ```swift
  /// for backup in try settings.backups() { print(backup.time, backup.reason, backup.path) }
  /// ```
  ///
  /// At most ten are kept. A store in memory has none.
  ///
  /// - Throws: ``SettingsError`` `io` or `readOnly` if a directory of backups cannot be listed.
  public func backups() throws(SettingsError) -> [SettingsBackup] {
    guard case .file(_, let backups) = core.backing else { return [] }
    return try backups.list()
  }

  /// Replaces the user's file with a backup, after backing up the present file.
  ///
  /// Without an argument this undoes a migration: it restores the newest backup made before a migration to the file's
  /// present version. A file with another version stays, because a newer release wrote it or it was restored already.
  ///
  /// This release migrates an older file again when it next writes it. To keep the old form, return to the old release.
  ///
  /// ```swift
  /// let backup = try settings.restore()   // undoes the last migration
  /// ```
  ///
  /// Pending edits are written first, so the backup of the present file has them. The restored backup stays, too. A
  /// store in memory has no backups and throws `noHistory`.
  ///
  /// - Parameter backup: One of ``backups()``; `nil` to undo a migration.
  /// - Returns: The restored backup.
  /// - Throws: ``SettingsError`` `noHistory` if there is no such backup, `unparsable` if it is not TOML; otherwise
  ///   as ``set(_:for:)``. The file is unchanged.
  @discardableResult
  public func restore(_ backup: SettingsBackup? = nil) throws(SettingsError) -> SettingsBackup {
    try SettingsError.only { try restore(backup) { $1.bytes } }
  }

  /// Replaces the user's file with a text made from a backup.
  ///
  /// - Parameter text: Gets the file's content and the backup's document; returns the text to restore. If it throws,
  ///   the file stays.
  @discardableResult
  package func restore(
    _ backup: SettingsBackup?, as text: (_ current: [UInt8]?, TOMLDocument) throws -> [UInt8]
  ) throws -> SettingsBackup {
    guard case .file(let file, let backups) = core.backing else {
      throw SettingsError(.noHistory, "Cannot restore a backup: settings in memory have none.")
    }
    try core.flush()
    var restored: SettingsBackup?
    try core.commit(backingUp: "before-restore", from: { restored }) { [core] current in
      let backup = try backup ?? backups.beforeMigration(of: current, in: file.path)
      guard let bytes = try SettingsFile(path: backup.path, system: file.system).read().bytes else {
        throw SettingsError(
          .noHistory, "Cannot restore '\(backup.path)': it does not exist. '\(file.path)' is unchanged.",
          file: file.path)
      }
      let document = try core.reader.parse(bytes, file: backup.path)
      restored = backup
      return try text(current, document)
    }
    return restored!
  }
}

extension Backups {
  /// The newest backup made before the migration to the file's version.
  fileprivate func beforeMigration(of bytes: [UInt8]?, in file: String) throws -> SettingsBackup {
    let all = try list().filter(\.isBeforeMigration)
    let document = bytes.flatMap { try? TOMLDocument(parsing: $0) }
    // A text without a version, because it is missing or does not parse, does not rule out the newest.
    let version = try document.map { try SettingsMigrations.version(of: $0) }
    if let backup = all.first(where: { version == nil || $0.name.migratedTo == version }) { return backup }
    let reason =
      if let newest = all.first, let version {
        "it has version \(version), and the newest backup, '\(newest.path)', was made before a migration to version "
          + "\(newest.name.migratedTo ?? 0). To go back to that one, name it."
      } else {
        "there is no backup of one."
      }
    throw SettingsError(
      .noHistory, "Cannot undo a migration of '\(file)': \(reason) The file is unchanged.", file: file)
  }
}
