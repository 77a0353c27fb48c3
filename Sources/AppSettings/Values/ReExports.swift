// Re-exported because a bridge reads and writes `TOMLValue`: code that declares how a type is stored should not need a
// second import.
@_exported public import SettingsTOML

/// A stored value whose type is not known in advance: any TOML value, as it is in the file.
///
/// A key of this type accepts any value: `SettingsKey<SettingsValue?>("plugins.state")`.
///
/// Literals are values of it: `settings[.pluginState] = ["count": 3, "names": ["a", "b"]]`.
public typealias SettingsValue = TOMLValue
