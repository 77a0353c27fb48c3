public import SettingsTOML

/// The origin of a value: its layer and position, and the lock on it.
///
/// ```swift
/// print(settings.origin(of: .theme))   // user /home/ada/.config/org.example.editor/settings.toml:9
/// ```
public struct SettingsOrigin: Sendable, Hashable {
  /// The layer of the value; `default` if no layer has one. For a table from several layers, the highest.
  public package(set) var layer: SettingsLayer
  /// The position of the value in the layer's file; `nil` for a default, an override, a value that is not yet written,
  /// and one that a migration in memory has made or moved.
  public package(set) var position: TOMLPosition?
  /// Whether no layer has a value, so that the key's default is used.
  ///
  /// It is `false` for a stored value that equals the default; ``SettingsStore/isDefault(_:)`` compares the values.
  package var isDefault: Bool { layer.kind == .default }
  /// The administrator's lock that keeps the key from being set; `nil` if there is none.
  public package(set) var lock: SettingsLock?
  /// The former name under which the value is stored, which the next write of the key replaces; `nil` if it is stored
  /// under the key's present name.
  package var formerName: TOMLPath?
  /// Whether the key is locked, so that it cannot be set.
  public var isLocked: Bool { lock != nil }
}

extension SettingsSnapshot {
  /// Returns the origin of the value at a path.
  ///
  /// Use it for a path without a declared key. It ignores former names.
  public func origin(of path: TOMLPath) -> SettingsOrigin {
    SettingsOrigin(layer: layer(of: path), position: position(of: path), lock: lock(of: path))
  }
}

extension SettingsOrigin: CustomStringConvertible {
  /// The layer, file and line of the value, with its former name and its lock if there are any:
  /// `user /home/alice/.config/org.example.editor/settings.toml:9, locked by system /etc/xdg/org.example.editor/settings.toml:2`.
  public var description: String {
    var text = layer.description(at: position)
    if let formerName { text += ", under the former name '\(formerName)'" }
    if let lock { text += ", locked by \(lock)" }
    return text
  }
}
