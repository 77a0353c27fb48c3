import AppSettings

/// Counts, on any thread.
package final class Counter: Sendable {
  private let state: Lock<(count: Int, isRunning: Bool)>

  /// - Parameter isRunning: Whether it counts already, or only once it is started.
  package init(isRunning: Bool = true) {
    state = Lock((0, isRunning))
  }

  package var value: Int { state.withLock { $0.count } }

  package func start() { state.withLock { $0.isRunning = true } }

  package func stop() { state.withLock { $0.isRunning = false } }

  /// - Returns: The new count; `nil` if it is stopped.
  @discardableResult
  package func increment() -> Int? {
    state.withLock { state in
      guard state.isRunning else { return nil }
      state.count += 1
      return state.count
    }
  }
}
