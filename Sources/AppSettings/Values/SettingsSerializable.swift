/// A type whose values can be stored as a setting.
///
/// The one requirement is a ``SettingsBridge``. Types that are `RawRepresentable` with a storable raw value, or
/// `Codable`, or both, or `LosslessStringConvertible`, have it without writing anything:
///
/// ```swift
/// enum Theme: String, SettingsSerializable { case light, dark }          // "light"
/// struct Window: Codable, SettingsSerializable { var width, height: Int } // { width = 640, height = 480 }
/// ```
///
/// Where several apply, the raw value wins over `Codable`, and `Codable` over the description.
/// Any other type says how it is stored in terms of one that already is:
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
  /// How values of this type are read from and written to TOML.
  static var settingsBridge: SettingsBridge<Self> { get }
}

// One default for each combination of the three standard protocols: with fewer, a type that conforms to two of them
// would have two equally good defaults, and the compiler would call its conformance ambiguous.

extension SettingsSerializable where Self: Codable {
  /// A table of the type's fields, or whatever its coding makes of it; see ``SettingsBridge/codable``.
  public static var settingsBridge: SettingsBridge<Self> { .codable }
}

extension SettingsSerializable where Self: RawRepresentable, RawValue: SettingsSerializable {
  /// The raw value.
  public static var settingsBridge: SettingsBridge<Self> { .rawValue }
}

extension SettingsSerializable where Self: LosslessStringConvertible {
  /// The description, as a string.
  public static var settingsBridge: SettingsBridge<Self> { .losslessString }
}

extension SettingsSerializable where Self: Codable & RawRepresentable, RawValue: SettingsSerializable {
  /// The raw value.
  public static var settingsBridge: SettingsBridge<Self> { .rawValue }
}

extension SettingsSerializable where Self: Codable & LosslessStringConvertible {
  /// A table of the type's fields, or whatever its coding makes of it; see ``SettingsBridge/codable``.
  public static var settingsBridge: SettingsBridge<Self> { .codable }
}

extension SettingsSerializable
where Self: RawRepresentable & LosslessStringConvertible, RawValue: SettingsSerializable {
  /// The raw value.
  public static var settingsBridge: SettingsBridge<Self> { .rawValue }
}

extension SettingsSerializable
where Self: Codable & RawRepresentable & LosslessStringConvertible, RawValue: SettingsSerializable {
  /// The raw value.
  public static var settingsBridge: SettingsBridge<Self> { .rawValue }
}
