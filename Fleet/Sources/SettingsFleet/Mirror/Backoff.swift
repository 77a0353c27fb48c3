/// Waiting times that double, with jitter, so that machines which lost the same server do not come back together.
struct Backoff: Sendable {
  private(set) var attempts = 0
  let first: Duration
  let longest: Duration

  init(first: Duration, longest: Duration) { (self.first, self.longest) = (first, longest) }

  /// The next waiting time: half of it is random.
  mutating func next(using generator: inout some RandomNumberGenerator) -> Duration {
    var delay = first
    for _ in 0..<min(attempts, 30) where delay < longest { delay *= 2 }
    attempts += 1
    return Self.jittered(min(delay, longest), using: &generator)
  }

  mutating func reset() { attempts = 0 }

  /// A time from half of the given one up to all of it.
  static func jittered(_ time: Duration, using generator: inout some RandomNumberGenerator) -> Duration {
    let half = time / 2
    return half + half * Double.random(in: 0...1, using: &generator)
  }
}
