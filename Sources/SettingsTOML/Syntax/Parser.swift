/// Parses a document's bytes once, from front to back, and builds its index.
///
/// Only brackets within brackets recurse, to at most ``TextLimits/bracketDepth``.
struct Parser {
  let base: UnsafePointer<UInt8>
  let end: Int
  var at = 0
  var tree: DocumentIndex
  /// The index of inline tables in arrays, needed only to find duplicate keys.
  var scratch = DocumentIndex()
  var isInScratch = false
  /// The table that key lines belong to, and its level.
  var table = DocumentIndex.root
  var level = 0
  var brackets = 0
  /// The bytes of the last key read, if they differ from those of the document.
  var decodedKey: [UInt8] = []

  /// - Parameter isDocument: Whether all bytes will be indexed.
  init(_ bytes: UnsafeBufferPointer<UInt8>, isDocument: Bool) {
    // An empty array may have no address; this one is never read through.
    base = bytes.baseAddress ?? UnsafePointer(bitPattern: 1)!
    end = bytes.count
    tree = DocumentIndex(expectedCount: isDocument ? Parser.expectedNodeCount(bytes) : 0)
  }

  /// Estimates the number of keys and tables from the beginning of a text.
  private static func expectedNodeCount(_ bytes: UnsafeBufferPointer<UInt8>) -> Int {
    guard bytes.count <= TextLimits.size else { return 0 }
    let sampled = min(bytes.count, 2048)
    var (count, isComment) = (0, false)
    for index in 0..<sampled {
      if index == 0 || bytes[index - 1] == Byte.newline {
        isComment = bytes[index] == Byte.hash
        if bytes[index] == Byte.openBracket { count += 1 }
      }
      if bytes[index] == Byte.equals, !isComment { count += 1 }
    }
    guard sampled < bytes.count else { return count }
    // A beginning that is a string full of '=' says nothing of the rest: hardly a key takes less than eight bytes.
    return min(Int(Double(count) / Double(sampled) * 1.1 * Double(bytes.count)), bytes.count / 8)
  }

  /// Parses the rest, from the beginning of a line that is not inside a value.
  mutating func parseDocument() throws(SyntaxFault) {
    guard end <= TextLimits.size else { throw SyntaxFault(.tooLarge, at: 0) }
    if at == 0, UnsafeBufferPointer(start: base, count: end).starts(with: Byte.byteOrderMark) { at = 3 }
    while at < end {
      let byte = base[at]
      switch byte {
      case Byte.space, Byte.tab, Byte.newline: at += 1
      case Byte.carriageReturn: try skipCarriageReturn()
      case Byte.hash: try skipComment()
      case Byte.openBracket:
        try parseHeader()
        try finishLine(.textAfterHeader)
      default:
        try parseKeyValue(in: table, level: level)
        try finishLine(.textAfterValue)
      }
    }
  }

  // MARK: What stands between things

  @inline(__always)
  mutating func skipBlanks() {
    while at < end, Byte.isBlank(base[at]) { at += 1 }
  }

  mutating func skipCarriageReturn() throws(SyntaxFault) {
    guard at + 1 < end, base[at + 1] == Byte.newline else { throw SyntaxFault(.bareCarriageReturn, at: at) }
    at += 2
  }

  /// Skips to the end of a comment's line, not past the line break.
  mutating func skipComment() throws(SyntaxFault) {
    at += 1
    while true {
      at = Scan.text(base, from: at, to: end, stopAt: Byte.newline, Byte.newline)
      guard at < end else { return }
      let byte = base[at]
      if byte == Byte.newline { return }
      if byte == Byte.tab {
        at += 1
      } else if byte == Byte.carriageReturn {
        guard at + 1 < end, base[at + 1] == Byte.newline else { throw SyntaxFault(.bareCarriageReturn, at: at) }
        return
      } else if byte >= 0x80 {
        try skipScalar()
      } else {
        throw SyntaxFault(.controlInComment, at: at)
      }
    }
  }

  /// Skips a scalar that is not ASCII.
  mutating func skipScalar() throws(SyntaxFault) {
    let length = Scan.scalarLength(base, at: at, end: end)
    guard length > 0 else { throw SyntaxFault(.invalidUTF8, at: at) }
    at += length
  }

  @inline(__always)
  mutating func finishLine(_ fault: SyntaxFault.Kind) throws(SyntaxFault) {
    skipBlanks()
    guard at < end else { return }
    if base[at] == Byte.newline {
      at += 1
    } else {
      try finishLineSlowly(fault)
    }
  }

  private mutating func finishLineSlowly(_ fault: SyntaxFault.Kind) throws(SyntaxFault) {
    if base[at] == Byte.hash { try skipComment() }
    guard at < end else { return }
    switch base[at] {
    case Byte.newline: at += 1
    case Byte.carriageReturn: try skipCarriageReturn()
    default: throw SyntaxFault(fault, at: at)
    }
  }

  /// Skips blanks, line breaks and comments, which are allowed between the items of brackets.
  mutating func skipTrivia() throws(SyntaxFault) {
    while at < end {
      switch base[at] {
      case Byte.space, Byte.tab, Byte.newline: at += 1
      case Byte.carriageReturn: try skipCarriageReturn()
      case Byte.hash: try skipComment()
      default: return
      }
    }
  }

  // MARK: Keys

  /// A key as it was read: its place, and its bytes, valid until the next key is read.
  struct Key {
    var start: Int
    var end: Int
    var style: IndexNode.KeyStyle

    /// The node of the key in a table, with the key's own place for that of its value.
    @inline(__always)
    func node(_ kind: IndexNode.Kind, in parent: DocumentIndex.ID, _ hash: UInt32) -> IndexNode {
      var node = IndexNode(kind: kind)
      node.parent = parent
      node.hash = hash
      node.keyStart = UInt32(truncatingIfNeeded: start)
      node.keyEnd = UInt32(truncatingIfNeeded: end)
      node.start = node.keyStart
      node.end = node.keyEnd
      node.keyStyle = style
      return node
    }
  }

  @inline(__always)
  mutating func parseKey() throws(SyntaxFault) -> Key {
    let start = at
    while at < end, Byte.isBareKey(base[at]) { at += 1 }
    if at > start { return Key(start: start, end: at, style: .bare) }
    return try parseQuotedKey()
  }

  private mutating func parseQuotedKey() throws(SyntaxFault) -> Key {
    let start = at
    guard at < end else { throw SyntaxFault(.expectedKey, at: at) }
    let quote = base[at]
    guard quote == Byte.quote || quote == Byte.apostrophe else { throw SyntaxFault(.expectedKey, at: at) }
    if at + 2 < end, base[at + 1] == quote, base[at + 2] == quote { throw SyntaxFault(.multilineKey, at: at) }
    let isPlain = quote == Byte.quote ? try scanBasicString() : try scanLiteralString()
    if quote == Byte.apostrophe { return Key(start: start, end: at, style: .literal) }
    if isPlain { return Key(start: start, end: at, style: .basic) }
    decodedKey = Escapes.decode(base, from: start + 1, to: at - 1)
    return Key(start: start, end: at, style: .escaped)
  }

  /// Looks a key up in a table.
  @inline(__always)
  mutating func find(_ key: Key, in parent: DocumentIndex.ID) -> (id: DocumentIndex.ID, slot: Int, hash: UInt32) {
    if key.style == .escaped { return findDecoded(in: parent) }
    let quotes = key.style == .bare ? 0 : 1
    let bytes = base + key.start + quotes
    let count = key.end - key.start - 2 * quotes
    let hash = DocumentIndex.hash(bytes, count: count, parent: parent)
    let (id, slot) = tree.find(bytes, count: count, hash: hash, parent: parent, in: base)
    return (id, slot, hash)
  }

  private func findDecoded(in parent: DocumentIndex.ID) -> (id: DocumentIndex.ID, slot: Int, hash: UInt32) {
    decodedKey.withUnsafeBufferPointer { key in
      let bytes = key.baseAddress ?? base
      let hash = DocumentIndex.hash(bytes, count: key.count, parent: parent)
      let (id, slot) = tree.find(bytes, count: key.count, hash: hash, parent: parent, in: base)
      return (id, slot, hash)
    }
  }

  // MARK: Key lines

  /// Reads `a.b = value` into a table: a line of the document, or a member of an inline table.
  mutating func parseKeyValue(in table: DocumentIndex.ID, level tableLevel: Int) throws(SyntaxFault) {
    var parent = table
    var level = tableLevel + 1
    while true {
      let key = try parseKey()
      skipBlanks()
      guard level <= TextLimits.depth else { throw SyntaxFault(.tooDeep, at: key.start) }
      let (existing, slot, hash) = find(key, in: parent)
      if at < end, base[at] == Byte.equals {
        guard existing == DocumentIndex.none else { throw SyntaxFault(.duplicateKey, at: key.start, see: existing) }
        at += 1
        skipBlanks()
        var node = key.node(.inline, in: parent, hash)
        node.start = UInt32(truncatingIfNeeded: at)
        if at < end, base[at] == Byte.openBrace {
          let id = tree.append(node, slot: slot)
          try parseInlineTable(id, level: level)
          tree[id].end = UInt32(truncatingIfNeeded: at)
        } else {
          (node.kind, node.isPlain) = try scanValue(level: level)
          node.end = UInt32(truncatingIfNeeded: at)
          _ = tree.append(node, slot: slot)
        }
        return
      }
      guard at < end, base[at] == Byte.dot else { throw SyntaxFault(.expectedEquals, at: at) }
      at += 1
      skipBlanks()
      if existing == DocumentIndex.none {
        parent = tree.append(key.node(.dotted, in: parent, hash), slot: slot)
      } else {
        if tree[existing].kind != .dotted { try defineByDottedKey(existing, key) }
        parent = existing
      }
      level += 1
    }
  }

  /// Makes a table that only headers of tables below it have named one of dotted keys. The specification leaves that
  /// open (toml-lang/toml#771), and other parsers read it.
  private mutating func defineByDottedKey(_ id: DocumentIndex.ID, _ key: Key) throws(SyntaxFault) {
    guard tree[id].kind == .implicit else { throw SyntaxFault(.keyIntoFinished, at: key.start, see: id) }
    tree[id].kind = .dotted
    (tree[id].start, tree[id].end) = (UInt32(truncatingIfNeeded: key.start), UInt32(truncatingIfNeeded: key.end))
  }

  // MARK: Headers

  private mutating func parseHeader() throws(SyntaxFault) {
    let start = at
    at += 1
    let isElement = at < end && base[at] == Byte.openBracket
    if isElement { at += 1 }
    skipBlanks()
    var parent = DocumentIndex.root
    level = 0
    let firstNew = tree.nodes.count
    while true {
      let key = try parseKey()
      level += 1
      guard level <= TextLimits.depth else { throw SyntaxFault(.tooDeep, at: key.start) }
      skipBlanks()
      let (existing, slot, hash) = find(key, in: parent)
      guard at < end, base[at] == Byte.dot else {
        try closeHeader(isElement: isElement)
        try define(key, existing, slot, hash, parent: parent, start: start, isElement: isElement)
        break
      }
      at += 1
      skipBlanks()
      parent = try descend(key, existing, slot, hash, parent: parent)
    }
    // Tables that this header is the first to name are placed at it.
    for index in firstNew..<tree.nodes.count {
      tree.nodes[index].start = UInt32(truncatingIfNeeded: start)
      tree.nodes[index].end = UInt32(truncatingIfNeeded: at)
    }
  }

  private mutating func closeHeader(isElement: Bool) throws(SyntaxFault) {
    guard at < end, base[at] == Byte.closeBracket else { throw SyntaxFault(.expectedHeaderEnd, at: at) }
    at += 1
    guard isElement else { return }
    guard at < end, base[at] == Byte.closeBracket else { throw SyntaxFault(.expectedDoubleHeaderEnd, at: at) }
    at += 1
  }

  private mutating func descend(
    _ key: Key, _ existing: DocumentIndex.ID, _ slot: Int, _ hash: UInt32, parent: DocumentIndex.ID
  ) throws(SyntaxFault) -> DocumentIndex.ID {
    if existing == DocumentIndex.none {
      return tree.append(key.node(.implicit, in: parent, hash), slot: slot)
    }
    switch tree[existing].kind {
    case .header, .implicit, .dotted: return existing
    case .arrayOfTables: return tree[existing].lastChild
    default: throw SyntaxFault(.headerIntoValue, at: key.start, see: existing)
    }
  }

  private mutating func define(
    _ key: Key, _ existing: DocumentIndex.ID, _ slot: Int, _ hash: UInt32, parent: DocumentIndex.ID, start: Int,
    isElement: Bool
  ) throws(SyntaxFault) {
    var node = key.node(isElement ? .arrayOfTables : .header, in: parent, hash)
    node.start = UInt32(truncatingIfNeeded: start)
    node.end = UInt32(truncatingIfNeeded: at)
    if isElement {
      var array = existing
      if existing == DocumentIndex.none {
        array = tree.append(node, slot: slot)
      } else if tree[existing].kind != .arrayOfTables {
        throw SyntaxFault(.notAnArrayOfTables, at: key.start, see: existing)
      }
      node.kind = .element
      node.parent = array
      node.hash = 0
      table = tree.append(node, slot: nil)
    } else if existing == DocumentIndex.none {
      table = tree.append(node, slot: slot)
    } else if tree[existing].kind == .implicit {
      tree[existing].kind = .header
      tree[existing].start = node.start
      tree[existing].end = node.end
      table = existing
    } else {
      throw SyntaxFault(.tableTwice, at: key.start, see: existing)
    }
  }
}
