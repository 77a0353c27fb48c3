/// How long a connection may wait for its client.
///
/// A client that sends its request a byte at a time does not keep its connection longer than one that sends nothing:
/// the time is that of the whole head, and of the whole body.
struct ConnectionClock: Sendable {
  enum Action: Equatable, Sendable {
    /// The connection is closed if nothing else happens for so long.
    case wait(Duration)
    /// The client waits for us: no time is running.
    case rest
    /// What is said already holds.
    case keep
    case close
  }

  private let limits: Limits
  private var isReading = false
  private var unanswered = 0
  private var bodySize = 0

  init(_ limits: Limits) { self.limits = limits }

  func opened() -> Action { .wait(limits.wait) }

  mutating func readHead() -> Action {
    isReading = true
    unanswered += 1
    bodySize = 0
    return .wait(limits.wait)
  }

  /// A body that is refused is read to its end and forgotten, so that its client sees the answer; not endlessly.
  mutating func readBody(_ count: Int) -> Action {
    bodySize += count
    return bodySize > limits.discardedBody ? .close : .keep
  }

  mutating func readEnd() -> Action {
    isReading = false
    return unanswered > 0 ? .rest : .wait(limits.wait)
  }

  mutating func answered() -> Action {
    unanswered -= 1
    // While a body is still being read, its time goes on.
    if isReading { return .keep }
    return unanswered > 0 ? .rest : .wait(limits.wait)
  }
}
