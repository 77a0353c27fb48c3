import Glibc

/// The stores that have something to write, so that a normal exit can wait for it.
///
/// An `atexit(3)` handler, registered with the first such store, writes what is left. It runs when `main` returns or
/// `exit(3)` is called, but not at `_exit(2)` or when a signal ends the process.
enum LiveStores {
  private struct Entry: Sendable {
    weak var core: StoreCore?
    /// Retains the engine of a store that was closed before it could write.
    var kept: StoreCore?
  }
  private struct State: Sendable {
    var entries: [ObjectIdentifier: Entry] = [:]
    var isArmed = false
  }

  // Protects the table; flushing, and releasing an engine, happen after it is released.
  private static let state = Lock(State())

  /// The time that a process waits at its end for a lock, to write a migration that nobody waits for.
  private static let patience = Duration.seconds(1)

  /// Notes that a store has something to write.
  ///
  /// - Parameter isKept: Whether the engine exists until the end of the process, or until it is registered again.
  static func register(_ core: StoreCore, isKept: Bool = false) {
    let (arms, old) = state.withLock { state in
      let old = state.entries.updateValue(Entry(core: core, kept: isKept ? core : nil), forKey: ObjectIdentifier(core))
      defer { state.isArmed = true }
      return (!state.isArmed, old)
    }
    _ = old
    if arms { atexit { LiveStores.flushAll() } }
  }

  /// Forgets a store that was released.
  static func unregister(_ core: ObjectIdentifier) {
    _ = state.withLock { $0.entries.removeValue(forKey: core) }
  }

  /// Writes what all stores have left, one after the other. Failures are reported as problems.
  private static func flushAll() {
    let cores = state.withLock { $0.entries.values.compactMap(\.core) }
    for core in cores {
      try? core.flush()
      core.writeWhatIsDue(waiting: patience)
    }
  }
}
