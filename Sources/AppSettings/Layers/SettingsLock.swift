public import SettingsTOML

/// An administrator's lock, which keeps a key from being set.
///
/// An administrator locks keys with `settings-locked` in a file of the layer `system`:
///
/// ```toml
/// settings-locked = ["update.channel"]
/// update.channel = "stable"
/// ```
///
/// A locked key has the value that this layer and those below give it. Setting it throws ``SettingsError/Code/locked``.
public struct SettingsLock: Sendable, Hashable {
  /// The layer of the file that locks the key.
  public package(set) var layer: SettingsLayer
  /// The position of `settings-locked` in that file; `nil` if the layer has no file.
  public package(set) var position: TOMLPosition?
  /// Why the key is locked, for people; `nil` if the file does not say.
  public package(set) var reason: String?

  /// The place and the reason for a message: `'/etc/xdg/org.example.editor/settings.toml', line 2 (reason: …)`.
  package var place: String {
    let line = position.map { ", line \($0.line)" } ?? ""
    return (layer.file.map { "'\($0)'" } ?? "an administrator") + line + Self.clause(reason)
  }

  /// A space and the reason in parentheses; an empty text without a reason.
  package static func clause(_ reason: String?) -> String {
    reason.map { " (reason: \(line($0).withoutFullStop.shortened(to: 200)))" } ?? ""
  }

  /// A reason on one line.
  package static func line(_ reason: String) -> String {
    reason.split(whereSeparator: \.isNewline).joined(separator: " ")
  }
}

extension SettingsLock: CustomStringConvertible {
  /// The layer, file and line, and the reason if there is one:
  /// `system /etc/xdg/org.example.editor/settings.toml:2 (reason: licences cover the stable channel only)`.
  public var description: String { layer.description(at: position) + Self.clause(reason) }
}
