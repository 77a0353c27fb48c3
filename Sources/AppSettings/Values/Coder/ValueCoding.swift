package import SettingsTOML

/// Reading and writing values of `Codable` types, for what is kept beside keys.
package enum ValueCoding {
  /// What the coder hands down to the types' own code.
  package typealias UserInfo = [CodingUserInfoKey: any Sendable]

  /// Reads a value as a type: by its bridge, if it has one.
  ///
  /// - Parameter userInfo: Asked for where something can see it.
  package static func decode<T: Decodable>(
    _ type: T.Type, from value: TOMLValue, userInfo: @autoclosure () -> UserInfo
  ) throws -> T {
    try ValueDecoder.decodeNested(type, from: value, nil) { BridgeContext(userInfo: userInfo()) }
  }

  /// What a value is stored as, by its bridge, if it has one; `nil` for none, as of an optional.
  package static func encode<T: Encodable>(_ value: T, userInfo: @autoclosure () -> UserInfo) throws -> TOMLValue? {
    try ValueEncoder.encodeNested(value) { BridgeContext(userInfo: userInfo()) }
  }

  /// What a type knows of its stored fields.
  package static func knownFields<T: Decodable>(
    of type: T.Type, in fields: TOMLTable, userInfo: @autoclosure () -> UserInfo
  ) -> KnownFields {
    FieldRecorder.record { recorder in
      _ = try? ValueDecoder.decodeNested(type, from: .table(fields), recorder) { BridgeContext(userInfo: userInfo()) }
    }
  }

  /// What a decoder of settings reads; `nil` for a decoder of something else, and where there is nothing.
  package static func value(of decoder: any Decoder) -> TOMLValue? { (decoder as? ValueDecoder)?.value }
}
