@testable import AppSettings

/// Decodes values as bridges decode the parts of a value.
struct SettingsDecoder {
  var userInfo: [CodingUserInfoKey: any Sendable] = [:]

  func decode<T: Decodable>(_ type: T.Type = T.self, from value: TOMLValue) throws -> T {
    try ValueDecoder.decodeNested(type, from: value, nil) { BridgeContext(userInfo: userInfo) }
  }
}

/// Encodes values as bridges encode the parts of a value.
struct SettingsEncoder {
  var userInfo: [CodingUserInfoKey: any Sendable] = [:]

  func encode<T: Encodable>(_ value: T) throws -> TOMLValue {
    guard let encoded = try ValueEncoder.encodeNested(value, { BridgeContext(userInfo: userInfo) }) else {
      throw SettingsValueError(expected: "a value that can be stored", foundText: "nil")
    }
    return encoded
  }
}
