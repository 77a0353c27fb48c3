import Glibc

/// Standard input.
enum StandardInput {
  /// Reads everything up to its end.
  ///
  /// - Parameter limit: The number of bytes that is enough to see that there are too many.
  /// - Throws: ``Failure`` if it cannot be read, or is not as long as `SETTINGS_CLI_INPUT_BYTES` says: a pipe also ends
  ///   where its writer was killed.
  static func all(upTo limit: Int) throws -> [UInt8] {
    let bytes: [UInt8]
    do {
      bytes = try File.read(from: STDIN_FILENO, "standard input", upTo: limit)
    } catch {
      throw Failure(.io, error.description)
    }
    if bytes.count < limit, let expected = ProcessEnvironment.variables["SETTINGS_CLI_INPUT_BYTES"],
      expected != "\(bytes.count)"
    {
      throw Failure(
        .io,
        "Standard input ended after \(bytes.count) bytes, and 'SETTINGS_CLI_INPUT_BYTES' says \(expected). The program "
          + "that wrote it may have been killed. Nothing was written.")
    }
    return bytes
  }

  /// Reads a line, byte for byte; `nil` at the end of the input. What follows it stays for others.
  static func line() throws -> [UInt8]? {
    var line: [UInt8] = []
    var byte: UInt8 = 0
    while true {
      let count = read(STDIN_FILENO, &byte, 1)
      if count < 0, errno == EINTR { continue }
      guard count >= 0 else { throw Failure(.io, File.Failed("read", "standard input").description) }
      guard count > 0 else { return line.isEmpty ? nil : line }
      guard byte != UInt8(ascii: "\n") else { return line }
      line.append(byte)
    }
  }
}
