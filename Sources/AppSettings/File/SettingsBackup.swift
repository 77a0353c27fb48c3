/// A copy of a settings file, as it was before something replaced it.
public struct SettingsBackup: Sendable, Hashable {
  /// Where it is.
  public let path: String
  /// When it was made, in UTC: `20261121T093000Z`.
  public let time: String
  /// What it was made before: `before-v3-was-v1`, `before-restore`, `unparsable`.
  public let reason: String
  /// Whether an older release made it in a place that it shared with another file that exists, so that nothing says which
  /// of the two it is of. It is restored only where it is named.
  public let mayBeOfAnotherFile: Bool

  let name: BackupName

  /// Makes one of the path of a backup; `nil` if the name is not that of one.
  package init?(path: String) {
    guard let name = BackupName(path.lastPathPart, of: nil) else { return nil }
    self.init(path: path, name: name)
  }

  init(path: String, name: BackupName, mayBeOfAnotherFile: Bool = false) {
    self.path = path
    self.name = name
    self.mayBeOfAnotherFile = mayBeOfAnotherFile
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
