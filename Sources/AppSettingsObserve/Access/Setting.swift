public import AppSettings

/// A property backed by a setting: reading and writing the property reads and writes the setting.
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
/// The store is `SettingsStore/default` unless you pass another one.
@propertyWrapper
public struct Setting<Value: Sendable>: Sendable {
  /// The setting's key.
  package let key: SettingsKey<Value>
  private let given: SettingsStore?

  /// Creates a property for a key.
  ///
  /// - Parameters:
  ///   - key: The key.
  ///   - store: The store; by default `SettingsStore/default`, as it is when the property is used.
  public init(_ key: SettingsKey<Value>, in store: SettingsStore? = nil) {
    self.key = key
    given = store
  }

  /// The store that holds the value.
  package var store: SettingsStore { given ?? .default }

  /// The value, as the store's subscript returns it.
  public var wrappedValue: Value {
    get { store[key] }
    nonmutating set { store[key] = newValue }
    nonmutating _modify { yield &store[key] }
  }

  /// A stream of the current value and each later one:
  /// ``AppSettings/SettingsStore/updates(_:initial:includingDuplicates:)``.
  public var projectedValue: SettingsStream<Value> { store.updates(key) }

  /// Removes the user's value, so that the value of a lower layer or the default applies again.
  public func reset() { store.reset(key) }
}
