/// Decides when a server that nobody uses ends.
///
/// Each tab that shows the page has an event stream open. A reload closes one and opens the next a moment later.
struct LifeStateMachine: Sendable {
  typealias Instant = ContinuousClock.Instant

  private let grace: Duration
  private let idle: Duration
  private var streams = 0
  private var requests = 0
  private var hadStream = false
  private var lastUse: Instant
  private var timer: Instant?

  init(grace: Duration, idle: Duration, now: Instant) {
    (self.grace, self.idle, lastUse) = (grace, idle, now)
  }

  mutating func streamOpened() {
    streams += 1
    hadStream = true
  }

  mutating func streamClosed(at now: Instant) {
    streams -= 1
    lastUse = now
  }

  mutating func requestBegan() { requests += 1 }

  mutating func requestEnded(at now: Instant) {
    requests -= 1
    lastUse = now
  }

  /// When to check again, if no timer does it by then.
  ///
  /// A later end needs no new timer, since the one that runs checks again when it is up: not every request starts one.
  mutating func timerToStart() -> Instant? {
    guard let end, timer.map({ end < $0 }) ?? true else { return nil }
    timer = end
    return end
  }

  /// - Returns: Whether the server ends now.
  mutating func timerFired(at now: Instant) -> Bool {
    timer = nil
    return end.map { $0 <= now } ?? false
  }

  /// When the server ends if nothing else happens; `nil` while it is in use.
  var end: Instant? {
    guard streams == 0, requests == 0 else { return nil }
    return lastUse + (hadStream ? grace : idle)
  }
}
