/// Decodes strings that the parser has accepted.
enum Escapes {
  /// The bytes between two quotes with escapes, escaped line breaks and CRLF line breaks replaced.
  static func decode(_ base: UnsafePointer<UInt8>, from start: Int, to end: Int) -> [UInt8] {
    var result: [UInt8] = []
    result.reserveCapacity(end - start)
    var at = start
    while at < end {
      let byte = base[at]
      if byte == Byte.carriageReturn {
        at += 1  // part of CRLF, which is one newline
      } else if byte != Byte.backslash {
        result.append(byte)
        at += 1
      } else {
        at = appendEscape(base, at: at, to: end, &result)
      }
    }
    return result
  }

  private static func appendEscape(
    _ base: UnsafePointer<UInt8>, at: Int, to end: Int, _ result: inout [UInt8]
  ) -> Int {
    var digits = 0
    switch base[at + 1] {
    case UInt8(ascii: "b"): result.append(0x08)
    case UInt8(ascii: "t"): result.append(0x09)
    case UInt8(ascii: "n"): result.append(0x0A)
    case UInt8(ascii: "f"): result.append(0x0C)
    case UInt8(ascii: "r"): result.append(0x0D)
    case UInt8(ascii: "e"): result.append(0x1B)
    case Byte.quote: result.append(Byte.quote)
    case Byte.backslash: result.append(Byte.backslash)
    case UInt8(ascii: "x"): digits = 2
    case UInt8(ascii: "u"): digits = 4
    case UInt8(ascii: "U"): digits = 8
    default:
      // A line break: it is dropped with all blanks and line breaks after it.
      var next = at + 1
      while next < end, Byte.isBlank(base[next]) || base[next] == Byte.newline || base[next] == Byte.carriageReturn {
        next += 1
      }
      return next
    }
    var value: UInt32 = 0
    for index in 0..<digits { value = value << 4 | Byte.hexValue(base[at + 2 + index]) }
    if digits > 0, let scalar = Unicode.Scalar(value) { result.append(contentsOf: UTF8.encode(scalar)!) }
    return at + 2 + digits
  }

  /// The bytes between two apostrophes with CRLF line breaks replaced.
  static func decodeLiteral(_ base: UnsafePointer<UInt8>, from start: Int, to end: Int) -> [UInt8] {
    UnsafeBufferPointer(start: base + start, count: end - start).filter { $0 != Byte.carriageReturn }
  }

  /// The string of a whole literal with its quotes.
  static func string(_ base: UnsafePointer<UInt8>, from start: Int, to end: Int) -> String {
    let quote = base[start]
    let isMultiline = end - start >= 6 && base[start + 1] == quote && base[start + 2] == quote
    var from = start + (isMultiline ? 3 : 1)
    let to = end - (isMultiline ? 3 : 1)
    if isMultiline, from < to {
      // A line break right after the opening quotes is not part of the value.
      if base[from] == Byte.newline {
        from += 1
      } else if base[from] == Byte.carriageReturn {
        from += 2
      }
    }
    let bytes =
      quote == Byte.quote ? decode(base, from: from, to: to) : decodeLiteral(base, from: from, to: to)
    return String(decoding: bytes, as: UTF8.self)
  }
}
