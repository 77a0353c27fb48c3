/// Whose turn it is to write a garage, so that threads which change it at the same time share one write.
///
/// One leads. Under the file's lock it opens a draft, makes its own change, and has each of those that wait by then make
/// theirs in it: one after the other, each on its own thread, each taken back alone if it throws. Then it writes the
/// draft and tells them. So every change is made on what the one before left, as if each had written by itself, and none
/// is said to be done before it is on disk. If the write fails, what those that joined have seen was never there: each
/// makes its change again, in a write of its own.
final class GarageTurns: Sendable {
  private struct State: Sendable {
    var isLed = false
    var waiting: [GarageTicket] = []
  }

  // Protects who leads and who waits; nobody waits for anything while it is held.
  private let state = Lock(State())

  /// How many wait for a turn.
  var waitingCount: Int { state.withLock { $0.waiting.count } }

  /// Takes the lead, or gets in line.
  ///
  /// - Returns: Whether the caller leads. Else it is called by its ticket.
  func enter(_ ticket: GarageTicket) -> Bool {
    state.withLock { state in
      if state.isLed { state.waiting.append(ticket) }
      defer { state.isLed = true }
      return !state.isLed
    }
  }

  /// Takes all who wait out of the line, to join who leads.
  func takeWaiting() -> [GarageTicket] {
    state.withLock { state in
      defer { state.waiting = [] }
      return state.waiting
    }
  }

  /// Ends the lead, and gives it to the first who waits.
  func leave() {
    let next = state.withLock { state in
      state.isLed = !state.waiting.isEmpty
      return state.isLed ? state.waiting.removeFirst() : nil
    }
    next?.call(.lead)
  }
}

/// One thread that waits to change a garage. It is called by who leads, and by nobody else at the same time.
final class GarageTicket: Sendable {
  /// What the thread is to do.
  enum Call: Sendable {
    case lead
    /// Make the change in the draft of who leads, and say so.
    case join(GarageDraft)
    /// Nothing more: the draft is written, or could not be.
    case end(isWritten: Bool)
  }

  private struct State: Sendable {
    var call: Call?
    var hasJoined = false
  }

  private let thread = PlainThread.currentID
  // Wakes this thread, and who leads while that waits for this one.
  private let monitor = Monitor(State())

  /// Tells the thread what to do.
  func call(_ call: Call) { monitor.withLock { $0.call = call } }

  /// Waits for what to do.
  func next() -> Call {
    monitor.wait { state in
      defer { state.call = nil }
      return state.call
    }
  }

  /// Has the thread make its change, and waits for it.
  func join(_ draft: GarageDraft, of core: StoreCore) {
    core.lendCommit(to: thread) {
      call(.join(draft))
      monitor.wait { $0.hasJoined ? () : nil }
    }
  }

  /// Says that the change is made.
  func noteJoined() { monitor.withLock { $0.hasJoined = true } }
}

extension StoreCore {
  /// Has another thread count as the one that commits, while the one that does waits for it: what it writes meanwhile
  /// would wait for itself, and is to be refused instead. So would any write into a directory that this thread has locked.
  fileprivate func lendCommit(to thread: UInt, _ body: () -> Void) {
    let me = PlainThread.currentID
    committing.withLockQuietly { $0 = thread }
    defer { committing.withLockQuietly { $0 = me } }
    HeldLocks.lend(to: thread, body)
  }
}

extension Garage {
  /// Makes changes as ``write(_:)`` does, in one write with those that other threads make at the same time.
  ///
  /// - Parameter body: May run twice: it must not do anything but change the draft.
  func writeTogether<Result>(_ body: (GarageDraft) throws -> Result) throws -> Result {
    // Observers are called when the lead is over: one that parks an object would wait for it.
    try DeferredCalls.section { try writeInTurn(body) }
  }

  private func writeInTurn<Result>(_ body: (GarageDraft) throws -> Result) throws -> Result {
    guard !isInBatch else { return try write(body) }
    try core.checkNotNested()
    let ticket = GarageTicket()
    var isLeading = turns.enter(ticket)
    var outcome: Swift.Result<Result, any Error>?
    while !isLeading {
      switch ticket.next() {
      case .lead: isLeading = true
      case .join(let draft):
        outcome = attempt(body, in: draft)
        ticket.noteJoined()
      case .end(let isWritten):
        guard isWritten, let outcome else { return try write(body) }
        return try outcome.get()
      }
    }
    defer { turns.leave() }
    return try lead(body)
  }

  private func lead<Result>(_ body: (GarageDraft) throws -> Result) throws -> Result {
    var joined: [GarageTicket] = []
    let outcome: Swift.Result<Result, any Error>
    do {
      outcome = try write { draft in
        let own = attempt(body, in: draft)
        joined = turns.takeWaiting()
        for ticket in joined { ticket.join(draft, of: core) }
        // A change that failed alone is no reason to write.
        if draft.mark == 0 { _ = try own.get() }
        return own
      }
    } catch {
      for ticket in joined { ticket.call(.end(isWritten: false)) }
      throw error
    }
    for ticket in joined { ticket.call(.end(isWritten: true)) }
    return try outcome.get()
  }

  private func attempt<Result>(
    _ body: (GarageDraft) throws -> Result, in draft: GarageDraft
  ) -> Swift.Result<Result, any Error> {
    let mark = draft.mark
    do {
      return .success(try body(draft))
    } catch {
      draft.rollBack(to: mark)
      return .failure(error)
    }
  }
}
