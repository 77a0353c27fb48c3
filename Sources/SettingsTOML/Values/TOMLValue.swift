/// A value of TOML 1.0.0.
///
/// Two tables are equal if they have the same keys with equal values, in any order. Two floats are equal if they are
/// the same number or both are `nan`; `0.0` and `-0.0` differ, because TOML writes them differently.
public enum TOMLValue: Sendable {
  /// Text: any Unicode scalars.
  case string(String)
  /// A 64-bit integer.
  case integer(Int64)
  /// A binary64 number, `inf` and `nan` included.
  case float(Double)
  /// `true` or `false`.
  case boolean(Bool)
  /// A date and time with an offset from UTC.
  case offsetDateTime(TOMLOffsetDateTime)
  /// A date and time without an offset.
  case localDateTime(TOMLLocalDateTime)
  /// A date.
  case localDate(TOMLLocalDate)
  /// A time of day.
  case localTime(TOMLLocalTime)
  /// Values in order, of any kinds.
  case array([TOMLValue])
  /// Keys and values.
  case table(TOMLTable)
}

extension TOMLValue: Hashable {
  /// The number of levels that are compared, hashed and searched by recursion. Values from a file are hardly ever
  /// deeper; those of a program may be, and must not overflow the stack.
  private static let recursedLevels = 256

  /// Compares two values; see ``TOMLValue`` for tables and floats.
  public static func == (lhs: TOMLValue, rhs: TOMLValue) -> Bool { lhs.isEqual(to: rhs, level: 0) }

  func isEqual(to other: TOMLValue, level: Int) -> Bool {
    switch (self, other) {
    case (.array(let a), .array(let b)):
      if level >= TOMLValue.recursedLevels { return TOMLValue.areEqual([(self, other)]) }
      return a.count == b.count
        && (a.hasSameStorage(as: b) || zip(a, b).allSatisfy { $0.isEqual(to: $1, level: level + 1) })
    case (.table(let a), .table(let b)):
      if level >= TOMLValue.recursedLevels { return TOMLValue.areEqual([(self, other)]) }
      return a.pairs(with: b) { $0.isEqual(to: $1, level: level + 1) }
    default: return isSameScalar(as: other)
    }
  }

  private func isSameScalar(as other: TOMLValue) -> Bool {
    switch (self, other) {
    case (.string(let a), .string(let b)): a.hasSameCodeUnits(as: b)
    case (.integer(let a), .integer(let b)): a == b
    case (.float(let a), .float(let b)): a.bitPattern == b.bitPattern || (a.isNaN && b.isNaN)
    case (.boolean(let a), .boolean(let b)): a == b
    case (.offsetDateTime(let a), .offsetDateTime(let b)): a == b
    case (.localDateTime(let a), .localDateTime(let b)): a == b
    case (.localDate(let a), .localDate(let b)): a == b
    case (.localTime(let a), .localTime(let b)): a == b
    default: false
    }
  }

  /// Compares pairs of values without recursion.
  private static func areEqual(_ pairs: [(TOMLValue, TOMLValue)]) -> Bool {
    var pending = pairs
    while let (one, other) = pending.popLast() {
      switch (one, other) {
      case (.array(let a), .array(let b)):
        guard a.count == b.count else { return false }
        if !a.hasSameStorage(as: b) { pending += zip(a, b) }
      case (.table(let a), .table(let b)):
        let isPaired = a.pairs(with: b) {
          pending.append(($0, $1))
          return true
        }
        guard isPaired else { return false }
      default:
        guard one.isSameScalar(as: other) else { return false }
      }
    }
    return true
  }

  /// Hashes the value.
  public func hash(into hasher: inout Hasher) { hash(into: &hasher, level: 0) }

  func hash(into hasher: inout Hasher, level: Int) {
    switch self {
    case .string(let value):
      hasher.combine(0)
      hasher.combine(codeUnitsOf: value)
    case .integer(let value):
      hasher.combine(1)
      hasher.combine(value)
    case .float(let value):
      hasher.combine(2)
      hasher.combine(value.isNaN ? Double.nan.bitPattern : value.bitPattern)
    case .boolean(let value):
      hasher.combine(3)
      hasher.combine(value)
    case .offsetDateTime(let value):
      hasher.combine(4)
      hasher.combine(value)
    case .localDateTime(let value):
      hasher.combine(5)
      hasher.combine(value)
    case .localDate(let value):
      hasher.combine(6)
      hasher.combine(value)
    case .localTime(let value):
      hasher.combine(7)
      hasher.combine(value)
    case .array(let value):
      hasher.combine(8)
      hasher.combine(value.count)
      // Ignoring deeper levels keeps the hashes of equal values equal.
      guard level < TOMLValue.recursedLevels else { return }
      for element in value { element.hash(into: &hasher, level: level + 1) }
    case .table(let value):
      hasher.combine(9)
      hasher.combine(value.count)
      guard level < TOMLValue.recursedLevels else { return }
      value.hash(into: &hasher, level: level)
    }
  }

  /// Whether arrays and tables are nested more than `limit` levels deep.
  package func isNested(deeperThan limit: Int) -> Bool {
    switch self {
    case .array(let items): limit <= 0 || items.contains { $0.isNested(deeperThan: limit - 1) }
    case .table(let table): limit <= 0 || table.entries.contains { $0.value.isNested(deeperThan: limit - 1) }
    default: false
    }
  }
}

extension [TOMLValue] {
  /// Whether two arrays share their storage, and so have the same elements.
  fileprivate func hasSameStorage(as other: [TOMLValue]) -> Bool {
    withUnsafeBufferPointer { a in other.withUnsafeBufferPointer { b in a.baseAddress == b.baseAddress } }
  }
}

extension TOMLValue: ExpressibleByStringLiteral, ExpressibleByIntegerLiteral, ExpressibleByFloatLiteral,
  ExpressibleByBooleanLiteral, ExpressibleByArrayLiteral, ExpressibleByDictionaryLiteral
{
  /// Makes a string.
  public init(stringLiteral value: String) { self = .string(value) }
  /// Makes an integer.
  public init(integerLiteral value: Int64) { self = .integer(value) }
  /// Makes a float.
  public init(floatLiteral value: Double) { self = .float(value) }
  /// Makes a boolean.
  public init(booleanLiteral value: Bool) { self = .boolean(value) }
  /// Makes an array.
  public init(arrayLiteral elements: TOMLValue...) { self = .array(elements) }
  /// Makes a table. Of two equal keys the last one wins.
  public init(dictionaryLiteral elements: (String, TOMLValue)...) {
    var table = TOMLTable()
    for (key, value) in elements { table[key] = value }
    self = .table(table)
  }
}

extension TOMLValue {
  /// The table, or `nil` if the value is not one.
  public var table: TOMLTable? { if case .table(let table) = self { table } else { nil } }

  /// The string, if this is one.
  package var string: String? { if case .string(let string) = self { string } else { nil } }

  /// The name of the value's kind in messages, with its article: `an integer`, `a string`.
  package var kindName: String {
    switch self {
    case .string: "a string"
    case .integer: "an integer"
    case .float: "a float"
    case .boolean: "a boolean"
    case .offsetDateTime: "an offset date-time"
    case .localDateTime: "a local date-time"
    case .localDate: "a local date"
    case .localTime: "a local time"
    case .array: "an array"
    case .table: "a table"
    }
  }
}
