import AppSettings
import Dispatch
import Testing
import TestSupport

/// Looking at a file that others may be writing.
struct LookTests {
  let home = ScratchHome()

  @Test func `threads that look at a broken file at the same time all wait for it to be whole`() throws {
    try home.write("counter = 1\n")
    let settings = try home.store()
    #expect(settings[.counter] == 1)
    try home.write("counter = ")
    // Two that begin the silence anew each time, and two that ask how long it has lasted.
    DispatchQueue.concurrentPerform(iterations: 4) { number in
      for _ in 0..<2_000 {
        guard case .unsettled(let wait) = settings.core.look(number < 2 ? .saveEnded : .doubt) else { continue }
        #expect(wait <= 500_000_000)
      }
    }
    #expect(settings[.counter] == 1)
    try home.write("counter = 2\n")
    settings.core.look()
    #expect(settings[.counter] == 2)
  }
}
