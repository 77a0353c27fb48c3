/// Makes what is to be stored of values of `Codable` types, with no text in between.
///
/// ```swift
/// let table = try SettingsEncoder().encode(Window(width: 640, height: 480))  // { width = 640, height = 480 }
/// ```
///
/// Types in the value that are ``SettingsSerializable`` are written by their bridge. Fields that are `nil` are left out.
public struct SettingsEncoder: Sendable {
  /// What the type's `encode(to:)` finds in `encoder.userInfo`.
  public var userInfo: [CodingUserInfoKey: any Sendable] = [:]

  /// Makes an encoder.
  public init() {}

  /// Makes what is to be stored of a value.
  ///
  /// - Throws: ``SettingsValueError`` with the coding path, where TOML cannot hold a value: `nil` by itself or in an
  ///   array, a date after the year 9999, more levels than `TOMLDocument.maximumDepth`, as in a value that holds
  ///   itself.
  public func encode<T: Encodable>(_ value: T) throws -> TOMLValue {
    guard let encoded = try ValueEncoder.encodeNested(value, { BridgeContext(userInfo: userInfo) }) else {
      throw SettingsValueError(expected: "a value that can be stored", foundText: "nil")
    }
    return encoded
  }
}

/// The encoder that a type's `encode(to:)` gets. Containers write into it, and may still do so after others were made:
/// what was encoded is put together only at the end.
final class ValueEncoder: Encoder {
  /// What has been encoded.
  enum Result {
    case nothing
    case null
    case value(TOMLValue)
    case fields(EncodedFields)
    case elements(EncodedElements)
  }

  let context: BridgeContext
  /// The way here from the value that is being encoded, empty unless through a nested container.
  let prefix: [String]
  var result = Result.nothing

  init(_ context: BridgeContext, prefix: [String] = []) {
    self.context = context
    self.prefix = prefix
  }

  /// Writes a value by its type's own `Codable` conformance; `nil` if it encodes `nil`.
  static func encode(_ value: some Encodable, _ context: BridgeContext) throws -> TOMLValue? {
    try context.checkDepth()
    let encoder = ValueEncoder(context)
    do {
      try value.encode(to: encoder)
      return try encoder.finish()
    } catch let error as SettingsValueError {
      throw error
    } catch {
      var reason = String(describing: error)
      var path: [String] = []
      if case .invalidValue(_, let details) = error as? EncodingError {
        reason = details.debugDescription
        path = details.codingPath.dropFirst(context.depth).map(\.stringValue)
      }
      throw SettingsValueError(
        expected: "a value that can be stored", foundText: "one of type \(type(of: value))", reason: reason
      ).under(path)
    }
  }

  /// Writes a value that is part of another: by its bridge, if it has one.
  ///
  /// - Parameter context: Makes the context, for those who need it: types that are a single value do not.
  static func encodeNested<T: Encodable>(_ value: T, _ context: () -> BridgeContext) throws -> TOMLValue? {
    if let type = T.self as? any SettingsSerializable.Type, let result = try encodeByBridge(value, as: type, context) {
      return result
    }
    return try encode(value, context())
  }

  /// `nil` if the type's bridge is its `Codable` conformance.
  private static func encodeByBridge<T, Same: SettingsSerializable>(
    _ value: T, as type: Same.Type, _ context: () -> BridgeContext
  ) throws -> TOMLValue?? {
    let core = type.settingsBridge.core
    if core.isPlainCodable { return .none }
    return .some(try core.write(value as! Same, core.knowsParts ? context() : BridgeContext()))
  }

  /// What has been encoded, put together; a type that encodes nothing at all is an empty table.
  func finish() throws -> TOMLValue? {
    switch result {
    case .nothing: .table(TOMLTable())
    case .null: nil
    case .value(let value): value
    case .fields(let fields): try fields.finish()
    case .elements(let elements): try elements.finish()
    }
  }

  var codingPath: [any CodingKey] { context.path?.codingPath ?? [] }

  var userInfo: [CodingUserInfoKey: Any] { context.userInfo }

  func container<Key: CodingKey>(keyedBy type: Key.Type) -> KeyedEncodingContainer<Key> {
    KeyedEncodingContainer(FieldsEncodingContainer<Key>(fields: fields()))
  }

  func unkeyedContainer() -> any UnkeyedEncodingContainer { ElementsEncodingContainer(elements: elements()) }

  func singleValueContainer() -> any SingleValueEncodingContainer { self }

  /// The table being encoded: one for all keyed containers of this encoder, as a class and its superclass may share it.
  func fields() -> EncodedFields {
    switch result {
    case .fields(let fields): return fields
    case .nothing:
      let fields = EncodedFields(context, prefix)
      result = .fields(fields)
      return fields
    default: preconditionFailure("\(codingPath) is encoded as a table after it was encoded as something else")
    }
  }

  /// The array being encoded.
  func elements() -> EncodedElements {
    switch result {
    case .elements(let elements): return elements
    case .nothing:
      let elements = EncodedElements(context, prefix)
      result = .elements(elements)
      return elements
    default: preconditionFailure("\(codingPath) is encoded as an array after it was encoded as something else")
    }
  }
}

extension ValueEncoder: SingleValueEncodingContainer {
  func encodeNil() { result = .null }

  func encode(_ value: Bool) { result = .value(.boolean(value)) }
  func encode(_ value: String) { result = .value(.string(value)) }
  func encode(_ value: Double) { result = .value(.float(value)) }
  func encode(_ value: Float) { result = .value(value.stored) }
  func encode(_ value: Int) { result = .value(value.stored) }
  func encode(_ value: Int8) { result = .value(value.stored) }
  func encode(_ value: Int16) { result = .value(value.stored) }
  func encode(_ value: Int32) { result = .value(value.stored) }
  func encode(_ value: Int64) { result = .value(value.stored) }
  func encode(_ value: UInt) { result = .value(value.stored) }
  func encode(_ value: UInt8) { result = .value(value.stored) }
  func encode(_ value: UInt16) { result = .value(value.stored) }
  func encode(_ value: UInt32) { result = .value(value.stored) }
  func encode(_ value: UInt64) { result = .value(value.stored) }

  func encode<T: Encodable>(_ value: T) throws {
    let encoded = try at(prefix) { try ValueEncoder.encodeNested(value) { context } }
    result = encoded.map(Result.value) ?? .null
  }
}
