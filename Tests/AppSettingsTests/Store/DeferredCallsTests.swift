import AppSettings
import Testing
import TestSupport

/// Calls of others' code, put off until no lock is held.
struct DeferredCallsTests {
  private struct Failure: Error {}
  private let calls = Monitor<[String]>([])
  private var made: [String] { calls.withLock { $0 } }

  private func run(_ name: String) {
    let calls = calls
    DeferredCalls.run { calls.withLock { $0.append(name) } }
  }

  @Test func `outside of sections a call is made at once`() {
    run("a")
    #expect(made == ["a"])
  }

  @Test func `within a section calls are put off to its end, in their order`() {
    let result = DeferredCalls.section {
      run("a")
      run("b")
      #expect(made == [])
      return 7
    }
    #expect(result == 7 && made == ["a", "b"])
  }

  @Test func `within two sections calls are put off to the end of the outer one`() {
    DeferredCalls.section {
      DeferredCalls.section { run("a") }
      #expect(made == [])
      run("b")
    }
    #expect(made == ["a", "b"])
  }

  @Test func `a section that throws makes its calls all the same`() {
    #expect(throws: Failure.self) {
      try DeferredCalls.section {
        run("a")
        throw Failure()
      }
    }
    #expect(made == ["a"])
  }

  @Test func `a call may begin a section of its own`() {
    DeferredCalls.section {
      DeferredCalls.run { DeferredCalls.section { run("within") } }
      run("after")
    }
    #expect(made == ["within", "after"])
  }

  @Test func `another thread's section puts nothing off`() {
    DeferredCalls.section {
      let calls = calls
      let other = Aside { DeferredCalls.run { calls.withLock { $0.append("other") } } }
      #expect(other.ends())
      #expect(made == ["other"])
    }
  }
}
