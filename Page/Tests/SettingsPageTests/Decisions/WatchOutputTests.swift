import Glibc
import Testing

@testable import SettingsPage

@Test func `a process that has closed its standard error is waited for, not asked again and again`() async throws {
  let script = "echo 'settings-cli: no' >&2; exec 2>&-; echo one; read word; echo $word; printf half"
  let child = try ChildProcess.start(["/bin/sh", "-c", script], environment: [:])
  try await blocking {
    var output = WatchOutput(child)
    defer { output.close() }
    var lines: [[UInt8]] = []
    while lines.isEmpty, output.isOpen { lines += output.next() ?? [] }
    #expect(lines == [Array("one".utf8)])
    #expect(output.message == "no")
    // Its error stream was closed before that line. Once that is read, there is nothing until it gets a word.
    _ = output.next(within: 0)
    #expect(output.next(within: 0) == nil)
    _ = write(child.input, "two\n", 4)
    close(child.input)
    lines = []
    while output.isOpen { lines += output.next() ?? [] }
    #expect(lines == [Array("two".utf8)])
    #expect(child.end() == 0)
  }
}

@Test func `a message with further lines is said whole`() async throws {
  let script = "printf 'settings-cli: a warning\\nsettings-cli: Cannot use it.\\nx:1:2\\n  [x\\n    ^\\n' >&2"
  let child = try ChildProcess.start(["/bin/sh", "-c", script], environment: [:])
  close(child.input)
  try await blocking {
    var output = WatchOutput(child)
    defer { output.close() }
    while output.isOpen { _ = output.next() }
    while output.message.isEmpty { _ = output.next() }
    #expect(output.message == "Cannot use it.\nx:1:2\n  [x\n    ^")
    #expect(child.end() == 0)
  }
}
