/// A type whose values can be stored as a setting.
///
/// The only requirement is a ``SettingsBridge``. `Codable` types, `LosslessStringConvertible` types and
/// `RawRepresentable` types with a storable raw value get one without further code:
///
/// ```swift
/// enum Theme: String, SettingsSerializable { case light, dark }          // "light"
/// struct Window: Codable, SettingsSerializable { var width, height: Int } // { width = 640, height = 480 }
/// ```
///
/// If several apply, the raw value wins over `Codable`, and `Codable` over the description.
/// Any other type defines its bridge with that of a storable type:
///
/// ```swift
/// struct Frog: SettingsSerializable {
///   let name: String
///   static let settingsBridge = String.settingsBridge.map(read: Frog.init(name:), write: \.name)
/// }
/// ```
///
/// Optionals, arrays, sets, dictionaries and ranges of storable types are storable, nested to any depth.
public protocol SettingsSerializable: SendableMetatype {
  /// The bridge that reads values of this type from TOML and writes them to it.
  ///
  /// Implement it unless one of the defaults fits. A `static let` makes the bridge only once.
  static var settingsBridge: SettingsBridge<Self> { get }
}

// There is one default for each combination of the three standard protocols. With fewer, a type that conforms to two of
// them would have two equally good defaults, and its conformance would be ambiguous.

extension SettingsSerializable where Self: Codable {
  /// Stores the value with its `Codable` conformance, usually as a table of its fields; see ``SettingsBridge/codable``.
  public static var settingsBridge: SettingsBridge<Self> { .codable }
}

extension SettingsSerializable where Self: RawRepresentable, RawValue: SettingsSerializable {
  /// Stores the raw value.
  public static var settingsBridge: SettingsBridge<Self> { .rawValue }
}

extension SettingsSerializable where Self: LosslessStringConvertible {
  /// Stores the description as a string.
  public static var settingsBridge: SettingsBridge<Self> { .losslessString }
}

extension SettingsSerializable where Self: Codable & RawRepresentable, RawValue: SettingsSerializable {
  /// Stores the raw value.
  public static var settingsBridge: SettingsBridge<Self> { .rawValue }
}

extension SettingsSerializable where Self: Codable & LosslessStringConvertible {
  /// Stores the value with its `Codable` conformance, usually as a table of its fields; see ``SettingsBridge/codable``.
  public static var settingsBridge: SettingsBridge<Self> { .codable }
}

extension SettingsSerializable
where Self: RawRepresentable & LosslessStringConvertible, RawValue: SettingsSerializable {
  /// Stores the raw value.
  public static var settingsBridge: SettingsBridge<Self> { .rawValue }
}

extension SettingsSerializable
where Self: Codable & RawRepresentable & LosslessStringConvertible, RawValue: SettingsSerializable {
  /// Stores the raw value.
  public static var settingsBridge: SettingsBridge<Self> { .rawValue }
}
