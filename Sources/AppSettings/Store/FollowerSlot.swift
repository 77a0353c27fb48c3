/// Holds the object that follows a store's files. It is of `AppSettingsObserve`, which this module does not know.
///
/// A store has at most one follower at a time. It ends when nobody holds it, and a new one is made when one is needed.
package final class FollowerSlot: Sendable {
  package typealias Follower = any AnyObject & Sendable

  private struct State: Sendable {
    weak var shared: Follower?
    var kept: Follower?
  }

  // Protects the slot. Held while a follower is made, so that there are never two; making one takes none of the locks
  // of the store's observers.
  private let state = Lock(State())
  // Innermost: a follower asks for it while it is made.
  private let left = Lock<Follower?>(nil)

  /// The follower, made if needed. It lives as long as someone holds it.
  package func shared<Object: AnyObject & Sendable>(_ make: () -> Object) -> (follower: Object, isNew: Bool) {
    // Reports made meanwhile are delivered after the lock is released.
    DeferredCalls.section {
      state.withLock { state in
        if let follower = state.shared as? Object { return (follower, false) }
        let follower = make()
        state.shared = follower
        return (follower, true)
      }
    }
  }

  /// The data that followers leave for later ones, made if needed.
  package func memory<Object: AnyObject & Sendable>(_ make: () -> Object) -> Object {
    left.withLock { left in
      if let memory = left as? Object { return memory }
      let memory = make()
      left = memory
      return memory
    }
  }

  /// Makes the store itself hold the follower, made if needed.
  ///
  /// The store then follows its files for as long as it exists.
  package func keep(_ make: () -> some AnyObject & Sendable) {
    let follower = shared(make).follower
    state.withLock { $0.kept = follower }
  }
}
