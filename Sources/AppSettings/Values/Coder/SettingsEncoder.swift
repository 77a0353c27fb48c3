/// Encodes values of `Codable` types as stored values, without text in between.
///
/// ```swift
/// let table = try SettingsEncoder().encode(Window(width: 640, height: 480))  // { width = 640, height = 480 }
/// ```
///
/// Nested ``SettingsSerializable`` types are written by their bridge. Fields that are `nil` are left out.
///
/// It writes what ``SettingsBridge/codable`` writes.
package struct SettingsEncoder: Sendable {
  /// The user info that the type's `encode(to:)` finds in `encoder.userInfo`, as the types of its fields do.
  package var userInfo: [CodingUserInfoKey: any Sendable] = [:]

  /// Makes an encoder.
  package init() {}

  /// Encodes a value in its stored form.
  ///
  /// Fields are in the order in which the type encodes them: for a synthesized conformance, that of its properties.
  ///
  /// - Returns: The stored form: a table for most types, and a value of another kind for types such as arrays.
  /// - Throws: ``SettingsValueError`` with the coding path if TOML cannot represent the value: `nil` by itself or in an
  ///   array, a date after the year 9999, or more levels than `TOMLDocument.maximumDepth`, as in a value that contains
  ///   itself.
  package func encode<T: Encodable>(_ value: T) throws -> TOMLValue {
    guard let encoded = try ValueEncoder.encodeNested(value, { BridgeContext(userInfo: userInfo) }) else {
      throw SettingsValueError(expected: "a value that can be stored", foundText: "nil")
    }
    return encoded
  }
}

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
