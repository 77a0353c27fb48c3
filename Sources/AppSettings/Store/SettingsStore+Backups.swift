package import SettingsTOML

/// Backups, restoring and recovery.
extension SettingsStore {
  /// The backups of the user's file, made before something replaced it, newest first.
  ///
  /// Stores on the same file have the same backups, whatever path or link leads to it. Those of older releases are
  /// last.
  ///
  /// - Throws: ``SettingsError`` `io` or `readOnly` if a directory of backups cannot be listed.
  public var backups: [SettingsBackup] {
    get throws(SettingsError) {
      guard case .file(_, let backups) = core.backing else { return [] }
      return try backups.list()
    }
  }

  /// Replaces the user's file with a backup, after backing up the present file.
  ///
  /// Without an argument this undoes a migration: it restores the newest backup made before a migration to the file's
  /// present version. A file with another version stays, because a newer release wrote it or it was restored already.
  ///
  /// This release migrates an older file again when it next writes it. To keep the old form, return to the old release.
  ///
  /// - Parameter backup: One of ``backups``; `nil` to undo a migration.
  /// - Returns: The restored backup.
  /// - Throws: ``SettingsError`` `io` if there is no such backup, `unparsable` if it is not TOML; otherwise as
  ///   ``set(_:for:)``. The file is unchanged.
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
      throw SettingsError(.io, "Cannot restore a backup: settings in memory have none.")
    }
    try core.flush()
    var restored: SettingsBackup?
    try core.commit(backingUp: "before-restore", from: { restored }) { [core] current in
      let backup = try backup ?? backups.beforeMigration(of: current, in: file.path)
      guard let bytes = try SettingsFile(path: backup.path, system: file.system).read().bytes else {
        throw SettingsError(
          .io, "Cannot restore '\(backup.path)': it does not exist. '\(file.path)' is unchanged.", file: file.path)
      }
      let document = try core.reader.parse(bytes, file: backup.path)
      restored = backup
      return try text(current, document)
    }
    return restored!
  }

  /// Moves a file that does not parse to the backups, so that the app starts with its defaults.
  ///
  /// The file is removed only when exactly its text is in a backup on disk. A file that an editor has corrected
  /// meanwhile stays. Files that a write has set aside because the disk failed are moved to the backups too.
  ///
  /// - Returns: The backup; `nil` if there is no file, or it parses.
  /// - Throws: ``SettingsError`` `readOnly`, `io`, `lockTimeout`, or `nestedUpdate` within an update of the same store.
  ///   The file is in its old place, unless the message gives another one.
  @discardableResult
  public func recover() throws(SettingsError) -> SettingsBackup? {
    guard case .file(let file, _) = core.backing, try file.hasDirectory() else { return nil }
    return try SettingsError.only {
      try core.commit(backingUp: Backups.unparsable) { current in
        current.flatMap { SettingsRecovery.parses($0) ? $0 : nil }
      }.backup
    }
  }

  /// Replaces a file that does not parse with its newest backup that does, in one write, after backing up its text.
  ///
  /// - Throws: ``SettingsError`` as ``restore(_:)``. The file is unchanged.
  package func recoverFromBackup() throws -> SettingsRecovery {
    guard case .file(let file, let backups) = core.backing else { return .notNeeded }
    var outcome = SettingsRecovery.notNeeded
    var source: SettingsBackup? { if case .restored(let backup, _) = outcome { backup } else { nil } }
    let replaced = try core.commit(backingUp: Backups.unparsable, from: { source }) { current in
      // This may run again, on a text that an editor has saved meanwhile.
      outcome = .notNeeded
      guard let current, !SettingsRecovery.parses(current) else { return current }
      outcome = .noBackup
      for backup in try backups.list() {
        guard let bytes = try SettingsFile(path: backup.path, system: file.system).read().bytes,
          SettingsRecovery.parses(bytes)
        else { continue }
        outcome = .restored(backup, replaced: backup)
        return bytes
      }
      return current
    }.backup
    guard let source, let replaced else { return outcome }
    return .restored(source, replaced: replaced)
  }
}

/// The result of replacing a file with a backup.
package enum SettingsRecovery: Sendable, Hashable {
  /// There is no file, or it parses.
  case notNeeded
  /// No backup parses. The file is unchanged.
  case noBackup
  /// A backup has replaced the file, and its old text is another backup.
  case restored(SettingsBackup, replaced: SettingsBackup)

  static func parses(_ bytes: [UInt8]) -> Bool { (try? TOMLDocument(parsing: bytes)) != nil }
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
      .io, "Cannot undo a migration of '\(file)': \(reason) The file is unchanged.", file: file)
  }
}
