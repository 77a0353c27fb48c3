package import SettingsTOML

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
/// A name that is not a dotted path of TOML keys, or that begins with the reserved `settings-` at the top level, is a
/// programming error and traps.
///
/// A group may be in another one:
///
/// ```swift
/// static let margin = SettingsGroup("margin", in: editor)                        // the table [editor.margin]
/// static let marginWidth = SettingsKey("width", default: 4, .group(margin))      // editor.margin.width
/// ```
public struct SettingsGroup: Sendable, Hashable {
  /// The dotted path of the table.
  public var name: String { path.description }
  /// The path of the table.
  package let path: TOMLPath
  /// A description of what its keys have in common, for generated documentation; empty if not given.
  package let summary: String

  /// Makes a group.
  ///
  /// The table need not exist in any file.
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
