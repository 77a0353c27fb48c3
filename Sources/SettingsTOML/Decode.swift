/// Numbers of text that the parser has found to be one.
enum Numbers {
  /// The integer, or `nil` if it does not fit in 64 bits.
  static func integer(_ base: UnsafePointer<UInt8>, from start: Int, to end: Int) -> Int64? {
    var at = start
    let isNegative = base[at] == UInt8(ascii: "-")
    if isNegative || base[at] == UInt8(ascii: "+") { at += 1 }
    var radix: Int64 = 10
    if end - at > 2, base[at] == UInt8(ascii: "0") {
      switch base[at + 1] {
      case UInt8(ascii: "x"): radix = 16
      case UInt8(ascii: "o"): radix = 8
      case UInt8(ascii: "b"): radix = 2
      default: break
      }
      if radix != 10 { at += 2 }
    }
    var value: Int64 = 0
    while at < end {
      let byte = base[at]
      at += 1
      if byte == UInt8(ascii: "_") { continue }
      let (product, overflow) = value.multipliedReportingOverflow(by: radix)
      let digit = Int64(Byte.hexValue(byte))
      let (sum, overflow2) =
        isNegative ? product.subtractingReportingOverflow(digit) : product.addingReportingOverflow(digit)
      if overflow || overflow2 { return nil }
      value = sum
    }
    return value
  }

  private static let powersOfTen: [Double] = [
    1e0, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10, 1e11, 1e12, 1e13, 1e14, 1e15, 1e16, 1e17, 1e18, 1e19, 1e20,
    1e21, 1e22,
  ]

  /// The nearest double.
  static func float(_ base: UnsafePointer<UInt8>, from start: Int, to end: Int) -> Double {
    var at = start
    let isNegative = base[at] == UInt8(ascii: "-")
    if isNegative || base[at] == UInt8(ascii: "+") { at += 1 }
    if base[at] == UInt8(ascii: "i") { return isNegative ? -.infinity : .infinity }
    if base[at] == UInt8(ascii: "n") { return .nan }
    // Up to 15 digits and a power of ten up to 22 are exact doubles: one operation rounds once.
    var mantissa: UInt64 = 0
    var digits = 0
    var exponent = 0
    var isAfterPoint = false
    while at < end {
      let byte = base[at]
      if Byte.isDigit(byte) {
        if digits < 19 { mantissa = mantissa * 10 + UInt64(byte - 0x30) }
        if mantissa > 0 { digits += 1 }
        if isAfterPoint { exponent -= 1 }
      } else if byte == Byte.dot {
        isAfterPoint = true
      } else if byte != UInt8(ascii: "_") {
        break
      }
      at += 1
    }
    if at < end {
      guard let written = integer(base, from: at + 1, to: end), -9_999...9_999 ~= written else {
        return slowFloat(base, from: start, to: end)
      }
      exponent += Int(written)
    }
    guard digits <= 15, -22...22 ~= exponent else { return slowFloat(base, from: start, to: end) }
    let magnitude =
      exponent < 0 ? Double(mantissa) / powersOfTen[-exponent] : Double(mantissa) * powersOfTen[exponent]
    return isNegative ? -magnitude : magnitude
  }

  private static func slowFloat(_ base: UnsafePointer<UInt8>, from start: Int, to end: Int) -> Double {
    let bytes = UnsafeBufferPointer(start: base + start, count: end - start).filter { $0 != UInt8(ascii: "_") }
    // The text is a float by TOML's grammar, which is narrower than Swift's.
    return Double(String(decoding: bytes, as: UTF8.self)) ?? .nan
  }
}

/// Strings of text that the parser has found to be well-formed.
enum Escapes {
  /// The bytes between two quotes with escapes, escaped line breaks and CRLF line breaks replaced.
  static func decode(_ base: UnsafePointer<UInt8>, from start: Int, to end: Int, isMultiline: Bool) -> [UInt8] {
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
      // A line break: it and all blanks and line breaks after it are left out.
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

  /// The string that a whole literal, with its quotes, stands for.
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
      quote == Byte.quote
      ? decode(base, from: from, to: to, isMultiline: isMultiline) : decodeLiteral(base, from: from, to: to)
    return String(decoding: bytes, as: UTF8.self)
  }
}

/// Makes values of a document's bytes and index.
struct Materializer {
  let base: UnsafePointer<UInt8>
  let tree: Tree

  func value(_ id: Tree.ID) -> TOMLValue {
    let node = tree[id]
    if node.kind.isTable { return .table(table(id)) }
    if node.kind == .arrayOfTables { return .array(tree.children(of: id).map { .table(table($0)) }) }
    return Materializer.scalarOrArray(node, base)
  }

  func table(_ id: Tree.ID) -> TOMLTable {
    var entries: [TOMLTable.Entry] = []
    var count = 0
    var child = tree[id].firstChild
    while child != Tree.none {
      count += 1
      child = tree[child].next
    }
    entries.reserveCapacity(count)
    child = tree[id].firstChild
    while child != Tree.none {
      entries.append(TOMLTable.Entry(key: KeyText.string(tree[child], in: base), value: value(child)))
      child = tree[child].next
    }
    return TOMLTable(distinct: entries)
  }

  static func scalarOrArray(_ node: Node, _ base: UnsafePointer<UInt8>) -> TOMLValue {
    let start = Int(node.start)
    let end = Int(node.end)
    switch node.kind {
    case .string:
      guard node.isPlain else { return .string(Escapes.string(base, from: start, to: end)) }
      let quotes = end - start >= 6 && base[start + 1] == base[start] && base[start + 2] == base[start] ? 3 : 1
      let bytes = UnsafeBufferPointer(start: base + start + quotes, count: end - start - 2 * quotes)
      return .string(String(decoding: bytes, as: UTF8.self))
    case .integer: return .integer(Numbers.integer(base, from: start, to: end) ?? 0)
    case .float: return .float(Numbers.float(base, from: start, to: end))
    case .boolean: return .boolean(base[start] == UInt8(ascii: "t"))
    case .array: return ValueReader.array(base, from: start, to: end)
    case .offsetDateTime, .localDateTime, .localDate: return dateTime(try? DateTimeScan(base, from: start, to: end))
    case .localTime: return dateTime(try? DateTimeScan(base, timeFrom: start, to: end))
    default: return .table(TOMLTable())
    }
  }

  private static func dateTime(_ scan: DateTimeScan?) -> TOMLValue {
    // The parser has read the same bytes the same way.
    guard let scan else { return .localDate(TOMLLocalDate(year: 0, month: 0, day: 0)) }
    switch scan.kind {
    case .offsetDateTime:
      return .offsetDateTime(
        TOMLOffsetDateTime(date: scan.date, time: scan.time, offsetMinutes: scan.offsetMinutes))
    case .localDateTime: return .localDateTime(TOMLLocalDateTime(date: scan.date, time: scan.time))
    case .localTime: return .localTime(scan.time)
    default: return .localDate(scan.date)
    }
  }
}

/// Reads the items of a well-formed array.
struct ValueReader {
  private var parser: Parser

  static func array(_ base: UnsafePointer<UInt8>, from start: Int, to end: Int) -> TOMLValue {
    var reader = ValueReader(parser: Parser(UnsafeBufferPointer(start: base, count: end), isDocument: false))
    reader.parser.at = start
    return reader.array()
  }

  private mutating func array() -> TOMLValue {
    var items: [TOMLValue] = []
    parser.at += 1
    while true {
      // The parser has been over these bytes: nothing here can fail.
      try? parser.skipTrivia()
      guard parser.at < parser.end, parser.base[parser.at] != Byte.closeBracket else { break }
      if parser.base[parser.at] == Byte.comma {
        parser.at += 1
      } else {
        guard let item = item() else { break }
        items.append(item)
      }
    }
    parser.at += 1
    return .array(items)
  }

  private mutating func item() -> TOMLValue? {
    let start = parser.at
    if parser.base[start] == Byte.openBracket { return array() }
    if parser.base[start] == Byte.openBrace {
      var node = Node(kind: .inline)
      node.start = UInt32(start)
      let id = parser.tree.append(node, slot: nil)
      guard (try? parser.parseInlineTable(id, level: 0)) != nil else { return nil }
      let table = Materializer(base: parser.base, tree: parser.tree).table(id)
      parser.tree.clear()
      return .table(table)
    }
    guard let (kind, isPlain) = try? parser.scanValue(level: 0) else { return nil }
    var node = Node(kind: kind)
    node.start = UInt32(start)
    node.end = UInt32(parser.at)
    node.isPlain = isPlain
    return Materializer.scalarOrArray(node, parser.base)
  }
}
