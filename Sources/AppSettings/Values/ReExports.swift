// Re-exported because a bridge is written in terms of `TOMLValue`: whoever declares how a type is stored needs it,
// and should not need a second import for it.
@_exported public import SettingsTOML

/// A stored value whose type is not known ahead: what TOML has, as it is in the file.
///
/// As a key's type it takes any value: `SettingsKey<SettingsValue?>("plugins.state")`.
public typealias SettingsValue = TOMLValue
