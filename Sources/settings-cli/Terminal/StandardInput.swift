import AppSettings
import Glibc
import SettingsTools

/// Standard input.
enum StandardInput {
  static var isTerminal: Bool { isatty(STDIN_FILENO) == 1 }

  /// Reads everything up to its end.
  ///
  /// A pipe ends, too, if the program that writes it is killed, and what was cut off can be well-formed. A program that
  /// says in `SETTINGS_CLI_INPUT_BYTES` how much there is has it refused then.
  ///
  /// - Parameter limit: The number of bytes that is enough to see that there are too many.
  /// - Throws: ``ToolError`` with status 7 if it cannot be read or is not whole.
  static func all(upTo limit: Int = .max) throws -> [UInt8] {
    var bytes: [UInt8] = []
    var buffer = [UInt8](repeating: 0, count: 65_536)
    while true {
      let count = read(STDIN_FILENO, &buffer, buffer.count)
      if count < 0, errno == EINTR { continue }
      if count < 0 { throw ToolError(.io, "Cannot read standard input: \(Errno(errno).message).") }
      if bytes.count >= limit { return bytes }
      if count == 0 {
        try checkIsWhole(bytes.count)
        return bytes
      }
      bytes += buffer[..<count]
    }
  }

  private static func checkIsWhole(_ count: Int) throws {
    guard let expected = ProcessFacts.variable("SETTINGS_CLI_INPUT_BYTES") else { return }
    guard String(count) != expected else { return }
    throw ToolError(
      .io,
      "Standard input ended after \(count) bytes, and 'SETTINGS_CLI_INPUT_BYTES' says \(expected). The program that "
        + "wrote it may have been killed. Nothing was written.")
  }

  /// Reads a line typed by a person; `nil` at the end of the input.
  static func line() -> String? { readLine() }

  /// Asks a person a question; `nil` if nobody is at a terminal.
  static func confirms(_ question: String) -> Bool? {
    guard isTerminal, Terminal.error.isTerminal else { return nil }
    Output.prompt("\(Terminal.error.shown(question)) [y/N] ")
    return ["y", "yes"].contains(line()?.lowercased() ?? "")
  }

  /// Reads a line typed by a person, without showing it.
  static func hiddenLine(asking question: String) -> String? {
    var before = termios()
    tcgetattr(STDIN_FILENO, &before)
    var hidden = before
    hidden.c_lflag &= ~tcflag_t(ECHO)
    tcsetattr(STDIN_FILENO, TCSAFLUSH, &hidden)
    defer {
      tcsetattr(STDIN_FILENO, TCSAFLUSH, &before)
      Output.prompt("\n")
    }
    Output.prompt(question)
    return readLine()
  }
}
