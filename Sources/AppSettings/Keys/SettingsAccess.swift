// What the compiler is to say of code that cannot work. Without these, it finds several equally good explanations for one
// mistake and gives none of them. No overload here is tried for code that is right: an unavailable one counts only where
// all others fail.

/// What has a subscript for keys: a store, a snapshot, a transaction.
///
/// It asks for nothing. Its extension holds what the compiler reports where a key is unknown or its value is not used as its
/// type allows.
public protocol SettingsAccess {}

/// Stands for what does not exist, so that code with a mistake has a type and the compiler reports that one mistake.
///
/// No code that compiles has such a value.
@dynamicCallable
@dynamicMemberLookup
public struct SettingsMistake: Sendable {
  init() {}

  /// What a call of it returns.
  @discardableResult
  public func dynamicallyCall(withArguments arguments: [Any]) -> SettingsMistake { self }

  /// What a call of it returns.
  @discardableResult
  public func dynamicallyCall(withKeywordArguments arguments: KeyValuePairs<String, Any>) -> SettingsMistake { self }

  /// A member of it.
  public subscript(dynamicMember name: String) -> SettingsMistake {
    get { self }
    nonmutating set {}
  }

  /// An element of it.
  public subscript(index: Any) -> SettingsMistake! {
    get { self }
    nonmutating set {}
  }
}

extension SettingsAccess {
  /// Unavailable: the value of a key has the key's type.
  @available(*, unavailable, message: "a value of the key's type does not allow this")
  public subscript<Value>(key: SettingsKeys) -> Value {
    get { fatalError("unavailable") }
    nonmutating set {}
  }

  /// Unavailable: the value of a key has the key's type.
  @available(*, unavailable, message: "a value of the key's type does not allow this")
  public subscript(key: SettingsKeys) -> SettingsMistake! {
    get { fatalError("unavailable") }
    nonmutating set {}
  }

  /// Unavailable: a key has to be declared.
  @available(*, unavailable, message: "no extension of 'SettingsKeys' declares a key of this name")
  @_disfavoredOverload  // so that an unknown '.key' is reported as a member that a key's type lacks
  public subscript<Value>(keyPath: KeyPath<SettingsKeys.Type, SettingsMistake>) -> Value {
    get { fatalError("unavailable") }
    nonmutating set {}
  }

  /// Unavailable: a key has to be declared.
  @available(*, unavailable, message: "no extension of 'SettingsKeys' declares a key of this name")
  @_disfavoredOverload  // as the one before
  public subscript(keyPath: KeyPath<SettingsKeys.Type, SettingsMistake>) -> SettingsMistake {
    get { fatalError("unavailable") }
    nonmutating set {}
  }

  /// Unavailable: a key has to be declared.
  @available(*, unavailable, message: "no extension of 'SettingsKeys' declares a key of this name")
  public subscript<Value>(dynamicMember keyPath: KeyPath<SettingsKeys.Type, SettingsMistake>) -> Value {
    get { fatalError("unavailable") }
    nonmutating set {}
  }

  /// Unavailable: a key has to be declared.
  @available(*, unavailable, message: "no extension of 'SettingsKeys' declares a key of this name")
  public subscript(dynamicMember keyPath: KeyPath<SettingsKeys.Type, SettingsMistake>) -> SettingsMistake {
    get { fatalError("unavailable") }
    nonmutating set {}
  }

  /// Unavailable: a key has a type, which a name does not have.
  @available(*, unavailable, message: "declare a key in an extension of 'SettingsKeys', and write 'settings[.name]'")
  public subscript<Value>(name: String) -> Value {
    get { fatalError("unavailable") }
    nonmutating set {}
  }
}
