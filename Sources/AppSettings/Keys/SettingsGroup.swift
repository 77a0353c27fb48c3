public import SettingsTOML

/// A table of the file that keys are in: said once, for their names and for what is done to all of them.
///
/// ```swift
/// extension SettingsKeys {
///   static let editor = SettingsGroup("editor", "How texts are shown.")
///   static let fontSize = SettingsKey("font-size", default: 12, .group(editor))   // editor.font-size
/// }
/// settings.reset(SettingsKeys.editor)
/// ```
///
/// A group whose name is not a dotted path of TOML keys is a programming error and traps.
public struct SettingsGroup: Sendable, Hashable {
  /// The dotted path of the table.
  public var name: String { path.description }
  /// The path of the table.
  public let path: TOMLPath
  /// What its keys have in common, for generated documentation; empty if not given.
  public let summary: String

  /// Makes a group.
  ///
  /// - Parameters:
  ///   - name: Its dotted path, below the group that it is in.
  ///   - summary: What its keys have in common.
  ///   - parent: The group that it is in.
  public init(_ name: some SettingsKeyName, _ summary: String = "", in parent: SettingsGroup? = nil) {
    path = AnySettingsKey.path(of: name.description, in: parent)
    self.summary = summary
  }
}

extension SettingsGroup: CustomStringConvertible {
  /// The group's name.
  public var description: String { name }
}
