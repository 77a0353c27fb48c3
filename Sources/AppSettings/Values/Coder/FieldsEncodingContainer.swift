/// A table being encoded; shared by the containers that write into it.
final class EncodedFields {
  let context: BridgeContext
  let prefix: [String]
  private var table = TOMLTable()
  /// Nested containers. Their content is inserted at the end; until then the table contains placeholders.
  private var nested: [String: ValueEncoder] = [:]
  private var isTooDeep = false

  init(_ context: BridgeContext, _ prefix: [String]) {
    self.context = context
    self.prefix = prefix
  }

  /// The encoded value of a field. Setting it discards a nested container of the same name.
  subscript(name: String) -> TOMLValue? {
    get { table[name] }
    set {
      if !nested.isEmpty { nested[name] = nil }
      table[name] = newValue
    }
  }

  /// Returns the encoder of a nested container or superclass; the existing one if the name has one.
  func encoder(for name: String) -> ValueEncoder {
    if let encoder = nested[name] { return encoder }
    guard context.depth < TOMLDocument.maximumDepth else { return tooDeep() }
    let encoder = ValueEncoder(context.appending(key: name), prefix: prefix + [name])
    table[name] = .table(TOMLTable())
    nested[name] = encoder
    return encoder
  }

  /// Returns an encoder whose content is discarded: containers cannot throw, so ``finish()`` does.
  private func tooDeep() -> ValueEncoder {
    isTooDeep = true
    return ValueEncoder(context, prefix: prefix)
  }

  /// Puts the content of nested containers in place. One that encoded `nil` leaves no field.
  ///
  /// - Throws: ``SettingsValueError`` if something in it cannot be stored, or is nested too deeply.
  func finish() throws -> TOMLValue {
    if isTooDeep { throw SettingsValueError(tooDeepAt: context.path).under(prefix) }
    for (name, encoder) in nested { table[name] = try encoder.finish() }
    return .table(table)
  }
}

/// The keyed container of a table being encoded.
struct FieldsEncodingContainer<Key: CodingKey>: KeyedEncodingContainerProtocol {
  let fields: EncodedFields

  var codingPath: [any CodingKey] { fields.context.path?.codingPath ?? [] }

  /// TOML has no null: a field that is `nil` is left out.
  func encodeNil(forKey key: Key) { fields[key.stringValue] = nil }

  @inline(__always)
  func encode(_ value: some StoredScalar, forKey key: Key) { fields[key.stringValue] = value.stored }

  func encode<T: Encodable>(_ value: T, forKey key: Key) throws {
    let name = key.stringValue
    fields[name] = try at(fields.prefix + [name]) {
      try ValueEncoder.encodeNested(value) { fields.context.appending(key: name) }
    }
  }

  func nestedContainer<Nested: CodingKey>(
    keyedBy type: Nested.Type, forKey key: Key
  ) -> KeyedEncodingContainer<Nested> {
    fields.encoder(for: key.stringValue).container(keyedBy: type)
  }

  func nestedUnkeyedContainer(forKey key: Key) -> any UnkeyedEncodingContainer {
    fields.encoder(for: key.stringValue).unkeyedContainer()
  }

  func superEncoder() -> any Encoder { fields.encoder(for: "super") }

  func superEncoder(forKey key: Key) -> any Encoder { fields.encoder(for: key.stringValue) }
}
