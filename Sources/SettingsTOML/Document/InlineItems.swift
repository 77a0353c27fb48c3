/// The items of an array or the members of an inline table, as text in which one can be edited without the others.
struct InlineItems {
  /// The whole text; the list may be only a part of it.
  private(set) var bytes: [UInt8]
  /// Where the opening bracket is.
  let open: Int
  /// Where the closing bracket is.
  private(set) var close = 0
  /// The items (for members: key, `=` and value), without commas.
  private(set) var items: [Range<Int>] = []
  /// For each item the offset of the comma after it, if there is one.
  private(set) var commas: [Int?] = []

  /// Whether an inserted item cannot be parsed, because it is too deep; no further edit is made then.
  private(set) var isBroken = false

  init?(_ bytes: [UInt8], open: Int) {
    self.bytes = bytes
    self.open = open
    guard scan() else { return nil }
  }

  private var isTable: Bool { bytes[open] == Byte.openBrace }

  private mutating func scan() -> Bool {
    items = []
    commas = []
    let isTable = isTable
    let open = open
    return bytes.withUnsafeBufferPointer { buffer in
      var parser = Parser(buffer, isDocument: false)
      parser.at = open + 1
      do throws(SyntaxFault) {
        while true {
          try parser.skipTrivia()
          guard parser.at < parser.end else { return false }
          let start = parser.at
          switch buffer[start] {
          case Byte.closeBracket, Byte.closeBrace:
            close = start
            return true
          case Byte.comma:
            guard !commas.isEmpty else { return false }
            commas[commas.count - 1] = start
            parser.at += 1
          default:
            try parser.scanItem(isMember: isTable)
            items.append(start..<parser.at)
            commas.append(nil)
          }
        }
      } catch {
        return false
      }
    }
  }

  private mutating func apply(_ splices: [Splice]) {
    bytes = Splice.apply(splices, to: bytes)
    isBroken = !scan()
  }

  // MARK: Editing

  mutating func replace(_ index: Int, with text: some Sequence<UInt8>) {
    if !isBroken { apply([Splice(items[index], text)]) }
  }

  /// Puts an item after the one with a number, or first for -1.
  mutating func insert(_ text: [UInt8], after index: Int) {
    if isBroken { return }
    if items.isEmpty {
      insertFirst(text)
    } else if index < 0 {
      // Before the first item: the new item takes its place, and the first moves on as if inserted after it.
      let first = items[0]
      let isOwnLine = isMultiline(0)
      apply([
        Splice(first.lowerBound..<first.lowerBound, text + [Byte.comma] + (isOwnLine ? lineStart(of: 0) : [Byte.space]))
      ])
    } else {
      insertAfter(text, index)
    }
  }

  private mutating func insertFirst(_ text: [UInt8]) {
    let inside = bytes[(open + 1)..<close]
    let lines = Lines(bytes: bytes)
    guard inside.contains(Byte.newline) else {
      let padding = isTable ? [Byte.space] : Array(inside)
      return apply([Splice(open + 1..<close, padding + text + padding)])
    }
    let firstLine = lines.end(of: open)
    let closeLine = lines.start(of: close)
    var indent = lines.indent(ofLineAt: close)
    indent += indent.first == Byte.tab ? [Byte.tab] : Array("  ".utf8)
    var at = firstLine
    while at < closeLine {
      if lines.isComment(at) { indent = lines.indent(ofLineAt: at) }
      at = lines.end(of: at)
    }
    // Below the comments of an array, which are about all of it; above those of a table, as below a header.
    let place = isTable ? firstLine : closeLine
    apply([Splice(place..<place, indent + text + (isTable ? [] : [Byte.comma]) + lines.lineBreak(at: open))])
  }

  private mutating func insertAfter(_ text: [UInt8], _ index: Int) {
    let item = items[index]
    let isLast = index == items.count - 1
    let lines = Lines(bytes: bytes)
    if isMultiline(index) {
      let lineBreak = lineStart(of: index)
      let lineEnd = lines.contentEnd(of: commas[index] ?? item.upperBound)
      let endsLine = lineEnd < close && (isLast || lineEnd <= items[index + 1].lowerBound)
      if !isLast || commas[index] != nil {
        guard let comma = commas[index] else { return }
        let place = endsLine ? lineEnd : comma + 1
        apply([Splice(place..<place, lineBreak + text + [Byte.comma])])
      } else {
        let place = endsLine ? lineEnd : item.upperBound
        if place == item.upperBound {
          apply([Splice(place..<place, [Byte.comma] + lineBreak + text)])
        } else {
          apply([
            Splice(item.upperBound..<item.upperBound, [Byte.comma]), Splice(place..<place, lineBreak + text),
          ])
        }
      }
      return
    }
    let blank = blankAfterComma
    if let comma = commas[index] {
      apply([Splice(comma + 1..<comma + 1, blank + text + [Byte.comma])])
    } else {
      apply([Splice(item.upperBound..<item.upperBound, [Byte.comma] + blank + text)])
    }
  }

  /// The blanks between a comma and the next item on its line.
  private var blankAfterComma: [UInt8] {
    for index in items.indices.dropFirst() {
      guard let comma = commas[index - 1] else { continue }
      let between = bytes[(comma + 1)..<items[index].lowerBound]
      if between.allSatisfy(Byte.isBlank) { return Array(between) }
    }
    return [Byte.space]
  }

  /// Whether an item begins on a later line than what precedes it.
  private func isMultiline(_ index: Int) -> Bool {
    let before = index == 0 ? open : items[index - 1].upperBound
    return bytes[before..<items[index].lowerBound].contains(Byte.newline)
  }

  /// A line break and the indent of an item's line.
  func lineStart(of index: Int) -> [UInt8] {
    let lines = Lines(bytes: bytes)
    return lines.lineBreak(at: open) + lines.indent(ofLineAt: items[index].lowerBound)
  }

  /// The start of the comment lines directly above an item that begins its line.
  func commentStart(above index: Int) -> Int {
    let lines = Lines(bytes: bytes)
    let floor = index == 0 ? open + 1 : items[index - 1].upperBound
    return lines.commentStart(above: lines.start(of: items[index].lowerBound), after: floor)
  }

  /// Whether an item's line has no other item before it: the item begins the line, or follows the opening bracket, or,
  /// as the last one, a comma at its start.
  func beginsLine(_ index: Int) -> Bool {
    let lines = Lines(bytes: bytes)
    let start = lines.start(of: items[index].lowerBound)
    if start <= open { return index == 0 }
    let first = lines.firstNonBlank(from: start)
    return first == items[index].lowerBound
      || index > 0 && index == items.count - 1 && commas[index] == nil && first == commas[index - 1]
  }

  /// The comment on an item's line, with the blanks before it, if it goes with the item.
  func commentBeside(_ index: Int) -> Range<Int>? {
    let lines = Lines(bytes: bytes)
    func comment(from start: Int) -> Range<Int>? {
      let first = lines.firstNonBlank(from: start)
      return first < close && bytes[first] == Byte.hash ? start..<lines.contentEnd(of: first) : nil
    }
    let item = items[index]
    // One before the item's comma can belong to nothing else.
    if commas[index] != nil, let own = comment(from: item.upperBound) { return own }
    return beginsLine(index) ? comment(from: (commas[index] ?? item.upperBound - 1) + 1) : nil
  }

  /// Removes an item: a member with the comment lines directly above it, an element too, except for the first. Those
  /// are about the whole array.
  mutating func remove(_ index: Int) {
    if isBroken { return }
    let item = items[index]
    let isLast = index == items.count - 1
    let lines = Lines(bytes: bytes)
    let afterItem = (commas[index] ?? item.upperBound - 1) + 1
    let lineStart = lines.start(of: item.lowerBound)
    let rest = lines.firstNonBlank(from: afterItem)
    let ownsLineEnd = rest < close && [Byte.hash, Byte.newline, Byte.carriageReturn].contains(bytes[rest])
    if lineStart <= open, index == 0, let comment = commentBeside(0), comment.upperBound > afterItem {
      apply([Splice(open + 1..<comment.upperBound)])
    } else if lineStart > open, beginsLine(index), ownsLineEnd {
      let start = index == 0 && !isTable ? lineStart : commentStart(above: index)
      var splices = [Splice(start..<lines.end(of: afterItem))]
      if isLast, commas[index] == nil, index > 0, let comma = commas[index - 1], comma < start {
        splices.append(Splice(comma..<comma + 1))
      }
      apply(splices)
    } else if items.count == 1 {
      let (before, after) = (bytes[(open + 1)..<item.lowerBound], bytes[afterItem..<close])
      guard before.allSatisfy(Byte.isBlank), after.allSatisfy(Byte.isBlank) else {
        return apply([Splice(item.lowerBound..<afterItem)])
      }
      apply([Splice(open + 1..<close, !isTable && before.elementsEqual(after) ? Array(before) : [])])
    } else if isLast {
      let previous = items[index - 1].upperBound
      if let own = commas[index], let comma = commas[index - 1],
        !bytes[comma..<item.lowerBound].contains(Byte.hash)
      {
        apply([Splice(comma + 1..<own + 1)])
      } else if bytes[previous..<item.lowerBound].contains(Byte.hash), let comma = commas[index - 1] {
        // A comment of the item before is in between.
        let blanks = commas[index] == nil ? [Splice(comma..<comma + 1)] : []
        apply(blanks + [Splice(item.lowerBound..<afterItem)])
      } else {
        apply([Splice(previous..<item.upperBound)])
      }
    } else {
      let next = items[index + 1].lowerBound
      let between = bytes[afterItem..<next]
      apply([Splice(item.lowerBound..<(between.allSatisfy(Byte.isBlank) ? next : afterItem))])
    }
  }
}

extension Parser {
  /// Skips an item of an array, or a member of an inline table.
  mutating func scanItem(isMember: Bool) throws(SyntaxFault) {
    if isMember {
      try parseKeyValue(in: DocumentIndex.root, level: 0)
    } else if at < end, base[at] == Byte.openBrace {
      try parseInlineTable(tree.append(IndexNode(kind: .inline), slot: nil), level: 0)
    } else {
      _ = try scanValue(level: 0)
    }
  }
}
