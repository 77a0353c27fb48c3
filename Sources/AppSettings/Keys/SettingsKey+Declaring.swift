public import SettingsTOML

// How keys are declared. A key of a type that is not optional has no initialiser without a default.

/// The name of a key: a dotted path as text, or a `TOMLPath`.
///
/// A text is read as TOML reads keys: a component that is not made of letters, digits, `-` and `_` needs quotes. A path has
/// its components as they are, so that any data can be one:
///
/// ```swift
/// let seen = SettingsKey(TOMLPath(["seen", url]), default: false)   // seen."https://example.org/?a=b"
/// ```
///
/// `String` and `TOMLPath` conform; a conformance of another type is read as its description.
public protocol SettingsKeyName: CustomStringConvertible {}

extension String: SettingsKeyName {}
extension TOMLPath: SettingsKeyName {}

extension SettingsKey where Value: SettingsSerializable {
  /// Makes a key with a default.
  ///
  /// - Parameters:
  ///   - name: The dotted path of the value, below the key's group if it has one: as text, or as a `TOMLPath` where parts
  ///     of it are data, ``SettingsKeyName``.
  ///   - value: What reads while no layer has a value. One that the constraints refuse is a programming error and traps.
  ///   - details: What a value has to satisfy, how it is handled, what it means.
  public convenience init(_ name: some SettingsKeyName, default value: Value, _ details: SettingsKeyDetail<Value>...) {
    self.init(name.description, fallback: .value(value), details: details, bridge: Value.settingsBridge)
  }

  /// Makes a key whose default is computed at each read that finds no value, and not before.
  public convenience init(
    _ name: some SettingsKeyName, _ details: SettingsKeyDetail<Value>..., default make: @escaping @Sendable () -> Value
  ) {
    self.init(name.description, fallback: .computed(make), details: details, bridge: Value.settingsBridge)
  }

  /// Makes an optional key: `nil` reads while there is no value, and setting `nil` removes the value.
  ///
  /// With a `default:`, that is what reads instead, also after `nil` was set.
  public convenience init<Wrapped>(_ name: some SettingsKeyName, _ details: SettingsKeyDetail<Value>...)
  where Value == Wrapped? {
    self.init(name.description, fallback: .absent, details: details, bridge: Value.settingsBridge)
  }

  /// Not there: a value that is not optional needs something to read while none is stored.
  @available(*, unavailable, message: "a key whose type is not optional needs a default")
  public convenience init(_ name: some SettingsKeyName) { fatalError("unavailable") }
}

extension SettingsKey {
  /// Makes a key with a bridge of its own, for a type that is not ``SettingsSerializable`` or is stored otherwise here.
  public convenience init(
    _ name: some SettingsKeyName, default value: Value, _ details: SettingsKeyDetail<Value>...,
    bridge: SettingsBridge<Value>
  ) {
    self.init(name.description, fallback: .value(value), details: details, bridge: bridge)
  }

  /// Makes an optional key with a bridge of its own for its values.
  public convenience init<Wrapped>(
    _ name: some SettingsKeyName, _ details: SettingsKeyDetail<Value>..., bridge: SettingsBridge<Wrapped>
  ) where Value == Wrapped? {
    self.init(name.description, fallback: .absent, details: details, bridge: bridge.optional)
  }
}
