import AppSettings
import CPageSystem
import Glibc
import Synchronization

/// A program that was started.
///
/// Its arguments go to the kernel as they are: no shell reads them.
final class ChildProcess: Sendable {
  let pid: pid_t
  /// Our ends of the pipes. The caller closes them.
  let input: CInt
  let output: CInt
  let errors: CInt
  // Protects the process id: no signal is sent once the id may belong to another process.
  private let hasEnded = Mutex(false)

  private init(_ pid: pid_t, _ pipes: [CInt]) {
    (self.pid, input, output, errors) = (pid, pipes[0], pipes[1], pipes[2])
  }

  /// Starts a program.
  ///
  /// It begins in `/`, with no descriptor of ours but its pipes, in a process group of its own: Ctrl-C at our terminal
  /// does not reach into a write. Our signal mask and handlers do not reach it either.
  ///
  /// - Throws: ``CommandError/notStarted(_:)``.
  static func start(_ arguments: [String], environment: [String: String]) throws(CommandError) -> ChildProcess {
    var pipes: [(ours: CInt, theirs: CInt)] = []
    var isStarted = false
    defer {
      for pipe in pipes {
        close(pipe.theirs)
        if !isStarted { close(pipe.ours) }
      }
    }
    for isInput in [true, false, false] {
      var ends: [CInt] = [0, 0]
      guard page_pipe(&ends) == 0 else { throw failure(arguments, errno) }
      pipes.append(isInput ? (ends[1], ends[0]) : (ends[0], ends[1]))
    }
    let pid = try spawn(arguments, environment, descriptors: pipes.map(\.theirs))
    isStarted = true
    return ChildProcess(pid, pipes.map(\.ours))
  }

  private static func failure(_ arguments: [String], _ number: CInt) -> CommandError {
    .notStarted("'\(arguments[0])' cannot be started: \(String(cString: strerror(number)))")
  }

  private static func spawn(
    _ arguments: [String], _ environment: [String: String], descriptors: [CInt]
  ) throws(CommandError) -> pid_t {
    var actions = posix_spawn_file_actions_t()
    var attributes = posix_spawnattr_t()
    posix_spawn_file_actions_init(&actions)
    posix_spawnattr_init(&attributes)
    defer {
      posix_spawn_file_actions_destroy(&actions)
      posix_spawnattr_destroy(&attributes)
    }
    for (number, descriptor) in descriptors.enumerated() {
      // A descriptor that is 0, 1 or 2 already would keep its flag and be closed; ours are open, so that none is.
      posix_spawn_file_actions_adddup2(&actions, descriptor, CInt(number))
    }
    // Connections are accepted without close-on-exec: one that a long-lived command keeps would never end for a browser.
    page_spawn_without_others(&actions)
    page_spawn_in(&actions, "/")
    var none = sigset_t()
    var all = sigset_t()
    sigemptyset(&none)
    sigfillset(&all)
    posix_spawnattr_setsigmask(&attributes, &none)
    posix_spawnattr_setsigdefault(&attributes, &all)
    posix_spawnattr_setpgroup(&attributes, 0)
    posix_spawnattr_setflags(
      &attributes, Int16(POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF | POSIX_SPAWN_SETPGROUP))
    var words = arguments.map { word in word.withPath { strdup($0) } } + [nil]
    var variables = environment.map { "\($0)=\($1)".withPath { strdup($0) } } + [nil]
    defer { for text in words + variables { free(text) } }
    var pid: pid_t = 0
    // With a path in it, as the caller has found one, this does not search PATH.
    let number = arguments[0].withPath { program in
      posix_spawn(&pid, program, &actions, &attributes, &words, &variables)
    }
    guard number == 0 else { throw failure(arguments, number) }
    return pid
  }

  /// Sends it a signal, if it has not ended.
  func signal(_ number: CInt) { hasEnded.withLock { if !$0 { kill(pid, number) } } }

  /// Waits for the end of a process that has closed its output, which is the last thing that it does. It is called
  /// once, and again after it has returned `nil`.
  ///
  /// - Returns: The exit status, or 128 and the signal's number if a signal ended it; `nil` if it has not ended yet.
  func end(by deadline: ContinuousClock.Instant? = nil) -> CInt? {
    var pause: useconds_t = 100
    while true {
      var status: CInt = 0
      let result = hasEnded.withLock { hasEnded in
        let result = waitpid(pid, &status, WNOHANG)
        hasEnded = result != 0
        return result
      }
      if result == pid { return status & 0x7F == 0 ? status >> 8 & 0xFF : 128 + status & 0x7F }
      // Something else has reaped the process, so there is no status to wait for.
      if result < 0 { return 255 }
      if let deadline, .now > deadline { return nil }
      usleep(pause)
      pause = min(pause * 2, 10_000)
    }
  }
}
