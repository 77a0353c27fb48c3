/// Byte classes of TOML, and searches that look at eight bytes at a time.
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
  static func isDigit(_ byte: UInt8) -> Bool { byte &- 0x30 < 10 }

  @inline(__always)
  static func isHexDigit(_ byte: UInt8) -> Bool { isDigit(byte) || (byte | 0x20) &- 0x61 < 6 }

  @inline(__always)
  static func isBlank(_ byte: UInt8) -> Bool { byte == space || byte == tab }

  /// `A-Za-z0-9_-`
  @inline(__always)
  static func isBareKey(_ byte: UInt8) -> Bool {
    // Bit n of the pair of words says whether byte n is one.
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
    isDigit(byte) ? UInt32(byte &- 0x30) : UInt32((byte | 0x20) &- 0x61) &+ 10
  }
}

enum Scan {
  private static let ones: UInt64 = 0x0101_0101_0101_0101
  private static let tops: UInt64 = 0x8080_8080_8080_8080

  /// The high bit of each byte that is a control character, DEL, or not ASCII. Bits above the first are not reliable.
  @inline(__always)
  private static func special(_ word: UInt64) -> UInt64 {
    let control = (word &- 0x2020_2020_2020_2020) & ~word
    let delete = word ^ 0x7F7F_7F7F_7F7F_7F7F
    return (control | ((delete &- ones) & ~delete) | word) & tops
  }

  @inline(__always)
  private static func equal(_ word: UInt64, _ byte: UInt8) -> UInt64 {
    let difference = word ^ (ones &* UInt64(byte))
    return (difference &- ones) & ~difference & tops
  }

  /// The first position from `at` whose byte is a control character, DEL, not ASCII, or one of the two given.
  @inline(__always)
  static func text(
    _ base: UnsafePointer<UInt8>, from at: Int, to end: Int, stopAt first: UInt8, _ second: UInt8
  ) -> Int {
    var at = at
    while at + 8 <= end {
      let word = KeyHash.load64(base + at)
      let hits = special(word) | equal(word, first) | equal(word, second)
      if hits != 0 { return at + hits.trailingZeroBitCount >> 3 }
      at += 8
    }
    while at < end {
      let byte = base[at]
      if byte < 0x20 || byte >= 0x7F || byte == first || byte == second { break }
      at += 1
    }
    return at
  }

  /// The length of the well-formed UTF-8 sequence of a scalar that is not ASCII, or 0.
  static func scalarLength(_ base: UnsafePointer<UInt8>, at: Int, end: Int) -> Int {
    let lead = base[at]
    func continuation(_ offset: Int, _ low: UInt8 = 0x80, _ high: UInt8 = 0xBF) -> Bool {
      at + offset < end && base[at + offset] >= low && base[at + offset] <= high
    }
    switch lead {
    case 0xC2...0xDF: return continuation(1) ? 2 : 0
    case 0xE0: return continuation(1, 0xA0) && continuation(2) ? 3 : 0
    case 0xED: return continuation(1, 0x80, 0x9F) && continuation(2) ? 3 : 0
    case 0xE1...0xEF: return continuation(1) && continuation(2) ? 3 : 0
    case 0xF0: return continuation(1, 0x90) && continuation(2) && continuation(3) ? 4 : 0
    case 0xF1...0xF3: return continuation(1) && continuation(2) && continuation(3) ? 4 : 0
    case 0xF4: return continuation(1, 0x80, 0x8F) && continuation(2) && continuation(3) ? 4 : 0
    default: return 0
    }
  }
}

extension [UInt8] {
  /// Whether two texts are the same: as `==`, which compares byte by byte, eight at a time.
  package func isSameText(as other: [UInt8]) -> Bool {
    guard count == other.count else { return false }
    return withUnsafeBytes { a in
      other.withUnsafeBytes { b in a.baseAddress == b.baseAddress || Scan.commonPrefix(a, b) == a.count }
    }
  }

  package func isSameText(as other: [UInt8]?) -> Bool { other.map { isSameText(as: $0) } ?? false }
}

extension [UInt8]? {
  /// Whether both are the same bytes, or there are none of either.
  package func isSameText(as other: [UInt8]?) -> Bool { self?.isSameText(as: other) ?? (other == nil) }
}

extension Scan {
  /// How many bytes are the same at the beginning, and at the end after them.
  static func commonEnds(_ a: [UInt8], _ b: [UInt8]) -> (prefix: Int, suffix: Int) {
    a.withUnsafeBytes { a in
      b.withUnsafeBytes { b in
        let prefix = commonPrefix(a, b)
        return (prefix, commonSuffix(a, b, from: prefix))
      }
    }
  }

  /// How many bytes are the same at the beginning.
  static func commonPrefix(_ a: UnsafeRawBufferPointer, _ b: UnsafeRawBufferPointer) -> Int {
    let count = min(a.count, b.count)
    var at = 0
    while at + 8 <= count {
      let x = a.loadUnaligned(fromByteOffset: at, as: UInt64.self)
      guard x == b.loadUnaligned(fromByteOffset: at, as: UInt64.self) else { break }
      at += 8
    }
    while at < count, a[at] == b[at] { at += 1 }
    return at
  }

  /// How many bytes are the same at the end, of those behind `start`.
  static func commonSuffix(_ a: UnsafeRawBufferPointer, _ b: UnsafeRawBufferPointer, from start: Int) -> Int {
    let count = min(a.count, b.count) - start
    var done = 0
    while done + 8 <= count {
      let x = a.loadUnaligned(fromByteOffset: a.count - done - 8, as: UInt64.self)
      guard x == b.loadUnaligned(fromByteOffset: b.count - done - 8, as: UInt64.self) else { break }
      done += 8
    }
    while done < count, a[a.count - done - 1] == b[b.count - done - 1] { done += 1 }
    return done
  }
}
