import AppSettings
import Glibc

/// The signals that ask a process to end.
package struct EndSignals: Sendable {
  private var set = sigset_t()

  /// Blocks them in this thread and in those that it starts, whatever the parent process has set.
  ///
  /// - Parameters:
  ///   - numbers: The signals.
  ///   - notice: A signal that this process sends itself.
  package init(_ numbers: [CInt] = [SIGINT, SIGTERM, SIGHUP], notice: CInt? = nil) {
    sigemptyset(&set)
    // A blocked signal can be waited for, even if it is ignored.
    if let notice { sigaddset(&set, notice) }
    for number in numbers {
      // An ignored signal, as of a shell's background job, stays ignored.
      var action = sigaction()
      sigaction(number, nil, &action)
      if unsafeBitCast(action.__sigaction_handler.sa_handler, to: Int.self) != unsafeBitCast(SIG_IGN, to: Int.self) {
        sigaddset(&set, number)
      }
    }
    pthread_sigmask(SIG_BLOCK, &set, nil)
  }

  /// Waits for one.
  ///
  /// - Parameter others: Those that stay pending.
  package func wait(except others: [CInt] = []) -> CInt {
    var number: CInt = 0
    var set = set
    for other in others { sigdelset(&set, other) }
    while sigwait(&set, &number) != 0 {}
    return number
  }

  /// Waits for a signal, at most for so many seconds.
  ///
  /// - Returns: `nil` if the time has passed.
  package func wait(seconds: Double?) -> CInt? {
    guard let seconds else { return wait() }
    let end = ProcessFacts.monotonicNanoseconds() + UInt64(min(seconds, 1e9) * 1e9)
    var set = set
    while true {
      let now = ProcessFacts.monotonicNanoseconds()
      let rest = end > now ? end - now : 0
      var time = timespec(tv_sec: Int(rest / 1_000_000_000), tv_nsec: Int(rest % 1_000_000_000))
      let number = sigtimedwait(&set, nil, &time)
      if number > 0 { return number }
      if rest == 0 || errno == EAGAIN { return nil }
    }
  }

  /// Discards signals that are pending.
  package static func discard(_ numbers: [CInt]) {
    var set = sigset_t()
    sigemptyset(&set)
    for number in numbers { sigaddset(&set, number) }
    var none = timespec()
    while sigtimedwait(&set, nil, &none) > 0 {}
  }

  /// Lets them end the process again.
  package func unblock() {
    var set = set
    pthread_sigmask(SIG_UNBLOCK, &set, nil)
  }

  /// Ends the process as a signal does, so that a script around it ends too.
  package static func end(by number: CInt) -> Never {
    // No core of a process that ends in order.
    if number != SIGQUIT {
      signal(number, SIG_DFL)
      var only = sigset_t()
      sigemptyset(&only)
      sigaddset(&only, number)
      pthread_sigmask(SIG_UNBLOCK, &only, nil)
      raise(number)
    }
    exit(128 + number)
  }
}
