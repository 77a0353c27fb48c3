/// A type with a subscript for keys: a store, a snapshot or a transaction.
///
/// The protocol has no requirements. Its extension has the compiler's messages for an unknown key, and for a value that
/// is not of its key's type: without them, the compiler finds several equally good explanations and reports none.
///
/// A typo in a key's name gets a clear message:
///
/// ```swift
/// settings.fontSise = 14   // error: no extension of 'SettingsKeys' declares a key of this name
/// ```
public protocol SettingsAccess {}

extension SettingsAccess {
  /// Unavailable: the value of a key has the type of the key.
  @available(*, unavailable, message: "a value of the key's type does not allow this")
  public subscript<Value>(key: SettingsKeys) -> Value {
    get { fatalError("unavailable") }
    nonmutating set {}
  }

  /// Unavailable: keys must be declared.
  @available(*, unavailable, message: "no extension of 'SettingsKeys' declares a key of this name")
  public subscript<Value>(dynamicMember keyPath: KeyPath<SettingsKeys.Type, Never>) -> Value {
    get { fatalError("unavailable") }
    nonmutating set {}
  }

  /// Unavailable: keys must be declared.
  @available(*, unavailable, message: "no extension of 'SettingsKeys' declares a key of this name")
  public subscript(dynamicMember keyPath: KeyPath<SettingsKeys.Type, Never>) -> Never { fatalError("unavailable") }
}
