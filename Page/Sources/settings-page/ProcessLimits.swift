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
