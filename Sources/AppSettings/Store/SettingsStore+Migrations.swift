import SettingsTOML

/// Whether a settings file needs migrations of this release.
///
/// ```swift
/// if case .newer(let found, let supported) = try settings.migrationStatus() {
///   print("The settings have version \(found), and this release knows \(supported).")
/// }
/// ```
public enum SettingsMigrationStatus: Sendable {
  /// Nothing is pending, or there is no file.
  case current
  /// These migrations are pending.
  case pending([Migration])
  /// A newer release wrote the file: it is read as far as possible, and not written.
  case newer(found: Int, supported: Int)
}

/// The result of a trial migration.
public struct SettingsMigrationPreview: Sendable {
  /// The migrations that would run, in order.
  public package(set) var migrations: [Migration]
  /// The present text of the file; empty if there is none.
  package var before: String
  /// The text after the migration.
  public package(set) var after: String
  /// The difference in the form of `diff -u`; empty if there is none.
  public package(set) var difference: String
  /// The name of the present text in the difference.
  package var oldName = ""
  /// The name of the new text in the difference.
  package var newName = ""
}

extension SettingsStore {
  /// Whether the user's file needs this store's migrations. The file is read for this, and not migrated.
  ///
  /// - Throws: ``SettingsError`` `unparsable`, `io`, or `migrationFailed` if its version is not a number.
  public func migrationStatus() throws(SettingsError) -> SettingsMigrationStatus {
    guard let document = try core.readForMigration() else { return .current }
    let version = try SettingsMigrations.version(of: document)
    let migrations = core.reader.migrations
    if version > migrations.currentVersion { return .newer(found: version, supported: migrations.currentVersion) }
    let pending = migrations.pending(from: version)
    return pending.isEmpty ? .current : .pending(pending)
  }

  /// The migrations that ``migrate(to:)`` would run, without running them.
  ///
  /// - Throws: ``SettingsError`` `newerVersion`, `unparsable`, `io`, or `migrationFailed` if the version is not a number.
  package func pendingMigrations(upTo target: Int? = nil) throws(SettingsError) -> [Migration] {
    guard let document = try core.readForMigration() ?? (core.hasImport ? TOMLDocument() : nil) else { return [] }
    return try core.reader.pending(in: document, of: core.userLayer, upTo: target)
  }

  /// Returns the result of migrating the user's file, without writing it.
  ///
  /// ```swift
  /// print(try settings.previewMigration().difference)
  /// ```
  ///
  /// The steps run on a copy in memory, and the work of ``Migration/afterCommit(_:)`` does not run.
  ///
  /// - Parameter target: The version to migrate to; by default the newest.
  /// - Throws: ``SettingsError`` `migrationFailed` if the migration would fail, `newerVersion`, `unparsable` or `io`.
  public func previewMigration(to target: Int? = nil) throws(SettingsError) -> SettingsMigrationPreview {
    let found = try core.readForMigration()
    guard found != nil || core.hasImport else {
      return SettingsMigrationPreview(migrations: [], before: "", after: "", difference: "")
    }
    let before = found ?? TOMLDocument()
    let version = try SettingsMigrations.version(of: before)
    var after = before
    let ran = try core.reader.migrate(&after, of: core.userLayer, upTo: target)
    let reached = try SettingsMigrations.version(of: after)
    let oldName = found == nil ? "/dev/null" : "\(core.backing.name)\tversion \(version)"
    let newName = "\(core.backing.name)\tversion \(reached)"
    return SettingsMigrationPreview(
      migrations: ran, before: before.text, after: after.text,
      difference: UnifiedDiff.text(from: before.text, to: after.text, oldName: oldName, newName: newName),
      oldName: oldName, newName: newName)
  }

  /// Migrates the user's file, optionally only up to a version, in one write after a backup.
  ///
  /// A store does this itself at the first access, to the newest version. Use this for intermediate versions, in tests
  /// and tools.
  ///
  /// The result is on disk when this returns. ``restore(_:)`` without an argument undoes the migration.
  ///
  /// - Parameter target: The version to migrate to; by default the newest.
  /// - Returns: The migrations that ran.
  /// - Throws: ``SettingsError`` as ``previewMigration(to:)``, and `readOnly` or `lockTimeout`. The file is unchanged.
  @discardableResult
  public func migrate(to target: Int? = nil) throws(SettingsError) -> [Migration] {
    try SettingsError.only {
      guard let target, target < core.reader.migrations.currentVersion else {
        let pending = try pendingMigrations()
        if !pending.isEmpty {
          // A first access would do the same, and report failures; here the caller gets the error.
          try core.commit(of: [])
          core.load()
          core.runDueHooks()
        }
        return pending
      }
      guard try core.backing.read().bytes != nil else { return [] }
      var ran: [Migration] = []
      // The file's new version, so that undoing finds the backup by it.
      let reached = core.reader.migrations.migrations.map(\.version).filter { $0 <= target }.max() ?? 1
      try core.commit(backingUp: "before-v\(reached)") { [core] bytes in
        guard let bytes else { return nil }
        var document = try core.parse(bytes)
        ran = try core.reader.migrate(&document, of: core.userLayer, upTo: target)
        try core.noteHooks(of: ran)
        return document.bytes
      }
      core.runDueHooks()
      return ran
    }
  }
}

extension StoreCore {
  /// The document in the user's file; `nil` if there is none.
  func readForMigration() throws(SettingsError) -> TOMLDocument? {
    try backing.read().bytes.map { bytes throws(SettingsError) in try parse(bytes) }
  }
}

extension SettingsMigrationStatus: CustomStringConvertible {
  /// What it says, in words: `pending: 2 'split name into first and last'`.
  public var description: String {
    switch self {
    case .current: "current"
    case .pending(let migrations): "pending: " + migrations.map(\.description).joined(separator: ", ")
    case .newer(let found, let supported): "newer: the file has version \(found), and this release knows \(supported)"
    }
  }
}

extension SettingsMigrationPreview: CustomStringConvertible {
  /// The difference, as `diff -u` shows it.
  public var description: String { difference }
}
