/// Whether a store keeps a history of the user's file, and how much of it.
///
/// A file has one history, whichever programs write it: `$XDG_STATE_HOME/app-settings/files/PATH.history`, readable for
/// its user alone. It says who changed which value and when, and has every earlier text. Values of keys that
/// are declared as ``SettingsKeyDetail/secret`` are never in it, nor are values of keys that nobody has declared yet.
/// A person turns it off, and removes it, with `settings-history = false` in the file.
///
/// ```swift
/// let settings = try SettingsStore(app: "org.example.editor", history: .limited(toBytes: 1 << 20))
/// ```
///
/// ``SettingsStore/history(of:since:limit:)`` reads it, and ``SettingsStore/undo()`` uses it. If it cannot be written,
/// that is reported as a problem, and the write succeeds all the same.
public struct SettingsHistory: Sendable, Hashable {
  /// The size of a journal, in bytes, from which its oldest records are removed; 0 for none.
  var limit: Int

  /// At most 4 MiB a file, the oldest records removed first. The default for settings and data.
  public static let on = limited(toBytes: 4 << 20)

  /// This program writes no history. The default for state, such as positions of windows.
  ///
  /// What it changes meanwhile appears in a history that other programs write as a change from outside.
  public static let off = SettingsHistory(limit: 0)

  /// At most a number of bytes a file, but at least what four times the file's own text takes.
  ///
  /// - Parameter limit: The number of bytes, at least 1. A journal that exceeds it is shortened to about half of it.
  public static func limited(toBytes limit: Int) -> SettingsHistory { SettingsHistory(limit: max(1, limit)) }
}
