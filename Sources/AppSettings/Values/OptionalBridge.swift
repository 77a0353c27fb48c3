extension Optional: SettingsSerializable where Wrapped: SettingsSerializable {
  /// Stores the wrapped value, or nothing: `nil` removes the key, and reading gives `nil` while no value is stored.
  ///
  /// TOML has no null, so a `nil` in an array or a dictionary cannot be stored.
  ///
  /// ```swift
  /// settings[.nickname] = nil   // removes the user's value of a SettingsKey<String?>
  /// ```
  public static var settingsBridge: SettingsBridge<Wrapped?> { Wrapped.settingsBridge.optional }
}

extension SettingsBridge {
  /// A bridge for optionals of this bridge's values, for a key with its own bridge.
  ///
  /// You rarely need it: for an optional key, you pass the bridge of its wrapped type.
  public var optional: SettingsBridge<Value?> { SettingsBridge<Value?>(OptionalCore(core)) }
}

private final class OptionalCore<Wrapped>: WrappingCore {
  let wrapped: any BridgeCore<Wrapped>

  init(_ wrapped: any BridgeCore<Wrapped>) { self.wrapped = wrapped }

  var absent: Wrapped?? { .some(.none) }
  var choices: [TOMLValue]? { wrapped.choices }

  func read(_ stored: TOMLValue, _ context: BridgeContext) throws -> Wrapped? { try wrapped.read(stored, context) }

  func readJSON(from decoder: any Decoder) throws -> Wrapped? {
    try decoder.singleValueContainer().decodeNil() ? nil : wrapped.readJSON(from: decoder)
  }

  func write(_ value: Wrapped?, _ context: BridgeContext) throws -> TOMLValue? {
    guard let value else { return nil }
    return try wrapped.write(value, context)
  }
}
