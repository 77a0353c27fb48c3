public import AppSettings

/// A property that is a setting: reading it reads the setting, and setting it sets that.
///
/// ```swift
/// struct Toolbar {
///   @Setting(.theme) var theme
///
///   func run() async {
///     for await theme in $theme { show(theme) }
///   }
/// }
/// ```
///
/// The store is `SettingsStore/default`, or the one that is passed.
@propertyWrapper
public struct Setting<Value: Sendable>: Sendable {
  /// The setting's key.
  public let key: SettingsKey<Value>
  private let given: SettingsStore?

  /// Makes a property of a key.
  ///
  /// - Parameters:
  ///   - key: The key.
  ///   - store: The store; `SettingsStore/default`, as it is when the property is used, if none is given.
  public init(_ key: SettingsKey<Value>, in store: SettingsStore? = nil) {
    self.key = key
    given = store
  }

  /// The store that the value is in.
  public var store: SettingsStore { given ?? .default }

  /// The value, as the store's subscript has it.
  public var wrappedValue: Value {
    get { store[key] }
    nonmutating set { store[key] = newValue }
  }

  /// The value now and whenever it becomes another one, as a stream:
  /// ``AppSettings/SettingsStore/updates(_:initial:includingDuplicates:)``.
  public var projectedValue: SettingsStream<Value> { store.updates(key) }

  /// Removes the user's value, so that a lower layer or the default shows again.
  public func reset() { store.reset(key) }
}
