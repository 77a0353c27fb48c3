import Synchronization

/// Whose turn it is to write a store's pending edits, and whoever waits for that.
///
/// Edits are numbered; whoever has the turn commits everything up to the newest number in one go, so that all that has
/// come in while the one before was writing shares one file replace. Who waits for an edit takes the turn if nobody has
/// it: that saves two changes of thread. For edits that nobody waits for there is one plain thread, which starts with
/// the first of them, sleeps without a timer, and ends with the store.
final class WriteQueue: Sendable {
  /// How the edits up to a number ended.
  typealias Outcome = Result<WriteOutcome, SettingsError>

  private struct Waiting: Sendable {
    var number: UInt64
    /// For who can take the turn.
    var ticket: WriteTicket?
    var completion: @Sendable (Outcome) -> Void
  }

  private struct State: Sendable {
    /// The newest number there is.
    var wanted: UInt64 = 0
    /// The newest number that the thread is to see written.
    var wantedOfThread: UInt64 = 0
    var done: UInt64 = 0
    /// Whether somebody has the turn.
    var isTaken = false
    var isRunning = false
    var isStopping = false
    var flushing = 0
    var waiting: [Waiting] = []
    /// A failure that no caller was waiting for, kept for the next `flush`.
    var unreported: SettingsError?
  }

  // Protects the numbers and who waits; completions and commits run after it is released.
  private let monitor = Monitor(State())

  /// Takes note of an edit, in the same breath as it becomes pending: from then on anyone may write it.
  ///
  /// - Parameter completion: Called when it is durable or has failed, on the thread that wrote it.
  func note(_ number: UInt64, _ completion: (@Sendable (Outcome) -> Void)?) {
    monitor.withLockQuietly { state in
      state.wanted = max(state.wanted, number)
      if let completion {
        state.waiting.append(Waiting(number: number, ticket: nil, completion: completion))
      }
    }
  }

  /// As ``note(_:_:)``, for who is going to call ``perform(_:commit:)``.
  func note(_ number: UInt64, _ ticket: WriteTicket) {
    monitor.withLockQuietly { state in
      state.wanted = max(state.wanted, number)
      state.waiting.append(Waiting(number: number, ticket: ticket) { ticket.end($0) })
    }
  }

  /// Has the thread write everything up to a number.
  ///
  /// - Parameter commit: Commits all that is pending; runs on the thread.
  /// - Returns: Whether this started the thread.
  func request(upTo number: UInt64, commit: @escaping @Sendable () -> WriteReport) -> Bool {
    let (starts, wakes) = monitor.withLockQuietly { state in
      state.wantedOfThread = max(state.wantedOfThread, number)
      // A new store may have come to an engine whose last one had gone.
      state.isStopping = false
      defer { state.isRunning = true }
      return (!state.isRunning, state.isRunning && !state.isTaken)
    }
    if wakes { monitor.wake() }
    guard starts else { return false }
    do {
      try PlainThread.start("settings-write") { self.run(commit) }
    } catch {
      // Without a thread, the caller's has to do.
      monitor.withLock { $0.isRunning = false }
      finish(commit())
    }
    return true
  }

  private func run(_ commit: @Sendable () -> WriteReport) {
    while true {
      let hasWork = monitor.wait { state -> Bool? in
        if state.wantedOfThread > state.done {
          guard !state.isTaken else { return nil }
          state.isTaken = true
          return true
        }
        guard state.isStopping else { return nil }
        state.isRunning = false
        return false
      }
      guard hasWork else { return }
      finish(commit(), endsTurn: true)
    }
  }

  /// Waits until the edit of a ticket is durable or has failed, and writes it if nobody else does.
  func perform(_ ticket: WriteTicket, commit: () -> WriteReport) -> Outcome {
    monitor.withLockQuietly { state in
      guard !state.isTaken, state.waiting.contains(where: { $0.ticket === ticket }) else { return }
      state.isTaken = true
      ticket.giveTurn()
    }
    while true {
      switch ticket.next() {
      case .takeTurn: finish(commit(), endsTurn: true)
      case .end(let outcome): return outcome
      }
    }
  }

  /// Records how a commit ended, by whoever had the turn or by an `update` that took the pending edits along.
  func finish(_ report: WriteReport, endsTurn: Bool = false) {
    let (finished, wakes) = monitor.withLockQuietly { state -> ([Waiting], Bool) in
      state.done = max(state.done, report.number)
      let finished = state.waiting.filter { $0.number <= report.number }
      state.waiting.removeAll { $0.number <= report.number }
      // A failed edit that someone waits for is theirs to handle; one that no one waits for is the next flush's.
      let awaited = Set(finished.map(\.number))
      if let failure = report.failures.filter({ !awaited.contains($0.key) }).min(by: { $0.key < $1.key }) {
        state.unreported = failure.value
      }
      if endsTurn { state.isTaken = false }
      if !state.isTaken, let next = state.waiting.lazy.compactMap(\.ticket).first {
        state.isTaken = true
        next.giveTurn()
      }
      let threadIsNeeded = state.isStopping || !state.isTaken && state.wantedOfThread > state.done
      return (finished, threadIsNeeded || state.flushing > 0)
    }
    if wakes { monitor.wake() }
    for waiting in finished { waiting.completion(report.outcome(of: waiting.number)) }
  }

  /// Waits until everything up to a number is written.
  ///
  /// - Throws: The failure of an edit that no one else was waiting for.
  func flush(upTo number: UInt64) throws(SettingsError) {
    monitor.withLockQuietly { $0.flushing += 1 }
    let failure: SettingsError? = monitor.wait { state -> SettingsError?? in
      guard state.done >= number || state.wanted < number else { return nil }
      defer { state.unreported = nil }
      state.flushing -= 1
      return .some(state.unreported)
    }
    if let failure { throw failure }
  }

  /// Lets the thread write what is left, and end.
  func stop() { monitor.withLock { $0.isStopping = true } }
}

/// One caller that waits for its edit, and can write it itself.
final class WriteTicket: Sendable {
  /// What the caller is to do.
  enum Call: Sendable {
    case takeTurn
    case end(WriteQueue.Outcome)
  }

  private struct State: Sendable {
    var hasTurn = false
    var outcome: WriteQueue.Outcome?
  }

  // Wakes this caller alone.
  private let monitor = Monitor(State())

  /// Gives the turn to the caller. Only while the edit is waited for, under the queue's lock: so it comes before the end.
  func giveTurn() { monitor.withLock { $0.hasTurn = true } }

  func end(_ outcome: WriteQueue.Outcome) { monitor.withLock { $0.outcome = outcome } }

  /// Waits for what to do. Who was given the turn has to take it, also if someone else has written the edit since.
  func next() -> Call {
    monitor.wait { state in
      if state.hasTurn {
        state.hasTurn = false
        return .takeTurn
      }
      return state.outcome.map { .end($0) }
    }
  }
}

/// What a write did for one caller.
struct WriteOutcome: Sendable {
  var changedFile: Bool
}

/// How a commit ended for all edits up to a number.
struct WriteReport: Sendable {
  var number: UInt64
  /// The numbers whose edits changed the text.
  var changed: Set<UInt64> = []
  /// The numbers whose edits failed.
  var failures: [UInt64: SettingsError] = [:]

  func outcome(of number: UInt64) -> WriteQueue.Outcome {
    if let failure = failures[number] { return .failure(failure) }
    return .success(WriteOutcome(changedFile: changed.contains(number)))
  }
}
