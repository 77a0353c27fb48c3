/// Keys as people type them: a shell may have taken the quotes of a key for its own.
enum KeyText {
  /// The text without quotes around names.
  static func unquoted(_ text: String) -> String {
    var result = String.UnicodeScalarView()
    scan(text) { scalar, _, isSign in if !isSign { result.append(scalar) } }
    return String(result)
  }

  /// The parts of `KEY=VALUE`; `nil` if there is no `=` outside quotes.
  static func assignment(_ text: String) -> (key: Substring, value: Substring)? {
    var count = 0
    var equals: Int?
    scan(text) { scalar, isQuoted, _ in
      if equals == nil, !isQuoted, scalar == "=" { equals = count }
      count += 1
    }
    guard let equals else { return nil }
    let index = text.unicodeScalars.index(text.unicodeScalars.startIndex, offsetBy: equals)
    return (text[..<index], text[text.unicodeScalars.index(after: index)...])
  }

  /// Goes through a text.
  ///
  /// - Parameter body: Gets each scalar, whether it is in quotes, and whether it is a quote or an escape sign itself.
  private static func scan(_ text: String, _ body: (Unicode.Scalar, _ isQuoted: Bool, _ isSign: Bool) -> Void) {
    var quote: Unicode.Scalar?
    var isEscaped = false
    for scalar in text.unicodeScalars {
      let wasEscaped = isEscaped
      isEscaped = quote == "\"" && scalar == "\\" && !wasEscaped
      if !wasEscaped, scalar == quote {
        quote = nil
        body(scalar, true, true)
      } else if quote == nil, scalar == "\"" || scalar == "'" {
        quote = scalar
        body(scalar, true, true)
      } else {
        body(scalar, quote != nil, isEscaped)
      }
    }
  }
}
