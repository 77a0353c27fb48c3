/// A copy of a settings file, as it was before something replaced it.
public struct SettingsBackup: Sendable, Hashable {
  /// Where it is.
  public let path: String
  /// When it was made, in UTC: `20261121T093000Z`.
  public let time: String
  /// What it was made before: `before-v3-was-v1`, `before-restore`, `unparsable`.
  public let reason: String

  /// Makes one of a path that ``Backups`` gave it; `nil` for another.
  package init?(path: String) {
    guard let base = path.split(separator: "/").last else { return nil }
    let parts = base.split(separator: ".", omittingEmptySubsequences: false)
    guard parts.count >= 4, parts[parts.count - 1] == "toml" else { return nil }
    self.path = path
    reason = String(parts[parts.count - 2])
    time = String(parts[parts.count - 3].prefix { $0 != "-" })
  }

  /// Whether it was made before a migration.
  public var isBeforeMigration: Bool { reason.hasPrefix("before-v") }
}
