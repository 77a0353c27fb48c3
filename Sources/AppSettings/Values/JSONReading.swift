import FoundationEssentials

// Reads the JSON that an earlier release, or another library, stored in a string. The `Codable` conformance of a value
// defines its JSON; a collection without one is JSON of its elements. So the bridges' cores pass a decoder down to the
// parts, and `Decodable` types read themselves.

/// A value of a bridge's type, read from a JSON text.
///
/// A `JSONDecoder` makes only values of `Decodable` types. This type is one, and passes the decoder on to the bridge,
/// which it finds in the user info.
struct JSONForm<Value> {
  let value: Value

  /// Reads a JSON text.
  ///
  /// - Throws: `DecodingError`, or any error of the type's own code.
  static func read(_ text: String, by bridge: SettingsBridge<Value>) throws -> Value {
    let decoder = JSONDecoder()
    decoder.userInfo[bridgeKey] = bridge
    return try decoder.decode(JSONForm<Value>.self, from: Data(text.utf8)).value
  }
}

extension JSONForm: Decodable {
  init(from decoder: any Decoder) throws {
    guard let bridge = decoder.userInfo[bridgeKey] as? SettingsBridge<Value> else {
      throw DecodingError.dataCorrupted(.init(codingPath: [], debugDescription: "nothing says how it is read"))
    }
    value = try bridge.core.readJSON(from: decoder)
  }
}

extension SettingsSerializable {
  /// Reads a JSON text with the type's own conformances, or else with its bridge.
  ///
  /// `SettingsOldForm.json` uses it for values that were stored as JSON in a string.
  ///
  /// - Throws: `DecodingError`, or any error of the type's own code.
  package static func value(ofJSON text: String) throws -> Self { try JSONForm.read(text, by: settingsBridge) }
}

private let bridgeKey = CodingUserInfoKey(rawValue: "org.app-settings.json-form")!

extension BridgeCore {
  func readJSON(from decoder: any Decoder) throws -> Value { try readOwnJSON(from: decoder) }

  /// Reads JSON with the type's `Codable` conformance, or else with this bridge, which reads the same shape in TOML.
  func readOwnJSON(from decoder: any Decoder) throws -> Value {
    func decoded<T: Decodable>(_ type: T.Type) throws -> Value? {
      try decoder.singleValueContainer().decode(type) as? Value
    }
    func bridged() throws -> Value { try read(TOMLValue(from: decoder), BridgeContext()) }
    guard let type = Value.self as? any Decodable.Type else { return try bridged() }
    do {
      if let value = try decoded(type) { return value }
    } catch {
      // The conformance may have changed since, while the shape stayed the same.
      if let value = try? bridged() { return value }
      throw error
    }
    return try bridged()
  }

  /// Reads the elements of a JSON array in order.
  ///
  /// - Throws: `DecodingError` if the JSON is not an array, or what reading an element throws.
  func readJSONElements(from decoder: any Decoder, _ body: (Value) -> Void) throws {
    var elements = try decoder.unkeyedContainer()
    while !elements.isAtEnd { body(try readJSON(from: elements.superDecoder())) }
  }

  /// Reads the entries of a JSON object, or of an array of alternating keys and values: the form in which `Codable`
  /// writes dictionaries whose keys are neither strings nor integers.
  func readJSONEntries<Key: SettingsSerializable>(
    from decoder: any Decoder, by keys: DictionaryKeyCoding<Key>, _ body: (Key, Value) -> Void
  ) throws {
    if let entries = try? decoder.container(keyedBy: PathKey.self) {
      for key in entries.allKeys {
        body(try keys.key(key.stringValue), try readJSON(from: entries.superDecoder(forKey: key)))
      }
      return
    }
    var entries = try decoder.unkeyedContainer()
    while !entries.isAtEnd {
      let key = try Key.settingsBridge.core.readJSON(from: entries.superDecoder())
      body(key, try readJSON(from: entries.superDecoder()))
    }
  }
}
