/// The decoder that a type's `init(from:)` gets.
///
/// One is made for each value. Only the reading thread uses it.
final class ValueDecoder: Decoder {
  /// The stored value; `nil` only if `superDecoder` found nothing.
  let value: TOMLValue?
  /// The stored table; empty if the value is no table. Kept here so that a keyed container needs only this object.
  let table: TOMLTable
  let context: BridgeContext
  let recorder: FieldRecorder?
  /// The path from the value whose type is being made; empty except in a nested container. The code that reads that
  /// value adds the rest of the path to errors.
  let prefix: [String]

  /// - Parameters:
  ///   - value: The stored value; `nil` for a superclass that has stored nothing.
  ///   - context: The place of the value, the user info and the base.
  ///   - recorder: Notes what the type requests; `nil` for a plain read.
  ///   - prefix: The path from the value whose type is being made.
  init(_ value: TOMLValue?, _ context: BridgeContext, _ recorder: FieldRecorder?, prefix: [String] = []) {
    self.value = value
    table = if case .table(let table) = value { table } else { TOMLTable() }
    self.context = context
    self.recorder = recorder
    self.prefix = prefix
  }

  /// Reads a value with its type's own `Codable` conformance.
  ///
  /// - Throws: ``SettingsValueError``, to which `DecodingError` and errors of the type's own code are converted.
  static func decode<T: Decodable>(
    _ type: T.Type, from value: TOMLValue, _ context: BridgeContext, _ recorder: FieldRecorder? = nil
  ) throws -> T {
    try context.checkDepth()
    // A dictionary has exactly the entries in the file, and no fields for a default to add.
    let isDictionary = context.base != nil && type is any DictionaryProtocol.Type
    do {
      let result = try T(from: ValueDecoder(value, isDictionary ? context.over(nil) : context, recorder))
      recorder?.noteRead(result)
      return result
    } catch let error as SettingsValueError {
      throw error
    } catch {
      throw SettingsValueError(decoding: type, from: value, context, error)
    }
  }

  /// Reads a part of a value: with its bridge, if it has one.
  ///
  /// - Parameter context: Makes the context, for types that need it; types of single values do not.
  static func decodeNested<T: Decodable>(
    _ type: T.Type, from value: TOMLValue, _ recorder: FieldRecorder?, context: () -> BridgeContext
  ) throws -> T {
    if let serializable = type as? any SettingsSerializable.Type {
      return try decodeByBridge(serializable, as: type, from: value, recorder, context)
    }
    return try decode(type, from: value, context(), recorder)
  }

  // Not `T?` with `nil` for types without their own bridge: that would look up the optional's metadata each time.
  /// Reads a part with the bridge of its type or, if that only uses the type's `Codable` conformance, with
  /// ``decode(_:from:_:_:)``.
  private static func decodeByBridge<Same: SettingsSerializable, T: Decodable>(
    _ type: Same.Type, as result: T.Type, from value: TOMLValue, _ recorder: FieldRecorder?,
    _ context: () -> BridgeContext
  ) throws -> T {
    let core = type.settingsBridge.core
    if core.isPlainCodable { return try decode(result, from: value, context(), recorder) }
    guard core.knowsParts else { return try core.read(value, BridgeContext()) as! T }
    let context = context()
    recorder?.replace(core.knownFields(of: value, context))
    return try core.read(value, context) as! T
  }

  var codingPath: [any CodingKey] { context.path?.codingPath ?? [] }

  var userInfo: [CodingUserInfoKey: Any] { context.userInfo }

  func container<Key: CodingKey>(keyedBy type: Key.Type) throws -> KeyedDecodingContainer<Key> {
    switch value {
    case .table, nil: KeyedDecodingContainer(FieldsDecodingContainer(self))
    case .some(let value): throw SettingsValueError(expected: "a table", found: value).under(prefix)
    }
  }

  func unkeyedContainer() throws -> any UnkeyedDecodingContainer {
    recorder?.askForOther()
    switch value {
    case .array(let elements): return ElementsDecodingContainer(elements, of: self)
    case nil: throw SettingsValueError(missing: "an array", at: prefix)
    case .some(let value): throw SettingsValueError(expected: "an array", found: value).under(prefix)
    }
  }

  func singleValueContainer() throws -> any SingleValueDecodingContainer {
    recorder?.askForOther()
    return self
  }
}

extension ValueDecoder: SingleValueDecodingContainer {
  @inline(__always)
  private func scalar<T>(_ expected: @autoclosure () -> String, _ read: (TOMLValue) throws -> T) throws -> T {
    guard let value else { throw SettingsValueError(missing: expected(), at: prefix) }
    return try at(prefix) { try read(value) }
  }

  func decodeNil() -> Bool { value == nil }

  @inline(__always)
  func decode<T: StoredScalar>(_ type: T.Type) throws -> T { try scalar(T.expectation.one) { try T(stored: $0) } }

  func decode<T: Decodable>(_ type: T.Type) throws -> T {
    try scalar("a value of type \(T.self)") { try ValueDecoder.decodeNested(type, from: $0, recorder) { context } }
  }
}

/// Marks dictionaries among the types to decode.
protocol DictionaryProtocol {}
extension Dictionary: DictionaryProtocol {}

/// Marks optionals among the types to decode, and makes their `nil`.
protocol OptionalProtocol { static var none: Self { get } }
extension Optional: OptionalProtocol {}

extension SettingsValueError {
  /// Converts an error that a type's `init(from:)` has thrown.
  init<T>(decoding type: T.Type, from value: TOMLValue, _ context: BridgeContext, _ error: any Error) {
    guard let error = error as? DecodingError else {
      self.init(wrapping: error, expected: "a value of type \(T.self)", found: value)
      return
    }
    switch error {
    case .keyNotFound(let key, let details):
      self.init(missing: "a value", at: details.path(below: context) + [key.stringValue])
    case .valueNotFound(let type, let details):
      self.init(missing: "a value of type \(type)", at: details.path(below: context))
    case .typeMismatch(let wanted, let details):
      self.init(expected: "a value of type \(wanted)", found: value, reason: details.debugDescription)
      path = details.path(below: context)
    case .dataCorrupted(let details):
      let path = details.path(below: context)
      // The error of a standard enumeration names no choices, so list them here.
      if path.isEmpty, let choices = rawChoices(of: type) {
        self.init(expected: Expectation.choice(of: choices).one, found: value)
      } else {
        self.init(expected: "a value of type \(T.self)", found: value, reason: details.debugDescription)
        self.path = path
      }
    @unknown default:
      self.init(expected: "a value of type \(T.self)", found: value, reason: String(describing: error))
    }
  }
}

extension DecodingError.Context {
  /// The part of the coding path below the value that the type was reading.
  fileprivate func path(below context: BridgeContext) -> [String] {
    codingPath.dropFirst(context.depth).map(\.stringValue)
  }
}

/// Returns the raw values of a type that lists its cases; `nil` for other types.
///
/// It lists only strings and integers.
func rawChoices(of type: Any.Type) -> [TOMLValue]? {
  guard let type = type as? any (CaseIterable & RawRepresentable).Type else { return nil }
  func values<T: CaseIterable & RawRepresentable>(_ type: T.Type) -> [TOMLValue] {
    type.allCases.compactMap { value in
      switch value.rawValue {
      case let string as String: .string(string)
      case let integer as any BinaryInteger: Int64(exactly: integer).map(TOMLValue.integer)
      default: nil
      }
    }
  }
  let choices = values(type)
  return choices.isEmpty ? nil : choices
}
