/// The part of JSON that the tagged form uses: objects, arrays and strings. Keys keep their order and code points.
public indirect enum JSON: Sendable {
  case string(String)
  case array([JSON])
  case object([(key: String, value: JSON)])

  /// The value of a key.
  public subscript(key: String) -> JSON? {
    guard case .object(let members) = self else { return nil }
    return members.first { $0.key.utf8.elementsEqual(key.utf8) }?.value
  }
}

/// A text that is not JSON.
public struct JSONError: Error {
  /// Makes the error.
  public init() {}
}

extension JSON {
  /// Reads a text.
  public init(parsing bytes: [UInt8]) throws(JSONError) {
    var reader = JSONReader(bytes: bytes)
    self = try reader.value()
    reader.skipBlanks()
    guard reader.at == bytes.count else { throw JSONError() }
  }
}

private struct JSONReader {
  let bytes: [UInt8]
  var at = 0

  mutating func skipBlanks() {
    while at < bytes.count, [0x20, 0x09, 0x0A, 0x0D].contains(bytes[at]) { at += 1 }
  }

  mutating func accept(_ scalar: Unicode.Scalar) -> Bool {
    skipBlanks()
    guard at < bytes.count, bytes[at] == UInt8(ascii: scalar) else { return false }
    at += 1
    return true
  }

  mutating func value() throws(JSONError) -> JSON {
    if accept("{") {
      var members: [(key: String, value: JSON)] = []
      if accept("}") { return .object(members) }
      repeat {
        guard accept("\"") else { throw JSONError() }
        let key = try string()
        guard accept(":") else { throw JSONError() }
        members.append((key, try value()))
      } while accept(",")
      guard accept("}") else { throw JSONError() }
      return .object(members)
    }
    if accept("[") {
      var items: [JSON] = []
      if accept("]") { return .array(items) }
      repeat { items.append(try value()) } while accept(",")
      guard accept("]") else { throw JSONError() }
      return .array(items)
    }
    guard accept("\"") else { throw JSONError() }
    return .string(try string())
  }

  mutating func string() throws(JSONError) -> String {
    var result: [UInt8] = []
    var units: [UInt16] = []
    func flushed() -> [UInt8] { Array(String(decoding: units, as: UTF16.self).utf8) }
    while at < bytes.count {
      let byte = bytes[at]
      at += 1
      if byte == UInt8(ascii: "\\"), at + 4 < bytes.count, bytes[at] == UInt8(ascii: "u") {
        guard let unit = UInt16(String(decoding: bytes[(at + 1)...(at + 4)], as: UTF8.self), radix: 16) else {
          throw JSONError()
        }
        units.append(unit)
        at += 5
        continue
      }
      result += flushed()
      units = []
      if byte == UInt8(ascii: "\"") { return String(decoding: result, as: UTF8.self) }
      guard byte == UInt8(ascii: "\\"), at < bytes.count else {
        result.append(byte)
        continue
      }
      switch bytes[at] {
      case UInt8(ascii: "b"): result.append(0x08)
      case UInt8(ascii: "f"): result.append(0x0C)
      case UInt8(ascii: "n"): result.append(0x0A)
      case UInt8(ascii: "r"): result.append(0x0D)
      case UInt8(ascii: "t"): result.append(0x09)
      default: result.append(bytes[at])
      }
      at += 1
    }
    throw JSONError()
  }
}
