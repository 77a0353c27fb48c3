extension SettingsBridge where Value: RawRepresentable & SendableMetatype, Value.RawValue: SettingsSerializable {
  /// The raw value, stored as its own type is.
  ///
  /// For an enumeration that is also `CaseIterable` an error lists the raw values there are.
  public static var rawValue: SettingsBridge { rawValue(as: Value.RawValue.settingsBridge) }

  /// The raw value, stored as a bridge says.
  static func rawValue(as bridge: SettingsBridge<Value.RawValue>) -> SettingsBridge {
    let choices = { @Sendable () -> [TOMLValue] in rawChoices(bridge) ?? [] }
    return bridge.mapped(
      expectation: {
        // Read only when something was refused: the cases need not be made for each bridge.
        let choices = choices()
        if !choices.isEmpty { return .choice(of: choices) }
        if Value.self is any OptionSet.Type { return bridge.core.expectation() }
        return Expectation("\(bridge.expected) that is a raw value of \(Value.self)")
      },
      choices: Value.self is any CaseIterable.Type ? choices : nil,
      read: {
        guard let value = Value(rawValue: $0) else { throw NoSuchValue() }
        return value
      },
      write: { $0.rawValue })
  }

  private static func rawChoices(_ bridge: SettingsBridge<Value.RawValue>) -> [TOMLValue]? {
    guard let type = Value.self as? any CaseIterable.Type else { return nil }
    func cases<T: CaseIterable>(_ type: T.Type) -> [Value] { type.allCases.compactMap { $0 as? Value } }
    return cases(type).compactMap { try? bridge.write($0.rawValue) }
  }
}

extension SettingsBridge where Value: LosslessStringConvertible & SendableMetatype {
  /// The description, as a string.
  public static var losslessString: SettingsBridge {
    String.settingsBridge.mapped(
      expectation: { Expectation("a string that describes a value of type \(Value.self)") }, choices: nil,
      read: {
        guard let value = Value($0) else { throw NoSuchValue() }
        return value
      },
      write: { $0.description })
  }
}
