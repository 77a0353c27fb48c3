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
    case .array where levels == 0: "[…]"
    case .array(let elements):
      "[" + elements.prefix(9).map { $0.errorText(levels: levels - 1) }.joined(separator: ", ")
        + (elements.count > 9 ? ", …]" : "]")
    case .table(let table): "{" + TOMLValue.list(table.keys) + "}"
    default: tomlText
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
        text += "\\u" + String(scalar.value, radix: 16, uppercase: true).padded(to: 4)
      default: text.unicodeScalars.append(scalar)
      }
    }
    return text + (string.dropFirst(limit).isEmpty ? "\"" : "…\"")
  }

  /// Returns a path component as TOML writes it: bare if possible.
  static func quotedUnlessBare(_ component: String) -> String {
    TOMLPath([component]).description == component ? component : quoted(component)
  }

  /// The first four keys.
  private static func list(_ keys: [String]) -> String {
    keys.prefix(4).map(quotedUnlessBare).joined(separator: ", ") + (keys.count > 4 ? ", …" : "")
  }
}
