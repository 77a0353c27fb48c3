extension JSON {
  /// The reason why a text is not JSON.
  struct ParseError: Error, Equatable {
    let reason: String
    /// The offset of the byte at which it shows.
    let offset: Int
  }

  /// Parses a text of UTF-8.
  ///
  /// A member that is named twice is refused: two readers could disagree about which one to use.
  init(parsing bytes: some Collection<UInt8>) throws(ParseError) {
    var parser = JSONParser(Array(bytes))
    self = try parser.whole()
  }

  /// The value of one member of an object, without parsing those behind it.
  ///
  /// - Returns: `nil` if the object does not have it; or if this is not an object of JSON, as far as it was read.
  static func member(_ name: String, of bytes: [UInt8]) -> JSON? {
    var parser = JSONParser(bytes)
    return try? parser.member(name)
  }
}

/// A parser of strict JSON (RFC 8259), with a limit to how deep values are nested.
private struct JSONParser {
  private let bytes: [UInt8]
  private var offset = 0
  private static let mostDepth = 128

  init(_ bytes: [UInt8]) { self.bytes = bytes }

  mutating func whole() throws(JSON.ParseError) -> JSON {
    let value = try value(depth: 0)
    skipSpace()
    guard offset == bytes.count else { throw failure("something follows the value") }
    return value
  }

  mutating func member(_ name: String) throws(JSON.ParseError) -> JSON? {
    try expect("{")
    skipSpace()
    if take("}") { return nil }
    repeat {
      skipSpace()
      let found = try string()
      try expect(":")
      let value = try value(depth: 1)
      if found == name { return value }
      skipSpace()
    } while take(",")
    return nil
  }

  private mutating func value(depth: Int) throws(JSON.ParseError) -> JSON {
    guard depth <= Self.mostDepth else { throw failure("it is nested more than \(Self.mostDepth) levels deep") }
    skipSpace()
    guard offset < bytes.count else { throw failure("it ends where a value is expected") }
    switch bytes[offset] {
    case UInt8(ascii: "{"): return try object(depth: depth)
    case UInt8(ascii: "["): return try array(depth: depth)
    case UInt8(ascii: "\""): return .string(try string())
    case UInt8(ascii: "-"), UInt8(ascii: "0")...UInt8(ascii: "9"): return try number()
    default:
      for (word, value) in [("null", JSON.null), ("true", .bool(true)), ("false", .bool(false))]
      where bytes[offset...].starts(with: word.utf8) {
        offset += word.utf8.count
        return value
      }
      throw failure("a value is expected")
    }
  }

  private mutating func object(depth: Int) throws(JSON.ParseError) -> JSON {
    try expect("{")
    var members: [JSON.Member] = []
    // By their bytes: to TOML, two spellings of the same letter are different.
    var names: Set<[UInt8]> = []
    skipSpace()
    if take("}") { return .object([]) }
    repeat {
      skipSpace()
      let name = try string()
      guard names.insert(Array(name.utf8)).inserted else { throw failure("a member has the same name as another one") }
      try expect(":")
      members.append(JSON.Member(name: name, value: try value(depth: depth + 1)))
      skipSpace()
    } while take(",")
    try expect("}")
    return .object(members)
  }

  private mutating func array(depth: Int) throws(JSON.ParseError) -> JSON {
    try expect("[")
    var elements: [JSON] = []
    skipSpace()
    if take("]") { return .array([]) }
    repeat {
      elements.append(try value(depth: depth + 1))
      skipSpace()
    } while take(",")
    try expect("]")
    return .array(elements)
  }

  private mutating func number() throws(JSON.ParseError) -> JSON {
    let start = offset
    _ = take("-")
    if !take("0") { try digits() }
    if take(".") { try digits() }
    if take("e") || take("E") {
      if !take("+") { _ = take("-") }
      try digits()
    }
    return .number(String(decoding: bytes[start..<offset], as: UTF8.self))
  }

  private mutating func digits() throws(JSON.ParseError) {
    let start = offset
    while offset < bytes.count, (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(bytes[offset]) { offset += 1 }
    guard offset > start else { throw failure("a digit is expected") }
  }

  private mutating func string() throws(JSON.ParseError) -> String {
    try expect("\"")
    var text: [UInt8] = []
    while true {
      guard offset < bytes.count else { throw failure("a string does not end") }
      let byte = bytes[offset]
      offset += 1
      switch byte {
      case UInt8(ascii: "\""):
        guard let string = String(validating: text, as: UTF8.self) else { throw failure("a string is not UTF-8") }
        return string
      case 0..<0x20: throw failure("a control character in a string is not escaped")
      case UInt8(ascii: "\\"): text += String(try escaped()).utf8
      default: text.append(byte)
      }
    }
  }

  private mutating func escaped() throws(JSON.ParseError) -> Unicode.Scalar {
    guard offset < bytes.count else { throw failure("a string does not end") }
    let byte = bytes[offset]
    offset += 1
    switch byte {
    case UInt8(ascii: "\""), UInt8(ascii: "\\"), UInt8(ascii: "/"): return Unicode.Scalar(byte)
    case UInt8(ascii: "b"): return "\u{8}"
    case UInt8(ascii: "f"): return "\u{c}"
    case UInt8(ascii: "n"): return "\n"
    case UInt8(ascii: "r"): return "\r"
    case UInt8(ascii: "t"): return "\t"
    case UInt8(ascii: "u"):
      let first = try unit()
      if let scalar = Unicode.Scalar(first) { return scalar }
      guard first < 0xDC00, take("\\"), take("u") else { throw failure("half of a surrogate pair is missing") }
      let second = try unit()
      guard (0xDC00..<0xE000).contains(second),
        let scalar = Unicode.Scalar(0x10000 + (first - 0xD800) << 10 + (second - 0xDC00))
      else { throw failure("half of a surrogate pair is missing") }
      return scalar
    default: throw failure("there is no such escape sequence")
    }
  }

  private mutating func unit() throws(JSON.ParseError) -> UInt32 {
    guard offset + 4 <= bytes.count else { throw failure("a string does not end") }
    var unit: UInt32 = 0
    for byte in bytes[offset..<offset + 4] {
      guard let digit = Character(Unicode.Scalar(byte)).hexDigitValue else { throw failure("four digits are expected") }
      unit = unit << 4 | UInt32(digit)
    }
    offset += 4
    return unit
  }

  private mutating func skipSpace() {
    while offset < bytes.count, [0x20, 0x09, 0x0A, 0x0D].contains(bytes[offset]) { offset += 1 }
  }

  private mutating func take(_ character: Unicode.Scalar) -> Bool {
    guard offset < bytes.count, bytes[offset] == UInt8(ascii: character) else { return false }
    offset += 1
    return true
  }

  private mutating func expect(_ character: Unicode.Scalar) throws(JSON.ParseError) {
    skipSpace()
    guard take(character) else { throw failure("'\(character)' is expected") }
  }

  private func failure(_ reason: String) -> JSON.ParseError { JSON.ParseError(reason: reason, offset: offset) }
}
