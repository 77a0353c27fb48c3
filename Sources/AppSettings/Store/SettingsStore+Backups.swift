package import SettingsTOML

/// The way back.
extension SettingsStore {
  /// The copies of the user's file that were made before something replaced it: the newest made comes first.
  ///
  /// Of a file that is reached by several paths or links, each store has the same ones. Those that older releases made
  /// come last.
  ///
  /// - Throws: ``SettingsError`` `io` or `readOnly` if a directory of them cannot be listed.
  public var backups: [SettingsBackup] {
    get throws(SettingsError) {
      guard case .file(_, let backups) = core.backing else { return [] }
      return try backups.list()
    }
  }

  /// Puts a backup in the place of the user's file; what is there now becomes a backup first.
  ///
  /// Without a backup this undoes a migration: it takes the newest that was made before a migration to the version that
  /// the file has now. A file of another version, which a newer release wrote, or that was brought back already, stays.
  ///
  /// This release migrates an older file again when it next writes to it. To stay with the old form, go back to the
  /// release that wrote it.
  ///
  /// - Parameter backup: One of ``backups``; the one to undo a migration with if not given.
  /// - Returns: The backup that was restored.
  /// - Throws: ``SettingsError`` `io` if there is no such backup, `unparsable` if it is no TOML, and as
  ///   ``set(_:for:)``. The file is unchanged.
  @discardableResult
  public func restore(_ backup: SettingsBackup? = nil) throws(SettingsError) -> SettingsBackup {
    try SettingsError.only { try restore(backup) { $1.bytes } }
  }

  /// Puts what is made of a backup in the place of the user's file.
  ///
  /// - Parameter text: Gets what the file holds and the backup's document; returns the text to restore. What it throws
  ///   leaves the file as it is.
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
          .io, "Cannot restore '\(backup.path)': there is no such file. '\(file.path)' is unchanged.", file: file.path)
      }
      let document = try core.reader.parse(bytes, file: backup.path)
      restored = backup
      return try text(current, document)
    }
    return restored!
  }

  /// Moves a file that does not parse to the backups, so that the settings begin afresh.
  ///
  /// The file goes only when its very text is in a backup on disk. One that an editor has mended meanwhile stays. What a
  /// write has set aside beside the file, since the disk failed, goes to the backups, too.
  ///
  /// - Returns: Where it is now; `nil` if there is no file, or it parses.
  /// - Throws: ``SettingsError`` `readOnly`, `io`, `lockTimeout`, or `nestedUpdate` within an update of the same store. The
  ///   file is where it was, unless the message says where it is now.
  @discardableResult
  public func recover() throws(SettingsError) -> SettingsBackup? {
    guard case .file(let file, _) = core.backing, try file.hasDirectory() else { return nil }
    return try SettingsError.only {
      try core.commit(backingUp: Backups.unparsable) { [core] current in
        try core.backing.rescueSetAside(within: core.commitLimit)
        return current.flatMap { SettingsRecovery.parses($0) ? $0 : nil }
      }.backup
    }
  }

  /// Replaces a file that does not parse by its newest backup that does, in one write. The text that is replaced becomes a
  /// backup first.
  ///
  /// - Throws: ``SettingsError`` as ``restore(_:)``. The file is unchanged.
  package func recoverFromBackup() throws -> SettingsRecovery {
    guard case .file(let file, let backups) = core.backing else { return .notNeeded }
    var outcome = SettingsRecovery.notNeeded
    var source: SettingsBackup? { if case .restored(let backup, _) = outcome { backup } else { nil } }
    let replaced = try core.commit(backingUp: Backups.unparsable, from: { source }) { current in
      // This may run again, on what an editor has saved meanwhile.
      outcome = .notNeeded
      guard let current, !SettingsRecovery.parses(current) else { return current }
      outcome = .noBackup
      for backup in try backups.list() where !backup.mayBeOfAnotherFile {
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

/// What became of a file that was to be replaced by a backup.
package enum SettingsRecovery: Sendable, Hashable {
  /// There is no file, or it parses.
  case notNeeded
  /// No backup parses. The file is unchanged.
  case noBackup
  /// A backup is in its place, and the text that was there is another one.
  case restored(SettingsBackup, replaced: SettingsBackup)

  static func parses(_ bytes: [UInt8]) -> Bool { (try? TOMLDocument(parsing: bytes)) != nil }
}

extension Backups {
  /// The newest backup of before the migration that made the file what it is.
  fileprivate func beforeMigration(of bytes: [UInt8]?, in file: String) throws -> SettingsBackup {
    let all = try list().filter(\.isBeforeMigration)
    let own = all.filter { !$0.mayBeOfAnotherFile }
    let document = bytes.flatMap { try? TOMLDocument(parsing: $0) }
    // A text that says no version, since there is none or it does not parse, is no reason against the newest.
    let version = try document.map { try SettingsMigrations.version(of: $0) }
    if let backup = own.first(where: { version == nil || $0.name.migratedTo == version }) { return backup }
    let reason =
      if let newest = own.first, let version {
        "it has version \(version), and the newest backup, '\(newest.path)', was made before a migration to version "
          + "\(newest.name.migratedTo ?? 0). To go back to that one, name it."
      } else if let unsure = all.first {
        "'\(unsure.path)' may be of another file, which had its backups in the same place. To use it, name it."
      } else {
        "there is no backup of one."
      }
    throw SettingsError(
      .io, "Cannot undo a migration of '\(file)': \(reason) The file is unchanged.", file: file)
  }
}
