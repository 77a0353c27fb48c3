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
    #expect(ChildProcess.wait(for: child.pid) == 0)
    #expect(String(decoding: bytes.prefix(max(0, count)), as: UTF8.self) == "closed\n")
  }
}
