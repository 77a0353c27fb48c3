import AppSettings
import AppSettingsObserve
import ArgumentParser
import Glibc
import SettingsTools

struct WatchVerb: Verb {
  static let configuration = CommandConfiguration(
    commandName: "watch",
    abstract: "Print values as they change, or run a command.",
    usage: """
      settings-cli watch TARGET [KEY] [--json] [--count N] [--timeout S]
      settings-cli watch TARGET [KEY] --exec CMD [--shell] [-- ARGUMENT ...]
      settings-cli watch TARGET --document [--count N] [--timeout S]
      """,
    discussion: """
      With KEY, prints the value as 'get' does, then one line for each change; an empty line means that there is no \
      value. While no file has one, that is the default of the app's schema. Without KEY, prints each change as \
      'key = value' ('key' alone when it is unset), and an empty line after each batch. Problems that begin later, \
      such as a file that stops parsing, are reported on standard error.

      Exits 3 if the schema does not have the key. An app or file that does not exist yet is reported on standard \
      error, and then watched.

      --exec runs CMD once for each changed key, one run after the other, with KEY, OLD and NEW in its environment; \
      OLD or NEW is missing if there is no value. A secret is '(secret)' there, unless KEY is exactly that key. The \
      words after -- are the arguments of CMD. No shell is involved, unless you use --shell. Several changes while \
      CMD runs count as one, with the newest value.

      --document prints a JSON object at once, and one more whenever anything changes that 'describe --document' \
      shows: also comments, another layer's file, the rights of a file, the profile, the schema. It has the file's \
      digest, what kind of change it was, the changed values and the newest entry of the history. Secrets are not shown.

      The command ends with status 0 on SIGTERM and when its reader is gone. SIGINT ends it as that signal does, so \
      that a script around it ends too.

      EXAMPLES
        settings-cli watch org.example.editor theme
        settings-cli watch org.example.editor --json --count 1 --timeout 10
        settings-cli watch org.example.editor --document --timeout 10
        settings-cli watch org.example.web port --exec systemctl -- restart web
        settings-cli watch org.example.editor --shell --exec 'logger "$KEY: $NEW"'
      """)

  @OptionGroup var target: TargetArgument
  @Argument(help: "The dotted key; without it, every key.", completion: .custom(Candidates.keys)) var key: String?
  @Argument(
    parsing: .postTerminator,
    help: ArgumentHelp("The arguments for the command of --exec, after --.", valueName: "argument"),
    completion: .file())
  var arguments: [String] = []
  @Flag(help: "Print JSON objects, one a line: key, old, new, origin.") var json = false
  @Flag(help: "Print a JSON object for each change of any file, for programs that show 'describe --document'.")
  var document = false
  // Unconditional: a negative number is a wrong value, not an option.
  @Option(
    parsing: .unconditional, help: ArgumentHelp("End after this many changes, or values.", valueName: "n"))
  var count: Int?
  @Option(
    parsing: .unconditional,
    help: ArgumentHelp("End after this many seconds; exit 1 if --count is not reached.", valueName: "seconds"))
  var timeout: Double?
  @Option(
    parsing: .unconditional,
    help: ArgumentHelp("Run this program at each change, and print nothing.", valueName: "cmd"),
    completion: .custom(Candidates.programs))
  var exec: String?
  @Flag(help: "Run CMD with /bin/sh.") var shell = false
  @OptionGroup var common: CommonOptions

  func validate() throws {
    if let count, count < 1 { throw ValidationError("Invalid value '\(count)' for '--count': 1 or more is needed.") }
    if let timeout, !(timeout > 0 && timeout < 1e9) {
      throw ValidationError(
        "Invalid value for '--timeout': a number of seconds above 0 and below 1000000000 is needed.")
    }
    if document {
      if key != nil { throw ValidationError("--document is for all keys: leave out KEY.") }
      if json { throw ValidationError("--document prints JSON by itself; omit --json.") }
      try checkAlternatives(("--exec", exec != nil), ("--document", true))
    }
    try checkAlternatives(("'--exec'", exec != nil), ("'--json'", json))
    guard exec == nil else { return }
    if shell {
      throw ValidationError("'--shell' is for the command of '--exec', which is missing.")
    } else if !arguments.isEmpty {
      throw ValidationError("Words after '--' are for the command of '--exec', which is missing.")
    }
  }

  func answer() throws {
    let target = try Target(target)
    let watching = try Watching(self, target)
    // Before any thread starts: this one receives them.
    let signals = EndSignals()
    if document {
      try start(DocumentWatching(target, count: count), of: target)
    } else {
      try start(watching, of: target)
    }
    if let timeout {
      // Not a sleeping task, which would start the pool.
      try Self.startThread("watch-timeout") {
        ProcessFacts.pause(nanoseconds: UInt64(timeout * 1e9))
        // With --count the time is a limit; without, it is how long to watch.
        Output.finish()
        Program.signal(SIGTERM)
        Glibc.exit(watching.count == nil ? EXIT_SUCCESS : ToolError.Status.noValue.rawValue)
      }
    }
    let number = signals.wait()
    Output.finish()
    Program.signal(number)
    guard number == SIGINT else { Glibc.exit(EXIT_SUCCESS) }
    EndSignals.end(by: number)
  }

  /// Starts `--document`.
  private func start(_ watching: DocumentWatching, of target: Target) throws {
    try noteMissing(try target.openUnread(followingChoice: true))
    try Self.checkThreads()
    try Self.endWhenReaderIsGone()
    try Self.startThread("watch-document") {
      var watching = watching
      do {
        try watching.run()
        Glibc.exit(EXIT_SUCCESS)
      } catch {
        Output.end(with: error)
      }
    }
  }

  /// Starts a watch of values.
  private func start(_ watching: Watching, of target: Target) throws {
    let opened = try target.openUnread(followingChoice: true)
    opened.load()
    let store = opened.store
    let problems = store.currentProblems
    opened.tellProblems()
    opened.tellPending()
    try watching.checkKnown(in: store)
    try noteMissing(opened)
    try Self.checkThreads()
    try Self.endWhenReaderIsGone()
    Task.detached(executorPreference: SettingsWatchExecutor.shared) {
      var told = Set(problems)
      // One that was solved and returns is reported again.
      for await problem in store.problems where told.remove(problem) == nil { Output.warning(problem.message) }
    }
    // On the watch thread: the runtime's pool has a manager that ends the process where /proc is not mounted.
    Task.detached(executorPreference: SettingsWatchExecutor.shared) {
      do {
        try await watching.run(on: store)
        try Output.flush()
        Glibc.exit(EXIT_SUCCESS)
      } catch {
        Output.end(with: error)
      }
    }
  }

  /// Says what does not exist yet. It may have been mistyped.
  private func noteMissing(_ opened: OpenedSettings) throws {
    if opened.target.isFile, try SettingsFile(path: opened.file).read().bytes == nil {
      Output.note("'\(opened.file)' does not exist yet. Waiting for it.")
    }
    do {
      try opened.target.checkKnown(opened)
    } catch let failure as ToolError where failure.status == .unknown && failure.meantApp == nil {
      try opened.target.checkOrder([key].compactMap(\.self), of: "watch", advice: "")
      Output.note("\(failure.message ?? "") Waiting for its first settings.")
    }
  }

  /// Ends when the reader of a pipe is gone, which may be long before the next change.
  private static func endWhenReaderIsGone() throws {
    try startThread("watch-reader") {
      var output = pollfd(fd: STDOUT_FILENO, events: 0, revents: 0)
      while poll(&output, 1, -1) < 0, errno == EINTR {}
      guard output.revents & Int16(POLLERR | POLLHUP) != 0 else { return }
      Program.signal(SIGTERM)
      Glibc.exit(EXIT_SUCCESS)
    }
  }

  /// The threads of a watch: for its reader, its time, the files and a command.
  private static let mostThreads = 4

  /// Throws if there may not be enough threads: a task without one waits forever, silently.
  private static func checkThreads() throws {
    let isOver = Monitor(false)
    defer { isOver.withLock { $0 = true } }
    for _ in 0..<mostThreads {
      try startThread("watch-probe") { isOver.wait { $0 ? () : nil } }
    }
  }

  private static func startThread(_ name: String, _ body: @escaping @Sendable () -> Void) throws {
    do throws(Errno) {
      try PlainThread.start(name, body)
    } catch {
      throw SettingsError.noThread(error, "watch settings")
    }
  }
}
