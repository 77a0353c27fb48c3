internal import Synchronization

/// The threads inside `withoutPropagation`, by store.
///
/// Asked when a change is made, which stores the answer: another thread may deliver the change later.
///
/// A thread may be inside several times, for one store or for several. While no thread is inside, a change costs one
/// atomic read here.
package enum QuietThreads {
  private struct Place: Hashable, Sendable {
    var thread: UInt
    var store: ObjectIdentifier
  }

  /// The number of entries, which every change checks.
  private static let count = Atomic(0)
  // Protects the table of nesting depths. Innermost.
  private static let places = Lock<[Place: Int]>([:])

  /// Whether the calling thread changes this store without propagation.
  static func areQuiet(for store: ChangeWaiters) -> Bool {
    // Only this thread itself can have added its entry.
    guard count.load(ordering: .relaxed) > 0 else { return false }
    return places.withLock { $0[here(store)] != nil }
  }

  /// Begins changes without propagation by the calling thread. ``leave(for:)`` must follow, on the same thread.
  package static func enter(for store: ChangeWaiters) {
    count.add(1, ordering: .relaxed)
    places.withLock { $0[here(store), default: 0] += 1 }
  }

  /// Ends what the last ``enter(for:)`` began.
  package static func leave(for store: ChangeWaiters) {
    places.withLock { places in
      let place = here(store)
      let depth = (places[place] ?? 1) - 1
      places[place] = depth == 0 ? nil : depth
    }
    count.subtract(1, ordering: .relaxed)
  }

  private static func here(_ store: ChangeWaiters) -> Place {
    Place(thread: PlainThread.currentID, store: ObjectIdentifier(store))
  }
}
