/// A copy of a settings file from before something replaced it.
public struct SettingsBackup: Sendable, Hashable {
  /// The absolute path of the copy.
  public let path: String
  /// The time at which it was made, in UTC: `20261121T093000Z`.
  public let time: String
  /// The reason for the backup: `before-v3-was-v1`, `before-restore`, `unparsable`.
  public let reason: String

  let name: BackupName

  /// Makes a value from the path of a backup; `nil` if its name is not that of a backup.
  package init?(path: String) {
    guard let name = BackupName(path.lastPathPart, of: nil) else { return nil }
    self.init(path: path, name: name)
  }

  init(path: String, name: BackupName) {
    self.path = path
    self.name = name
    time = name.time
    reason = name.reason
  }

  /// Whether it was made before a migration.
  public var isBeforeMigration: Bool { name.migratedTo != nil }
}

extension SettingsBackup: CustomStringConvertible {
  /// Its path.
  public var description: String { PathText.shown(path) }
}
