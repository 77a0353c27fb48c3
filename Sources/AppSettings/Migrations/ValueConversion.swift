import SettingsTOML

/// A conversion of a value for ``MigrationStep/convert(_:_:)``.
///
/// Several are done one after the other. Errors name the kind of the value but never show it, because it may be a
/// secret.
///
/// ```swift
/// .convert("delay", .float, .scaled(by: 1000), .rounded, .integer)   // "1.5" becomes 1500
/// ```
public struct ValueConversion: Sendable {
  private enum Kind {
    case integer, float, string, boolean, rounded
    case scaled(Double)
    case split(String)
    case joined(String)
  }
  private let kind: Kind

  /// Converts a string of digits, a whole float or a boolean (1, 0) to an integer. Other floats need ``rounded`` first.
  ///
  /// `"42"`, `42.0` and `42` become `42`. A number that does not fit 64 bits makes the migration fail.
  public static let integer = ValueConversion(kind: .integer)
  /// Converts an integer or a string to a float.
  ///
  /// An integer beyond 2^53 that no float equals makes the migration fail.
  public static let float = ValueConversion(kind: .float)
  /// Converts any value except an array or a table to a string.
  ///
  /// Numbers, booleans and dates are written as in TOML: `true`, `1.5`, `2026-03-01`.
  public static let string = ValueConversion(kind: .string)
  /// Converts 1 and 0, or yes, true, y, t, on, 1 and no, false, n, f, off, 0 in any case, to a boolean.
  public static let boolean = ValueConversion(kind: .boolean)
  /// Rounds to the nearest whole number, halves away from zero, and keeps the type.
  public static let rounded = ValueConversion(kind: .rounded)

  /// Multiplies by a factor. Integers stay integers if the factor is whole, and become floats otherwise.
  ///
  /// An integer beyond 2^53 that no float equals makes the migration fail if the factor is not whole.
  ///
  /// - Parameter factor: The factor, such as `1000` from seconds to milliseconds, or `0.001` from milliseconds to
  ///   seconds.
  public static func scaled(by factor: Double) -> ValueConversion { ValueConversion(kind: .scaled(factor)) }

  /// Splits a string into an array of its parts without surrounding blanks; an empty string into an empty array.
  ///
  /// An array stays as it is.
  ///
  /// - Parameter separator: The text between the parts. An empty separator traps.
  public static func split(by separator: String) -> ValueConversion {
    precondition(!separator.isEmpty, "A string cannot be split by an empty separator.")
    return ValueConversion(kind: .split(separator))
  }

  /// Joins the elements of an array to a string.
  ///
  /// A string stays as it is. An element that is an array or a table makes the migration fail.
  public static func joined(by separator: String) -> ValueConversion { ValueConversion(kind: .joined(separator)) }

  // MARK: In a schema

  var schemaForm: TOMLValue {
    switch kind {
    case .integer: "integer"
    case .float: "float"
    case .string: "string"
    case .boolean: "boolean"
    case .rounded: "rounded"
    case .scaled(let factor): ["scaled": .float(factor)]
    case .split(let separator): ["split": .string(separator)]
    case .joined(let separator): ["joined": .string(separator)]
    }
  }

  init?(schemaForm: TOMLValue) {
    switch schemaForm {
    case "integer": kind = .integer
    case "float": kind = .float
    case "string": kind = .string
    case "boolean": kind = .boolean
    case "rounded": kind = .rounded
    case .table(let table) where table.count == 1:
      switch (table.keys[0], table[table.keys[0]]) {
      case ("scaled", .float(let factor)?): kind = .scaled(factor)
      case ("scaled", .integer(let factor)?): kind = .scaled(Double(factor))
      case ("split", .string(let separator)?) where !separator.isEmpty: kind = .split(separator)
      case ("joined", .string(let separator)?): kind = .joined(separator)
      default: return nil
      }
    default: return nil
    }
  }

  private init(kind: Kind) { self.kind = kind }

  // MARK: Converting

  /// Converts a value. The elements of an array are converted one by one, except by `split` and `joined`.
  func convert(_ value: TOMLValue) throws(ConversionFailure) -> TOMLValue {
    switch (kind, value) {
    case (.split(let separator), .string(let text)):
      let parts = text.pieces(separatedBy: separator).map { $0.withoutBlanks }
      return .array(parts == [""] ? [] : parts.map { .string($0) })
    case (.split, .array), (.joined, .string): return value
    case (.joined(let separator), .array(let items)):
      var texts: [String] = []
      for item in items {
        guard let text = item.scalarText else { throw failure(item, "part of a string") }
        texts.append(text)
      }
      return .string(texts.joined(separator: separator))
    case (_, .array(let items)):
      var result: [TOMLValue] = []
      for item in items { result.append(try convert(item)) }
      return .array(result)
    case (.integer, _): return .integer(try integer(of: value))
    case (.float, _): return .float(try float(of: value))
    case (.boolean, _): return .boolean(try boolean(of: value))
    case (.string, _):
      guard let text = value.scalarText else { throw failure(value, "a string") }
      return .string(text)
    case (.rounded, .float(let number)): return .float(number.rounded())
    case (.rounded, .integer): return value
    case (.scaled(let factor), _): return try scaled(value, by: factor)
    default: throw failure(value, "what was asked for")
    }
  }

  /// The integer that equals a value.
  private func integer(of value: TOMLValue) throws(ConversionFailure) -> Int64 {
    switch value {
    case .integer(let number): return number
    case .boolean(let flag): return flag ? 1 : 0
    case .float(let number):
      if let whole = Int64(exactly: number) { return whole }
    case .string(let text):
      let text = text.withoutBlanks
      if let number = Int64(text) { return number }
      // Above 2^53 not every integer is a float: the text may mean another integer than its float.
      if let number = Double(text), number.magnitude <= 0x1p53, let whole = Int64(exactly: number) { return whole }
    default: break
    }
    throw failure(value, "an integer")
  }

  /// The float that a value stands for. An integer must equal it; the digits of a string are rounded.
  private func float(of value: TOMLValue) throws(ConversionFailure) -> Double {
    switch value {
    case .float(let number): return number
    case .integer(let integer):
      if let number = Double(exactly: integer) { return number }
    case .string(let text):
      let text = text.withoutBlanks
      // A string with too many digits for a float reads as an infinity.
      if let number = Double(text), number.isFinite || !text.contains(where: \.isNumber) { return number }
    default: break
    }
    throw failure(value, "a float")
  }

  private func boolean(of value: TOMLValue) throws(ConversionFailure) -> Bool {
    switch value {
    case .boolean(let flag): return flag
    case .integer(1), .float(1): return true
    case .integer(0), .float(0): return false
    case .string(let text):
      switch text.withoutBlanks.lowercased() {
      case "yes", "true", "y", "t", "on", "1": return true
      case "no", "false", "n", "f", "off", "0": return false
      default: break
      }
    default: break
    }
    throw failure(value, "a boolean")
  }

  /// The product with a factor. For a factor such as 0.001 it divides by 1000 instead, which is exact more often.
  private func scaled(_ value: TOMLValue, by factor: Double) throws(ConversionFailure) -> TOMLValue {
    if case .integer(let number) = value, let factor = Int64(exactly: factor) {
      let (product, isTooLarge) = number.multipliedReportingOverflow(by: factor)
      if isTooLarge { throw failure(value, "an integer after scaling by \(factor)") }
      return .integer(product)
    }
    let number: Double
    switch value {
    case .integer, .float: number = try float(of: value)
    default: throw failure(value, "a number to scale")
    }
    // 0.001 has no exact form, and 1000 has one: 1500 / 1000 is 1.5, but 1500 * 0.001 need not be.
    let inverse = (1 / factor).rounded()
    let scaled = abs(factor) < 1 && factor != 0 && 1 / inverse == factor ? number / inverse : number * factor
    guard scaled.isFinite || !number.isFinite else { throw failure(value, "a float after scaling by \(factor)") }
    return .float(scaled)
  }

  /// Names only the kind of the value: it may be a secret, which a step cannot know.
  private func failure(_ value: TOMLValue, _ needed: String) -> ConversionFailure {
    ConversionFailure(reason: "\(value.kindName) cannot be made \(needed)")
  }
}

/// The reason why a value could not be converted.
struct ConversionFailure: Error {
  let reason: String
}

extension TOMLValue {
  /// A string as it is, another scalar as TOML; `nil` for an array or a table.
  package var scalarText: String? {
    switch self {
    case .string(let text): text
    case .array, .table: nil
    default: tomlText
    }
  }
}
