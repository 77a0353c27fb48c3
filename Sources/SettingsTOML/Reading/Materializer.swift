/// Makes values from a document's bytes and index.
struct Materializer {
  let base: UnsafePointer<UInt8>
  let tree: DocumentIndex

  func value(_ id: DocumentIndex.ID) -> TOMLValue {
    let node = tree[id]
    if node.kind.isTable { return .table(table(id)) }
    if node.kind == .arrayOfTables { return .array(tree.children(of: id).map { .table(table($0)) }) }
    return Materializer.scalarOrArray(node, base)
  }

  func table(_ id: DocumentIndex.ID) -> TOMLTable {
    var entries: [TOMLTable.Entry] = []
    var count = 0
    var child = tree[id].firstChild
    while child != DocumentIndex.none {
      count += 1
      child = tree[child].next
    }
    entries.reserveCapacity(count)
    child = tree[id].firstChild
    while child != DocumentIndex.none {
      entries.append(TOMLTable.Entry(key: KeyText.string(tree[child], in: base), value: value(child)))
      child = tree[child].next
    }
    return TOMLTable(distinct: entries)
  }

  static func scalarOrArray(_ node: IndexNode, _ base: UnsafePointer<UInt8>) -> TOMLValue {
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
      // The parser has accepted these bytes: nothing here can fail.
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
      var node = IndexNode(kind: .inline)
      node.start = UInt32(start)
      let id = parser.tree.append(node, slot: nil)
      guard (try? parser.parseInlineTable(id, level: 0)) != nil else { return nil }
      let table = Materializer(base: parser.base, tree: parser.tree).table(id)
      parser.tree.clear()
      return .table(table)
    }
    guard let (kind, isPlain) = try? parser.scanValue(level: 0) else { return nil }
    var node = IndexNode(kind: kind)
    node.start = UInt32(start)
    node.end = UInt32(parser.at)
    node.isPlain = isPlain
    return Materializer.scalarOrArray(node, parser.base)
  }
}
