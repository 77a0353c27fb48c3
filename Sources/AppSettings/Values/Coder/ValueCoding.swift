package import SettingsTOML

/// Reads and writes values of `Codable` types for data stored apart from keys.
///
/// `Garage` stores its objects with it. Keys, defaults and constraints play no part.
package enum ValueCoding {
  /// The user info that the coder passes to the types' own code.
  package typealias UserInfo = [CodingUserInfoKey: any Sendable]

  /// Reads a value as a type: with its bridge, if it has one.
  ///
  /// - Parameter userInfo: The user info, requested only if some code can use it.
  /// - Throws: ``SettingsValueError`` if the value cannot be read as the type.
  package static func decode<T: Decodable>(
    _ type: T.Type, from value: TOMLValue, userInfo: @autoclosure () -> UserInfo
  ) throws -> T {
    try ValueDecoder.decodeNested(type, from: value, nil) { BridgeContext(userInfo: userInfo()) }
  }

  /// Returns the stored form of a value: by its bridge, if it has one; `nil` if nothing is stored, as for an optional.
  ///
  /// - Throws: ``SettingsValueError`` if TOML cannot represent the value.
  package static func encode<T: Encodable>(_ value: T, userInfo: @autoclosure () -> UserInfo) throws -> TOMLValue? {
    try ValueEncoder.encodeNested(value) { BridgeContext(userInfo: userInfo()) }
  }

  /// Returns the stored fields that a type knows.
  ///
  /// The type reads the fields to show that. If it fails, the result is what it has requested by then.
  package static func knownFields<T: Decodable>(
    of type: T.Type, in fields: TOMLTable, userInfo: @autoclosure () -> UserInfo
  ) -> KnownFields {
    FieldRecorder.record { recorder in
      _ = try? ValueDecoder.decodeNested(type, from: .table(fields), recorder) { BridgeContext(userInfo: userInfo()) }
    }
  }

  /// Returns the value that a settings decoder reads; `nil` for other decoders, and if there is no value.
  package static func value(of decoder: any Decoder) -> TOMLValue? { (decoder as? ValueDecoder)?.value }
}
