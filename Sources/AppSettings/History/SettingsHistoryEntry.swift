public import FoundationEssentials
public import SettingsTOML

/// One write of a settings file, or what other programs have changed between two writes.
///
/// ```swift
/// if let last = try settings.history(limit: 1).first {
///   print(last.time, last.actor.name ?? "another program", last.reason)
///   for change in last.changes { print(change) }   // theme "light" -> "dark"
/// }
/// ```
public struct SettingsHistoryEntry: Sendable, Hashable, Identifiable {
  /// Why a file was changed.
  public enum Reason: String, Sendable {
    /// A value was set.
    case set
    /// Values were removed, so that those of lower layers or defaults apply.
    case reset
    /// Several values were changed together.
    case update
    /// The file was upgraded to a newer form.
    case migration
    /// Values of another format were imported.
    case `import`
    /// The text was edited as a whole.
    case edit
    /// An earlier change was undone.
    case undo
    /// An undo was taken back.
    case redo
    /// A backup was restored.
    case restore
    /// A text that does not parse was replaced or moved away.
    case recover
    /// A program that does not use this library has changed the file.
    case outside
  }

  /// Who changed a file.
  ///
  /// All properties are `nil` for a change from outside, because a file does not say who wrote it.
  public struct Actor: Sendable, Hashable {
    /// The app's id, or the program's name; `nil` for a change from outside.
    public package(set) var name: String?
    /// The name of the program.
    public package(set) var program: String?
    /// The id of the process at that time.
    package var process: Int?
    /// The user's id.
    package var user: Int?
  }

  /// A value that was changed.
  ///
  /// If a table became another kind of value, or the reverse, that is one change.
  public struct Change: Sendable, Hashable {
    /// The path of the value.
    public package(set) var path: TOMLPath
    /// The value before the change; `nil` if the key had none, or if the value is not shown.
    public package(set) var old: TOMLValue?
    /// The value after the change; `nil` if the key has none, or if the value is not shown.
    public package(set) var new: TOMLValue?
    /// Whether a value is not in the history: its key is a secret, or no program has declared it.
    public package(set) var isHidden: Bool
    /// Whether a value is too long for the list; ``SettingsStore/formerText(after:)`` has it.
    package var isLong: Bool
  }

  /// The number: each is one more than that of the entry before.
  public package(set) var id: Int
  /// When it was written; for a change from outside, when the file was last changed.
  ///
  /// It is exact to the millisecond. If the clock was set back, a later entry may have an earlier time; ``id`` gives
  /// the order.
  public package(set) var time: Date
  /// Who did it.
  public package(set) var actor: Actor
  /// Why.
  ///
  /// A reason that this release does not know is read as `update`.
  public package(set) var reason: Reason
  /// The number of the entry that an undo or a redo has taken back; `nil` for every other reason.
  public package(set) var reversed: Int?
  /// The values that changed; none if only comments or the order did, or if one of the texts does not parse.
  public package(set) var changes: [Change]
  /// Whether the text after it does not parse, so that the app uses defaults.
  public package(set) var isUnparsed: Bool
  /// Whether the text before it does not parse.
  package var followsUnparsed: Bool
  /// Whether it is in the file, but not in the history yet: the next write records it.
  public var isUnrecorded = false
  /// Whether it is undone: a later undo of it has not been taken back.
  ///
  /// In the history of one key, whether its change of that key is.
  public var isUndone = false

  init(_ record: HistoryRecord) {
    id = record.number
    time = Date(timeIntervalSince1970: Double(record.time) / 1000)
    actor = record.actor
    reason = Reason(rawValue: record.reason) ?? .update
    reversed = record.reversal?.entry
    (isUnparsed, followsUnparsed) = (record.isUnparsed, record.followsUnparsed)
    changes = record.changes.map { change in
      func value(_ value: HistoryRecord.Value) -> TOMLValue? {
        if case .text(let text) = value { try? TOMLValue(parsing: text) } else { nil }
      }
      let values = [change.old, change.new]
      return Change(
        path: change.path, old: value(change.old), new: value(change.new), isHidden: values.contains(.hidden),
        isLong: values.contains(.long))
    }
  }
}

extension SettingsHistoryEntry: CustomStringConvertible {
  /// The number, who, why and the values: `#12 set by org.example.editor: theme "light" -> "dark"`.
  public var description: String {
    "#\(id) \(reason.rawValue)\(actor.name.map { " by \($0)" } ?? "")"
      + (changes.isEmpty ? "" : ": " + changes.map(\.description).joined(separator: ", "))
  }
}

extension SettingsHistoryEntry.Change: CustomStringConvertible {
  /// The path and both values: `theme "light" -> "dark"`.
  public var description: String {
    guard !isHidden else { return "\(path) (not shown)" }
    guard !isLong else { return "\(path) (long)" }
    return "\(path) \(old?.tomlText ?? "(none)") -> \(new?.tomlText ?? "(none)")"
  }
}
