import AppSettings
public import FoundationEssentials

/// A change of a settings file, as its history has it, without secrets.
public struct HistoryFacts: Sendable, Codable {
  /// A value that was changed.
  public struct Change: Sendable, Codable {
    /// The dotted key.
    public let key: String
    /// The value before and after as TOML; `nil` for none, and for what is not shown.
    public let old, new: String?
    /// Whether the values are not shown, because they are or have secrets.
    public let isHidden: Bool
  }

  /// The number that `settings-cli log` shows.
  public let number: Int
  /// When it was made.
  public let time: Date
  /// Why, such as `set`, `reset`, `import`, `undo` or `outside`.
  public let reason: String
  /// The app or program that made it; `nil` for a change from outside.
  public let by: String?
  /// The number of the change that it takes back.
  public let of: Int?
  /// Whether it is taken back itself.
  public let isUndone: Bool
  /// The values that it changed.
  public let changes: [Change]

  init(_ entry: SettingsHistoryEntry, _ schema: SchemaLookup, at names: [TOMLPath]?) {
    (number, time, reason) = (entry.id, entry.time, entry.reason.rawValue)
    (by, of, isUndone) = (entry.actor.name, entry.reversed, entry.isUndone)
    changes = schema.changes(of: entry, at: names).shown.map { change in
      Change(
        key: change.path.description, old: change.old?.tomlText, new: change.new?.tomlText, isHidden: change.isHidden)
    }
  }
}
