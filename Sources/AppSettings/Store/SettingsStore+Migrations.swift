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
  /// What the difference calls the text that the file has.
  package var oldName = ""
  /// What it calls the text that it would have.
  package var newName = ""
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

  /// Migrates the user's file, up to a version if one is given, with a backup and in one write.
  ///
  /// A store does this by itself at the first access, to the newest version. This is for tests and tools, which want
  /// a file of a version between.
  ///
  /// - Returns: What was run.
  /// - Throws: ``SettingsError`` as ``previewMigration(to:)``, and `readOnly`, `lockTimeout`. The file is unchanged.
  @discardableResult
  public func migrate(to target: Int? = nil) throws(SettingsError) -> [Migration] {
    try SettingsError.only {
      guard let target, target < core.reader.migrations.currentVersion else {
        let pending = try previewMigration().migrations
        if !pending.isEmpty {
          // A first access would do the same, and report what fails; here the caller gets the error.
          try core.commit(of: [])
          core.load()
          core.runDueHooks()
        }
        return pending
      }
      guard try core.backing.read().bytes != nil else { return [] }
      var ran: [Migration] = []
      // What the file will say, so that undoing finds the backup by it.
      let reached = core.reader.migrations.migrations.map(\.version).filter { $0 <= target }.max() ?? 1
      try core.commit(backingUp: "before-v\(reached)") { [core] bytes in
        guard let bytes else { return nil }
        var document = try core.parse(bytes)
        ran = try core.reader.migrate(&document, of: core.userLayer, upTo: target)
        return document.bytes
      }
      return ran
    }
  }
}

extension StoreCore {
  /// The user's document as it is in the file; `nil` if there is none.
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
