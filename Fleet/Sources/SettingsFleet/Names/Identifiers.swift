import Crypto

/// The id of an etcd cluster. In JSON and for people it is hexadecimal, as `etcdctl` shows it.
public struct ClusterID: Hashable, Sendable, HexNumber {
  /// The id as etcd has it in the header of each answer.
  public let rawValue: UInt64

  /// Takes an id from a header.
  public init(rawValue: UInt64) { self.rawValue = rawValue }
}

/// The id of an etcd lease. In JSON and for people it is hexadecimal, as `etcdctl` shows it: not every reader of JSON
/// keeps 64 bits of a number.
public struct LeaseID: Hashable, Sendable, HexNumber {
  /// The id as etcd has it.
  public let rawValue: Int64

  /// Takes an id from etcd.
  public init(rawValue: Int64) { self.rawValue = rawValue }
}

/// The SHA-256 of a document's text. In JSON and for people it is 64 hexadecimal digits.
public struct TextDigest: Hashable, Sendable, TextCoded {
  /// 64 hexadecimal digits, in lower case.
  public let hex: String

  /// Computes the digest of a text.
  public init(of text: some Collection<UInt8>) {
    hex = hexDigits(SHA256.hash(data: Array(text)))
  }

  /// Reads 64 hexadecimal digits in lower case; `nil` for any other text.
  public init?(_ hex: String) {
    guard isHex(hex, count: 64) else { return nil }
    self.hex = hex
  }

  /// 64 hexadecimal digits.
  public var description: String { hex }
}

/// A number whose text form is hexadecimal.
///
/// It is no `RawRepresentable`: that has a coding of its own, and between the two the compiler would take neither.
protocol HexNumber: TextCoded, LosslessStringConvertible {
  associatedtype Number: FixedWidthInteger
  var rawValue: Number { get }
  init(rawValue: Number)
}

extension HexNumber {
  /// The number in hexadecimal, in lower case, without zeros in front.
  public var description: String { String(UInt64(truncatingIfNeeded: rawValue), radix: 16) }

  /// Reads up to 16 hexadecimal digits.
  public init?(_ description: String) {
    guard let first = description.utf8.first, first != UInt8(ascii: "+"), description.utf8.count <= 16,
      let bits = UInt64(description, radix: 16)
    else { return nil }
    self.init(rawValue: Number(truncatingIfNeeded: bits))
  }
}

/// Two digits for each byte.
func hexDigits(_ bytes: some Sequence<UInt8>) -> String {
  let digits = Array("0123456789abcdef".utf8)
  var text: [UInt8] = []
  for byte in bytes {
    text.append(digits[Int(byte >> 4)])
    text.append(digits[Int(byte & 15)])
  }
  return String(decoding: text, as: UTF8.self)
}

/// Whether a text has a number of hexadecimal digits in lower case, and nothing else.
package func isHex(_ text: some StringProtocol, count: Int) -> Bool {
  text.utf8.count == count
    && text.utf8.allSatisfy {
      (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) || (UInt8(ascii: "a")...UInt8(ascii: "f")).contains($0)
    }
}
