// Values of any storable type in a stored value, and back.

extension SettingsValue {
  /// Makes what is stored for a value of any storable type.
  ///
  /// ```swift
  /// settings[.pluginState] = try SettingsValue(Color.red)
  /// ```
  ///
  /// - Throws: ``SettingsValueError`` for what TOML cannot hold, as a `nil` by itself.
  public init<Value: SettingsSerializable>(_ value: Value) throws(SettingsValueError) {
    self = try SettingsValue.stored(value)
  }

  /// Reads the stored value as a type; `nil` if it is none of that type.
  ///
  /// ```swift
  /// let color = settings[.pluginState]?.get(Color.self)
  /// ```
  ///
  /// - Parameter type: The type; where it can be inferred, it need not be given.
  public func get<Value: SettingsSerializable>(_ type: Value.Type = Value.self) -> Value? {
    try? Value.settingsBridge.read(self)
  }

  /// Replaces the stored value by that of any storable type.
  ///
  /// - Throws: ``SettingsValueError`` for what TOML cannot hold. The value is unchanged then.
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
