import Testing
import TestSupport

@testable import AppSettings

/// How long a call may go on.
struct TimeLimitTests {
  @Test func `no time is over at once, and for ever never is`() {
    #expect(TimeLimit(.zero).isOver)
    #expect(TimeLimit(.seconds(-1)).isOver)
    #expect(!TimeLimit(.seconds(3600)).isOver)
    let endless = TimeLimit(.seconds(Int64.max))
    #expect(!endless.isOver && endless.end == .max)
  }

  @Test(
    arguments: [
      (.zero, 0), (.seconds(1), 1_000_000_000), (.nanoseconds(7), 7), (.milliseconds(1500), 1_500_000_000),
      (.seconds(-1), 0), (.milliseconds(-1), 0), (.seconds(Int64.max), .max),
      (.seconds(18_446_744_073) + .nanoseconds(709_551_615), .max),
      (.seconds(18_446_744_073) + .nanoseconds(709_551_616), .max), (.seconds(18_446_744_074), .max),
    ] as [(Duration, UInt64)])
  func `a duration has nanoseconds, none below zero and none beyond the greatest number`(
    duration: Duration, nanoseconds: UInt64
  ) {
    #expect(duration.nanoseconds == nanoseconds)
  }

  @Test func `eight attempts are free, and the ninth fails when the time is over`() throws {
    var limit = TimeLimit(.zero)
    for _ in 0..<8 { try limit.noteAttempt(at: "/d") }
    let error = settingsError { try limit.noteAttempt(at: "/d") }
    #expect(error?.code == .lockTimeout && error?.file == "/d")
    #expect(error?.message.hasPrefix("Cannot lock '/d': other programs have kept removing or replacing it, ") == true)
  }

  @Test func `attempts go on as long as there is time`() throws {
    var limit = TimeLimit(.seconds(3600))
    for _ in 0..<20 { try limit.noteAttempt(at: "/d") }
  }
}
