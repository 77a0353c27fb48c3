internal import AppSettings

/// What stands in the way of watching one store's files, for its list of problems.
///
/// It outlives the store's followers: a problem is told once, not for each stream that begins, and a later follower that
/// can watch again ends it.
final class WatchTroubles: Sendable {
  private struct State: Sendable {
    /// By the place of the subscription.
    var standing: [Int: WatchProblem] = [:]
    /// What was reported for these. A limit is one problem, however many files there are that it concerns.
    var reported: [Int: SettingsProblem] = [:]
    var limit: SettingsProblem?
  }

  // Protects what stands. Innermost but for the list of problems, which is told after it is released.
  private let state = Lock(State())

  /// Takes in what stands in the way of one subscription, in the place of what did; `nil` for nothing.
  func note(_ problem: WatchProblem?, at place: Int, in log: ProblemLog) {
    let (over, new) = state.withLock { state -> ([SettingsProblem], SettingsProblem?) in
      // One that another follower has told of already.
      if let problem, state.standing[place]?.kind == problem.kind { return ([], nil) }
      var over: [SettingsProblem] = []
      var new: SettingsProblem?
      state.standing[place] = problem
      if let former = state.reported.removeValue(forKey: place) { over.append(former) }
      if let problem, problem.kind != .limit {
        new = SettingsProblem(.io, problem.message, file: problem.path)
        state.reported[place] = new
      }
      let limited = state.standing.values.contains { $0.kind == .limit }
      if let limit = state.limit, !limited {
        over.append(limit)
        state.limit = nil
      } else if let problem, limited, state.limit == nil {
        new = SettingsProblem(.io, problem.message, file: problem.path)
        state.limit = new
      }
      return (over, new)
    }
    if !over.isEmpty { log.resolve { over.contains($0) } }
    if let new { log.report(new) }
  }
}
