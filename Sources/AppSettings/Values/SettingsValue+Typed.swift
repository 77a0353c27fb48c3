// Conversions between stored values and values of any storable type.

extension SettingsValue {
  /// Makes the stored form of a value of any storable type.
  ///
  /// ```swift
  /// settings[.pluginState] = try SettingsValue(Color.red)
  /// ```
  ///
  /// - Parameter value: The value, of any storable type.
  /// - Throws: ``SettingsValueError`` if TOML cannot represent the value, such as `nil` by itself.
  public init<Value: SettingsSerializable>(_ value: Value) throws(SettingsValueError) {
    self = try SettingsValue.stored(value)
  }

  /// Returns the stored value as a value of a type; `nil` if it cannot be read as that type.
  ///
  /// ```swift
  /// let color = settings[.pluginState]?.get(Color.self)
  /// ```
  ///
  /// To find out why a value cannot be read, use `try Color.settingsBridge.read(value)`.
  ///
  /// - Parameter type: The type. You can omit it if the compiler can infer it.
  public func get<Value: SettingsSerializable>(_ type: Value.Type = Value.self) -> Value? {
    try? Value.settingsBridge.read(self)
  }

  /// Replaces the stored value by the stored form of a value of any storable type.
  ///
  /// - Parameter value: The new value.
  /// - Throws: ``SettingsValueError`` if TOML cannot represent the new value. The stored value is then unchanged.
  public mutating func set<Value: SettingsSerializable>(_ value: Value) throws(SettingsValueError) {
    self = try SettingsValue.stored(value)
  }

  private static func stored<Value: SettingsSerializable>(_ value: Value) throws(SettingsValueError) -> SettingsValue {
    do {
      if let stored = try Value.settingsBridge.write(value) { return stored }
    } catch {
      throw SettingsValueError(unstorable: Value.self, error)
    }
    throw SettingsValueError(nilInPlaceOf: "a value")
  }
}
