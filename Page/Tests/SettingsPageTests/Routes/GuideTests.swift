import Glibc
import SettingsTools
import Testing

@testable import SettingsPage

/// The examples of Page/README.md: a block of commands for a shell, and what it prints, where `…` stands for anything.
private func examples() throws -> [(command: String, answer: String)] {
  let folder = #filePath.split(separator: "/").dropLast(5).joined(separator: "/")
  let file = try #require(fopen("/\(folder)/Page/README.md", "re"))
  defer { fclose(file) }
  var bytes = [UInt8](repeating: 0, count: 1 << 20)
  let count = fread(&bytes, 1, bytes.count, file)
  let blocks = String(decoding: bytes[..<count], as: UTF8.self).split(
    separator: "```", omittingEmptySubsequences: false)
  // Blocks and the text between them take turns.
  let code = stride(from: 1, to: blocks.count, by: 2).map { String(blocks[$0]) }
  return zip(code, code.dropFirst()).compactMap { command, answer in
    guard command.hasPrefix("sh\ncurl"), let newline = answer.firstIndex(of: "\n") else { return nil }
    return (String(command.dropFirst(3)), String(answer[answer.index(after: newline)...]))
  }
}

/// Whether a text is what a pattern says, in which `…` stands for anything.
private func matches(_ text: String, _ pattern: String) -> Bool {
  let parts = pattern.split(separator: "…", omittingEmptySubsequences: false)
  guard let first = parts.first, text.hasPrefix(first) else { return false }
  var rest = text.dropFirst(first.count)
  for part in parts.dropFirst().dropLast() {
    guard let range = rest.firstRange(of: part) else { return false }
    rest = rest[range.upperBound...]
  }
  return parts.count == 1 ? rest.isEmpty : rest.hasSuffix(parts[parts.count - 1])
}

private let curl = InstalledProgram.path(of: "curl", searching: ProcessEnvironment["PATH"])

@Test(.enabled(if: curl != nil, "curl is not installed")) func `the examples of the guide answer as it says`()
  async throws
{
  let server = try await TestServer()
  let examples = try examples()
  #expect(examples.count >= 6)
  let variables = ["page": "http://127.0.0.1:\(server.port)", "token": server.token, "code": server.code]
  for (command, answer) in examples {
    var (text, isAnswer) = ("", false)
    // A stream is cut off after a second, which a busy machine may need longer for.
    for seconds in [1, 5, 30] where !isAnswer && (seconds == 1 || command.contains("--max-time 1 ")) {
      let command = command.replacing("--max-time 1 ", with: "--max-time \(seconds) ")
      let result = try await server.home.run(["/bin/sh", "-ec", command], adding: variables)
      #expect(result.status == 0, "\(command)")
      text = String(decoding: result.output, as: UTF8.self)
      isAnswer = matches(text.trimmingNewlines, answer.trimmingNewlines)
    }
    #expect(isAnswer, "\(command)\(text)")
  }
  try await server.end()
}

extension String {
  fileprivate var trimmingNewlines: String {
    var text = self[...]
    while text.last == "\n" { text.removeLast() }
    return String(text)
  }
}
