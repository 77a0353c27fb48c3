import FoundationEssentials
import SettingsTOML

/// A stored value as an app reads it. The bridge of the schema type's Swift type makes it, and it has the equality,
/// hash and order of values of that type.
///
/// With it the command line needs no rules of its own: `"1.5"` and `1.5` are the same decimal number because the bridge
/// of `Decimal` reads both, and no two `nan` are equal.
enum SchemaValue: Hashable {
  case integer(Int128)
  case float(Double)
  case text(String)
  case date(Date)
  case duration(Duration)
  case decimal(Decimal)
  case data(Data)
  case array([SchemaValue])
  case table([String: SchemaValue])
  /// A value that has only TOML's own type in Swift.
  case stored(TOMLValue)

  /// The key of a table that the app writes for this value; `nil` for what it has no own form of.
  var ownKey: String? {
    switch self {
    case .text(let text): text
    case .integer(let integer): String(integer)
    case .float(let float): try? DictionaryKeyCoding<Double>().text(float)
    case .decimal(let decimal): try? DictionaryKeyCoding<Decimal>().text(decimal)
    case .date(let date): try? DictionaryKeyCoding<Date>().text(date)
    case .duration(let duration): try? DictionaryKeyCoding<Duration>().text(duration)
    case .data(let data): try? DictionaryKeyCoding<Data>().text(data)
    case .array, .table, .stored: nil
    }
  }
}

extension SchemaType {
  /// Reads a stored value by this type without its constraints; `nil` if the app would not read it.
  ///
  /// A part that its type cannot read stays in its stored form.
  func reading(_ value: TOMLValue) -> SchemaValue? {
    switch kind {
    case .any: return .stored(value)
    case .boolean: return Bool.settingsBridge.reading(value).map { .stored(.boolean($0)) }
    case .integer: return integer(value)
    case .float: return Double.settingsBridge.reading(value).map(SchemaValue.float)
    case .float32: return Float.settingsBridge.reading(value).map { .float(Double($0)) }
    case .string: return String.settingsBridge.reading(value).map(SchemaValue.text)
    case .offsetDateTime: return Date.settingsBridge.reading(value).map(SchemaValue.date)
    case .localDateTime: return TOMLLocalDateTime.settingsBridge.reading(value).map { .stored(.localDateTime($0)) }
    case .localDate: return TOMLLocalDate.settingsBridge.reading(value).map { .stored(.localDate($0)) }
    case .localTime: return TOMLLocalTime.settingsBridge.reading(value).map { .stored(.localTime($0)) }
    case .duration: return Duration.settingsBridge.reading(value).map(SchemaValue.duration)
    case .decimal: return Decimal.settingsBridge.reading(value).map(SchemaValue.decimal)
    case .url: return URL.settingsBridge.reading(value).map { .text($0.absoluteString) }
    case .uuid: return UUID.settingsBridge.reading(value).map { .text($0.uuidString) }
    case .data: return Data.settingsBridge.reading(value).map(SchemaValue.data)
    case .character: return Character.settingsBridge.reading(value).map { .text(String($0)) }
    case .timeZone:
      if let zone = TimeZone.settingsBridge.reading(value) { return .text(zone.identifier) }
      guard case .string(let name) = value, TimeZoneNames.has(name) else { return nil }
      return .text(name)
    case .array:
      guard case .array(let elements) = value else { return nil }
      return .array(elements.map { element?.reading($0) ?? .stored($0) })
    case .table, .records:
      guard case .table(let table) = value else { return nil }
      var readings: [String: SchemaValue] = [:]
      let part = parts(of: table)
      for (name, value) in table { readings[name] = part(name)?.reading(value) ?? .stored(value) }
      return .table(readings)
    }
  }

  /// Whether integers beyond TOML's range are allowed, as strings of digits, which the range of `UInt64` shows.
  package var reachesAboveTOML: Bool {
    [minimum, maximum, limit].contains { if case .string? = $0 { true } else { false } }
  }

  /// Reads a TOML integer, or a string of digits beyond TOML's range.
  private func integer(_ value: TOMLValue) -> SchemaValue? {
    if reachesAboveTOML, let number = UInt64.settingsBridge.reading(value) { return .integer(Int128(number)) }
    return Int64.settingsBridge.reading(value).map { .integer(Int128($0)) }
  }

  /// Returns the types of the values in a table by their names; `nil` if any value is allowed.
  func parts(of table: TOMLTable) -> (_ name: String) -> SchemaType? {
    if let element = kind == .records ? .table(fields) : element { return { _ in element } }
    guard let fields else { return { _ in nil } }
    // For few fields, making an index takes longer than searching.
    guard fields.count > 16, table.count > 16 else {
      return { name in fields.first { $0.name.hasSameCodeUnits(as: name) }?.type }
    }
    let types = Dictionary(
      fields.map { (ExactKey($0.name), $0.type) }, uniquingKeysWith: { first, _ in first })
    return { types[ExactKey($0)] }
  }
}

extension SettingsBridge {
  fileprivate func reading(_ value: TOMLValue) -> Value? { try? read(value) }
}

extension SchemaValue {
  /// Whether this value is strictly below another; `nil` if they cannot be compared, such as not-a-number.
  func isBelow(_ other: SchemaValue) -> Bool? {
    switch (self, other) {
    case (.integer(let a), .integer(let b)): a < b
    case (.float(let a), .float(let b)): a.isNaN || b.isNaN ? nil : a < b
    case (.text(let a), .text(let b)): a < b
    case (.date(let a), .date(let b)): a < b
    case (.duration(let a), .duration(let b)): a < b
    case (.decimal(let a), .decimal(let b)): a < b
    case (.data(let a), .data(let b)): a.lexicographicallyPrecedes(b)
    case (.stored(let a), .stored(let b)): Self.isBelow(a, b)
    default: nil
    }
  }

  /// The order of values that have only TOML's own types, such as numbers and times.
  private static func isBelow(_ a: TOMLValue, _ b: TOMLValue) -> Bool? {
    switch (a, b) {
    case (.string(let a), .string(let b)): a < b
    case (.boolean(let a), .boolean(let b)): !a && b
    case (.integer(let a), .integer(let b)): a < b
    case (.integer(let a), .float(let b)): b.isNaN ? nil : Double(a) < b
    case (.float(let a), .integer(let b)): a.isNaN ? nil : a < Double(b)
    case (.float(let a), .float(let b)): a.isNaN || b.isNaN ? nil : a < b
    case (.offsetDateTime(let a), .offsetDateTime(let b)): Date(a) < Date(b)
    case (.localDateTime(let a), .localDateTime(let b)):
      (a.date.numbers + a.time.numbers).lexicographicallyPrecedes(b.date.numbers + b.time.numbers)
    case (.localDate(let a), .localDate(let b)): a.numbers.lexicographicallyPrecedes(b.numbers)
    case (.localTime(let a), .localTime(let b)): a.numbers.lexicographicallyPrecedes(b.numbers)
    default: nil
    }
  }
}

/// The order of stored values of a type, for ranges.
///
/// For a duration, `"90m"` is below `"2h"`, although the texts have another order.
package struct SchemaOrder {
  private let type: SchemaType

  /// - Parameter kind: The type of the values that are compared.
  package init(_ kind: SchemaType.Kind) {
    // Bounds may be integers beyond TOML's range, which are stored as strings.
    type = kind == .integer ? .integer(nil, .string(String(UInt64.max))) : SchemaType(kind)
  }

  /// Whether the first value is strictly below the second; `nil` if they cannot be compared.
  package func isBelow(_ a: TOMLValue, _ b: TOMLValue) -> Bool? {
    guard let x = type.reading(a), let y = type.reading(b) else { return nil }
    return x.isBelow(y)
  }

  /// Whether both exist and the first is strictly below the second.
  package func isOrdered(_ a: TOMLValue?, _ b: TOMLValue?) -> Bool {
    guard let a, let b else { return false }
    return isBelow(a, b) ?? false
  }
}

extension TOMLLocalDate {
  fileprivate var numbers: [Int] { [year, month, day] }
}

extension TOMLLocalTime {
  fileprivate var numbers: [Int] { [hour, minute, second, nanosecond] }
}
