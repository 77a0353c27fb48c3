import AppSettings
import Glibc
import SettingsTools

extension StandardInput {
  static var isTerminal: Bool { isatty(STDIN_FILENO) == 1 }

  /// Reads a line typed by a person; `nil` at the end of the input.
  static func line() -> String? { readLine() }

  /// Asks a person a question; `nil` if nobody is at a terminal.
  static func confirms(_ question: String) -> Bool? {
    guard isTerminal, Terminal.error.isTerminal else { return nil }
    Output.prompt("\(Terminal.error.shown(question)) [y/N] ")
    return ["y", "yes"].contains(line()?.lowercased() ?? "")
  }

  /// The value for which '-' stands on a command line: typed without being shown, or piped.
  ///
  /// - Parameter allowsEmpty: Whether it may be empty; `nil` if the verb has no option for that.
  static func value(of key: TOMLPath, allowsEmpty: Bool?) throws -> String {
    let text = try isTerminal ? typedValue(of: key) : pipedValue(of: key)
    guard text.isEmpty, allowsEmpty != true else { return text }
    throw ToolError(
      .invalidValue,
      "Cannot set '\(key)': standard input is empty. Nothing was written."
        + (allowsEmpty == nil ? "" : " Use --allow-empty to store an empty value."))
  }

  private static func typedValue(of key: TOMLPath) throws -> String {
    let line = unseen {
      Output.prompt("Value of '\(key)': ")
      defer { Output.prompt("\n") }
      return readLine()
    }
    guard let line else { throw ToolError(.usage, "Missing VALUE.") }
    return line
  }

  /// A last newline ends the line and is not part of the value.
  private static func pipedValue(of key: TOMLPath) throws -> String {
    var bytes = try all()
    if bytes.last == UInt8(ascii: "\n") { bytes.removeLast() }
    guard let text = String(validating: bytes, as: UTF8.self) else {
      throw ToolError(.invalidValue, "Cannot set '\(key)': standard input is not UTF-8. Nothing was written.")
    }
    return text
  }
}
