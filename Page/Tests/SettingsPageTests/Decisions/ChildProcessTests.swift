import Glibc
import Testing

@testable import SettingsPage

struct ChildProcessTests {
  @Test func `a program gets no descriptor of ours but its streams`() throws {
    // As a connection is: without close-on-exec.
    let descriptor = dup(STDIN_FILENO)
    defer { close(descriptor) }
    let child = try ChildProcess.start(
      ["/bin/sh", "-c", "if [ -e /proc/$$/fd/\(descriptor) ]; then echo open; else echo closed; fi"], environment: [:])
    close(child.input)
    defer {
      close(child.output)
      close(child.errors)
    }
    var bytes = [UInt8](repeating: 0, count: 64)
    let count = read(child.output, &bytes, bytes.count)
    #expect(child.end() == 0)
    #expect(String(decoding: bytes.prefix(max(0, count)), as: UTF8.self) == "closed\n")
  }
}

// Less of it is a file, too: only its length says that it is not whole.
@Test func `a text that was cut off on its way is not stored`() async throws {
  let home = try TestHome()
  try home.write("#!/bin/sh\nhead -c 8 | '\(TestHome.command)' \"$@\"\n", to: "command")
  chmod("\(home.path)/command", 0o700)
  let text = home.read(home.settings)
  let commands = try Commands("\(home.path)/command", environment: home.environment, .patient)
  let result = try await commands.run(["edit", TestHome.app, "--text=-"], input: Array("size = 155\n".utf8))
  #expect(result.status == 7 && result.messages.joined().contains("ended after 8 bytes"), "\(result.messages)")
  #expect(home.read(home.settings) == text)
  await commands.end()
}
