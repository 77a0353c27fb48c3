import SettingsTOML
import Synchronization

/// Whose turn it is to write a store's pending edits, and whoever waits for that.
///
/// Edits are numbered; whoever has the turn commits everything up to the newest number in one go, so that all that has
/// come in while the one before was writing shares one file replace. Who waits for an edit takes the turn if nobody has
/// it: that saves two changes of thread. Tickets get it in their order, so that whoever has the turn ran out of time
/// before those who come after it would. For edits that nobody waits for there is one plain thread, which starts with
/// the first of them, sleeps without a timer, and ends with the store.
final class WriteQueue: Sendable {
  /// How the edits up to a number ended.
  typealias Outcome = Result<WriteOutcome, SettingsError>

  private struct Waiting: Sendable {
    var number: UInt64
    /// For who can take the turn.
    var ticket: WriteTicket?
    /// For who has no ticket: the time that it has.
    var limit: TimeLimit?
    /// Whether this waits for all edits up to the number, and not for the one with it.
    var isFlush = false
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
    var waiting: [Waiting] = []
    /// A failure that no caller was waiting for, kept for the next `flush`.
    var unreported: SettingsError?

    var threadIsNeeded: Bool { isStopping || !isTaken && wantedOfThread > done }
  }

  // Protects the numbers and who waits; completions and commits run after it is released.
  private let monitor = Monitor(State())

  /// Takes note of an edit, in the same breath as it becomes pending: from then on anyone may write it.
  ///
  /// - Parameters:
  ///   - limit: The time that whoever waits for it has.
  ///   - completion: Called when it is durable or has failed, on the thread that wrote it.
  func note(_ number: UInt64, within limit: TimeLimit? = nil, _ completion: (@Sendable (Outcome) -> Void)?) {
    monitor.withLockQuietly { state in
      state.wanted = max(state.wanted, number)
      if let completion {
        state.waiting.append(Waiting(number: number, limit: limit, completion: completion))
      }
    }
  }

  /// As ``note(_:within:_:)``, for who is going to call ``perform(_:commit:)``.
  func note(_ number: UInt64, _ ticket: WriteTicket) {
    monitor.withLockQuietly { state in
      state.wanted = max(state.wanted, number)
      state.waiting.append(Waiting(number: number, ticket: ticket) { ticket.end($0) })
    }
  }

  /// Has the thread write everything up to a number.
  ///
  /// - Parameter commit: Commits all that is pending, and says how that ended by ``finish(_:)``; runs on the thread.
  /// - Returns: Whether this started the thread.
  func request(upTo number: UInt64, commit: @escaping @Sendable (WriteTurn) -> Void) -> Bool {
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
      // Without a thread, the caller's has to do: at the end of the write that it may be in, which it would wait for.
      monitor.withLock { $0.isRunning = false }
      DeferredCalls.run { commit(WriteTurn(number: number)) }
    }
    return true
  }

  private func run(_ commit: @Sendable (WriteTurn) -> Void) {
    while true {
      let turn = monitor.wait { state -> WriteTurn?? in
        if state.wantedOfThread > state.done {
          guard !state.isTaken else { return nil }
          state.isTaken = true
          // The first who waits has waited longest.
          guard let first = state.waiting.first else { return WriteTurn(number: state.wanted) }
          return WriteTurn(number: first.number, limit: first.ticket?.limit ?? first.limit)
        }
        guard state.isStopping else { return nil }
        state.isRunning = false
        return .some(nil)
      }
      guard let turn else { return }
      take(turn, commit)
    }
  }

  /// Commits, ends the turn, and calls observers only then: a function of theirs may wait for who waits for the turn.
  private func take(_ turn: WriteTurn, _ commit: (WriteTurn) -> Void) {
    DeferredCalls.section {
      commit(turn)
      endTurn()
    }
  }

  /// Waits until the edit of a ticket is durable or has failed, and writes it if nobody else does.
  func perform(_ ticket: WriteTicket, commit: (WriteTurn) -> Void) -> Outcome {
    monitor.withLockQuietly { state in
      guard !state.isTaken, let waiting = state.waiting.first(where: { $0.ticket === ticket }) else { return }
      state.isTaken = true
      ticket.giveTurn(waiting.number)
    }
    while true {
      switch ticket.next() {
      case .takeTurn(let number): take(WriteTurn(number: number, limit: ticket.limit), commit)
      case .end(let outcome): return outcome
      }
    }
  }

  /// Records how a commit ended: one by whoever had the turn, or an `update` that took the pending edits along.
  ///
  /// - Parameter noteUnawaited: Gets the numbers of the edits that failed and that nobody waits for, before anyone who
  ///   waits for others goes on.
  func finish(_ report: WriteReport, noteUnawaited: ([UInt64]) -> Void) {
    let (finished, unawaited, wakes) = monitor.withLockQuietly { state -> ([Waiting], [UInt64], Bool) in
      state.done = max(state.done, report.number)
      let finished = state.waiting.filter { $0.number <= report.number }
      state.waiting.removeAll { $0.number <= report.number }
      // A failed edit that someone waits for is theirs to handle; one that no one waits for is the next flush's.
      let awaited = Set(finished.lazy.filter { !$0.isFlush }.map(\.number))
      let unawaited = report.failures.keys.filter { !awaited.contains($0) }.sorted()
      if let first = unawaited.first { state.unreported = report.failures[first] }
      return (finished, unawaited, state.threadIsNeeded)
    }
    if wakes { monitor.wake() }
    if !unawaited.isEmpty { noteUnawaited(unawaited) }
    for waiting in finished { waiting.completion(report.outcome(of: waiting.number)) }
  }

  private func endTurn() {
    let wakes = monitor.withLockQuietly { state in
      state.isTaken = false
      if let next = state.waiting.first(where: { $0.ticket != nil }) {
        state.isTaken = true
        next.ticket?.giveTurn(next.number)
      }
      return state.threadIsNeeded
    }
    if wakes { monitor.wake() }
  }

  /// Waits until everything up to a number is written, and writes it if nobody else does.
  ///
  /// - Returns: The failure of an edit that no one else was waiting for.
  func flush(upTo number: UInt64, _ ticket: WriteTicket, commit: (WriteTurn) -> Void) -> SettingsError? {
    let isDone = monitor.withLockQuietly { state in
      if state.done >= number || state.wanted < number { return true }
      state.waiting.append(Waiting(number: number, ticket: ticket, isFlush: true) { ticket.end($0) })
      return false
    }
    if !isDone { _ = perform(ticket, commit: commit) }
    return monitor.withLockQuietly { state in
      defer { state.unreported = nil }
      return state.unreported
    }
  }

  /// Lets the thread write what is left, and end.
  func stop() { monitor.withLock { $0.isStopping = true } }
}

/// The right to write, and what for.
struct WriteTurn: Sendable {
  /// Everything is to be written, at least up to this number. If time runs out, this is what has failed.
  var number: UInt64
  /// The time that there is; a whole one if not given.
  var limit: TimeLimit?
}

/// One caller that waits for its edit, and can write it itself.
final class WriteTicket: Sendable {
  /// What the caller is to do.
  enum Call: Sendable {
    /// Write everything, at least up to this number.
    case takeTurn(UInt64)
    case end(WriteQueue.Outcome)
  }

  private struct State: Sendable {
    /// The number that the caller has the turn for.
    var turn: UInt64?
    var outcome: WriteQueue.Outcome?
  }

  /// The time that the caller has.
  let limit: TimeLimit
  // Wakes this caller alone.
  private let monitor = Monitor(State())

  init(_ limit: TimeLimit) { self.limit = limit }

  /// Gives the turn to the caller. Only while the edit is waited for, under the queue's lock: so it comes before the end.
  func giveTurn(_ number: UInt64) { monitor.withLock { $0.turn = number } }

  func end(_ outcome: WriteQueue.Outcome) { monitor.withLock { $0.outcome = outcome } }

  /// Waits for what to do. Who was given the turn has to take it, also if someone else has written the edit since.
  func next() -> Call {
    monitor.wait { state in
      if let number = state.turn {
        state.turn = nil
        return .takeTurn(number)
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
  /// What those of them are about that failed by themselves, while others were written.
  var failedPaths: [UInt64: TOMLPath] = [:]

  /// Notes that edits failed by themselves.
  mutating func fail(_ number: UInt64, _ edits: [Edit], _ error: SettingsError) {
    failures[number] = error
    failedPaths[number] = edits.first?.path
  }

  func outcome(of number: UInt64) -> WriteQueue.Outcome {
    if let failure = failures[number] { return .failure(failure) }
    return .success(WriteOutcome(changedFile: changed.contains(number)))
  }
}
