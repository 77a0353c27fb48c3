import FoundationEssentials

/// JSON as the fleet writes it: keys in order, so that equal values have equal texts.
package enum FleetJSON {
  /// The largest signature, acceptance, successor or mark that is read, in bytes.
  package static let mostSmallValue = 4096

  package static func encode(_ value: some Encodable) -> [UInt8] {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
    // Our values hold texts, whole numbers and lists of those: none that JSON does not have.
    return Array(try! encoder.encode(value))
  }

  package static func text(of value: some Encodable) -> String { String(decoding: encode(value), as: UTF8.self) }

  /// - Parameter limit: The number of bytes above which nothing is read.
  package static func decode<Value: Decodable>(
    _ type: Value.Type, from bytes: [UInt8], upTo limit: Int = mostSmallValue
  ) -> Value? {
    bytes.count <= limit ? try? JSONDecoder().decode(type, from: Data(bytes)) : nil
  }

  static func base64(_ bytes: [UInt8]) -> String { Data(bytes).base64EncodedString() }

  static func bytes(base64 text: String) -> [UInt8]? { Data(base64Encoded: text).map { Array($0) } }
}
