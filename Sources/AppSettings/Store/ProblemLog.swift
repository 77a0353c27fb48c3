package import Logging
package import SettingsTOML

/// The problems of one store: each is logged once, and kept until it is resolved.
///
/// A problem is present until its cause is gone: a file parses again, a value changes, or a profile can be read. At
/// most 1,000 are kept: a further one replaces the oldest.
package final class ProblemLog: Sendable {
  private struct Entry: Sendable {
    var problem: SettingsProblem
    /// The number of its report.
    var number: UInt64
    /// How often problems were reported when it was reported last.
    var lastReport: UInt64
    /// Whether a new value at its path resolves it.
    var endsWithValue: Bool
    /// Whether the next write of the file resolves it.
    var endsWithWrite: Bool
  }

  private struct State: Sendable {
    var current: [Entry] = []
    var lastNumber: UInt64 = 0
    var reports: UInt64 = 0
    var waiters: [ObjectIdentifier: ChangeWaiter] = [:]
  }

  // Protects the list. Logging and waking happen after it is released, with all other locks: see ``DeferredCalls``.
  private let state = Lock(State())
  private let logger: Logger

  /// - Parameter logger: Gets each new problem as a warning.
  package init(logger: Logger) { self.logger = logger }

  /// Adds a problem, unless it is present already. It is logged and reported to observers when the calling thread holds
  /// no locks of this library.
  ///
  /// - Parameters:
  ///   - endsWithValue: Whether a new value at its path resolves it. Unusable values always do so.
  ///   - endsWithWrite: Whether the next write of the file resolves it.
  package func report(_ problem: SettingsProblem, endsWithValue: Bool = false, endsWithWrite: Bool = false) {
    let waiters: [ChangeWaiter]? = state.withLock { state in
      state.reports += 1
      if let index = state.current.firstIndex(where: { $0.problem == problem }) {
        state.current[index].lastReport = state.reports
        return nil
      }
      // A problem that returns in ever new forms must not grow without limit.
      if state.current.count >= 1000 { state.current.removeFirst() }
      state.lastNumber += 1
      let endsWithValue = endsWithValue || problem.code == .invalidValue
      state.current.append(
        Entry(
          problem: problem, number: state.lastNumber, lastReport: state.reports, endsWithValue: endsWithValue,
          endsWithWrite: endsWithWrite))
      return Array(state.waiters.values)
    }
    guard let waiters else { return }
    DeferredCalls.run { [logger] in logger.warning("\(problem.message)") }
    var wakeUps = WakeUps()
    for waiter in waiters { waiter.recordProblem(&wakeUps) }
    wakeUps.deliver()
  }

  /// Removes resolved problems, so that the same ones are reported again if they return.
  package func resolve(where isOver: (SettingsProblem) -> Bool) {
    state.withLock { state in state.current.removeAll { isOver($0.problem) } }
  }

  /// How often problems were reported.
  var reports: UInt64 { state.withLock { $0.reports } }

  /// Removes problems that end with a write; returns whether there were any.
  ///
  /// - Parameter reports: Only those that were not reported since there were so many reports.
  @discardableResult
  func resolveWrites(
    before reports: UInt64 = .max, where isOver: (SettingsProblem) -> Bool = { _ in true }
  ) -> Bool {
    state.withLock { state in
      let count = state.current.count
      state.current.removeAll { $0.endsWithWrite && $0.lastReport <= reports && isOver($0.problem) }
      return state.current.count < count
    }
  }

  /// Removes the problems of the values at, above and below some paths, because these have changed.
  package func resolveValues(at paths: [TOMLPath]) {
    state.withLock { state in
      guard !state.current.isEmpty else { return }
      state.current.removeAll { entry in
        guard entry.endsWithValue, let path = entry.problem.path else { return false }
        return paths.contains { $0.isRelated(to: path) }
      }
    }
  }

  /// Whether there are unresolved problems.
  package var hasAny: Bool { state.withLock { !$0.current.isEmpty } }

  /// The unresolved problems, oldest first.
  package var current: [SettingsProblem] { state.withLock { $0.current.map(\.problem) } }

  /// The oldest unresolved problem reported after another, with the number of its report. A problem that returns after
  /// it was resolved has a new number.
  package func next(after number: UInt64) -> (problem: SettingsProblem, number: UInt64)? {
    state.withLock { state in
      state.current.first { $0.number > number }.map { ($0.problem, $0.number) }
    }
  }

  /// Wakes an observer at each new problem, until it is removed.
  package func add(_ waiter: ChangeWaiter) { state.withLock { $0.waiters[ObjectIdentifier(waiter)] = waiter } }
  /// Ends waking an observer.
  package func remove(_ waiter: ChangeWaiter) { state.withLock { $0.waiters[ObjectIdentifier(waiter)] = nil } }
}
