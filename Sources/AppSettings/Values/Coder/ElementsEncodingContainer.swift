/// An array being encoded; shared by the containers that write into it.
final class EncodedElements {
  let context: BridgeContext
  let prefix: [String]
  private var array: [TOMLValue] = []
  /// Nested containers. Their content is inserted at the end; until then the array contains placeholders.
  private var nested: [(index: Int, encoder: ValueEncoder)] = []
  private var isTooDeep = false

  init(_ context: BridgeContext, _ prefix: [String]) {
    self.context = context.over(nil)
    self.prefix = prefix
  }

  var count: Int { array.count }

  func append(_ value: TOMLValue) { array.append(value) }

  /// Adds an element that a nested container will fill, and returns its encoder.
  func appendEncoder() -> ValueEncoder {
    guard context.depth < TOMLDocument.maximumDepth else {
      // Containers cannot throw; `finish()` throws instead.
      isTooDeep = true
      return ValueEncoder(context, prefix: prefix)
    }
    let encoder = ValueEncoder(context.appending(index: count), prefix: prefix + ["[\(count)]"])
    nested.append((count, encoder))
    array.append(.table(TOMLTable()))
    return encoder
  }

  /// Puts the content of nested containers in place.
  ///
  /// - Throws: ``SettingsValueError`` for an element that encodes `nil` or cannot be stored, and for nesting beyond the
  ///   limit.
  func finish() throws -> TOMLValue {
    if isTooDeep { throw SettingsValueError(tooDeepAt: context.path).under(prefix) }
    for (index, encoder) in nested {
      guard let value = try encoder.finish() else { throw nilError(at: index) }
      array[index] = value
    }
    return .array(array)
  }

  /// TOML has no null, and leaving the element out would shift those after it.
  func nilError(at index: Int) -> SettingsValueError {
    SettingsValueError(nilInPlaceOf: "a value").under(prefix + ["[\(index)]"])
  }
}

/// The unkeyed container of an array being encoded.
struct ElementsEncodingContainer: UnkeyedEncodingContainer {
  let elements: EncodedElements

  var codingPath: [any CodingKey] { elements.context.path?.codingPath ?? [] }

  var count: Int { elements.count }

  func encodeNil() throws { throw elements.nilError(at: count) }

  @inline(__always)
  func encode(_ value: some StoredScalar) { elements.append(value.stored) }

  func encode<T: Encodable>(_ value: T) throws {
    let index = count
    let encoded = try at(elements.prefix + ["[\(index)]"]) {
      try ValueEncoder.encodeNested(value) { elements.context.appending(index: index) }
    }
    guard let encoded else { throw elements.nilError(at: index) }
    elements.append(encoded)
  }

  func nestedContainer<Nested: CodingKey>(keyedBy type: Nested.Type) -> KeyedEncodingContainer<Nested> {
    elements.appendEncoder().container(keyedBy: type)
  }

  func nestedUnkeyedContainer() -> any UnkeyedEncodingContainer { elements.appendEncoder().unkeyedContainer() }

  func superEncoder() -> any Encoder { elements.appendEncoder() }
}
