import SettingsTOML

/// What a transition of a store's state has to report.
///
/// A transition appends it to ``StoreState/news``; ``AnnouncedState`` takes it from there before it releases the lock.
struct StateNews: Sendable {
  /// The values that changed; `nil` if values were only set to what they were.
  var batch: SettingsChangeBatch?
  /// The paths that the calling thread has set, including those set to what they were.
  var sets: [TOMLPath]
  /// The paths that calls have set which wait until these are in the file. Each call calls back itself.
  var awaited = AwaitedPaths()
  /// Tables whose keys changed their order; only these, if their values are the same.
  var reordered: [TOMLPath] = []
}

/// The paths that are in the file now, and that calls have set which wait for that.
struct AwaitedPaths: Sendable {
  var all: [TOMLPath] = []
  /// Those of them that were set last without propagation.
  var quiet: [TOMLPath] = []
}

/// The state of a store behind its lock, and the delivery of changes to those who wait for them.
///
/// Changes of a transition are recorded for the waiters before the lock is released. So each waiter sees changes in the
/// order of their generations, whichever threads make them, and a reader of a state has all records up to it. Waiters
/// are woken and callbacks run after that; see ``DeferredCalls``.
struct AnnouncedState: ~Copyable, Sendable {
  // Protects the store's state. Held for look-ups and transitions only, never for files or foreign code.
  private let state: Lock<StoreState>
  private let waiters: ChangeWaiters
  private let problems: ProblemLog

  init(_ initial: StoreState, waiters: ChangeWaiters, problems: ProblemLog) {
    state = Lock(initial)
    self.waiters = waiters
    self.problems = problems
  }

  /// Runs a look-up or a transition, and reports what it has changed.
  ///
  /// It runs `body`, records the changes with the waiters, releases the lock, resolves problems of changed values, and
  /// wakes waiters. If `body` throws, what it had changed by then is reported.
  ///
  /// - Parameter body: Must be short and must not call foreign code.
  borrowing func withLock<Result, Failure: Error>(
    _ body: (inout StoreState) throws(Failure) -> Result
  ) throws(Failure) -> Result {
    var wakeUps = WakeUps()
    var changed: [TOMLPath] = []
    defer {
      // Problems of the replaced values are resolved.
      if !changed.isEmpty { problems.resolveValues(at: changed) }
      wakeUps.deliver()
    }
    return try state.withLock { state throws(Failure) in
      defer {
        if !state.news.isEmpty {
          let isQuiet = QuietThreads.areQuiet(for: waiters)
          for news in state.news {
            if news.reordered.isEmpty {
              waiters.record(
                news.batch, sets: news.sets, quiet: isQuiet ? news.sets : [], awaited: news.awaited, &wakeUps)
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
