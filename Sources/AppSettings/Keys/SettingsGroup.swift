public import SettingsTOML

/// A table of the file that contains several keys. Its name is declared once, and all its keys can be reset together.
///
/// ```swift
/// extension SettingsKeys {
///   static let editor = SettingsGroup("editor", "How texts are shown.")
///   static let fontSize = SettingsKey("font-size", default: 12, .group(editor))   // editor.font-size
/// }
/// settings.reset(SettingsKeys.editor)
/// ```
///
/// A name that is not a dotted path of TOML keys is a programming error and traps.
public struct SettingsGroup: Sendable, Hashable {
  /// The dotted path of the table.
  public var name: String { path.description }
  /// The path of the table.
  public let path: TOMLPath
  /// A description of what its keys have in common, for generated documentation; empty if not given.
  public let summary: String

  /// Makes a group.
  ///
  /// - Parameters:
  ///   - name: The dotted path of the table, relative to the parent group.
  ///   - summary: A description of what its keys have in common.
  ///   - parent: The group that contains this one; `nil` for a group at the top level.
  public init(_ name: some SettingsKeyName, _ summary: String = "", in parent: SettingsGroup? = nil) {
    path = AnySettingsKey.path(of: name.description, in: parent)
    self.summary = summary
  }
}

extension SettingsGroup: CustomStringConvertible {
  /// The group's name.
  public var description: String { name }
}
