/// Lines of a document, as edits see them.
struct Lines {
  let bytes: [UInt8]
  /// The line break to use if the text has none.
  var usualLineBreak = [Byte.newline]

  /// Where the text begins, after a byte order mark.
  var textStart: Int { bytes.starts(with: Byte.byteOrderMark) ? 3 : 0 }

  /// The start of the line that contains an offset.
  func start(of offset: Int) -> Int {
    let first = textStart
    var at = offset
    while at > first, bytes[at - 1] != Byte.newline { at -= 1 }
    return max(at, first)
  }

  /// The end of the line that contains an offset, including its line break.
  func end(of offset: Int) -> Int {
    var at = offset
    while at < bytes.count {
      at += 1
      if bytes[at - 1] == Byte.newline { break }
    }
    return at
  }

  /// The end of the line that contains an offset, before its line break.
  func contentEnd(of offset: Int) -> Int {
    var at = end(of: offset)
    if at > offset, bytes[at - 1] == Byte.newline {
      at -= 1
      if at > offset, bytes[at - 1] == Byte.carriageReturn { at -= 1 }
    }
    return at
  }

  /// The first byte of a line that is not blank, or the line's break or end.
  func firstNonBlank(from lineStart: Int) -> Int {
    var at = lineStart
    while at < bytes.count, Byte.isBlank(bytes[at]) { at += 1 }
    return at
  }

  /// The blanks at the start of a line.
  func indent(ofLineAt offset: Int) -> [UInt8] {
    let start = start(of: offset)
    return Array(bytes[start..<firstNonBlank(from: start)])
  }

  func isComment(_ lineStart: Int) -> Bool {
    let at = firstNonBlank(from: lineStart)
    return at < bytes.count && bytes[at] == Byte.hash
  }

  /// Whether a line exists and is empty.
  func isEmpty(_ lineStart: Int) -> Bool {
    let at = firstNonBlank(from: lineStart)
    guard lineStart < bytes.count, at < bytes.count else { return false }
    return bytes[at] == Byte.newline || bytes[at] == Byte.carriageReturn
  }

  /// The start of the line before the one that starts at an offset; `nil` for the first.
  func previous(_ lineStart: Int) -> Int? {
    lineStart > textStart ? start(of: lineStart - 1) : nil
  }

  /// The start of the comment lines directly above a line, but not above `floor`; without any, its own start.
  func commentStart(above lineStart: Int, after floor: Int) -> Int {
    var at = lineStart
    while let previous = previous(at), previous >= floor, isComment(previous) { at = previous }
    return at
  }

  /// The end of the comment lines directly below a line, unless they belong to what follows them.
  func commentEnd(below lineEnd: Int) -> Int {
    var at = lineEnd
    while at < bytes.count, isComment(at) { at = end(of: at) }
    return at == bytes.count || isEmpty(at) ? at : lineEnd
  }

  /// Whether a range has nothing but blanks and line breaks.
  func isBlank(_ range: Range<Int>) -> Bool {
    bytes[range].allSatisfy { Byte.isBlank($0) || $0 == Byte.newline || $0 == Byte.carriageReturn }
  }

  /// Whether a range of whole lines has only blank lines and comments.
  func isTrivia(_ range: Range<Int>) -> Bool {
    var at = range.lowerBound
    while at < range.upperBound {
      let first = firstNonBlank(from: at)
      if first < bytes.count, bytes[first] != Byte.hash, bytes[first] != Byte.newline,
        bytes[first] != Byte.carriageReturn
      {
        return false
      }
      at = end(of: at)
    }
    return true
  }

  /// The line break to use at an offset: that of its line, else of the first line, else the usual one.
  func lineBreak(at offset: Int) -> [UInt8] {
    let end = end(of: offset)
    if end > offset, bytes[end - 1] == Byte.newline { return lineBreak(endingAt: end) }
    if let first = bytes.firstIndex(of: Byte.newline) { return lineBreak(endingAt: first + 1) }
    return usualLineBreak
  }

  private func lineBreak(endingAt end: Int) -> [UInt8] {
    end >= 2 && bytes[end - 2] == Byte.carriageReturn ? [Byte.carriageReturn, Byte.newline] : [Byte.newline]
  }

  /// Whether the last line has no line break.
  func isUnfinished(_ lineEnd: Int) -> Bool {
    lineEnd == bytes.count && lineEnd > textStart && bytes[lineEnd - 1] != Byte.newline
  }
}
