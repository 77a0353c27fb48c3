import Testing
import TestSupport

@testable import AppSettings

/// Which threads are within `withoutPropagation`.
struct QuietThreadsTests {
  private let store = ChangeWaiters()

  @Test func `a thread is quiet for a store as long as it is within, however deep`() {
    #expect(!QuietThreads.areQuiet(for: store))
    QuietThreads.enter(for: store)
    QuietThreads.enter(for: store)
    #expect(QuietThreads.areQuiet(for: store))
    QuietThreads.leave(for: store)
    #expect(QuietThreads.areQuiet(for: store))
    QuietThreads.leave(for: store)
    #expect(!QuietThreads.areQuiet(for: store))
  }

  @Test func `it is quiet for no other store, and no other thread is`() {
    QuietThreads.enter(for: store)
    defer { QuietThreads.leave(for: store) }
    #expect(!QuietThreads.areQuiet(for: ChangeWaiters()))
    let store = store
    let isQuiet = Lock(true)
    let other = Aside {
      let found = QuietThreads.areQuiet(for: store)
      isQuiet.withLock { $0 = found }
    }
    #expect(other.ends())
    #expect(!isQuiet.withLock { $0 })
  }
}
