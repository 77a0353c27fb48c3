import Glibc
import SettingsTools

extension StandardInput {
  /// Reads a line, byte for byte; `nil` at the end of the input. What follows it stays for others.
  static func line() throws -> [UInt8]? {
    var line: [UInt8] = []
    var byte: UInt8 = 0
    while true {
      let count = read(STDIN_FILENO, &byte, 1)
      if count < 0, PatientCall.repeats(after: errno, POLLIN, STDIN_FILENO) { continue }
      guard count >= 0 else { throw File.Failed("read", "standard input") }
      guard count > 0 else { return line.isEmpty ? nil : line }
      guard byte != UInt8(ascii: "\n") else { return line }
      line.append(byte)
    }
  }
}
