extension Parser {
  /// Skips a number or a date-time.
  @inline(__always)
  mutating func scanNumberOrDate() throws(SyntaxFault) -> IndexNode.Kind {
    // Most numbers are short decimal integers.
    var stop = at
    if base[stop] == UInt8(ascii: "-") || base[stop] == UInt8(ascii: "+") { stop += 1 }
    let digits = stop
    while stop < end, base[stop].isDigit { stop += 1 }
    let count = stop - digits
    if count > 0, count <= 18, stop == end || Byte.endsValue(base[stop]),
      count == 1 || base[digits] != UInt8(ascii: "0")
    {
      at = stop
      return .integer
    }
    return try scanNumberOrDateSlowly(digits: digits, count: count)
  }

  private mutating func scanNumberOrDateSlowly(digits: Int, count: Int) throws(SyntaxFault) -> IndexNode.Kind {
    let start = at
    let isSigned = digits > start
    let stop = digits + count
    if !isSigned, stop < end {
      if base[stop] == UInt8(ascii: "-"), count > 0 {
        let scan = try DateTimeScan(base, from: start, to: end)
        at = scan.end
        try expectValueEnd(start, .invalidDateTime)
        return scan.kind
      }
      if base[stop] == UInt8(ascii: ":"), count > 0 {
        let scan = try DateTimeScan(base, timeFrom: start, to: end)
        at = scan.end
        try expectValueEnd(start, .invalidDateTime)
        return scan.kind
      }
    }
    if count == 0 {
      var stop = digits
      while stop < end, Byte.isBareKey(base[stop]) { stop += 1 }
      let word = UnsafeBufferPointer(start: base + digits, count: stop - digits)
      guard word.elementsEqual("inf".utf8) || word.elementsEqual("nan".utf8) else {
        throw SyntaxFault(.invalidNumber, at: start)
      }
      at = stop
      return .float
    }
    if count == 1, base[digits] == UInt8(ascii: "0"), stop < end {
      switch base[stop] {
      case UInt8(ascii: "x"): return try scanBased(digits, isSigned: isSigned, bits: 4)
      case UInt8(ascii: "o"): return try scanBased(digits, isSigned: isSigned, bits: 3)
      case UInt8(ascii: "b"): return try scanBased(digits, isSigned: isSigned, bits: 1)
      default: break
      }
    }
    return try scanDecimal(digits)
  }

  private func expectValueEnd(_ start: Int, _ fault: SyntaxFault.Kind) throws(SyntaxFault) {
    if at < end, !Byte.endsValue(base[at]) { throw SyntaxFault(fault, at: start) }
  }

  /// Skips digits with single underscores between them; `false` if there are none or an underscore is misplaced.
  private mutating func skipDigits(_ isDigit: (UInt8) -> Bool) -> Bool {
    guard at < end, isDigit(base[at]) else { return false }
    at += 1
    while at < end {
      if isDigit(base[at]) {
        at += 1
      } else if base[at] == UInt8(ascii: "_") {
        guard at + 1 < end, isDigit(base[at + 1]) else { return false }
        at += 2
      } else {
        break
      }
    }
    return true
  }

  private mutating func scanBased(_ digits: Int, isSigned: Bool, bits: Int) throws(SyntaxFault) -> IndexNode.Kind {
    let start = at
    guard !isSigned else { throw SyntaxFault(.signedBase, at: start) }
    at = digits + 2
    guard skipDigits({ Byte.isHexDigit($0) && Byte.hexValue($0) < 1 << UInt32(bits) }) else {
      throw SyntaxFault(.invalidNumber, at: start)
    }
    try expectValueEnd(start, .invalidNumber)
    guard Numbers.integer(base, from: start, to: at) != nil else { throw SyntaxFault(.integerRange, at: start) }
    return .integer
  }

  private mutating func scanDecimal(_ digits: Int) throws(SyntaxFault) -> IndexNode.Kind {
    let start = at
    at = digits
    guard skipDigits(\.isDigit) else { throw SyntaxFault(.invalidNumber, at: start) }
    let hasLeadingZero = at - digits > 1 && base[digits] == UInt8(ascii: "0")
    var isFloat = false
    if at < end, base[at] == Byte.dot {
      isFloat = true
      at += 1
      guard skipDigits(\.isDigit) else { throw SyntaxFault(.invalidFloat, at: start) }
    }
    if at < end, base[at] | 0x20 == UInt8(ascii: "e") {
      isFloat = true
      at += 1
      if at < end, base[at] == UInt8(ascii: "+") || base[at] == UInt8(ascii: "-") { at += 1 }
      guard skipDigits(\.isDigit) else { throw SyntaxFault(.invalidFloat, at: start) }
    }
    try expectValueEnd(start, .invalidNumber)
    if hasLeadingZero { throw SyntaxFault(.leadingZero, at: start) }
    if isFloat { return .float }
    guard Numbers.integer(base, from: start, to: at) != nil else { throw SyntaxFault(.integerRange, at: start) }
    return .integer
  }
}
