import FoundationEssentials
import SettingsTOML

/// The order of stored values of a type, for ranges.
struct SchemaOrder {
  private let kind: SchemaType.Kind

  init(_ kind: SchemaType.Kind) { self.kind = kind }

  /// Whether the first value is strictly below the second; `nil` if they cannot be compared.
  func isBelow(_ a: TOMLValue, _ b: TOMLValue) -> Bool? {
    switch (kind, a, b) {
    case (.duration, _, _): compare(a, b, by: Duration.settingsBridge)
    case (.decimal, _, _): compare(a, b, by: Decimal.settingsBridge)
    case (_, .offsetDateTime, .offsetDateTime): compare(a, b, by: Date.settingsBridge)
    case (_, .string(let x), .string(let y)):
      // The integers that are too large for TOML are strings of digits.
      if kind == .integer, let x = UInt64(x), let y = UInt64(y) { x < y } else { x < y }
    case (.integer, .integer, .string): true
    case (.integer, .string, .integer): false
    case (_, .integer(let x), .integer(let y)): x < y
    case (_, .integer(let x), .float(let y)): y.isNaN ? nil : Double(x) < y
    case (_, .float(let x), .integer(let y)): x.isNaN ? nil : x < Double(y)
    case (_, .float(let x), .float(let y)): x.isNaN || y.isNaN ? nil : x < y
    case (_, .localDateTime(let x), .localDateTime(let y)):
      (x.date.numbers + x.time.numbers).lexicographicallyPrecedes(y.date.numbers + y.time.numbers)
    case (_, .localDate(let x), .localDate(let y)): x.numbers.lexicographicallyPrecedes(y.numbers)
    case (_, .localTime(let x), .localTime(let y)): x.numbers.lexicographicallyPrecedes(y.numbers)
    default: nil
    }
  }

  /// Whether both are there and the first is strictly below the second.
  func isOrdered(_ a: TOMLValue?, _ b: TOMLValue?) -> Bool {
    guard let a, let b else { return false }
    return isBelow(a, b) ?? false
  }

  private func compare<Value: Comparable>(_ a: TOMLValue, _ b: TOMLValue, by bridge: SettingsBridge<Value>) -> Bool? {
    guard let x = try? bridge.read(a), let y = try? bridge.read(b) else { return nil }
    return x < y
  }
}

extension TOMLLocalDate {
  fileprivate var numbers: [Int] { [year, month, day] }
}

extension TOMLLocalTime {
  fileprivate var numbers: [Int] { [hour, minute, second, nanosecond] }
}
