import Synchronization

/// Wakes those who wait for something that other tasks, threads or processes bring about.
final class Bell: Sendable {
  private struct State {
    var waiting: [Int: CheckedContinuation<Void, Never>] = [:]
    var last = 0
    var rings = 0
  }

  /// Protects who waits.
  private let state = Mutex(State())

  /// Says that something has happened.
  func ring() {
    let waiting = state.withLock { state in
      defer { state.waiting = [:] }
      state.rings += 1
      return state.waiting.values
    }
    for continuation in waiting { continuation.resume() }
  }

  /// Waits until a condition holds.
  ///
  /// - Parameter limit: For how long at most.
  /// - Returns: Whether it holds.
  @discardableResult
  func wait(_ limit: Duration, for condition: @Sendable () -> Bool) async -> Bool {
    let end = ContinuousClock.now + limit
    while true {
      let rings = state.withLock { $0.rings }
      if condition() { return true }
      let now = ContinuousClock.now
      guard now < end else { return false }
      // Not everything rings: a process that ends does not.
      await next(after: rings, until: min(end, now + .milliseconds(100)))
    }
  }

  private func next(after rings: Int, until end: ContinuousClock.Instant) async {
    let number = state.withLock { state in
      state.last += 1
      return state.last
    }
    let timer = Task {
      try? await Task.sleep(until: end, clock: .continuous)
      self.state.withLock { $0.waiting.removeValue(forKey: number) }?.resume()
    }
    await withCheckedContinuation { continuation in
      let isOver = state.withLock { state in
        guard state.rings == rings, ContinuousClock.now < end else { return true }
        state.waiting[number] = continuation
        return false
      }
      if isOver { continuation.resume() }
    }
    timer.cancel()
  }
}
