import AppSettings
import Glibc
import Synchronization

/// Standard output and standard error.
enum Output {
  private static let pending = Mutex<[UInt8]>([])

  /// Adds an answer and a newline, or another terminator, to what ``flush()`` sends. On a terminal, what would command
  /// it is escaped.
  static func line(_ text: String, terminator: String = "\n") { self.text(Terminal.output.shown(text) + terminator) }

  /// Adds a path and a newline: on a terminal as it is shown, else as the bytes that it is, for who opens it.
  ///
  /// - Parameter label: What stands before it.
  static func path(_ path: String, after label: String = "") {
    if Terminal.output.isTerminal { return line(label + PathText.shown(path)) }
    pending.withLock { $0 += Array(label.utf8) + PathText.bytes(path) + [UInt8(ascii: "\n")] }
  }

  /// Adds a text that may have colours: its foreign parts are made harmless already.
  static func text(_ text: String) { pending.withLock { $0 += Array(text.utf8) } }

  /// Writes a message to standard error.
  static func error(_ text: String) { message(text, .alarm) }

  /// Writes a warning to standard error.
  static func warning(_ text: String) { message("warning: \(text)", .yellow) }

  /// Writes what is no error to standard error.
  static func note(_ text: String) { message(text, .bold) }

  private static func message(_ text: String, _ style: Terminal.Style) {
    let name = Terminal.error.styled("settings-cli:", style)
    _ = send(Array("\(name) \(Terminal.error.shown(PathText.shown(text)))\n".utf8), to: STDERR_FILENO)
  }

  /// Writes to standard error as it is: a question, or progress.
  static func prompt(_ text: String) { _ = send(Array(text.utf8), to: STDERR_FILENO) }

  /// Sends what was written on its way.
  ///
  /// - Throws: ``Failure`` with status 7 if the answer could not be written: no script may take half of it for whole.
  static func flush() throws {
    // Held while sending, so that who ends the process does not cut a line in two.
    let failure = pending.withLock { bytes in
      defer { bytes = [] }
      return send(bytes, to: STDOUT_FILENO)
    }
    if failure == EPIPE { throw Failure.goneReader }
    if failure != 0 { throw Failure(.io, "Cannot write the answer: \(Errno(failure).message).") }
  }

  /// Waits until no line is half sent, but not longer than a second: who reads may have stopped.
  static func finish() {
    for _ in 0..<100 {
      if pending.withLockIfAvailable({ _ in true }) == true { return }
      usleep(10_000)
    }
  }

  /// Writes every byte; gives the error number, or 0.
  private static func send(_ bytes: [UInt8], to descriptor: CInt) -> CInt {
    var rest = bytes[...]
    while !rest.isEmpty {
      let count = rest.withUnsafeBytes { write(descriptor, $0.baseAddress, $0.count) }
      if count >= 0 {
        rest = rest.dropFirst(count)
      } else if errno != EINTR {
        return errno
      }
    }
    return 0
  }
}
