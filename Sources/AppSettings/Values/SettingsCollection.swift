/// A collection of one's own that is stored as an array.
///
/// One line does it for a type that can be made of an array, as any `RangeReplaceableCollection` can:
///
/// ```swift
/// extension Deque: SettingsCollection, SettingsSerializable where Element: SettingsSerializable {}
/// ```
public protocol SettingsCollection: Sequence, SettingsSerializable where Element: SettingsSerializable {
  /// Makes a collection of its elements, in order.
  init(_ elements: [Element])
}

extension SettingsCollection {
  static var collectionBridge: SettingsBridge<Self> {
    [Element].settingsBridge.mapKeepingValue(read: { Self($0) }, write: { Array($0) })
  }

  /// An array.
  public static var settingsBridge: SettingsBridge<Self> { collectionBridge }
}

/// A set of one's own that is stored as an array without repetitions.
///
/// One line does it for a type that is a `SetAlgebra` and a `Sequence`; others add ``settingsElements``.
public protocol SettingsSetAlgebra: SetAlgebra, SettingsSerializable where Element: SettingsSerializable {
  /// The elements, each once.
  var settingsElements: [Element] { get }
}

extension SettingsSetAlgebra where Self: Sequence {
  /// The elements, in the order in which the type iterates.
  public var settingsElements: [Element] { Array(self) }
}

extension SettingsSetAlgebra {
  static var setAlgebraBridge: SettingsBridge<Self> {
    SettingsBridge(
      SetCore(Element.settingsBridge.core, insert: { $0.insert($1) }, elements: { $0.settingsElements }))
  }

  /// An array without repetitions, sorted.
  public static var settingsBridge: SettingsBridge<Self> { setAlgebraBridge }
}

// Where the type is `Codable` or `RawRepresentable` too, the array wins: asking for it by name says so.

extension SettingsCollection where Self: Codable {
  /// An array.
  public static var settingsBridge: SettingsBridge<Self> { collectionBridge }
}

extension SettingsCollection where Self: RawRepresentable, RawValue: SettingsSerializable {
  /// An array.
  public static var settingsBridge: SettingsBridge<Self> { collectionBridge }
}

extension SettingsCollection where Self: Codable & RawRepresentable, RawValue: SettingsSerializable {
  /// An array.
  public static var settingsBridge: SettingsBridge<Self> { collectionBridge }
}

extension SettingsSetAlgebra where Self: Codable {
  /// An array without repetitions, sorted.
  public static var settingsBridge: SettingsBridge<Self> { setAlgebraBridge }
}

extension SettingsSetAlgebra where Self: RawRepresentable, RawValue: SettingsSerializable {
  /// An array without repetitions, sorted.
  public static var settingsBridge: SettingsBridge<Self> { setAlgebraBridge }
}

extension SettingsSetAlgebra where Self: Codable & RawRepresentable, RawValue: SettingsSerializable {
  /// An array without repetitions, sorted.
  public static var settingsBridge: SettingsBridge<Self> { setAlgebraBridge }
}
