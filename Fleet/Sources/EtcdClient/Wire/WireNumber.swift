/// A 64-bit number, which etcd's JSON writes as text.
struct WireNumber<Value: FixedWidthInteger & Codable & Sendable>: Codable, Sendable {
  let value: Value

  init(_ value: Value) { self.value = value }

  init(from decoder: any Decoder) throws {
    let container = try decoder.singleValueContainer()
    if let text = try? container.decode(String.self) {
      guard let value = Value(text) else {
        throw DecodingError.dataCorruptedError(in: container, debugDescription: "'\(text)' is not a 64-bit number.")
      }
      self.value = value
    } else {
      self.value = try container.decode(Value.self)
    }
  }

  func encode(to encoder: any Encoder) throws {
    var container = encoder.singleValueContainer()
    try container.encode(String(value))
  }
}

typealias WireInt = WireNumber<Int64>
typealias WireUInt = WireNumber<UInt64>
