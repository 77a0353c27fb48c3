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
    unseen {
      Output.prompt(question)
      defer { Output.prompt("\n") }
      return readLine()
    }
  }
}
