internal import AppSettings

/// What a follower watches.
struct FollowedPlace: Hashable, Sendable {
  var target: WatchTarget
  /// Whether this is the file that is written.
  var isOwn = false
}

/// The obstacles to watching one store's files, for its list of problems.
///
/// It outlives the store's followers. So a problem is reported once, not for each stream that begins, and a later
/// follower that can watch again resolves it.
final class WatchTroubles: Sendable {
  private struct State: Sendable {
    var standing: [FollowedPlace: WatchProblem] = [:]
    /// The problems reported for these. A limit is one problem, however many files it affects.
    var reported: [FollowedPlace: SettingsProblem] = [:]
    var limit: SettingsProblem?
  }

  // Protects the state. The list of problems is updated after it is released.
  private let state = Lock(State())

  /// Records the obstacle to one subscription in place of the previous one; `nil` if there is none.
  func note(_ problem: WatchProblem?, at place: FollowedPlace, in log: ProblemLog) {
    let (over, new) = state.withLock { state -> ([SettingsProblem], SettingsProblem?) in
      // Another follower has already reported this problem.
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

  /// Drops the obstacles to places that are no longer watched.
  func drop(allBut places: Set<FollowedPlace>, in log: ProblemLog) {
    let ended = state.withLock { $0.standing.keys.filter { !places.contains($0) } }
    for place in ended { note(nil, at: place, in: log) }
  }
}
