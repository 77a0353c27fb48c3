/// Where a store keeps what follows its files: an object of `AppSettingsObserve`, which this module knows nothing of.
package final class FollowerSlot: Sendable {
  package typealias Follower = any AnyObject & Sendable

  private struct State: Sendable {
    weak var shared: Follower?
    var kept: Follower?
  }

  // Protects the slot. Held while a follower is made, so that there are never two; making one takes no lock of a store's
  // observers.
  private let state = Lock(State())
  // Innermost: a follower asks for it while it is made.
  private let left = Lock<Follower?>(nil)

  /// The follower, made if there is none. It lives as long as someone holds it.
  package func shared<Object: AnyObject & Sendable>(_ make: () -> Object) -> (follower: Object, isNew: Bool) {
    // What there is to report while it is made is reported after the lock is released.
    DeferredCalls.section {
      state.withLock { state in
        if let follower = state.shared as? Object { return (follower, false) }
        let follower = make()
        state.shared = follower
        return (follower, true)
      }
    }
  }

  /// What followers leave for those after them, made if there is nothing yet.
  package func memory<Object: AnyObject & Sendable>(_ make: () -> Object) -> Object {
    left.withLock { left in
      if let memory = left as? Object { return memory }
      let memory = make()
      left = memory
      return memory
    }
  }

  /// Has the store itself hold the follower, made if there is none.
  package func keep(_ make: () -> some AnyObject & Sendable) {
    let follower = shared(make).follower
    state.withLock { $0.kept = follower }
  }
}
