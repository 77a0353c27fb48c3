// The form of values in error messages. Unlike in a file, long values are cut and unprintable characters are escaped.

extension TOMLValue {
  /// The value with its kind: `the string "four"`, `an array of 12 elements`.
  package var errorDescription: String {
    switch self {
    case .string: "the string \(errorText)"
    case .integer: "the integer \(errorText)"
    case .float: "the float \(errorText)"
    case .boolean: "the boolean \(errorText)"
    case .offsetDateTime, .localDateTime: "the date-time \(errorText)"
    case .localDate: "the date \(errorText)"
    case .localTime: "the time \(errorText)"
    case .array(let elements) where elements.isEmpty: "an empty array"
    case .array(let elements):
      errorText.count <= 40 ? "the array \(errorText)" : "an array of \(elements.count) elements"
    case .table(let table) where table.isEmpty: "an empty table"
    case .table(let table): "a table with \(table.count == 1 ? "the key" : "the keys") \(TOMLValue.list(table.keys))"
    }
  }

  /// The value as text, with strings cut to 40 characters.
  ///
  /// Arrays show at most nine elements, tables at most four keys. ASCII control characters are escaped.
  package var errorText: String { errorText(levels: 8) }

  /// - Parameter levels: The number of levels of nested arrays to show.
  private func errorText(levels: Int) -> String {
    switch self {
    case .string(let string): TOMLValue.quoted(string)
    case .integer(let integer): String(integer)
    case .float(let float):
      float.isNaN ? "nan" : float == .infinity ? "inf" : float == -.infinity ? "-inf" : String(float)
    case .boolean(let boolean): String(boolean)
    case .offsetDateTime(let value):
      value.date.errorText + "T" + value.time.errorText + TOMLValue.offsetText(value.offsetMinutes)
    case .localDateTime(let value): value.date.errorText + "T" + value.time.errorText
    case .localDate(let value): value.errorText
    case .localTime(let value): value.errorText
    case .array where levels == 0: "[…]"
    case .array(let elements):
      "[" + elements.prefix(9).map { $0.errorText(levels: levels - 1) }.joined(separator: ", ")
        + (elements.count > 9 ? ", …]" : "]")
    case .table(let table): "{" + TOMLValue.list(table.keys) + "}"
    }
  }

  /// Returns a string in double quotes, cut, with unprintable characters escaped.
  ///
  /// - Parameters:
  ///   - string: The text.
  ///   - limit: The number of characters after which it is cut. An ellipsis shows that.
  package static func quoted(_ string: String, limit: Int = 40) -> String {
    var text = "\""
    for scalar in string.prefix(limit).unicodeScalars {
      switch scalar {
      case "\"": text += "\\\""
      case "\\": text += "\\\\"
      case "\n": text += "\\n"
      case "\t": text += "\\t"
      case _ where scalar.value < 0x20 || scalar.value == 0x7F:
        let hex = String(scalar.value, radix: 16, uppercase: true)
        text += "\\u" + String(repeating: "0", count: 4 - hex.count) + hex
      default: text.unicodeScalars.append(scalar)
      }
    }
    return text + (string.dropFirst(limit).isEmpty ? "\"" : "…\"")
  }

  /// Returns a path component as TOML writes it: bare if possible.
  static func quotedUnlessBare(_ component: String) -> String {
    let isBare = component.utf8.allSatisfy { byte in
      switch byte {
      case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
        UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "_"):
        true
      default: false
      }
    }
    return isBare && !component.isEmpty ? component : quoted(component)
  }

  /// The first four keys.
  private static func list(_ keys: [String]) -> String {
    keys.prefix(4).map(quotedUnlessBare).joined(separator: ", ") + (keys.count > 4 ? ", …" : "")
  }

  private static func offsetText(_ minutes: Int) -> String {
    if minutes == 0 { return "Z" }
    return (minutes < 0 ? "-" : "+") + digits(abs(minutes) / 60, 2) + ":" + digits(abs(minutes) % 60, 2)
  }

  fileprivate static func digits(_ number: Int, _ count: Int) -> String {
    let text = String(number)
    return String(repeating: "0", count: max(0, count - text.utf8.count)) + text
  }
}

extension TOMLLocalDate {
  /// `1979-05-27`.
  var errorText: String {
    "\(TOMLValue.digits(year, 4))-\(TOMLValue.digits(month, 2))-\(TOMLValue.digits(day, 2))"
  }
}

extension TOMLLocalTime {
  /// `07:32:00.5`.
  var errorText: String {
    let whole = "\(TOMLValue.digits(hour, 2)):\(TOMLValue.digits(minute, 2)):\(TOMLValue.digits(second, 2))"
    guard nanosecond != 0 else { return whole }
    var fraction = Substring(TOMLValue.digits(nanosecond, 9))
    while fraction.last == "0" { fraction.removeLast() }
    return whole + "." + fraction
  }
}
