import Synchronization

/// The server's lifetime: it ends when the last tab is closed, or on request.
final class Life: Sendable {
  private struct State {
    var machine: LifeStateMachine
    var isOver = false
    /// A task that waits until it is time to look whether the server ends.
    var timer: Task<Void, Never>?
  }

  // Protects what decides about the end.
  private let state: Mutex<State>
  private let (over, overContinuation) = AsyncStream.makeStream(of: Never.self)

  init(_ limits: Limits) {
    state = Mutex(State(machine: LifeStateMachine(grace: limits.grace, idle: limits.idle, now: .now)))
  }

  func streamOpened() { change { $0.streamOpened() } }
  func streamClosed() { change { $0.streamClosed(at: .now) } }
  func requestBegan() { change { $0.requestBegan() } }
  func requestEnded() { change { $0.requestEnded(at: .now) } }

  /// Ends it.
  func end() {
    state.withLock { state in
      state.isOver = true
      state.timer?.cancel()
      state.timer = nil
    }
    overContinuation.finish()
  }

  /// Returns at the end: `false` if the task was cancelled before.
  func waitForEnd() async -> Bool {
    change { _ in }
    for await _ in over {}
    return !Task.isCancelled
  }

  private func change(_ body: (inout LifeStateMachine) -> Void) {
    state.withLock { state in
      body(&state.machine)
      startTimer(&state)
    }
  }

  private func startTimer(_ state: inout State) {
    guard !state.isOver, let end = state.machine.timerToStart() else { return }
    state.timer?.cancel()
    state.timer = Task { [weak self] in
      guard (try? await Task.sleep(until: end, clock: .continuous)) != nil else { return }
      self?.look()
    }
  }

  private func look() {
    let isDue = state.withLock { state -> Bool in
      if state.machine.timerFired(at: .now) { return !state.isOver }
      startTimer(&state)
      return false
    }
    if isDue { end() }
  }
}
