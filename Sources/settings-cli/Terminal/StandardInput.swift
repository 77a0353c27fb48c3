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
