import SettingsTOML
import Synchronization

/// Decides which thread writes a store's pending edits, and keeps those who wait for that.
///
/// Edits are numbered. The thread with the turn commits everything up to the newest number, so that all edits that
/// arrived during the previous write share one replacement of the file. A thread that waits for an edit takes the turn
/// if it is free: that saves two changes of thread. Tickets get the turn in order, so that a thread with the turn runs
/// out of time before later ones would. For edits that nobody waits for there is one plain thread, which starts with
/// the first of them, sleeps without a timer, and ends with the store.
final class WriteQueue: Sendable {
  /// The result of a write for one caller: whether it changed the file, which may have had the values already.
  typealias Outcome = Result<Bool, SettingsError>

  /// A caller that waits for an edit, or for all up to it.
  private struct Waiting: Sendable {
    var number: UInt64
    /// For a caller that can take the turn.
    var ticket: WriteTicket?
    /// The time limit of a caller without a ticket.
    var limit: TimeLimit?
    /// Whether this waits for all edits up to the number, and not only for the one with it.
    var isFlush = false
    var completion: @Sendable (Outcome) -> Void
  }

  private struct State: Sendable {
    /// The newest number.
    var wanted: UInt64 = 0
    /// The newest number that the thread has to write.
    var wantedOfThread: UInt64 = 0
    var done: UInt64 = 0
    /// Whether a thread has the turn.
    var isTaken = false
    var isRunning = false
    var isStopping = false
    var waiting: [Waiting] = []
    /// A failure that no caller was waiting for, kept for the next `flush`.
    var unreported: SettingsError?

    var threadIsNeeded: Bool { isStopping || !isTaken && wantedOfThread > done }
  }

  // Protects the numbers and the waiting callers; completions and commits run after it is released.
  private let monitor = Monitor(State())

  /// Notes an edit in the same step in which it becomes pending: from then on any thread may write it.
  ///
  /// - Parameters:
  ///   - limit: The time limit of the caller that waits for it.
  ///   - completion: Called when it is durable or has failed, on the thread that wrote it.
  func note(_ number: UInt64, within limit: TimeLimit? = nil, _ completion: (@Sendable (Outcome) -> Void)?) {
    monitor.withLockQuietly { state in
      state.wanted = max(state.wanted, number)
      if let completion {
        state.waiting.append(Waiting(number: number, limit: limit, completion: completion))
      }
    }
  }

  /// Does the same as ``note(_:within:_:)``, for a caller that will call ``perform(_:commit:)``.
  func note(_ number: UInt64, _ ticket: WriteTicket) {
    monitor.withLockQuietly { state in
      state.wanted = max(state.wanted, number)
      state.waiting.append(Waiting(number: number, ticket: ticket) { ticket.end($0) })
    }
  }

  /// Makes the thread write everything up to a number.
  ///
  /// - Parameter commit: Commits all pending edits and reports the outcome with ``finish(_:)``; runs on the thread.
  /// - Returns: Whether this started the thread.
  func request(upTo number: UInt64, commit: @escaping @Sendable (WriteTurn) -> Void) -> Bool {
    let (starts, wakes) = monitor.withLockQuietly { state in
      state.wantedOfThread = max(state.wantedOfThread, number)
      // A new store may use an engine whose last one was released.
      state.isStopping = false
      defer { state.isRunning = true }
      return (!state.isRunning, state.isRunning && !state.isTaken)
    }
    if wakes { monitor.wake() }
    guard starts else { return false }
    do {
      try PlainThread.start("settings-write") { self.run(commit) }
    } catch {
      // Without a thread, the caller's is used: at the end of a write in which it may be, for which it would wait.
      monitor.withLock { $0.isRunning = false }
      DeferredCalls.run { commit(WriteTurn(number: number)) }
    }
    return true
  }

  /// The work of the store's thread, which sleeps until there is something to write and ends with the store.
  private func run(_ commit: @Sendable (WriteTurn) -> Void) {
    while true {
      let turn = monitor.wait { state -> WriteTurn?? in
        if state.wantedOfThread > state.done {
          guard !state.isTaken else { return nil }
          state.isTaken = true
          // The first one has waited longest.
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

  /// Commits, ends the turn, and only then calls observers: a callback may wait for a thread that waits for the turn.
  private func take(_ turn: WriteTurn, _ commit: (WriteTurn) -> Void) {
    DeferredCalls.section {
      commit(turn)
      endTurn()
    }
  }

  /// Waits until a ticket's edit is durable or has failed, and writes it unless another thread does.
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

  /// Records the outcome of a commit: by the thread with the turn, or by an `update` that included the pending edits.
  ///
  /// - Parameter noteUnawaited: Gets the numbers of the failed edits that nobody waits for, before a waiting caller
  ///   continues.
  func finish(_ report: WriteReport, noteUnawaited: ([UInt64]) -> Void) {
    let (finished, unawaited, wakes) = monitor.withLockQuietly { state -> ([Waiting], [UInt64], Bool) in
      state.done = max(state.done, report.number)
      let finished = state.waiting.filter { $0.number <= report.number }
      state.waiting.removeAll { $0.number <= report.number }
      // A failed edit belongs to the caller that waits for it, and otherwise to the next flush.
      let awaited = Set(finished.lazy.filter { !$0.isFlush }.map(\.number))
      let unawaited = report.failures.keys.filter { !awaited.contains($0) }.sorted()
      if let first = unawaited.first { state.unreported = report.failures[first] }
      return (finished, unawaited, state.threadIsNeeded)
    }
    if wakes { monitor.wake() }
    if !unawaited.isEmpty { noteUnawaited(unawaited) }
    for waiting in finished { waiting.completion(report.outcome(of: waiting.number)) }
  }

  /// Ends the turn and gives it to the ticket that has waited longest.
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

  /// Waits until everything up to a number is written, and writes it unless another thread does.
  ///
  /// - Returns: The failure of an edit that no other caller was waiting for.
  func flush(upTo number: UInt64, _ ticket: WriteTicket, commit: (WriteTurn) -> Void) -> SettingsError? {
    let isDone = monitor.withLockQuietly { state in
      if state.done >= number { return true }
      state.waiting.append(Waiting(number: number, ticket: ticket, isFlush: true) { ticket.end($0) })
      return false
    }
    if !isDone { _ = perform(ticket, commit: commit) }
    return monitor.withLockQuietly { state in
      defer { state.unreported = nil }
      return state.unreported
    }
  }

  /// Lets the thread write the remaining edits, and end.
  ///
  /// It does not wait for that. The next write of a new store with the same engine keeps the thread, or starts one.
  func stop() { monitor.withLock { $0.isStopping = true } }
}

/// The right to write, and its purpose.
struct WriteTurn: Sendable {
  /// Everything must be written, at least up to this number. If time runs out, these edits have failed.
  var number: UInt64
  /// The remaining time; by default a new time limit.
  var limit: TimeLimit?
}

/// A caller that waits for its edit and can write it itself.
final class WriteTicket: Sendable {
  /// What the caller must do.
  enum Call: Sendable {
    /// Write everything, at least up to this number.
    case takeTurn(UInt64)
    case end(WriteQueue.Outcome)
  }

  private struct State: Sendable {
    /// The number for which the caller has the turn.
    var turn: UInt64?
    var outcome: WriteQueue.Outcome?
  }

  /// The caller's time limit.
  let limit: TimeLimit
  // Wakes only this caller.
  private let monitor = Monitor(State())

  init(_ limit: TimeLimit) { self.limit = limit }

  /// Gives the turn to the caller. Only while its edit is awaited, under the queue's lock, so before the end.
  func giveTurn(_ number: UInt64) { monitor.withLock { $0.turn = number } }

  /// Gives the caller the outcome of its edit.
  func end(_ outcome: WriteQueue.Outcome) { monitor.withLock { $0.outcome = outcome } }

  /// Waits for what to do. A caller with the turn must take it, even if another thread has written its edit since.
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

/// The outcome of a commit for all edits up to a number.
struct WriteReport: Sendable {
  var number: UInt64
  /// The numbers whose edits changed the text.
  var changed: Set<UInt64> = []
  /// The numbers whose edits failed.
  var failures: [UInt64: SettingsError] = [:]
  /// The paths of those that failed by themselves, while others were written.
  var failedPaths: [UInt64: TOMLPath] = [:]

  /// Notes that edits failed by themselves.
  mutating func fail(_ number: UInt64, _ edits: [Edit], _ error: SettingsError) {
    failures[number] = error
    failedPaths[number] = edits.first?.path
  }

  /// The result for the edits with a number.
  func outcome(of number: UInt64) -> WriteQueue.Outcome {
    failures[number].map { .failure($0) } ?? .success(changed.contains(number))
  }
}
