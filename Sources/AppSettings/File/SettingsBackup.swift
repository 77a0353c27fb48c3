/// A copy of a settings file from before something replaced it.
///
/// ```swift
/// for backup in try settings.backups() { print(backup.time, backup.path) }
/// ```
///
/// It is a plain file. Its mode is 0600 or, if it is the replaced file itself, that file's mode.
/// ``SettingsStore/restore(_:)`` puts its text back.
public struct SettingsBackup: Sendable, Hashable {
  /// The absolute path of the copy.
  public let path: String
  /// The time at which it was made, in UTC: `20261121T093000Z`.
  ///
  /// It is the time of the machine's clock, which may be wrong: the number in the name gives the order of backups.
  public let time: String
  /// The reason for the backup: `before-v3-was-v1`, `before-restore`, `unparsable`.
  ///
  /// `unparsable` means that the text did not parse, and `overtaken` that another program saved it during a write and
  /// it is not in the file. Tools have further reasons, such as `before-edit`.
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
  package var isBeforeMigration: Bool { name.migratedTo != nil }
}

extension SettingsBackup: CustomStringConvertible {
  /// Its path.
  public var description: String { PathText.shown(path) }
}
