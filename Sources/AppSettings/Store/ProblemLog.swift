package import Logging
package import SettingsTOML

/// The problems of one store: each is logged once, and kept until it is mended.
package final class ProblemLog: Sendable {
  private struct Entry: Sendable {
    var problem: SettingsProblem
    /// The number of its report.
    var number: UInt64
    /// Whether it is over when the value at its path becomes another.
    var endsWithValue: Bool
  }

  private struct State: Sendable {
    var current: [Entry] = []
    var lastNumber: UInt64 = 0
    var waiters: [ObjectIdentifier: ChangeWaiter] = [:]
  }

  // Protects the list. Logging and waking happen after it is released, with all other locks: see ``DeferredCalls``.
  private let state = Lock(State())
  private let logger: Logger

  package init(logger: Logger) { self.logger = logger }

  /// Adds a problem, unless it is there already. It is logged, and told to observers, when the calling thread holds no
  /// locks of this library.
  ///
  /// - Parameter endsWithValue: Whether it is over when the value at its path becomes another; so are those of values that
  ///   cannot be used.
  package func report(_ problem: SettingsProblem, endsWithValue: Bool = false) {
    let waiters: [ChangeWaiter]? = state.withLock { state in
      guard !state.current.contains(where: { $0.problem == problem }) else { return nil }
      // A problem that comes back in ever new forms must not grow without bound.
      if state.current.count >= 1000 { state.current.removeFirst() }
      state.lastNumber += 1
      let endsWithValue = endsWithValue || problem.code == .invalidValue
      state.current.append(Entry(problem: problem, number: state.lastNumber, endsWithValue: endsWithValue))
      return Array(state.waiters.values)
    }
    guard let waiters else { return }
    DeferredCalls.run { [logger] in logger.warning("\(problem.message)") }
    var wakeUps = WakeUps()
    for waiter in waiters { waiter.recordProblem(&wakeUps) }
    wakeUps.deliver()
  }

  /// Forgets the problems that are over, so that the same one is reported anew if it comes back.
  package func resolve(where isOver: (SettingsProblem) -> Bool) {
    state.withLock { state in state.current.removeAll { isOver($0.problem) } }
  }

  /// Forgets what was wrong with the values at, above and below some paths: they have changed.
  package func resolveValues(at paths: [TOMLPath]) {
    state.withLock { state in
      guard !state.current.isEmpty else { return }
      state.current.removeAll { entry in
        guard entry.endsWithValue, let path = entry.problem.path else { return false }
        return paths.contains { $0.touches(path) }
      }
    }
  }

  /// Whether any problem stands.
  package var hasAny: Bool { state.withLock { !$0.current.isEmpty } }

  /// The problems that stand, oldest first.
  package var current: [SettingsProblem] { state.withLock { $0.current.map(\.problem) } }

  /// The oldest problem that stands and was reported after another, with the number of its report. One that was mended
  /// and has come back has a new number.
  package func next(after number: UInt64) -> (problem: SettingsProblem, number: UInt64)? {
    state.withLock { state in
      state.current.first { $0.number > number }.map { ($0.problem, $0.number) }
    }
  }

  package func add(_ waiter: ChangeWaiter) { state.withLock { $0.waiters[ObjectIdentifier(waiter)] = waiter } }
  package func remove(_ waiter: ChangeWaiter) { state.withLock { $0.waiters[ObjectIdentifier(waiter)] = nil } }
}
