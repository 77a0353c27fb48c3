public import SettingsTOML

/// Where a value comes from, and who has a say in it.
public struct SettingsOrigin: Sendable, Hashable {
  /// The layer that the value is from; `default` if no layer has one. For a table of several layers: the highest.
  public var layer: SettingsLayer
  /// The place of the value in the layer's file; `nil` for a default, an override, what is not yet written, and what a
  /// migration in memory has made or moved.
  public var position: TOMLPosition?
  /// Whether no layer has a value, so that the key's default is used.
  public var isDefault: Bool { layer.kind == .default }
  /// The administrator's layer that locks the key; `nil` if none does.
  public var lockedBy: SettingsLayer?
  /// The place of the lock in that layer's file.
  public var lockPosition: TOMLPosition?
  /// The former name under which the value stands; `nil` if it has the key's present one.
  public var formerName: TOMLPath?
  /// Whether the value stands under a former name, which the next write of the key replaces.
  public var isDeprecated: Bool { formerName != nil }
  /// Whether the key is locked, so that it cannot be set.
  public var isLocked: Bool { lockedBy != nil }
}

extension SettingsSnapshot {
  /// Where the value at a path comes from.
  public func origin(of path: TOMLPath) -> SettingsOrigin {
    let lock = lock(of: path)
    return SettingsOrigin(
      layer: layer(of: path), position: position(of: path), lockedBy: lock?.layer, lockPosition: lock?.position)
  }
}

extension SettingsOrigin: CustomStringConvertible {
  /// The layer, the file and the line, and what else there is to say:
  /// `user /home/alice/.config/org.example.editor/settings.toml:9, locked by system /etc/xdg/org.example.editor/settings.toml:2`.
  public var description: String {
    var text = layer.description(at: position)
    if let formerName { text += ", under the former name '\(formerName)'" }
    if let lockedBy { text += ", locked by " + lockedBy.description(at: lockPosition) }
    return text
  }
}
