package import Logging
package import SettingsTOML

/// The problems of one store: each is logged once, and kept until it is mended.
package final class ProblemLog: Sendable {
  private struct State: Sendable {
    /// Each with the number of its report.
    var current: [(problem: SettingsProblem, number: UInt64)] = []
    var lastNumber: UInt64 = 0
    var waiters: [ObjectIdentifier: ChangeWaiter] = [:]
  }

  // Protects the list; logging and waking happen after it is released.
  private let state = Lock(State())
  private let logger: Logger

  package init(logger: Logger) { self.logger = logger }

  /// Adds a problem, unless it is there already.
  package func report(_ problem: SettingsProblem) {
    let waiters: [ChangeWaiter]? = state.withLock { state in
      guard !state.current.contains(where: { $0.problem == problem }) else { return nil }
      // A problem that comes back in ever new forms must not grow without bound.
      if state.current.count >= 1000 { state.current.removeFirst() }
      state.lastNumber += 1
      state.current.append((problem, state.lastNumber))
      return Array(state.waiters.values)
    }
    guard let waiters else { return }
    logger.warning("\(problem.message)")
    for waiter in waiters {
      waiter.signal(SettingsChangeBatch(generation: 0, paths: [], origin: .outside))
    }
  }

  /// Forgets the problems that are over, so that the same one is reported anew if it comes back.
  package func resolve(where isOver: (SettingsProblem) -> Bool) {
    state.withLock { state in state.current.removeAll { isOver($0.problem) } }
  }

  /// Forgets what was wrong with the values at, above and below some paths: they have changed.
  package func resolveValues(at paths: [TOMLPath]) {
    state.withLock { state in
      guard !state.current.isEmpty else { return }
      state.current.removeAll { problem, _ in
        guard problem.code == .invalidValue, let path = problem.path else { return false }
        return paths.contains { $0.hasPrefix(path) || path.hasPrefix($0) }
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
    state.withLock { state in state.current.first { $0.number > number } }
  }

  package func add(_ waiter: ChangeWaiter) { state.withLock { $0.waiters[ObjectIdentifier(waiter)] = waiter } }
  package func remove(_ waiter: ChangeWaiter) { state.withLock { $0.waiters[ObjectIdentifier(waiter)] = nil } }
}
