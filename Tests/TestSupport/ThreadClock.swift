import Glibc

/// The processor time of the calling thread: what it does, and not how long others keep it from doing it.
package enum ThreadClock {
  /// Measures what the body does itself, on this thread.
  package static func measure(_ body: () throws -> Void) rethrows -> Duration {
    let begin = now
    try body()
    return now - begin
  }

  private static var now: Duration {
    var time = timespec()
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time)
    return .seconds(time.tv_sec) + .nanoseconds(time.tv_nsec)
  }
}
