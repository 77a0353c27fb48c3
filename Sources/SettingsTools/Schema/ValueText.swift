import AppSettings
import AppSettingsImport

/// Parses the VALUE of a command line.
///
/// A type that is given decides, then that of the schema, then that of another value. Without any the text is a TOML value
/// if it parses as one, and a string otherwise.
enum ValueText {
  /// The text is of another type than the one that is needed.
  struct Unfit: Error {
    let needed: String
  }

  /// Parses a text.
  ///
  /// - Parameters:
  ///   - type: What the schema says.
  ///   - kind: The type that the text is to have.
  ///   - other: The key's present value, or another element of its array.
  ///   - role: What that is, for messages.
  static func value(
    _ text: String, of type: SchemaType?, as kind: ValueKind?, like other: TOMLValue?, _ role: String
  ) throws(Unfit) -> TOMLValue {
    if kind == nil, let type {
      do {
        return try type.value(of: text, like: other)
      } catch {
        throw Unfit(needed: error.expected + error.reasonInParentheses)
      }
    }
    let parsed = try? TOMLValue(parsing: text)
    guard let wanted = kind ?? other.map(ValueKind.init(of:)) else { return parsed ?? .string(text) }
    if wanted == .toml, let parsed { return parsed }
    let type = SchemaType.Kind(rawValue: wanted.rawValue).map { SchemaType($0) }
    if let value = type.map({ try? $0.value(of: text) }) ?? parsed, ValueKind(of: value) == wanted { return value }
    guard kind == nil, let other else { throw Unfit(needed: "\(wanted.words), as --type says") }
    throw Unfit(needed: "\(other.kindName), like \(role); --type gives it another type")
  }
}

/// The types that a typed value can be said to have.
package enum ValueKind: String, Sendable, CaseIterable {
  case string, integer, float, boolean, datetime, array, table, toml

  fileprivate init(of value: TOMLValue) {
    self =
      switch value {
      case .string: .string
      case .integer: .integer
      case .float: .float
      case .boolean: .boolean
      case .offsetDateTime, .localDateTime, .localDate, .localTime: .datetime
      case .array: .array
      case .table: .table
      }
  }

  fileprivate var words: String {
    switch self {
    case .integer, .array: "an \(rawValue)"
    case .datetime: "a date or time"
    case .toml: "a TOML value"
    default: "a \(rawValue)"
    }
  }
}

extension TOMLValue {
  /// A value of JSON, which has no dates, and one type of numbers.
  func fromJSON(to type: SchemaType?, like current: TOMLValue?) -> TOMLValue {
    if let type { return type.restoring(self, from: .typed) }
    switch (self, current) {
    case (.integer(let number), .float?): return .float(Double(number))
    case (.string(let text), .offsetDateTime?), (.string(let text), .localDateTime?), (.string(let text), .localDate?),
      (.string(let text), .localTime?):
      guard let date = try? TOMLValue(parsing: text), date.kindName == current?.kindName else { return self }
      return date
    default: return self
    }
  }
}
