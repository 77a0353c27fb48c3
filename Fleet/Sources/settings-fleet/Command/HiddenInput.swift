import Glibc
import SettingsTools

/// What a person types without its being shown, or a program writes to standard input.
enum HiddenInput {
  /// A password: the first line.
  static func password() throws -> String {
    guard let line = try line(asking: "Password: "), !line.isEmpty else {
      throw Failure(.usage, "Give the password on standard input.")
    }
    guard let text = String(validating: line, as: UTF8.self) else {
      throw Failure(.usage, "The password is not UTF-8.")
    }
    return text
  }

  /// A secret: a line at a terminal, otherwise everything but a newline at its end.
  ///
  /// - Parameter limit: One that is longer is cut off after this number of bytes or more.
  static func secret(asking question: String, upTo limit: Int) throws -> [UInt8] {
    if isatty(STDIN_FILENO) == 1 { return try line(asking: question) ?? [] }
    var bytes = try StandardInput.all(upTo: limit)
    if bytes.last == UInt8(ascii: "\n") { bytes.removeLast() }
    return bytes
  }

  private static func line(asking question: String) throws -> [UInt8]? {
    guard isatty(STDIN_FILENO) == 1 else { return try StandardInput.line() }
    return try StandardInput.unseen {
      Output.raw(question)
      defer { Output.raw("\n") }
      return try StandardInput.line()
    }
  }
}
