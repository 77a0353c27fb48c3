extension Parser {
  /// Goes over a number or a date-time.
  @inline(__always)
  mutating func scanNumberOrDate() throws(Fault) -> Node.Kind {
    // Most numbers are short decimal integers.
    var stop = at
    if base[stop] == UInt8(ascii: "-") || base[stop] == UInt8(ascii: "+") { stop += 1 }
    let digits = stop
    while stop < end, Byte.isDigit(base[stop]) { stop += 1 }
    let count = stop - digits
    if count > 0, count <= 18, stop == end || Byte.endsValue(base[stop]),
      count == 1 || base[digits] != UInt8(ascii: "0")
    {
      at = stop
      return .integer
    }
    return try scanNumberOrDateSlowly(digits: digits, count: count)
  }

  private mutating func scanNumberOrDateSlowly(digits: Int, count: Int) throws(Fault) -> Node.Kind {
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
        throw Fault(.invalidNumber, at: start)
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

  private func expectValueEnd(_ start: Int, _ fault: Fault.Kind) throws(Fault) {
    if at < end, !Byte.endsValue(base[at]) { throw Fault(fault, at: start) }
  }

  /// Goes over digits with single underscores between them; `false` if there are none or an underscore is misplaced.
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

  private mutating func scanBased(_ digits: Int, isSigned: Bool, bits: Int) throws(Fault) -> Node.Kind {
    let start = at
    guard !isSigned else { throw Fault(.signedBase, at: start) }
    at = digits + 2
    guard skipDigits({ Byte.isHexDigit($0) && Byte.hexValue($0) < 1 << UInt32(bits) }) else {
      throw Fault(.invalidNumber, at: start)
    }
    try expectValueEnd(start, .invalidNumber)
    guard Numbers.integer(base, from: start, to: at) != nil else { throw Fault(.integerRange, at: start) }
    return .integer
  }

  private mutating func scanDecimal(_ digits: Int) throws(Fault) -> Node.Kind {
    let start = at
    at = digits
    guard skipDigits(Byte.isDigit) else { throw Fault(.invalidNumber, at: start) }
    let hasLeadingZero = at - digits > 1 && base[digits] == UInt8(ascii: "0")
    var isFloat = false
    if at < end, base[at] == Byte.dot {
      isFloat = true
      at += 1
      guard skipDigits(Byte.isDigit) else { throw Fault(.invalidFloat, at: start) }
    }
    if at < end, base[at] | 0x20 == UInt8(ascii: "e") {
      isFloat = true
      at += 1
      if at < end, base[at] == UInt8(ascii: "+") || base[at] == UInt8(ascii: "-") { at += 1 }
      guard skipDigits(Byte.isDigit) else { throw Fault(.invalidFloat, at: start) }
    }
    try expectValueEnd(start, .invalidNumber)
    if hasLeadingZero { throw Fault(.leadingZero, at: start) }
    if isFloat { return .float }
    guard Numbers.integer(base, from: start, to: at) != nil else { throw Fault(.integerRange, at: start) }
    return .integer
  }
}

/// A date, a time or both, as read.
struct DateTimeScan {
  private(set) var kind = Node.Kind.localDate
  private(set) var date = TOMLLocalDate(year: 0, month: 1, day: 1)
  private(set) var time = TOMLLocalTime(hour: 0, minute: 0)
  private(set) var offsetMinutes = 0
  private(set) var end: Int

  private let base: UnsafePointer<UInt8>
  private let limit: Int
  private let start: Int

  /// Reads a date, and a time if one follows.
  init(_ base: UnsafePointer<UInt8>, from start: Int, to limit: Int) throws(Fault) {
    self.init(base, at: start, to: limit)
    let year = try number(4)
    try expect("-")
    let month = try number(2)
    try expect("-")
    let day = try number(2)
    date = TOMLLocalDate(year: year, month: month, day: day)
    guard date.isValid else { throw Fault(.dateRange, at: start) }
    guard end + 1 < limit else { return }
    let separator = base[end]
    let isTime = separator | 0x20 == UInt8(ascii: "t") || separator == Byte.space && Byte.isDigit(base[end + 1])
    guard isTime else { return }
    end += 1
    try readTime()
    kind = .localDateTime
    try readOffset()
  }

  /// Reads a time of day.
  init(_ base: UnsafePointer<UInt8>, timeFrom start: Int, to limit: Int) throws(Fault) {
    self.init(base, at: start, to: limit)
    try readTime()
    kind = .localTime
  }

  private init(_ base: UnsafePointer<UInt8>, at start: Int, to limit: Int) {
    self.base = base
    self.limit = limit
    self.start = start
    end = start
  }

  private mutating func number(_ count: Int) throws(Fault) -> Int {
    guard end + count <= limit else { throw Fault(.invalidDateTime, at: start) }
    var value = 0
    for index in end..<end + count {
      guard Byte.isDigit(base[index]) else { throw Fault(.invalidDateTime, at: start) }
      value = value * 10 + Int(base[index] - 0x30)
    }
    end += count
    return value
  }

  private mutating func expect(_ character: Unicode.Scalar) throws(Fault) {
    guard end < limit, base[end] == UInt8(ascii: character) else { throw Fault(.invalidDateTime, at: start) }
    end += 1
  }

  private mutating func readTime() throws(Fault) {
    let hour = try number(2)
    try expect(":")
    let minute = try number(2)
    var second = 0
    var nanosecond = 0
    if end < limit, base[end] == UInt8(ascii: ":") {
      end += 1
      second = try number(2)
      if end < limit, base[end] == Byte.dot {
        end += 1
        nanosecond = try readFraction()
      }
    }
    time = TOMLLocalTime(hour: hour, minute: minute, second: second, nanosecond: nanosecond)
    guard time.isValid else { throw Fault(.timeRange, at: start) }
  }

  private mutating func readFraction() throws(Fault) -> Int {
    guard end < limit, Byte.isDigit(base[end]) else { throw Fault(.invalidDateTime, at: start) }
    var value = 0
    var digits = 0
    while end < limit, Byte.isDigit(base[end]) {
      if digits < 9 {
        value = value * 10 + Int(base[end] - 0x30)
        digits += 1
      }
      end += 1
    }
    for _ in digits..<9 { value *= 10 }
    return value
  }

  private mutating func readOffset() throws(Fault) {
    guard end < limit else { return }
    switch base[end] {
    case UInt8(ascii: "Z"), UInt8(ascii: "z"):
      end += 1
    case UInt8(ascii: "+"), UInt8(ascii: "-"):
      let isWest = base[end] == UInt8(ascii: "-")
      end += 1
      let hours = try number(2)
      try expect(":")
      let minutes = try number(2)
      guard hours < 24, minutes < 60 else { throw Fault(.timeRange, at: start) }
      offsetMinutes = (hours * 60 + minutes) * (isWest ? -1 : 1)
    default: return
    }
    kind = .offsetDateTime
  }
}
