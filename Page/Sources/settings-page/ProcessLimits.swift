import Glibc

enum OpenFiles {
  /// Lets the process have as many files as its connections and commands need at most.
  static func raiseLimit() {
    var limit = rlimit()
    guard getrlimit(__rlimit_resource_t(7), &limit) == 0, limit.rlim_cur < 2048 else { return }
    limit.rlim_cur = min(limit.rlim_max, 2048)
    setrlimit(__rlimit_resource_t(7), &limit)
  }
}

/// The signals that end a program.
struct EndSignals {
  private var set = sigset_t()

  /// Has them wait until somebody asks. Those that were ignored from the start stay so.
  init() {
    sigemptyset(&set)
    for number in [SIGTERM, SIGINT, SIGHUP] {
      var action = sigaction()
      sigaction(number, nil, &action)
      if unsafeBitCast(action.__sigaction_handler.sa_handler, to: Int.self) != 1 { sigaddset(&set, number) }
    }
    pthread_sigmask(SIG_BLOCK, &set, nil)
    signal(SIGPIPE, SIG_IGN)
  }

  /// Waits for a signal and returns its number.
  func wait() -> CInt {
    var set = set
    var number: CInt = 0
    while sigwait(&set, &number) != 0 {}
    return number
  }

  /// Waits for a signal, but not forever; `nil` if none came.
  func wait(atMost seconds: Int) -> CInt? {
    var set = set
    let deadline = ContinuousClock.now + .seconds(seconds)
    while case let rest = deadline - .now, rest > .zero {
      var time = timespec(tv_sec: Int(rest.components.seconds), tv_nsec: 999_999_999)
      let number = sigtimedwait(&set, nil, &time)
      // The end of a child interrupts it.
      if number > 0 { return number }
    }
    return nil
  }
}
