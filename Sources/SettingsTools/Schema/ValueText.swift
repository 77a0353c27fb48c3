import AppSettings
import AppSettingsImport

/// Parses the VALUE of a command line.
///
/// With a type, the text must be of that type. Without one, it must be of the type of the key's present value. For a
/// key without a value it is a TOML value if it parses as one, and a string otherwise.
enum ValueText {
  /// Parses a text.
  ///
  /// - Parameters:
  ///   - isElement: Whether it becomes an element of the key's array, and `current` is another one.
  ///   - isSecret: Whether messages must not show it.
  package static func value(
    _ text: String, kind: ValueKind?, current: TOMLValue?, key: TOMLPath, isElement: Bool = false,
    isSecret: Bool = false
  ) throws -> TOMLValue {
    func invalid(_ needed: String) -> ToolError {
      let shown = isSecret ? "that value" : Shown.short(Shown.typed(text))
      return ToolError(
        .invalidValue,
        isElement
          ? "Cannot use \(shown) as an element of '\(key)': it needs \(needed). Nothing was written."
          : "Cannot set '\(key)' to \(shown): the key needs \(needed). Nothing was written.")
    }
    if let kind {
      guard let value = value(text, as: kind) else { throw invalid("\(name(kind)), as --type says") }
      return value
    }
    guard let current else { return (try? TOMLValue(parsing: text)) ?? .string(text) }
    let kind = kindOf(current)
    guard let value = value(text, as: kind) else {
      let now = isElement ? "like the others" : "like its present value"
      throw invalid("\(current.kindName), \(now); --type gives it another type")
    }
    return value
  }

  private static func value(_ text: String, as kind: ValueKind) -> TOMLValue? {
    let parsed = try? TOMLValue(parsing: text)
    switch (kind, parsed) {
    case (.string, _): return .string(text)
    case (.integer, .integer?), (.boolean, .boolean?), (.array, .array?), (.table, .table?), (.float, .float?),
      (.toml, _?):
      return parsed
    case (.float, _): return SchemaType.float(text, parsed)
    case (.datetime, .offsetDateTime?), (.datetime, .localDateTime?), (.datetime, .localDate?),
      (.datetime, .localTime?):
      return parsed
    case (.boolean, nil): return boolean(text)
    default: return nil
    }
  }

  /// The words that people use for booleans.
  private static func boolean(_ text: String) -> TOMLValue? {
    switch text.lowercased() {
    case "yes", "y", "t", "on": .boolean(true)
    case "no", "n", "f", "off": .boolean(false)
    default: nil
    }
  }

  private static func kindOf(_ value: TOMLValue) -> ValueKind {
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

  private static func name(_ kind: ValueKind) -> String {
    switch kind {
    case .integer, .array: "an \(kind.rawValue)"
    case .datetime: "a date or time"
    case .toml: "a TOML value"
    default: "a \(kind.rawValue)"
    }
  }
}

/// The types that a typed value can be said to have.
package enum ValueKind: String, Sendable, CaseIterable {
  case string, integer, float, boolean, datetime, array, table, toml
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
