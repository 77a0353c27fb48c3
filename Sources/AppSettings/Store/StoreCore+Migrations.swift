import Glibc
import SettingsTOML
import Synchronization

/// The part of the write path that is about versions.
extension StoreCore {
  /// Migrates the document of an older file that is about to be written: all in memory, then the backup.
  ///
  /// - Returns: The backup, which has to be finished before the file is replaced; `nil` if there is nothing to migrate.
  /// - Throws: ``SettingsError`` `newerVersion`; `migrationFailed` if a step fails or no backup can be made, `readOnly` if the file
  ///   could not be replaced anyway. Nothing was written to the file.
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

  /// The time that the commit which is under way has for waiting.
  var commitLimit: TimeLimit? { state.withLock { $0.commitLimit } }

  private func noBackup(because error: any Error) -> SettingsError {
    SettingsError(
      .migrationFailed,
      "Cannot migrate '\(backing.name)' to version \(reader.migrations.currentVersion), since no backup of it could "
        + "be made. Nothing was written. Make room, or give permission to write in its directory.",
      cause: (error as? SettingsError)?.description ?? "\(error)", file: location?.file)
  }

  /// Begins the document of a file that does not exist yet. What is set aside beside it is put away.
  ///
  /// - Returns: Whether something was imported into it, so that it is written even without an edit.
  func begin(_ document: inout TOMLDocument) throws(SettingsError) -> Bool {
    try? backing.rescueSetAside(within: commitLimit)
    let migrations = reader.migrations
    guard migrations.currentVersion > 1, !reader.acceptsAnyVersion else { return false }
    do {
      if migrations.hasSomethingToImport {
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

  // MARK: After a commit

  private func noteHooks(of migrations: [Migration]) throws {
    let versions = migrations.filter { $0.commitHook != nil }.map(\.version)
    guard !versions.isEmpty else { return }
    switch backing {
    case .file: try backing.backups(within: commitLimit).map { try MigrationHooks($0).add(versions) }
    case .memory(let memory): memory.dueHooks = versions
    }
  }

  /// Does what is due after commits that are on disk, of this process or of one that died: as soon as this thread holds
  /// no locks, since hooks may use the store.
  ///
  /// - Parameter limit: The time that the call has for waiting; a whole one if not given.
  func runDueHooks(within limit: TimeLimit? = nil) {
    let migrations = reader.migrations.migrations
    guard migrations.contains(where: { $0.commitHook != nil }), !reader.acceptsAnyVersion else { return }
    let limit = limit ?? TimeLimit(lockTimeout)
    DeferredCalls.run { [self] in runHooks(of: migrations, within: limit) }
  }

  private func runHooks(of migrations: [Migration], within limit: TimeLimit) {
    func work(_ due: Int) -> Bool {
      // The list is written before the file is: only what the file has reached has taken place.
      let bytes = state.withLock { $0.userBytes }
      let version = bytes.flatMap { try? TOMLDocument(parsing: $0) }.flatMap { try? SettingsMigrations.version(of: $0) }
      guard due <= version ?? 0, let migration = migrations.first(where: { $0.version == due }) else { return false }
      do {
        // A process that died may not have synced what the hook goes by.
        if case .file(let file, _) = backing { try file.makeDurable() }
        try migration.commitHook?(MigrationCommit(version: due, name: migration.name, file: location?.file))
        return true
      } catch {
        problems.report(
          SettingsProblem(
            .migrationFailed,
            "Cannot finish the migration to version \(due) '\(migration.name)', whose result is stored: \(error). It "
              + "is tried again at the next start.", file: location?.file))
        return false
      }
    }
    do {
      switch backing {
      case .file: try backing.backups(within: limit).map { try MigrationHooks($0).run(work) }
      case .memory(let memory): memory.dueHooks = memory.dueHooks.filter { !work($0) }
      }
    } catch let error as SettingsError where error.code == .lockTimeout || error.code == .nestedUpdate {
      // Another process is at it, or this thread is.
    } catch {
      problems.report(SettingsProblem(error as? SettingsError ?? SettingsError(.io, "\(error)")))
    }
  }
}

extension Backing {
  /// Throws if the file exists and this process may not replace it: then nothing else is to be made either.
  func checkReplaceable() throws(SettingsError) {
    guard case .file(let file, _) = self else { return }
    let place = try FinalPath.resolve(file.path, system: file.system)
    let path = "\(place.directory)/\(place.name)"
    guard (try? file.system.status(at: path)) != nil else { return }
    do throws(Errno) {
      try file.system.checkWritable(path, in: Syscalls.workingDirectory)
      try file.system.checkWritable(place.directory, in: Syscalls.workingDirectory)
    } catch {
      // Removed just now: there is nothing to replace.
      if error.rawValue == ENOENT { return }
      throw .system(error, "write", file.path, then: "The file is unchanged.")
    }
  }
}

extension SettingsError {
  /// The same error, naming the file if it names none.
  func about(file: String?) -> SettingsError {
    var error = self
    error.file = error.file ?? file
    return error
  }
}
