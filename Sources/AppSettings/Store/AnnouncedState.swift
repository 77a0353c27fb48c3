import SettingsTOML

/// What a transition of a store's state is to tell.
struct StateNews: Sendable {
  /// What became different; `nil` if values were only set to what they were.
  var batch: SettingsChangeBatch?
  /// The paths that were set, be it to what they were.
  var sets: [TOMLPath]
  /// Tables whose keys came in another order; for these alone, if their values are the same.
  var reordered: [TOMLPath] = []
}

/// The state of a store behind its lock, and the way from there to those who wait for changes.
///
/// What a transition changes is recorded with them before the lock is released. So each sees changes in the order of
/// their generations, whichever threads make them, and who sees a state has all records up to it. They are woken, and
/// functions called, after that; see ``DeferredCalls``.
struct AnnouncedState: ~Copyable, Sendable {
  // Protects what the store knows. Held for look-ups and transitions only, never for a file or foreign code.
  private let state: Lock<StoreState>
  private let waiters: ChangeWaiters
  private let problems: ProblemLog

  init(_ initial: StoreState, waiters: ChangeWaiters, problems: ProblemLog) {
    state = Lock(initial)
    self.waiters = waiters
    self.problems = problems
  }

  borrowing func withLock<Result, Failure: Error>(
    _ body: (inout StoreState) throws(Failure) -> Result
  ) throws(Failure) -> Result {
    var wakeUps = WakeUps()
    var changed: [TOMLPath] = []
    defer {
      // What was wrong with the values that are gone is over.
      if !changed.isEmpty { problems.resolveValues(at: changed) }
      wakeUps.deliver()
    }
    return try state.withLock { state throws(Failure) in
      defer {
        if !state.news.isEmpty {
          let isQuiet = QuietThreads.areQuiet(for: waiters)
          for news in state.news {
            if news.reordered.isEmpty {
              waiters.record(news.batch, sets: news.sets, isQuiet: isQuiet, &wakeUps)
            } else if let batch = news.batch {
              waiters.record(batch, reordered: news.reordered, &wakeUps)
            }
            changed += news.batch?.paths ?? []
          }
          state.news = []
        }
      }
      return try body(&state)
    }
  }
}
