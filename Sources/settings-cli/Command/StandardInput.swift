import AppSettings
import Glibc

/// Standard input.
enum StandardInput {
  static var isTerminal: Bool { isatty(STDIN_FILENO) == 1 }

  /// Reads everything up to its end.
  ///
  /// - Parameter limit: The number of bytes that is enough to see that there are too many.
  /// - Throws: ``Failure`` with status 7 if it cannot be read.
  static func all(upTo limit: Int = .max) throws -> [UInt8] {
    var bytes: [UInt8] = []
    var buffer = [UInt8](repeating: 0, count: 65_536)
    while true {
      let count = read(STDIN_FILENO, &buffer, buffer.count)
      if count < 0, errno == EINTR { continue }
      if count < 0 { throw Failure(.io, "Cannot read standard input: \(Errno(errno).message).") }
      if count == 0 || bytes.count >= limit { return bytes }
      bytes += buffer[..<count]
    }
  }

  /// Reads a line typed by a person; `nil` at the end of the input.
  static func line() -> String? { readLine() }

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
