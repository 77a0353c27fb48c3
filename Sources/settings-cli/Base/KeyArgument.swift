import AppSettings
import SettingsTools

/// Parses a dotted key of the command line.
enum KeyArgument {
  static func parse(_ text: String) throws -> TOMLPath {
    try Arguments.checkText(text, "key")
    return try TypedKey.path(text)
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
