/// Byte classes of TOML, and searches that test eight bytes at a time.
enum Byte {
  static let tab = UInt8(ascii: "\t")
  static let newline = UInt8(ascii: "\n")
  static let carriageReturn = UInt8(ascii: "\r")
  static let space = UInt8(ascii: " ")
  static let quote = UInt8(ascii: "\"")
  static let apostrophe = UInt8(ascii: "'")
  static let hash = UInt8(ascii: "#")
  static let backslash = UInt8(ascii: "\\")
  static let dot = UInt8(ascii: ".")
  static let comma = UInt8(ascii: ",")
  static let equals = UInt8(ascii: "=")
  static let openBracket = UInt8(ascii: "[")
  static let closeBracket = UInt8(ascii: "]")
  static let openBrace = UInt8(ascii: "{")
  static let closeBrace = UInt8(ascii: "}")
  static let byteOrderMark: [UInt8] = [0xEF, 0xBB, 0xBF]

  @inline(__always)
  static func isHexDigit(_ byte: UInt8) -> Bool { byte.isDigit || (byte | 0x20) &- 0x61 < 6 }

  @inline(__always)
  static func isBlank(_ byte: UInt8) -> Bool { byte == space || byte == tab }

  /// `A-Za-z0-9_-`
  @inline(__always)
  static func isBareKey(_ byte: UInt8) -> Bool {
    // Bit n of the pair of words tells whether byte n is in the class.
    let low: UInt64 = 0x03FF_2000_0000_0000
    let high: UInt64 = 0x07FF_FFFE_87FF_FFFE
    guard byte < 128 else { return false }
    return (byte < 64 ? low : high) >> UInt64(byte & 63) & 1 == 1
  }

  /// Whether a byte can follow a value: blank, line break, `,`, `]`, `}` or `#`.
  @inline(__always)
  static func endsValue(_ byte: UInt8) -> Bool {
    switch byte {
    case space, tab, newline, carriageReturn, comma, closeBracket, closeBrace, hash: true
    default: false
    }
  }

  @inline(__always)
  static func hexValue(_ byte: UInt8) -> UInt32 {
    byte.isDigit ? UInt32(byte &- 0x30) : UInt32((byte | 0x20) &- 0x61) &+ 10
  }
}

extension UInt8 {
  /// Whether the byte is one of `0` to `9`.
  @inlinable @inline(__always) package var isDigit: Bool { self &- 0x30 < 10 }

  /// Whether the byte is a letter of ASCII, small or capital.
  @inlinable @inline(__always) package var isLetter: Bool { (self | 0x20) &- 0x61 < 26 }
}

extension [UInt8] {
  /// Whether two texts are equal: like `==`, which compares byte by byte, but eight at a time.
  package func isSameText(as other: [UInt8]) -> Bool {
    guard count == other.count else { return false }
    return withUnsafeBytes { a in
      other.withUnsafeBytes { b in a.baseAddress == b.baseAddress || Scan.commonPrefix(a, b) == a.count }
    }
  }

  package func isSameText(as other: [UInt8]?) -> Bool { other.map { isSameText(as: $0) } ?? false }
}

extension [UInt8]? {
  /// Whether both have the same bytes, or both are missing.
  package func isSameText(as other: [UInt8]?) -> Bool { self?.isSameText(as: other) ?? (other == nil) }
}
