import AppSettings

/// Parses a dotted key of the command line.
enum KeyArgument {
  static func parse(_ text: String) throws -> TOMLPath {
    try Arguments.checkText(text, "key")
    let path: TOMLPath
    do {
      path = try TOMLPath(parsing: text)
    } catch {
      throw Failure(.usage, "Invalid key '\(text)': \(error.reason).")
    }
    if path.components[0].hasPrefix("settings-") {
      throw Failure(.usage, "Invalid key '\(text)': root keys that begin with 'settings-' are reserved.")
    }
    return path
  }

  /// Parses an assignment `KEY=VALUE`; `nil` if there is no `=` outside quotes.
  static func assignment(_ text: String) throws -> (key: TOMLPath, text: String)? {
    var quote: Character?
    var isEscaped = false
    for index in text.indices {
      let character = text[index]
      if quote == nil, character == "=" {
        return (try parse(String(text[..<index])), String(text[text.index(after: index)...]))
      }
      if quote == nil, character == "\"" || character == "'" {
        quote = character
      } else if character == quote, !isEscaped {
        quote = nil
      }
      isEscaped = quote == "\"" && character == "\\" && !isEscaped
    }
    return nil
  }
}
