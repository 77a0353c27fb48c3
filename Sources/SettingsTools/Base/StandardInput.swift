import AppSettings
import Glibc

/// Standard input.
package enum StandardInput {
  /// Reads everything up to its end.
  ///
  /// A pipe ends, too, if the program that writes it is killed, and what was cut off can be well-formed. A program that
  /// says in `SETTINGS_CLI_INPUT_BYTES` how much there is has it refused then.
  ///
  /// - Throws: ``ToolError`` with status 7 if it cannot be read, is not whole, or is longer than a settings file may be.
  package static func all() throws(ToolError) -> [UInt8] {
    try all(upTo: SettingsFile.sizeLimit + 1).checked(named: "standard input")
  }

  /// The same for callers with a limit of their own.
  ///
  /// - Parameter limit: The number of bytes that is enough to see that there are too many.
  /// - Throws: ``ToolError`` with status 7 if it cannot be read or is not whole.
  package static func all(upTo limit: Int) throws(ToolError) -> [UInt8] {
    let bytes = try bytes(of: STDIN_FILENO, named: "standard input", upTo: limit)
    if bytes.count < limit { try checkIsWhole(bytes.count) }
    return bytes
  }

  /// Reads what a descriptor has, up to its end.
  ///
  /// - Throws: ``ToolError`` with status 7 if it cannot be read, or is longer than a settings file may be.
  static func bytes(of descriptor: CInt, named name: String) throws(ToolError) -> [UInt8] {
    try bytes(of: descriptor, named: name, upTo: SettingsFile.sizeLimit + 1).checked(named: name)
  }

  private static func bytes(
    of descriptor: CInt, named name: String, upTo limit: Int
  ) throws(ToolError) -> [UInt8] {
    var bytes: [UInt8] = []
    var buffer = [UInt8](repeating: 0, count: 65_536)
    // Beyond a limit, the writer may have more to say, later.
    while bytes.count < limit {
      let count = read(descriptor, &buffer, buffer.count)
      if count < 0 {
        let number = errno
        if PatientCall.repeats(after: number, POLLIN, descriptor) { continue }
        throw ToolError(.io, "Cannot read \(name): \(Errno(number).message).")
      }
      if count == 0 { break }
      bytes += buffer[..<count]
    }
    return bytes
  }

  /// Reads the lines of a batch.
  ///
  /// - Throws: ``ToolError`` as ``all(upTo:)``, and with status 2 for more than the limit.
  package static func batch() throws(ToolError) -> [UInt8] {
    let most = 16 << 20
    let lines = try all(upTo: most + 1)
    guard lines.count > most else { return lines }
    throw ToolError(
      .usage, "The batch has more than 16 MiB, which is the limit. Nothing was written. Make several of it.")
  }

  /// Runs what reads, while a terminal does not show what is typed. A signal that ends the process leaves a terminal that
  /// shows it again.
  package static func unseen<Result, Failure>(_ read: () throws(Failure) -> Result) throws(Failure) -> Result {
    var settings = termios()
    guard tcgetattr(STDIN_FILENO, &settings) == 0 else { return try read() }
    let shown = settings
    let signals = EndSignals([SIGINT, SIGQUIT, SIGTERM, SIGHUP])
    do throws(Errno) {
      try PlainThread.start("unseen-input") {
        let number = signals.wait()
        var settings = shown
        // In the background it would stop this process, which is to end.
        signal(SIGTTOU, SIG_IGN)
        tcsetattr(STDIN_FILENO, TCSANOW, &settings)
        EndSignals.end(by: number)
      }
    } catch {
      signals.unblock()
    }
    settings.c_lflag &= ~tcflag_t(ECHO)
    tcsetattr(STDIN_FILENO, TCSAFLUSH, &settings)
    defer {
      settings = shown
      tcsetattr(STDIN_FILENO, TCSAFLUSH, &settings)
    }
    return try read()
  }

  private static func checkIsWhole(_ count: Int) throws(ToolError) {
    guard let expected = ProcessFacts.variable("SETTINGS_CLI_INPUT_BYTES") else { return }
    guard String(count) != expected else { return }
    throw ToolError(
      .io,
      "Standard input ended after \(count) bytes, and 'SETTINGS_CLI_INPUT_BYTES' says \(expected). The program that "
        + "wrote it may have been killed. Nothing was written.")
  }
}

extension [UInt8] {
  fileprivate func checked(named name: String) throws(ToolError) -> [UInt8] {
    let limit = SettingsFile.sizeLimit
    guard count <= limit else { throw ToolError(.io, "Cannot read \(name): it has more than \(limit) bytes.") }
    return self
  }
}
