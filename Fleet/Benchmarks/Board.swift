import Foundation
import Synchronization

/// Notes when each of many has got something, and lets one wait until all have.
final class Board: Sendable {
  private struct State {
    var start = ContinuousClock.now
    var round = 0
    var missing = 0
    var samples: [Double] = []
    var waiter: CheckedContinuation<Void, Never>?
  }

  /// Protects what was noted.
  private let state = Mutex(State())
  private let name: String

  init(_ name: String) { self.name = name }

  /// Begins a round: the clock starts now.
  func begin(_ count: Int) {
    state.withLock { state in
      state.samples = []
      state.samples.reserveCapacity(count)
      state.missing = count
      state.round += 1
      state.start = .now
    }
  }

  /// Somebody has got it.
  ///
  /// - Parameter last: The round in which that one noted something last: what comes in parts counts once.
  func note(last: inout Int) {
    let now = ContinuousClock.now
    let waiter = state.withLock { state -> CheckedContinuation<Void, Never>? in
      guard state.missing > 0, last != state.round else { return nil }
      last = state.round
      state.missing -= 1
      state.samples.append((now - state.start).nanoseconds)
      guard state.missing == 0 else { return nil }
      defer { state.waiter = nil }
      return state.waiter
    }
    waiter?.resume()
  }

  /// The nanoseconds that each took, when all have got it.
  func all(within limit: Duration = .seconds(300)) async throws -> [Double] {
    let late = Task {
      try await Task.sleep(for: limit)
      giveUp()
    }
    await withCheckedContinuation { continuation in
      let isThere = state.withLock { state in
        if state.missing > 0 { state.waiter = continuation }
        return state.missing == 0
      }
      if isThere { continuation.resume() }
    }
    late.cancel()
    let (samples, missing) = state.withLock { ($0.samples, $0.missing) }
    guard missing == 0 else {
      throw Run.Failure(description: "\(missing) of \(samples.count + missing) \(name) in \(limit)")
    }
    return samples
  }

  private func giveUp() {
    let waiter = state.withLock { state in
      defer { state.waiter = nil }
      return state.waiter
    }
    waiter?.resume()
  }
}

extension Duration {
  var nanoseconds: Double { self / .nanoseconds(1) }
}
