import SettingsTOML

/// What a write has done to a settings file.
///
/// The commit provides what it knows, so that the history need not parse or compare whole texts.
struct HistoryWrite: Sendable {
  /// The text before it; `nil` for no file.
  var old: [UInt8]?
  /// Its file.
  var oldStatus: FileStatus?
  /// The document of the old text, if there is one already.
  var oldDocument: TOMLDocument?
  /// The old text after the migration that came before the edits, if there was one.
  var migrated: TOMLDocument?
  /// The new text; `nil` for no file.
  var new: [UInt8]?
  /// The document of the new text, if there is one already.
  var newDocument: TOMLDocument?
  /// The only paths at which it can differ; `nil` if unknown.
  var paths: [TOMLPath]?
  var reason: SettingsHistoryEntry.Reason
  /// What it takes back, if it is an undo or a redo.
  var reversal: Reversal?
  /// The keys of the edits.
  var keys: [AnySettingsKey] = []
  /// The file that has the new text; `nil` if that is not known.
  var stamp: FileStamp?

  var oldStamp: FileStamp { oldStatus.map { FileStamp($0) } ?? .none }
}

/// What a write says of itself.
struct HistoryCause: Sendable {
  var reason: SettingsHistoryEntry.Reason
  var reversal: Reversal?
}

extension SettingsHistoryEntry.Reason {
  /// The reason of edits made by path.
  ///
  /// Several edits of one key, such as those of a struct's fields, are one `set`.
  static func edits(_ edits: [Edit]) -> Self {
    if edits.allSatisfy({ $0.value == nil }) { return .reset }
    return Set(edits.map { $0.key?.path ?? $0.path }).count > 1 ? .update : .set
  }

  /// The reason of a text that replaces another, by that of the other one's backup.
  init(backup reason: String) {
    self =
      switch reason {
      case "before-import", "before-profile": .import
      case "before-restore": .restore
      case "before-unset", "before-removal": .reset
      case Backups.unparsable: .recover
      case "before-edit": .edit
      default: .migration
      }
  }
}
