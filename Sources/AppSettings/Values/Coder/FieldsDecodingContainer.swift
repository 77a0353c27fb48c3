/// The keyed container of a stored table.
///
/// Only `decode`, which reads required fields, uses the base. `contains` and `decodeIfPresent` do not: a missing
/// optional field is how `nil` is stored, and a type that checks for several forms must find the stored one.
struct FieldsDecodingContainer<Key: CodingKey>: KeyedDecodingContainerProtocol {
  // A single reference, because the standard library copies the container for each field.
  private let decoder: ValueDecoder

  init(_ decoder: ValueDecoder) {
    self.decoder = decoder
    decoder.recorder?.becomeRecord(Key.self)
  }

  private var table: TOMLTable { decoder.table }
  private var context: BridgeContext { decoder.context }
  private var recorder: FieldRecorder? { decoder.recorder }
  /// The path from the value whose type is being made; empty except in a nested container.
  private var prefix: [String] { decoder.prefix }

  var codingPath: [any CodingKey] { context.path?.codingPath ?? [] }

  var allKeys: [Key] {
    // A type that requests the list of keys uses them all, as dictionaries do.
    recorder?.becomeEntries()
    return table.keys.compactMap(Key.init(stringValue:))
  }

  func contains(_ key: Key) -> Bool {
    recorder?.note(key.stringValue)
    return table[key.stringValue] != nil
  }

  func decodeNil(forKey key: Key) throws -> Bool { !contains(key) }

  /// Reads a required field: the stored one, or else the one in the base.
  @inline(__always)
  func decode<T: StoredScalar>(_ type: T.Type, forKey key: Key) throws -> T {
    let name = key.stringValue
    recorder?.note(name, as: T.self, sample: table[name], isRequired: true)
    guard let value = table[name] ?? context.base?[name] ?? recorder?.sample(name, of: T.self) else {
      throw SettingsValueError(missing: T.expectation.one, at: prefix + [name])
    }
    return try at(prefix + [name]) { try T(stored: value) }
  }

  func decode<T: Decodable>(_ type: T.Type, forKey key: Key) throws -> T {
    let name = key.stringValue
    let base = context.base?[name]
    let stored = table[name]
    if stored == nil, let optional = type as? any OptionalProtocol.Type {
      recorder?.note(name, as: type, sample: nil)
      return optional.none as! T
    }
    let value = stored ?? base ?? recorder?.sample(name, of: type)
    recorder?.note(name, as: type, sample: value, isRequired: true)
    guard let value else { throw SettingsValueError(missing: missingDescription(type), at: prefix + [name]) }
    return try at(prefix + [name]) {
      try ValueDecoder.decodeNested(type, from: value, recorder?.child(name)) { inner(key, base) }
    }
  }

  /// Returns the description of a valid value for a missing field.
  private func missingDescription(_ type: Any.Type) -> String {
    func expected<T: SettingsSerializable>(_ type: T.Type) -> String { type.settingsBridge.expected }
    return (type as? any SettingsSerializable.Type).map { expected($0) } ?? "a value of type \(type)"
  }

  /// The context of a field.
  private func inner(_ key: Key, _ base: TOMLValue? = nil) -> BridgeContext {
    var inner = context.appending(key: key.stringValue)
    inner.base = base?.table
    return inner
  }
}

// The default `decodeIfPresent`s request a field twice, and the second request would use the base. Each is here for
// itself, because a default of the type itself goes before a generic function.
extension FieldsDecodingContainer {
  func decodeIfPresent(_ type: Bool.Type, forKey key: Key) throws -> Bool? { try scalarIfPresent(key) }
  func decodeIfPresent(_ type: String.Type, forKey key: Key) throws -> String? { try scalarIfPresent(key) }
  func decodeIfPresent(_ type: Double.Type, forKey key: Key) throws -> Double? { try scalarIfPresent(key) }
  func decodeIfPresent(_ type: Float.Type, forKey key: Key) throws -> Float? { try scalarIfPresent(key) }
  func decodeIfPresent(_ type: Int.Type, forKey key: Key) throws -> Int? { try scalarIfPresent(key) }
  func decodeIfPresent(_ type: Int8.Type, forKey key: Key) throws -> Int8? { try scalarIfPresent(key) }
  func decodeIfPresent(_ type: Int16.Type, forKey key: Key) throws -> Int16? { try scalarIfPresent(key) }
  func decodeIfPresent(_ type: Int32.Type, forKey key: Key) throws -> Int32? { try scalarIfPresent(key) }
  func decodeIfPresent(_ type: Int64.Type, forKey key: Key) throws -> Int64? { try scalarIfPresent(key) }
  func decodeIfPresent(_ type: UInt.Type, forKey key: Key) throws -> UInt? { try scalarIfPresent(key) }
  func decodeIfPresent(_ type: UInt8.Type, forKey key: Key) throws -> UInt8? { try scalarIfPresent(key) }
  func decodeIfPresent(_ type: UInt16.Type, forKey key: Key) throws -> UInt16? { try scalarIfPresent(key) }
  func decodeIfPresent(_ type: UInt32.Type, forKey key: Key) throws -> UInt32? { try scalarIfPresent(key) }
  func decodeIfPresent(_ type: UInt64.Type, forKey key: Key) throws -> UInt64? { try scalarIfPresent(key) }

  /// Reads an optional field, which is `nil` if it is not stored, even if the base has it.
  @inline(__always)
  private func scalarIfPresent<T: StoredScalar>(_ key: Key) throws -> T? {
    let name = key.stringValue
    recorder?.note(name, as: T.self, sample: table[name])
    guard let value = table[name] else { return nil }
    return try at(prefix + [name]) { try T(stored: value) }
  }

  func decodeIfPresent<T: Decodable>(_ type: T.Type, forKey key: Key) throws -> T? {
    let name = key.stringValue
    recorder?.note(name, as: type, sample: table[name])
    guard let value = table[name] else { return nil }
    return try at(prefix + [name]) {
      try ValueDecoder.decodeNested(type, from: value, recorder?.child(name)) { inner(key, context.base?[name]) }
    }
  }
}

extension FieldsDecodingContainer {
  func nestedContainer<Nested: CodingKey>(
    keyedBy type: Nested.Type, forKey key: Key
  ) throws -> KeyedDecodingContainer<Nested> {
    try nestedDecoder(key, "a table").container(keyedBy: type)
  }

  func nestedUnkeyedContainer(forKey key: Key) throws -> any UnkeyedDecodingContainer {
    try nestedDecoder(key, "an array").unkeyedContainer()
  }

  private func nestedDecoder(_ key: Key, _ expected: String) throws -> ValueDecoder {
    let name = key.stringValue
    let base = context.base?[name]
    guard let value = table[name] ?? base else { throw SettingsValueError(missing: expected, at: prefix + [name]) }
    return ValueDecoder(value, inner(key, base), recorder?.child(name), prefix: prefix + [name])
  }

  func superDecoder() throws -> any Decoder { superDecoder(name: "super") }

  func superDecoder(forKey key: Key) throws -> any Decoder { superDecoder(name: key.stringValue) }

  /// A class without its own fields has stored nothing, so a missing value is not an error yet.
  private func superDecoder(name: String) -> ValueDecoder {
    let base = context.base?[name]
    var inner = context.appending(key: name)
    inner.base = base?.table
    return ValueDecoder(table[name] ?? base, inner, recorder?.child(name), prefix: prefix + [name])
  }
}
