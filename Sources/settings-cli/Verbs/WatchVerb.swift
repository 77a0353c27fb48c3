import AppSettings
import AppSettingsObserve
import Glibc

enum WatchVerb: Verb {
  static let name = "watch"
  static let syntax = Syntax(
    summary: "Print values as they change, or run a command.",
    operands: [
      .target, .init("KEY", .optional, .key, "The dotted key; without it, every key."),
      .init("ARGUMENT…", .any, "After --, the arguments of what --exec names."),
    ],
    usage: ["TARGET [KEY] [OPTION…]", "TARGET [KEY] --exec CMD [OPTION…] [-- ARGUMENT…]"],
    options: [
      .flag("json", "Print JSON objects, one a line: key, old, new, origin."),
      .value("count", "N", "End after this many changes, or values."),
      .value("timeout", "S", "End after this many seconds; exit 1 if --count is not reached."),
      .value("exec", "CMD", "Run this program at each change, and print nothing."),
      .flag("shell", "CMD is a line of shell."),
    ],
    details: """
      With KEY: the bare value now (an empty line while there is none), then one line
      for each change. Without: each change as 'key = value' ('key' alone when it is
      unset), and one blank line after each batch.

      --exec runs CMD once for each changed key, one run after the other, with KEY, OLD
      and NEW in its environment; OLD or NEW is absent where there is no value. The
      words after -- are its arguments. No shell comes between, unless --shell asks for
      one. What changes while CMD runs counts once, with the newest value.

      SIGTERM and a reader that has gone end it with status 0; SIGINT ends it as a
      signal does, so that a script it is part of ends, too.
      """,
    examples: [
      "settings-cli watch org.example.editor theme",
      "settings-cli watch org.example.editor --json --count 1 --timeout 10",
      "settings-cli watch org.example.server port --exec systemctl -- --user restart server",
      "settings-cli watch org.example.editor --shell --exec 'logger \"$KEY is now $NEW\"'",
    ])

  static func run(_ arguments: Arguments) throws {
    let watching = try Watching(arguments)
    // Before any thread is started: this one is to get them.
    let signals = EndSignals()
    let store = try Target(arguments).openUnread()
    store.core.load()
    for problem in store.currentProblems { Output.warning(problem.message) }
    try endWhenReaderIsGone()
    Task.detached {
      do {
        try await watching.run(on: store)
        try Output.flush()
        exit(ExitStatus.done.rawValue)
      } catch let failure as Failure where failure.isGoneReader {
        exit(ExitStatus.done.rawValue)
      } catch {
        Main.end(error)
      }
    }
    if let timeout = watching.timeout {
      Task.detached {
        try? await Task.sleep(for: .seconds(timeout))
        // With --count, the time is a limit; without, it is how long to watch.
        Output.finish()
        Program.signal(SIGTERM)
        exit(watching.count == nil ? ExitStatus.done.rawValue : ExitStatus.noValue.rawValue)
      }
    }
    signals.waitForEnd()
  }

  /// A pipe's reader may go long before the next change.
  private static func endWhenReaderIsGone() throws {
    try PlainThread.start("watch-reader") {
      var output = pollfd(fd: STDOUT_FILENO, events: 0, revents: 0)
      while poll(&output, 1, -1) < 0, errno == EINTR {}
      guard output.revents & Int16(POLLERR | POLLHUP) != 0 else { return }
      Program.signal(SIGTERM)
      exit(ExitStatus.done.rawValue)
    }
  }
}

/// The signals that ask a process to end.
private struct EndSignals: ~Copyable {
  private var set = sigset_t()

  /// Keeps them from this thread and those that it starts, whatever the parent process has set.
  init() {
    sigemptyset(&set)
    for number in [SIGINT, SIGTERM, SIGHUP] {
      // An ignored one (as of a background job of a shell) stays ignored.
      var action = sigaction()
      sigaction(number, nil, &action)
      if unsafeBitCast(action.__sigaction_handler.sa_handler, to: Int.self) != unsafeBitCast(SIG_IGN, to: Int.self) {
        sigaddset(&set, number)
      }
    }
    pthread_sigmask(SIG_BLOCK, &set, nil)
  }

  /// Waits for one, and ends the process: whole lines have gone out.
  mutating func wait() -> CInt {
    var number: CInt = 0
    while sigwait(&set, &number) != 0 {}
    return number
  }

  consuming func waitForEnd() -> Never {
    let number = wait()
    Output.finish()
    Program.signal(number)
    guard number == SIGINT else { exit(ExitStatus.done.rawValue) }
    signal(SIGINT, SIG_DFL)
    var only = sigset_t()
    sigemptyset(&only)
    sigaddset(&only, SIGINT)
    pthread_sigmask(SIG_UNBLOCK, &only, nil)
    raise(SIGINT)
    exit(128 + SIGINT)
  }
}
