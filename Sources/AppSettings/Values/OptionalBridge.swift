extension Optional: SettingsSerializable where Wrapped: SettingsSerializable {
  /// The wrapped value, or nothing: `nil` removes the key, and is what reads where there is none.
  ///
  /// TOML has no null, so a `nil` within an array or a dictionary cannot be stored.
  public static var settingsBridge: SettingsBridge<Wrapped?> { Wrapped.settingsBridge.optional }
}

extension SettingsBridge {
  /// The bridge for optionals of this one's values, as a key with a bridge of its own needs it.
  public var optional: SettingsBridge<Value?> { SettingsBridge<Value?>(OptionalCore(core)) }
}

private final class OptionalCore<Wrapped>: BridgeCore {
  private let wrapped: any BridgeCore<Wrapped>

  init(_ wrapped: any BridgeCore<Wrapped>) { self.wrapped = wrapped }

  var expectation: Expectation { wrapped.expectation }
  var mergesTables: Bool { wrapped.mergesTables }
  var absent: Wrapped?? { .some(.none) }
  var choices: [TOMLValue]? { wrapped.choices }
  func schemaType(_ sample: TOMLValue?) -> SchemaType { wrapped.schemaType(sample) }
  var isAsStored: Bool { wrapped.isAsStored }
  var knowsParts: Bool { wrapped.knowsParts }

  func read(_ stored: TOMLValue, _ context: BridgeContext) throws -> Wrapped? { try wrapped.read(stored, context) }

  func readJSON(from decoder: any Decoder) throws -> Wrapped? {
    try decoder.singleValueContainer().decodeNil() ? nil : wrapped.readJSON(from: decoder)
  }

  func write(_ value: Wrapped?, _ context: BridgeContext) throws -> TOMLValue? {
    guard let value else { return nil }
    return try wrapped.write(value, context)
  }

  func knownFields(of written: TOMLValue, _ context: BridgeContext) -> KnownFields {
    wrapped.knownFields(of: written, context)
  }

  func withoutOldForm(_ stored: TOMLValue) -> TOMLValue { wrapped.withoutOldForm(stored) }
}
