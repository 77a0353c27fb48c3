import Testing

@testable import CrashStates

struct TraceParserTests {
  private func ended(_ text: String) throws -> [TracedCall] {
    try TraceParser.parse(text).compactMap { item in
      guard case .end(let call) = item else { return nil }
      return call
    }
  }

  @Test func `a call gives its name, arguments and result`() throws {
    let calls = try ended(#"12 openat(AT_FDCWD, "\x61\x2c\x29", O_RDWR|O_CREAT, 0600) = 4"# + "\n")
    #expect(calls.count == 1)
    #expect(calls[0].pid == 12)
    #expect(calls[0].name == "openat")
    #expect(try calls[0].number(0) == -100)
    #expect(try calls[0].string(1) == "a,)")
    #expect(calls[0].flags(2) == ["O_RDWR", "O_CREAT"])
    #expect(calls[0].result == 4)
  }

  @Test func `buffers of an array are joined`() throws {
    let line = #"1 writev(3, [{iov_base="\x61\x62", iov_len=2}, {iov_base="\x63", iov_len=1}], 2) = 3"#
    #expect(try ended(line)[0].vector(1) == Array("abc".utf8))
  }

  @Test func `a call that another thread interrupts ends on its second line`() throws {
    let calls = try ended(
      """
      1 fsync(3 <unfinished ...>
      2 close(5) = 0
      1 <... fsync resumed>)            = 0
      """)
    #expect(calls.map(\.name) == ["close", "fsync"])
    #expect(calls[1].begin == 1)
    #expect(calls[1].end == 3)
    #expect(calls[1].succeeded)
  }

  @Test func `a call of a killed process did not succeed`() throws {
    let calls = try ended(
      "1 fsync(3)  = ? <unavailable>\n1 +++ killed by SIGKILL +++\n2 rename(\"\\x61\" <unfinished ...>\n")
    #expect(calls.map(\.succeeded) == [false, false])
  }

  @Test func `an injected call did not succeed, whatever the process was told`() throws {
    let calls = try ended(
      "1 fsync(3) = -1 EIO (Input/output error) (INJECTED)\n1 --- SIGCHLD {} ---\n1 fsync(3) = 0 (INJECTED)")
    #expect(calls.map(\.succeeded) == [false, false])
  }

  @Test func `a string that strace cut short is refused`() throws {
    let calls = try ended("1 write(3, \"\\x61\\x62\"..., 9) = 9")
    #expect(throws: CrashStatesError.self) { try calls[0].bytes(1) }
  }
}
