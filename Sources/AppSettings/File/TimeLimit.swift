import Glibc

/// The time limit of one call: an end on the monotonic clock, which nobody can set.
///
/// A call has one limit for everything that it waits for: other threads, locks, and saves of other programs.
package struct TimeLimit: Sendable {
  /// The whole time from the beginning.
  package let duration: Duration
  /// The end, in nanoseconds on the monotonic clock.
  package let end: UInt64
  private var attempts = 0

  /// Starts the time.
  ///
  /// - Parameter duration: The longest wait in total. With zero, only work that need not wait succeeds.
  package init(_ duration: Duration) {
    self.duration = duration
    let (end, overflows) = ProcessFacts.monotonicNanoseconds().addingReportingOverflow(duration.nanoseconds)
    self.end = overflows ? .max : end
  }

  /// Whether the time is over.
  package var isOver: Bool { ProcessFacts.monotonicNanoseconds() >= end }

  private static let freeAttempts = 8

  /// Counts an attempt at something that others may undo each time. The first few are free, so that a limit of zero
  /// allows work of several steps; from then on it waits a little before each.
  ///
  /// - Throws: ``SettingsError`` `lockTimeout` if the time is over.
  mutating func noteAttempt(at directory: String) throws(SettingsError) {
    attempts += 1
    guard attempts > Self.freeAttempts else { return }
    guard !isOver else {
      throw SettingsError(
        .lockTimeout,
        "Cannot lock '\(directory)': other programs have kept removing or replacing it, or saving the file in it, for "
          + "\(duration). Find that program and stop it.", file: directory)
    }
    usleep(1000)
  }
}

extension Duration {
  /// The length in nanoseconds, at least zero; `UInt64.max` for anything longer.
  package var nanoseconds: UInt64 {
    let (seconds, attoseconds) = components
    guard seconds >= 0 else { return 0 }
    let (whole, overflows) = UInt64(seconds).multipliedReportingOverflow(by: 1_000_000_000)
    let (sum, exceeds) = whole.addingReportingOverflow(UInt64(max(0, attoseconds) / 1_000_000_000))
    return overflows || exceeds ? .max : sum
  }
}
