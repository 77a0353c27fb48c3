// These declarations make the compiler report code that cannot work. Without them it finds several equally good
// explanations for one mistake and reports none of them. They do not affect correct code: the compiler considers an
// unavailable overload only if all others fail.

/// A type with a subscript for keys: a store, a snapshot or a transaction.
///
/// The protocol has no requirements. Its extension holds the compiler errors for an unknown key, and for a value that
/// is used in a way its type does not allow.
public protocol SettingsAccess {}

/// Stands for a missing declaration, so that code with a mistake has a type and the compiler reports that one mistake.
///
/// Code that compiles never has a value of this type.
@dynamicCallable
@dynamicMemberLookup
public struct SettingsMistake: Sendable {
  init() {}

  /// Stands for the result of a call.
  @discardableResult
  public func dynamicallyCall(withArguments arguments: [Any]) -> SettingsMistake { self }

  /// Stands for the result of a call.
  @discardableResult
  public func dynamicallyCall(withKeywordArguments arguments: KeyValuePairs<String, Any>) -> SettingsMistake { self }

  /// Stands for a member.
  public subscript(dynamicMember name: String) -> SettingsMistake {
    get { self }
    nonmutating set {}
  }

  /// Stands for an element.
  public subscript(index: Any) -> SettingsMistake! {
    get { self }
    nonmutating set {}
  }
}

extension SettingsAccess {
  /// Unavailable: the value of a key has the type of the key.
  @available(*, unavailable, message: "a value of the key's type does not allow this")
  public subscript<Value>(key: SettingsKeys) -> Value {
    get { fatalError("unavailable") }
    nonmutating set {}
  }

  /// Unavailable: the value of a key has the type of the key.
  @available(*, unavailable, message: "a value of the key's type does not allow this")
  public subscript(key: SettingsKeys) -> SettingsMistake! {
    get { fatalError("unavailable") }
    nonmutating set {}
  }

  /// Unavailable: keys must be declared.
  @available(*, unavailable, message: "no extension of 'SettingsKeys' declares a key of this name")
  @_disfavoredOverload  // so that an unknown '.key' is reported as a member that a key's type lacks
  public subscript<Value>(keyPath: KeyPath<SettingsKeys.Type, SettingsMistake>) -> Value {
    get { fatalError("unavailable") }
    nonmutating set {}
  }

  /// Unavailable: keys must be declared.
  @available(*, unavailable, message: "no extension of 'SettingsKeys' declares a key of this name")
  @_disfavoredOverload  // as the one before
  public subscript(keyPath: KeyPath<SettingsKeys.Type, SettingsMistake>) -> SettingsMistake {
    get { fatalError("unavailable") }
    nonmutating set {}
  }

  /// Unavailable: keys must be declared.
  @available(*, unavailable, message: "no extension of 'SettingsKeys' declares a key of this name")
  public subscript<Value>(dynamicMember keyPath: KeyPath<SettingsKeys.Type, SettingsMistake>) -> Value {
    get { fatalError("unavailable") }
    nonmutating set {}
  }

  /// Unavailable: keys must be declared.
  @available(*, unavailable, message: "no extension of 'SettingsKeys' declares a key of this name")
  public subscript(dynamicMember keyPath: KeyPath<SettingsKeys.Type, SettingsMistake>) -> SettingsMistake {
    get { fatalError("unavailable") }
    nonmutating set {}
  }

  /// Unavailable: a key has a type, and a name alone does not.
  @available(*, unavailable, message: "declare a key in an extension of 'SettingsKeys', and write 'settings[.name]'")
  public subscript<Value>(name: String) -> Value {
    get { fatalError("unavailable") }
    nonmutating set {}
  }
}
