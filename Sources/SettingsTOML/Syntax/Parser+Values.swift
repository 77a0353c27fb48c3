extension Parser {
  /// Skips one value; returns its kind, and whether a string equals its bytes.
  @inline(__always)
  mutating func scanValue(level: Int) throws(SyntaxFault) -> (IndexNode.Kind, isPlain: Bool) {
    guard at < end else { throw SyntaxFault(.expectedValue, at: at) }
    let byte = base[at]
    switch byte {
    case Byte.quote:
      if at + 2 < end, base[at + 1] == Byte.quote, base[at + 2] == Byte.quote {
        return (.string, try scanMultilineString(Byte.quote))
      }
      return (.string, try scanBasicString())
    case Byte.apostrophe:
      if at + 2 < end, base[at + 1] == Byte.apostrophe, base[at + 2] == Byte.apostrophe {
        return (.string, try scanMultilineString(Byte.apostrophe))
      }
      return (.string, try scanLiteralString())
    case Byte.openBracket:
      try scanArray(level: level)
      return (.array, false)
    case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "+"), UInt8(ascii: "-"):
      return (try scanNumberOrDate(), false)
    default:
      return (try scanWord(), false)
    }
  }

  /// `true`, `false`, `inf`, `nan`; throws a fault for anything else.
  private mutating func scanWord() throws(SyntaxFault) -> IndexNode.Kind {
    var stop = at
    while stop < end, Byte.isBareKey(base[stop]) { stop += 1 }
    let word = UnsafeBufferPointer(start: base + at, count: stop - at)
    let kind: IndexNode.Kind
    if word.elementsEqual("true".utf8) || word.elementsEqual("false".utf8) {
      kind = .boolean
    } else if word.elementsEqual("inf".utf8) || word.elementsEqual("nan".utf8) {
      kind = .float
    } else {
      throw SyntaxFault(.expectedValue, at: at)
    }
    at = stop
    return kind
  }

  private mutating func enterBracket(level: Int) throws(SyntaxFault) {
    brackets += 1
    guard brackets <= TextLimits.bracketDepth, level <= TextLimits.depth else {
      throw SyntaxFault(.tooDeep, at: at)
    }
    at += 1
  }

  private mutating func scanArray(level: Int) throws(SyntaxFault) {
    let start = at
    try enterBracket(level: level)
    while true {
      try skipTrivia()
      guard at < end else { throw SyntaxFault(.unclosedArray, at: start) }
      if base[at] == Byte.closeBracket { break }
      if base[at] == Byte.comma { throw SyntaxFault(.expectedItem, at: at) }
      if base[at] == Byte.openBrace {
        try scanTableInArray(level: level + 1)
      } else {
        _ = try scanValue(level: level + 1)
      }
      try skipTrivia()
      guard at < end else { throw SyntaxFault(.unclosedArray, at: start) }
      if base[at] == Byte.comma {
        at += 1
      } else if base[at] != Byte.closeBracket {
        throw SyntaxFault(.expectedCommaInArray, at: at, opened: start)
      }
    }
    at += 1
    brackets -= 1
  }

  /// Reads an inline table that no path leads to: its keys are indexed only meanwhile.
  private mutating func scanTableInArray(level: Int) throws(SyntaxFault) {
    if isInScratch {
      var node = IndexNode(kind: .inline)
      node.keyStart = UInt32(truncatingIfNeeded: at)
      node.keyEnd = node.keyStart
      let id = tree.append(node, slot: nil)
      try parseInlineTable(id, level: level)
    } else {
      swap(&tree, &scratch)
      isInScratch = true
      try parseInlineTable(DocumentIndex.root, level: level)
      isInScratch = false
      swap(&tree, &scratch)
      scratch.clear()
    }
  }

  /// Reads `{ a = 1, b.c = 2 }` into a table.
  mutating func parseInlineTable(_ id: DocumentIndex.ID, level: Int) throws(SyntaxFault) {
    let start = at
    try enterBracket(level: level)
    while true {
      try skipTrivia()
      guard at < end else { throw SyntaxFault(.unclosedInlineTable, at: start) }
      if base[at] == Byte.closeBrace { break }
      if base[at] == Byte.comma { throw SyntaxFault(.expectedMember, at: at) }
      try parseKeyValue(in: id, level: level)
      try skipTrivia()
      guard at < end else { throw SyntaxFault(.unclosedInlineTable, at: start) }
      if base[at] == Byte.comma {
        at += 1
      } else if base[at] != Byte.closeBrace {
        throw SyntaxFault(.expectedCommaInTable, at: at, opened: start)
      }
    }
    at += 1
    brackets -= 1
  }

  // MARK: Strings

  /// Skips `"…"`; `true` if it has no escapes.
  mutating func scanBasicString() throws(SyntaxFault) -> Bool {
    let start = at
    var isPlain = true
    at += 1
    while true {
      at = Scan.text(base, from: at, to: end, stopAt: Byte.quote, Byte.backslash)
      guard at < end else { throw SyntaxFault(.unclosedString, at: start) }
      let byte = base[at]
      if byte == Byte.quote {
        at += 1
        return isPlain
      } else if byte == Byte.backslash {
        isPlain = false
        try skipEscape()
      } else {
        try skipInString(byte, start: start)
      }
    }
  }

  /// Skips `'…'`; always plain.
  mutating func scanLiteralString() throws(SyntaxFault) -> Bool {
    let start = at
    at += 1
    while true {
      at = Scan.text(base, from: at, to: end, stopAt: Byte.apostrophe, Byte.apostrophe)
      guard at < end else { throw SyntaxFault(.unclosedString, at: start) }
      let byte = base[at]
      if byte == Byte.apostrophe {
        at += 1
        return true
      }
      try skipInString(byte, start: start)
    }
  }

  /// Skips a tab or a scalar that is not ASCII; throws a fault for another byte.
  private mutating func skipInString(_ byte: UInt8, start: Int) throws(SyntaxFault) {
    if byte == Byte.tab {
      at += 1
    } else if byte >= 0x80 {
      try skipScalar()
    } else if byte == Byte.newline || byte == Byte.carriageReturn && at + 1 < end && base[at + 1] == Byte.newline {
      throw SyntaxFault(.unclosedString, at: start)
    } else {
      throw SyntaxFault(byte == Byte.carriageReturn ? .bareCarriageReturn : .controlInString, at: at)
    }
  }

  /// Skips `"""…"""` or `'''…'''`; `true` if the value equals the bytes between the quotes.
  private mutating func scanMultilineString(_ quote: UInt8) throws(SyntaxFault) -> Bool {
    let start = at
    var isPlain = true
    at += 3
    if at < end, base[at] == Byte.newline || base[at] == Byte.carriageReturn { isPlain = false }
    let escape = quote == Byte.quote ? Byte.backslash : quote
    while true {
      at = Scan.text(base, from: at, to: end, stopAt: quote, escape)
      guard at < end else { throw SyntaxFault(.unclosedMultilineString, at: start) }
      let byte = base[at]
      if byte == quote {
        var count = 1
        while at + count < end, base[at + count] == quote { count += 1 }
        if count > 5 { throw SyntaxFault(.tooManyQuotes, at: at + 5) }
        at += count
        if count >= 3 { return isPlain }
      } else if byte == Byte.backslash && quote == Byte.quote {
        isPlain = false
        if !skipEscapedLineBreak() { try skipEscape() }
      } else if byte == Byte.newline || byte == Byte.tab {
        at += 1
      } else if byte == Byte.carriageReturn {
        isPlain = false
        try skipCarriageReturn()
      } else if byte >= 0x80 {
        try skipScalar()
      } else {
        throw SyntaxFault(.controlInString, at: at)
      }
    }
  }

  /// Skips a backslash, blanks and a line break, if they are next.
  private mutating func skipEscapedLineBreak() -> Bool {
    var next = at + 1
    while next < end, Byte.isBlank(base[next]) { next += 1 }
    guard next < end else { return false }
    if base[next] == Byte.newline {
      at = next + 1
      return true
    }
    if base[next] == Byte.carriageReturn, next + 1 < end, base[next + 1] == Byte.newline {
      at = next + 2
      return true
    }
    return false
  }

  private mutating func skipEscape() throws(SyntaxFault) {
    guard at + 1 < end else { throw SyntaxFault(.invalidEscape, at: at) }
    let digits: Int
    switch base[at + 1] {
    case UInt8(ascii: "b"), UInt8(ascii: "t"), UInt8(ascii: "n"), UInt8(ascii: "f"), UInt8(ascii: "r"),
      UInt8(ascii: "e"), Byte.quote, Byte.backslash:
      at += 2
      return
    case UInt8(ascii: "x"): digits = 2
    case UInt8(ascii: "u"): digits = 4
    case UInt8(ascii: "U"): digits = 8
    default: throw SyntaxFault(.invalidEscape, at: at)
    }
    var value: UInt32 = 0
    for index in 0..<digits {
      guard at + 2 + index < end, Byte.isHexDigit(base[at + 2 + index]) else {
        throw SyntaxFault(.escapeDigits, at: at)
      }
      value = value << 4 | Byte.hexValue(base[at + 2 + index])
    }
    guard Unicode.Scalar(value) != nil else { throw SyntaxFault(.escapeNotScalar, at: at) }
    at += 2 + digits
  }
}
