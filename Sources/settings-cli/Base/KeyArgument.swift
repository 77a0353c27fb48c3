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
    try KeyText.assignment(text).map { (try parse(String($0.key)), String($0.value)) }
  }
}
