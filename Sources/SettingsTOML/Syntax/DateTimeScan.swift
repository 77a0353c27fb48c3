/// A parsed date, time or both.
struct DateTimeScan {
  private(set) var kind = IndexNode.Kind.localDate
  private(set) var date = TOMLLocalDate(year: 0, month: 1, day: 1)
  private(set) var time = TOMLLocalTime(hour: 0, minute: 0)
  private(set) var offsetMinutes = 0
  private(set) var end: Int

  private let base: UnsafePointer<UInt8>
  private let limit: Int
  private let start: Int

  /// Reads a date, and a time if one follows.
  init(_ base: UnsafePointer<UInt8>, from start: Int, to limit: Int) throws(SyntaxFault) {
    self.init(base, at: start, to: limit)
    let year = try number(4)
    try expect("-")
    let month = try number(2)
    try expect("-")
    let day = try number(2)
    date = TOMLLocalDate(year: year, month: month, day: day)
    guard date.isValid else { throw SyntaxFault(.dateRange, at: start) }
    guard end + 1 < limit else { return }
    let separator = base[end]
    let isTime = separator | 0x20 == UInt8(ascii: "t") || separator == Byte.space && base[end + 1].isDigit
    guard isTime else { return }
    end += 1
    try readTime()
    kind = .localDateTime
    try readOffset()
  }

  /// Reads a time of day.
  init(_ base: UnsafePointer<UInt8>, timeFrom start: Int, to limit: Int) throws(SyntaxFault) {
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

  private mutating func number(_ count: Int) throws(SyntaxFault) -> Int {
    guard end + count <= limit else { throw SyntaxFault(.invalidDateTime, at: start) }
    var value = 0
    for index in end..<end + count {
      guard base[index].isDigit else { throw SyntaxFault(.invalidDateTime, at: start) }
      value = value * 10 + Int(base[index] - 0x30)
    }
    end += count
    return value
  }

  private mutating func expect(_ character: Unicode.Scalar) throws(SyntaxFault) {
    guard end < limit, base[end] == UInt8(ascii: character) else { throw SyntaxFault(.invalidDateTime, at: start) }
    end += 1
  }

  private mutating func readTime() throws(SyntaxFault) {
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
    guard time.isValid else { throw SyntaxFault(.timeRange, at: start) }
  }

  private mutating func readFraction() throws(SyntaxFault) -> Int {
    guard end < limit, base[end].isDigit else { throw SyntaxFault(.invalidDateTime, at: start) }
    var value = 0
    var digits = 0
    while end < limit, base[end].isDigit {
      if digits < 9 {
        value = value * 10 + Int(base[end] - 0x30)
        digits += 1
      }
      end += 1
    }
    for _ in digits..<9 { value *= 10 }
    return value
  }

  private mutating func readOffset() throws(SyntaxFault) {
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
      guard hours < 24, minutes < 60 else { throw SyntaxFault(.timeRange, at: start) }
      offsetMinutes = (hours * 60 + minutes) * (isWest ? -1 : 1)
    default: return
    }
    kind = .offsetDateTime
  }
}
