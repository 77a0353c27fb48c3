import AppSettings
import Glibc
import SettingsTools
import Synchronization

/// Standard output and standard error.
enum Output {
  private static let pending = Mutex<[UInt8]>([])
  // Protects whether the verb has stored what the answer is about.
  private static let isStored = Mutex(false)

  /// Adds an answer and a newline, or another terminator, to what ``flush()`` sends. A terminal gets control characters
  /// escaped.
  static func line(_ text: String, terminator: String = "\n") { self.text(Terminal.output.shown(text) + terminator) }

  /// Adds a path and a newline: escaped on a terminal, else as its exact bytes, so that it can be opened.
  ///
  /// - Parameter label: A text before it.
  static func path(_ path: String, after label: String = "") {
    if Terminal.output.isTerminal { return line(label + PathText.shown(path)) }
    pending.withLock { $0 += Array(label.utf8) + PathText.bytes(path) + [UInt8(ascii: "\n")] }
  }

  /// Adds a text that may have colours, in which foreign text is already escaped.
  static func text(_ text: String) { pending.withLock { $0 += text.utf8 } }

  /// Adds a line for each element, with colours, or one JSON array of all.
  static func list<Element>(
    _ all: [Element], asJSON isJSON: Bool, _ json: (Element) -> JSONObject, _ line: (Element) -> String
  ) {
    if isJSON { self.line(JSONObject.lines(all.map(json))) } else { for element in all { text(line(element) + "\n") } }
  }

  /// Writes a message to standard error.
  static func error(_ text: String) { message(text, .alarm) }

  /// Writes a warning to standard error.
  static func warning(_ text: String) { message("warning: \(text)", .yellow) }

  /// Writes what the tools have to say.
  static func tell(_ message: ToolMessage) {
    if message.isWarning { warning(message.text) } else { note(message.text) }
  }

  /// Writes a message that is not an error to standard error.
  static func note(_ text: String) { message(text, .bold) }

  private static func message(_ text: String, _ style: Terminal.Style) {
    let name = Terminal.error.styled("settings-cli:", style)
    _ = send(Array("\(name) \(Terminal.error.shown(PathText.shown(text)))\n".utf8), to: STDERR_FILENO)
  }

  /// Writes a question or progress to standard error, unchanged.
  static func prompt(_ text: String) { _ = send(Array(text.utf8), to: STDERR_FILENO) }

  /// Notes that the verb has done what it has to say, for the case that it cannot say it.
  static func noteStored() { isStored.withLock { $0 = true } }

  /// Sends the pending answers. A reader that has gone has what it wanted.
  ///
  /// - Throws: ``ToolError`` with status 7 if that fails: no script may mistake half an answer for a whole one.
  static func flush() throws {
    // Held while sending, so that code that ends the process does not cut a line in two.
    let failure = pending.withLock { bytes in
      defer { bytes = [] }
      return send(bytes, to: STDOUT_FILENO)
    }
    if failure == EPIPE { throw GoneReader() }
    if failure != 0 {
      let stored = isStored.withLock { $0 } ? " The change itself is stored." : ""
      throw ToolError(.io, "Cannot write the answer: \(Errno(failure).message).\(stored)")
    }
  }

  /// Waits until no line is half sent, but at most a second: the reader may have stopped.
  static func finish() {
    for _ in 0..<100 {
      if pending.withLockIfAvailable({ _ in true }) == true { return }
      usleep(10_000)
    }
  }

  /// Writes every byte; returns the error number, or 0.
  private static func send(_ bytes: [UInt8], to descriptor: CInt) -> CInt {
    var rest = bytes[...]
    while !rest.isEmpty {
      let count = rest.withUnsafeBytes { write(descriptor, $0.baseAddress, $0.count) }
      if count >= 0 {
        rest = rest.dropFirst(count)
      } else {
        let number = errno
        guard PatientCall.repeats(after: number, POLLOUT, descriptor) else { return number }
      }
    }
    return 0
  }
}

/// The reader of the answer is gone, as 'head' is after its last line: it wants no more, nor a message.
struct GoneReader: Error {}

extension Output {
  /// Ends the process with an error, after sending the answers so far.
  static func end(with error: any Error) -> Never {
    if error is GoneReader { exit(EXIT_SUCCESS) }
    let failure = ToolError(any: error)
    do {
      try flush()
    } catch {
      if let message = (error as? ToolError)?.message { self.error(message) }
    }
    if let message = failure.message { self.error(message) }
    exit(failure.status.rawValue)
  }
}
