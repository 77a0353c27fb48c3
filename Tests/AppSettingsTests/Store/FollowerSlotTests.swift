import Testing
import TestSupport

@testable import AppSettings

/// The one follower of a store's files, as long as someone holds it.
struct FollowerSlotTests {
  private final class Follower: Sendable {}
  private final class Memory: Sendable {}
  private let slot = FollowerSlot()

  @Test func `all share one follower, and only the first has made it`() {
    let first = slot.shared { Follower() }
    let second = slot.shared { Follower() }
    #expect(first.follower === second.follower)
    #expect(first.isNew && !second.isNew)
  }

  @Test func `a follower that nobody holds any more is made again`() {
    weak var old: Follower?
    do {
      let follower = slot.shared { Follower() }.follower
      old = follower
      withExtendedLifetime(follower) {}
    }
    #expect(old == nil)
    #expect(slot.shared { Follower() }.isNew)
  }

  @Test func `a follower that the store keeps stays`() {
    let made = Counter()
    for _ in 0..<2 {
      slot.keep {
        made.increment()
        return Follower()
      }
    }
    #expect(made.value == 1)
    #expect(!slot.shared { Follower() }.isNew)
  }

  @Test func `what a follower leaves is there for the next`() {
    let memory = slot.memory { Memory() }
    _ = slot.shared { Follower() }
    #expect(slot.memory { Memory() } === memory)
  }
}
