/// The encoder that a type's `encode(to:)` gets. A container may be written to even after others were made, so the
/// result is assembled only at the end.
///
/// One is made for each value. Only the writing thread uses it.
final class ValueEncoder: Encoder {
  /// The values encoded so far.
  ///
  /// A type that asks for a table and for an array for the same value traps.
  enum Result {
    case nothing
    case null
    case value(TOMLValue)
    case fields(EncodedFields)
    case elements(EncodedElements)
  }

  let context: BridgeContext
  /// The path from the value that is being encoded; empty except in a nested container.
  let prefix: [String]
  var result = Result.nothing

  init(_ context: BridgeContext, prefix: [String] = []) {
    self.context = context
    self.prefix = prefix
  }

  /// Writes a value with its type's own `Codable` conformance; returns `nil` if it encodes `nil`.
  ///
  /// - Throws: ``SettingsValueError``, to which `EncodingError` and errors of the type's own code are converted.
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

  /// Writes a part of a value: with its bridge, if it has one.
  ///
  /// - Parameter context: Makes the context, for types that need it; types of single values do not.
  static func encodeNested<T: Encodable>(_ value: T, _ context: () -> BridgeContext) throws -> TOMLValue? {
    if let type = T.self as? any SettingsSerializable.Type, let result = try encodeByBridge(value, as: type, context) {
      return result
    }
    return try encode(value, context())
  }

  /// Returns `nil` if the type's bridge is its `Codable` conformance.
  private static func encodeByBridge<T, Same: SettingsSerializable>(
    _ value: T, as type: Same.Type, _ context: () -> BridgeContext
  ) throws -> TOMLValue?? {
    let core = type.settingsBridge.core
    if core.isPlainCodable { return .none }
    return .some(try core.write(value as! Same, core.knowsParts ? context() : BridgeContext()))
  }

  /// Assembles the encoded value. A type that encodes nothing at all becomes an empty table.
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

  /// The table being encoded: all keyed containers of this encoder share it, as a class and its superclass may use it.
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

  @inline(__always)
  func encode(_ value: some StoredScalar) { result = .value(value.stored) }

  func encode<T: Encodable>(_ value: T) throws {
    let encoded = try at(prefix) { try ValueEncoder.encodeNested(value) { context } }
    result = encoded.map(Result.value) ?? .null
  }
}
