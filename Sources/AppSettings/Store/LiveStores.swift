import Glibc

/// The stores that have written something, so that a normal exit can wait for pending writes.
enum LiveStores {
  private struct Entry: Sendable { weak var core: StoreCore? }
  private struct State: Sendable {
    var entries: [ObjectIdentifier: Entry] = [:]
    var isArmed = false
  }

  // Protects the table; flushing happens after it is released.
  private static let state = Lock(State())

  static func register(_ core: StoreCore) {
    let arms = state.withLock { state in
      state.entries[ObjectIdentifier(core)] = Entry(core: core)
      defer { state.isArmed = true }
      return !state.isArmed
    }
    if arms { atexit { LiveStores.flushAll() } }
  }

  static func unregister(_ core: ObjectIdentifier) {
    _ = state.withLock { $0.entries.removeValue(forKey: core) }
  }

  private static func flushAll() {
    let cores = state.withLock { $0.entries.values.compactMap(\.core) }
    for core in cores { try? core.flush() }
  }
}
