/// A value as TOML 1.0.0 has them.
///
/// Two tables are equal if they have the same keys with equal values, in any order. Two floats are equal if they are
/// the same number, or both are `nan`; `0.0` and `-0.0` are different values, since TOML tells them apart in text.
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
  /// Compares two values; see ``TOMLValue`` for tables and floats.
  public static func == (lhs: TOMLValue, rhs: TOMLValue) -> Bool {
    switch (lhs, rhs) {
    case (.string(let a), .string(let b)):
      return a.hasSameCodeUnits(as: b)
    case (.integer(let a), .integer(let b)): return a == b
    case (.float(let a), .float(let b)): return a.bitPattern == b.bitPattern || (a.isNaN && b.isNaN)
    case (.boolean(let a), .boolean(let b)): return a == b
    case (.offsetDateTime(let a), .offsetDateTime(let b)): return a == b
    case (.localDateTime(let a), .localDateTime(let b)): return a == b
    case (.localDate(let a), .localDate(let b)): return a == b
    case (.localTime(let a), .localTime(let b)): return a == b
    case (.array(let a), .array(let b)): return a == b
    case (.table(let a), .table(let b)): return a == b
    default: return false
    }
  }

  /// Hashes the value; equal values have equal hashes.
  public func hash(into hasher: inout Hasher) {
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
      hasher.combine(value)
    case .table(let value):
      hasher.combine(9)
      hasher.combine(value)
    }
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
  /// Makes a table; the last of two equal keys wins.
  public init(dictionaryLiteral elements: (String, TOMLValue)...) {
    var table = TOMLTable()
    for (key, value) in elements { table[key] = value }
    self = .table(table)
  }
}

extension TOMLValue {
  /// The table, if this is one.
  public var table: TOMLTable? { if case .table(let table) = self { table } else { nil } }

  /// What an error calls a value of this kind, with its article: `an integer`, `a string`.
  public var kindName: String {
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
