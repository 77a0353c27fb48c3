import Glibc
import SettingsTOML
import Synchronization

/// The part of the write path for versions.
extension StoreCore {
  /// Migrates the document of an older file that is about to be written: first in memory, then the backup.
  ///
  /// - Returns: The backup, which must be finished before the file is replaced; `nil` if there is nothing to migrate.
  /// - Throws: ``SettingsError`` `newerVersion`; `migrationFailed` if a step fails or no backup can be made; `readOnly`
  ///   if the file could not be replaced anyway. Nothing was written to the file.
  func migrate(
    _ document: inout TOMLDocument, of contents: SettingsFile.Contents
  ) throws(SettingsError) -> BackupInProgress? {
    let former = document
    let pending = try reader.migrate(&document, of: userLayer)
    guard !pending.isEmpty else { return nil }
    let version = try SettingsMigrations.version(of: former)
    try backing.checkReplaceable()
    do {
      let reason = "before-v\(reader.migrations.currentVersion)-was-v\(version)"
      var backup = try backing.beginBackup(contents, reason: reason, within: commitLimit)
      let finish = backup.finish
      backup.finish = { [self] in
        do { try finish() } catch { throw noBackup(because: error) }
      }
      do {
        try noteHooks(of: pending)
      } catch {
        backup.abandon()
        throw error
      }
      return backup
    } catch let error as SettingsError where error.code == .lockTimeout {
      throw error
    } catch {
      throw noBackup(because: error)
    }
  }

  /// The remaining time of the commit in progress.
  var commitLimit: TimeLimit? { state.withLock { $0.commitLimit } }

  private func noBackup(because error: any Error) -> SettingsError {
    SettingsError(
      .migrationFailed,
      "Cannot migrate '\(backing.name)' to version \(reader.migrations.currentVersion): no backup of it could "
        + "be made. Nothing was written. Free some space, or allow writing in the backup directory.",
      cause: "\(error)", file: location?.file)
  }

  /// Begins the document of a new file. Files that were set aside are moved to the backups.
  ///
  /// - Returns: Whether something was imported, so that the file is written even without an edit.
  func begin(_ document: inout TOMLDocument) throws(SettingsError) -> Bool {
    rescueSetAside()
    let migrations = reader.migrations
    guard migrations.currentVersion > 1, !reader.acceptsAnyVersion else { return false }
    do {
      if hasImport {
        try migrations.run(on: &document)
        try noteHooks(of: migrations.migrations)
        return true
      }
      try SettingsFormat.setVersion(migrations.currentVersion, in: &document)
      return false
    } catch let error as SettingsError {
      throw error.about(file: location?.file)
    } catch {
      throw SettingsError(.migrationFailed, "Cannot begin '\(backing.name)': \(error)", file: location?.file)
    }
  }

  /// Moves files that were set aside to the backups. A file that cannot be moved stays and does no harm.
  func rescueSetAside() {
    guard case .file(let file, let backups) = backing else { return }
    for path in file.rescueSetAside(to: backups.limited(by: commitLimit)) {
      problems.report(SettingsProblem(overtaken: path, of: file.path))
    }
  }

  // MARK: After a commit

  /// Notes on disk, before the file is replaced, which migrations have work to do after the commit.
  func noteHooks(of migrations: [Migration]) throws {
    let versions = migrations.filter { $0.commitHook != nil }.map(\.version)
    guard !versions.isEmpty else { return }
    switch backing {
    case .file: try backupsInCommit.map { try MigrationHooks($0).add(versions) }
    case .memory(let memory): memory.dueHooks = versions
    }
  }

  /// Does the work due after commits that are on disk, of this process or of one that died, as soon as this thread
  /// holds no locks: hooks may use the store.
  ///
  /// - Parameter limit: The remaining time of the call; by default a new time limit.
  func runDueHooks(within limit: TimeLimit? = nil) {
    let migrations = reader.migrations.migrations
    guard migrations.contains(where: { $0.commitHook != nil }), !reader.acceptsAnyVersion else { return }
    let limit = limit ?? TimeLimit(lockTimeout)
    DeferredCalls.run { [self] in runHooks(of: migrations, within: limit) }
  }

  /// Runs the work that is due for the versions that the file has reached. Work that throws stays due and is a problem.
  private func runHooks(of migrations: [Migration], within limit: TimeLimit) {
    func work(_ due: Int) -> Bool {
      // The list is written before the file is: only versions that the file has reached count.
      let bytes = state.withLock { $0.userBytes }
      let version = bytes.flatMap { try? TOMLDocument(parsing: $0) }.flatMap { try? SettingsMigrations.version(of: $0) }
      guard due <= version ?? 0, let migration = migrations.first(where: { $0.version == due }) else { return false }
      do {
        // A process that died may not have synced the file on which the hook relies.
        if case .file(let file, _) = backing { try file.makeDurable() }
        try migration.commitHook?(location?.file)
        return true
      } catch {
        problems.report(
          SettingsProblem(
            .migrationFailed,
            "Cannot finish the migration to version \(due) '\(migration.name)', whose result is stored: \(error). This "
              + "is tried again at the next start.", file: location?.file))
        return false
      }
    }
    do {
      switch backing {
      case .file: try backing.backups(within: limit).map { try MigrationHooks($0).run(work) }
      case .memory(let memory): memory.dueHooks = memory.dueHooks.filter { !work($0) }
      }
    } catch let error as SettingsError where error.isOfBusyFile {
      // Another process does the work, or this thread is already doing it.
    } catch {
      problems.report(SettingsProblem(SettingsError(error)))
    }
  }
}

extension Backing {
  /// Throws if the file exists and this process may not replace it: then nothing else may be created either.
  func checkReplaceable() throws(SettingsError) {
    guard case .file(let file, _) = self else { return }
    let place = try FinalPath.resolve(file.path, system: file.system)
    let path = "\(place.directory)/\(place.name)"
    guard (try? file.system.status(at: path)) != nil else { return }
    do throws(Errno) {
      try file.system.checkWritable(path, in: Syscalls.workingDirectory)
      try file.system.checkWritable(place.directory, in: Syscalls.workingDirectory)
    } catch {
      // Removed a moment ago: there is nothing to replace.
      if error.rawValue == ENOENT { return }
      throw .system(error, "write", file.path, then: "The file is unchanged.")
    }
  }
}

extension SettingsError {
  /// The error with a file name, if it has none.
  func about(file: String?) -> SettingsError {
    var error = self
    error.file = error.file ?? file
    return error
  }
}
