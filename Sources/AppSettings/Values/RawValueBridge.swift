extension SettingsBridge where Value: RawRepresentable & SendableMetatype, Value.RawValue: SettingsSerializable {
  /// A bridge that stores the raw value as its own type does.
  ///
  /// If the type is also a `CaseIterable` enumeration, errors list the valid raw values.
  ///
  /// A stored raw value without a case cannot be read: the key's default is used, and the text stays in the file. So an
  /// older release does not lose a case that a newer one has added.
  ///
  /// ```swift
  /// enum Theme: String, CaseIterable, SettingsSerializable { case light, dark }   // theme = "dark"
  /// ```
  public static var rawValue: SettingsBridge { SettingsBridge(RawValueCore(Value.RawValue.settingsBridge.core)) }
}

/// The bridge of raw values. Every raw value of an option set is valid, so its description is that of the raw value.
private final class RawValueCore<Value: RawRepresentable & SendableMetatype>: BridgeCore {
  private let raw: any BridgeCore<Value.RawValue>

  init(_ raw: any BridgeCore<Value.RawValue>) { self.raw = raw }

  var expectation: Expectation {
    if let choices, !choices.isEmpty { return .choice(of: choices) }
    if Value.self is any OptionSet.Type { return raw.expectation }
    return Expectation("\(raw.expectation.one) that is a raw value of \(Value.self)")
  }

  var choices: [TOMLValue]? {
    guard let type = Value.self as? any CaseIterable.Type else { return nil }
    func cases<T: CaseIterable>(_ type: T.Type) -> [Value] { type.allCases.compactMap { $0 as? Value } }
    return cases(type).compactMap { try? raw.write($0.rawValue, BridgeContext()) }
  }

  func schemaType(_ sample: TOMLValue?) -> SchemaType {
    let type = raw.schemaType(sample)
    guard let choices, !choices.isEmpty else { return type }
    return type.choosing(choices)
  }

  func read(_ stored: TOMLValue, _ context: BridgeContext) throws -> Value {
    do {
      if let value = Value(rawValue: try raw.read(stored, context)) { return value }
    } catch let error as SettingsValueError {
      // An error in a part of a raw value is described by the raw value's own type.
      if !error.path.isEmpty { throw error }
    }
    throw SettingsValueError(expected: expectation.one, found: stored)
  }

  func readJSON(from decoder: any Decoder) throws -> Value {
    if Value.self is any Decodable.Type, let value = try? readOwnJSON(from: decoder) { return value }
    let rawValue = try raw.readJSON(from: decoder)
    if let value = Value(rawValue: rawValue) { return value }
    guard let stored = try raw.write(rawValue, BridgeContext()) else { return try readOwnJSON(from: decoder) }
    throw SettingsValueError(expected: expectation.one, found: stored)
  }

  func write(_ value: Value, _ context: BridgeContext) throws -> TOMLValue? { try raw.write(value.rawValue, context) }
}

extension SettingsBridge where Value: LosslessStringConvertible & SendableMetatype {
  /// A bridge that stores the description as a string.
  ///
  /// A string that the type's initializer refuses cannot be read.
  package static var losslessString: SettingsBridge { SettingsBridge(LosslessStringCore()) }
}

private final class LosslessStringCore<Value: LosslessStringConvertible & SendableMetatype>: BridgeCore {
  var expectation: Expectation { Expectation("a string that describes a value of type \(Value.self)") }

  func read(_ stored: TOMLValue, _ context: BridgeContext) throws -> Value {
    guard case .string(let text) = stored, let value = Value(describedBy: text) else {
      throw SettingsValueError(expected: expectation.one, found: stored)
    }
    return value
  }

  func write(_ value: Value, _ context: BridgeContext) throws -> TOMLValue? { .string(value.description) }

  func schemaType(_ sample: TOMLValue?) -> SchemaType { SchemaType(.string) }
}

extension LosslessStringConvertible {
  /// Makes the value that a text from a file describes; `nil` if there is none.
  ///
  /// `Character` is the one type of the standard library whose initializer traps on an invalid text.
  init?(describedBy text: String) {
    if Self.self == Character.self, text.isEmpty || !text.dropFirst().isEmpty { return nil }
    self.init(text)
  }
}
