import SettingsTOML

/// How a settings file stands to the migrations of this release.
public enum SettingsMigrationStatus: Sendable {
  /// Nothing is to be done; so too while there is no file.
  case current
  /// These are to be run.
  case pending([Migration])
  /// A newer release wrote the file: it is read as far as it can be, and not written.
  case newer(found: Int, supported: Int)
}

/// What migrating a file would do.
public struct SettingsMigrationPreview: Sendable {
  /// What would be run, in order.
  public var migrations: [Migration]
  /// The text the file has; empty if there is none.
  public var before: String
  /// The text it would have.
  public var after: String
  /// The difference, as `diff -u` shows it; empty if there is none.
  public var difference: String
}

extension SettingsStore {
  /// How the user's file stands to this store's migrations. It is read for this, and not migrated.
  ///
  /// - Throws: ``SettingsError`` `unparsable`, `io`, or `migrationFailed` if its version is no number.
  public var migrationStatus: SettingsMigrationStatus {
    get throws(SettingsError) {
      guard let document = try core.readForMigration() else { return .current }
      let version = try SettingsMigrations.version(of: document)
      let migrations = core.reader.migrations
      if version > migrations.currentVersion { return .newer(found: version, supported: migrations.currentVersion) }
      let pending = migrations.pending(from: version)
      return pending.isEmpty ? .current : .pending(pending)
    }
  }

  /// What migrating the user's file would do; nothing is written.
  ///
  /// - Parameter target: The version to go to; the newest if not given.
  /// - Throws: ``SettingsError`` `migrationFailed` as the migration itself would, `newerVersion`, `unparsable` or `io`.
  public func previewMigration(to target: Int? = nil) throws(SettingsError) -> SettingsMigrationPreview {
    let migrations = core.reader.migrations
    let found = try core.readForMigration()
    guard found != nil || migrations.hasSomethingToImport else {
      return SettingsMigrationPreview(migrations: [], before: "", after: "", difference: "")
    }
    let before = found ?? TOMLDocument()
    try core.reader.checkNotNewer(before, file: core.backing.name)
    let version = try SettingsMigrations.version(of: before)
    var after = before
    try migrations.run(on: &after, upTo: target, of: core.userLayer)
    let reached = try SettingsMigrations.version(of: after)
    return SettingsMigrationPreview(
      migrations: migrations.pending(from: version).filter { $0.version <= target ?? Int.max },
      before: before.text, after: after.text,
      difference: UnifiedDiff.text(
        from: before.text, to: after.text,
        oldName: found == nil ? "/dev/null" : "\(core.backing.name)\tversion \(version)",
        newName: "\(core.backing.name)\tversion \(reached)"))
  }

  /// Migrates the user's file, up to a version if one is given, with a backup and in one write.
  ///
  /// A store does this by itself at the first access, to the newest version. This is for tests and tools, which want
  /// a file of a version between.
  ///
  /// - Returns: What was run.
  /// - Throws: ``SettingsError`` as ``previewMigration(to:)``, and `readOnly`, `lockTimeout`. The file is unchanged.
  @discardableResult
  public func migrate(to target: Int? = nil) throws -> [Migration] {
    guard let target, target < core.reader.migrations.currentVersion else {
      let pending = try previewMigration().migrations
      if !pending.isEmpty {
        core.load()
        try core.commit(of: [])
        core.runDueHooks()
      }
      return pending
    }
    guard try core.backing.read().bytes != nil else { return [] }
    var ran: [Migration] = []
    _ = try core.replaceText(reason: "before-v\(target)") { [core] bytes in
      guard let bytes else { return nil }
      var document = try core.reader.parse(bytes, file: core.backing.name)
      try core.reader.checkNotNewer(document, file: core.backing.name)
      let version = try SettingsMigrations.version(of: document)
      try core.reader.migrations.run(on: &document, upTo: target, of: core.userLayer)
      ran = core.reader.migrations.pending(from: version).filter { $0.version <= target }
      return document.bytes
    }
    return ran
  }

  // MARK: The way back

  /// The copies of the user's file that were made before migrations, restores and recoveries, newest first.
  ///
  /// - Throws: ``SettingsError`` `io` or `readOnly` if their directory cannot be listed.
  public var backups: [SettingsBackup] {
    get throws(SettingsError) {
      guard case .file(_, let backups) = core.backing else { return [] }
      return try backups.list().compactMap(SettingsBackup.init(path:))
    }
  }

  /// Puts a backup in the place of the user's file; what is there now becomes a backup first.
  ///
  /// This release migrates an older file again when it next writes to it. To stay with the old form, go back to the
  /// release that wrote it.
  ///
  /// - Parameter backup: One of ``backups``; the newest that was made before a migration if not given.
  /// - Returns: The backup that was restored.
  /// - Throws: ``SettingsError`` `io` if there is no such backup, `unparsable` if it is no TOML, and as
  ///   ``set(_:for:)``. The file is unchanged.
  @discardableResult
  public func restore(_ backup: SettingsBackup? = nil) throws -> SettingsBackup {
    guard case .file(let file, _) = core.backing else {
      throw SettingsError(.io, "Cannot restore a backup: settings in memory have none.")
    }
    guard let backup = try backup ?? backups.first(where: \.isBeforeMigration) else {
      throw SettingsError(
        .io, "Cannot undo a migration of '\(file.path)': there is no backup of one. The file is unchanged.",
        file: file.path)
    }
    try core.flush()
    guard let bytes = try SettingsFile(path: backup.path, system: file.system).read().bytes else {
      throw SettingsError(
        .io, "Cannot restore '\(backup.path)': there is no such file. '\(file.path)' is unchanged.", file: file.path)
    }
    _ = try core.reader.parse(bytes, file: backup.path)
    _ = try core.replaceText(reason: "before-restore") { _ in bytes }
    return backup
  }

  /// Moves a file that does not parse to the backups, so that the settings begin afresh.
  ///
  /// - Returns: Where it is now; `nil` if there is no file, or it parses.
  /// - Throws: ``SettingsError`` `readOnly`, `io` or `lockTimeout`. The file is where it was.
  @discardableResult
  public func recover() throws -> SettingsBackup? {
    guard case .file(let file, let backups) = core.backing else { return nil }
    let backup = try file.moveAside(to: backups, reason: "unparsable") { bytes in
      (try? TOMLDocument(parsing: bytes)) == nil
    }
    if backup != nil { reload() }
    return backup
  }
}

extension StoreCore {
  /// The user's document as it is in the file; `nil` if there is none.
  func readForMigration() throws(SettingsError) -> TOMLDocument? {
    guard let bytes = try backing.read().bytes else { return nil }
    return try reader.parse(bytes, file: backing.name)
  }
}

extension SettingsFile {
  /// Moves the file to the backups if it is to be, under its lock. Links that lead to it stay.
  fileprivate func moveAside(
    to backups: Backups, reason: String, if isToGo: ([UInt8]) -> Bool
  ) throws -> SettingsBackup? {
    let place = try FinalPath.resolve(path, system: system)
    guard let lock = try DirectoryLock.acquire(place.directory, timeout: lockTimeout, system: system) else {
      return nil
    }
    guard let bytes = try read().bytes, isToGo(bytes) else { return nil }
    let copy = try backups.save(bytes, reason: reason)
    do throws(Errno) {
      try system.unlink(place.name, in: lock.descriptor)
      try system.synchronizeDirectory(lock.descriptor, path: place.directory)
    } catch {
      throw SettingsError.system(error, "move away", path, then: "There is a copy of it, '\(copy)'.")
    }
    return SettingsBackup(path: copy)
  }
}
