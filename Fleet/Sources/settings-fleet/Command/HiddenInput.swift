import Glibc

/// What a person types without its being shown, or a program writes to standard input.
enum HiddenInput {
  /// A password: the first line.
  static func password() throws -> String {
    guard let line = line(asking: "Password: "), !line.isEmpty else {
      throw Failure(.usage, "Give the password on standard input.")
    }
    return line
  }

  /// A secret of any length: a line at a terminal, otherwise everything but a newline at its end.
  static func secret(asking question: String) throws -> [UInt8] {
    if isatty(STDIN_FILENO) == 1 { return Array((line(asking: question) ?? "").utf8) }
    var bytes: [UInt8]
    do {
      bytes = try File.read(from: STDIN_FILENO, "standard input")
    } catch {
      throw Failure(.io, error.description)
    }
    if bytes.last == UInt8(ascii: "\n") { bytes.removeLast() }
    return bytes
  }

  private static func line(asking question: String) -> String? {
    var settings = termios()
    let isTerminal = tcgetattr(STDIN_FILENO, &settings) == 0
    if isTerminal {
      Output.raw(question)
      var silent = settings
      silent.c_lflag &= ~tcflag_t(ECHO)
      tcsetattr(STDIN_FILENO, TCSAFLUSH, &silent)
    }
    defer {
      if isTerminal {
        tcsetattr(STDIN_FILENO, TCSAFLUSH, &settings)
        Output.raw("\n")
      }
    }
    return readLine()
  }
}
