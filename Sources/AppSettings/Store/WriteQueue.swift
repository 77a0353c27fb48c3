import Synchronization

/// The one thread that writes a store's pending edits, and whoever waits for it.
///
/// Edits are numbered; the thread commits everything up to the newest number in one go, so that all that has come in
/// while it was writing shares one file replace. It is a plain thread: it starts with the first edit, sleeps without a
/// timer, and ends with the store.
final class WriteQueue: Sendable {
  /// How the edits up to a number ended.
  typealias Outcome = Result<WriteOutcome, SettingsError>

  private struct State: Sendable {
    var wanted: UInt64 = 0
    var done: UInt64 = 0
    var isRunning = false
    var isStopping = false
    var completions: [(number: UInt64, body: @Sendable (Outcome) -> Void)] = []
    /// A failure that no caller was waiting for, kept for the next `flush`.
    var unreported: SettingsError?
  }

  // Protects the numbers and completions; completions and commits run after it is released.
  private let monitor = Monitor(State())

  /// Asks for everything up to a number to be written.
  ///
  /// - Parameters:
  ///   - completion: Called on the writing thread when it is durable or has failed.
  ///   - commit: Commits all that is pending; runs on the thread.
  /// - Returns: Whether this started the thread.
  func request(
    upTo number: UInt64, completion: (@Sendable (Outcome) -> Void)?,
    commit: @escaping @Sendable () -> WriteReport
  ) -> Bool {
    let starts = monitor.withLock { state in
      state.wanted = max(state.wanted, number)
      // A new store may have come to an engine whose last one had gone.
      state.isStopping = false
      if let completion { state.completions.append((number, completion)) }
      defer { state.isRunning = true }
      return !state.isRunning
    }
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
        if state.wanted > state.done { return true }
        if state.isStopping {
          state.isRunning = false
          return false
        }
        return nil
      }
      guard hasWork else { return }
      finish(commit())
    }
  }

  /// Records how a commit ended, by the writing thread or by an `update` that took the pending edits along.
  func finish(_ report: WriteReport) {
    let completions = monitor.withLock { state in
      state.done = max(state.done, report.number)
      let finished = state.completions.filter { $0.number <= report.number }
      state.completions.removeAll { $0.number <= report.number }
      // A failed edit that someone waits for is theirs to handle; one that no one waits for is the next flush's.
      let awaited = Set(finished.map(\.number))
      if let failure = report.failures.filter({ !awaited.contains($0.key) }).min(by: { $0.key < $1.key }) {
        state.unreported = failure.value
      }
      return finished
    }
    for completion in completions { completion.body(report.outcome(of: completion.number)) }
  }

  /// Waits until everything up to a number is written.
  ///
  /// - Throws: The failure of an edit that no one else was waiting for.
  func flush(upTo number: UInt64) throws(SettingsError) {
    let failure: SettingsError? = monitor.wait { state -> SettingsError?? in
      guard state.done >= number || state.wanted < number else { return nil }
      defer { state.unreported = nil }
      return .some(state.unreported)
    }
    if let failure { throw failure }
  }

  /// Lets the thread write what is left, and end.
  func stop() { monitor.withLock { $0.isStopping = true } }
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
