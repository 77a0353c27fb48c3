import AppSettings
import Glibc
import SettingsTools
import Synchronization

/// Another program to run: an editor, or the command of `watch --exec`.
struct Program: Sendable {
  /// Its name, which is looked up in `PATH`, and its arguments: any bytes, as in `PathText`.
  let words: [String]

  private enum Run {
    case none
    /// It is being started, and gets a signal then.
    case starting(signal: CInt?)
    case process(pid_t)
  }

  // Protects the running process, so that no signal goes to another one that has got its number.
  private static let current = Mutex(Run.none)

  /// Sends a signal to the running program, if there is one.
  static func signal(_ number: CInt) {
    current.withLock { run in
      switch run {
      case .none: break
      case .starting: run = .starting(signal: number)
      case .process(let process): kill(process, number)
      }
    }
  }

  /// How a program ended.
  enum Ending: Sendable, Equatable {
    case status(Int32)
    case signal(Int32)
  }

  /// Its environment and arguments together are more than the system takes.
  struct TooLong: Error {}

  /// Whether a variable has more bytes than Linux takes: 32 pages, with the name, `=` and the final zero.
  static func isTooLong(_ name: String, _ value: String?) -> Bool {
    name.utf8.count + (value?.utf8.count ?? 0) + 2 > 32 * 4096
  }

  /// Runs the program and waits for its end. It gets this process's standard streams and the default signal handling.
  ///
  /// - Parameter variables: Changes to this process's environment; `nil` removes a variable.
  /// - Throws: ``ToolError`` with status 7 if it cannot be started; ``TooLong`` if a variable can be left out to start it.
  func run(adding variables: [String: String?] = [:]) throws -> Ending {
    var environment = ProcessFacts.environment
    for (name, value) in variables { environment[name] = value.map { PathText.text($0.utf8) } }

    var attributes = posix_spawnattr_t()
    posix_spawnattr_init(&attributes)
    defer { posix_spawnattr_destroy(&attributes) }
    var signals = sigset_t()
    sigemptyset(&signals)
    posix_spawnattr_setsigmask(&attributes, &signals)
    for number in [SIGPIPE, SIGXFSZ, SIGINT, SIGQUIT, SIGTERM, SIGHUP] { sigaddset(&signals, number) }
    posix_spawnattr_setsigdefault(&attributes, &signals)
    posix_spawnattr_setflags(&attributes, Int16(POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF))

    Self.current.withLock { $0 = .starting(signal: nil) }
    defer { Self.current.withLock { $0 = .none } }
    var process = pid_t()
    let failure = Self.withPointers(words) { arguments in
      Self.withPointers(environment.map { "\($0)=\($1)" }) { environment in
        posix_spawnp(&process, arguments[0]!, nil, &attributes, arguments, environment)
      }
    }
    guard failure == 0 else {
      if failure == E2BIG, variables.contains(where: { $0.key != "KEY" && $0.value != nil }) { throw TooLong() }
      throw ToolError(.io, "Cannot run '\(words[0])': \(Errno(failure).message).")
    }
    Self.current.withLock { [process] run in
      if case .starting(let signal?) = run { kill(process, signal) }
      run = .process(process)
    }
    // Its number stays its own until it is collected.
    var ending = siginfo_t()
    while waitid(P_PID, id_t(process), &ending, WEXITED | WNOWAIT) < 0, errno == EINTR {}
    Self.current.withLock { $0 = .none }
    var status: CInt = 0
    while waitpid(process, &status, 0) < 0, errno == EINTR {}
    // As WIFEXITED and WEXITSTATUS of wait(2), which are macros.
    return status & 0x7F == 0 ? .status((status >> 8) & 0xFF) : .signal(status & 0x7F)
  }

  /// Makes this process the program, with its default signal handling.
  ///
  /// - Throws: ``ToolError`` with status 7 if it cannot be started.
  func replaceProcess() throws -> Never {
    try Output.flush()
    for number in [SIGPIPE, SIGXFSZ] { Glibc.signal(number, SIG_DFL) }
    let failure = Self.withPointers(words) { arguments in
      execv(arguments[0]!, arguments)
      return errno
    }
    for number in [SIGPIPE, SIGXFSZ] { Glibc.signal(number, SIG_IGN) }
    throw ToolError(.io, "Cannot run '\(PathText.shown(words[0]))': \(Errno(failure).message).")
  }

  private static func withPointers<Result>(
    _ texts: [String], _ body: ([UnsafeMutablePointer<CChar>?]) -> Result
  ) -> Result {
    let pointers = texts.map { text in text.withPath { strdup($0) } }
    defer { for pointer in pointers { free(pointer) } }
    return body(pointers + [nil])
  }
}
