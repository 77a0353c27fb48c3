/// A custom collection that is stored as an array.
///
/// Any type with an initialiser for an array, such as a `RangeReplaceableCollection`, needs a single line:
///
/// ```swift
/// extension Deque: SettingsCollection, SettingsSerializable where Element: SettingsSerializable {}
/// ```
///
/// It is stored as an array even if the type is also `Codable` or has a raw value.
public protocol SettingsCollection: Sequence, SettingsSerializable where Element: SettingsSerializable {
  /// Makes a collection from its elements, in order.
  init(_ elements: [Element])
}

extension SettingsCollection {
  /// The bridge for each of the combinations of protocols in this file.
  static var collectionBridge: SettingsBridge<Self> {
    [Element].settingsBridge.mapKeepingValue(read: { Self($0) }, write: { Array($0) })
  }

  /// Stores the elements as an array.
  public static var settingsBridge: SettingsBridge<Self> { collectionBridge }
}

/// A custom set that is stored as an array without duplicates.
///
/// A `SetAlgebra` that is also a `Sequence` needs a single line; other types implement ``settingsElements`` too.
///
/// ```swift
/// extension SortedSet: SettingsSetAlgebra, SettingsSerializable where Element: SettingsSerializable {}
/// ```
///
/// A set in which two elements have the same stored form cannot be stored, because one of them would be lost.
public protocol SettingsSetAlgebra: SetAlgebra, SettingsSerializable where Element: SettingsSerializable {
  /// The elements without duplicates.
  var settingsElements: [Element] { get }
}

extension SettingsSetAlgebra where Self: Sequence {
  /// The elements, in the order in which the type iterates.
  public var settingsElements: [Element] { Array(self) }
}

extension SettingsSetAlgebra {
  /// The bridge for each of the combinations of protocols in this file.
  static var setAlgebraBridge: SettingsBridge<Self> {
    SettingsBridge(
      SetCore(
        Element.settingsBridge.core, hasOwnCoding: true, insert: { $0.insert($1) },
        elements: { $0.settingsElements }))
  }

  /// Stores the elements as a sorted array without duplicates.
  public static var settingsBridge: SettingsBridge<Self> { setAlgebraBridge }
}

// If the type is also `Codable` or `RawRepresentable`, the array takes precedence, as the protocol was asked for.

extension SettingsCollection where Self: Codable {
  /// Stores the elements as an array.
  public static var settingsBridge: SettingsBridge<Self> { collectionBridge }
}

extension SettingsCollection where Self: RawRepresentable, RawValue: SettingsSerializable {
  /// Stores the elements as an array.
  public static var settingsBridge: SettingsBridge<Self> { collectionBridge }
}

extension SettingsCollection where Self: Codable & RawRepresentable, RawValue: SettingsSerializable {
  /// Stores the elements as an array.
  public static var settingsBridge: SettingsBridge<Self> { collectionBridge }
}

extension SettingsSetAlgebra where Self: Codable {
  /// Stores the elements as a sorted array without duplicates.
  public static var settingsBridge: SettingsBridge<Self> { setAlgebraBridge }
}

extension SettingsSetAlgebra where Self: RawRepresentable, RawValue: SettingsSerializable {
  /// Stores the elements as a sorted array without duplicates.
  public static var settingsBridge: SettingsBridge<Self> { setAlgebraBridge }
}

extension SettingsSetAlgebra where Self: Codable & RawRepresentable, RawValue: SettingsSerializable {
  /// Stores the elements as a sorted array without duplicates.
  public static var settingsBridge: SettingsBridge<Self> { setAlgebraBridge }
}
