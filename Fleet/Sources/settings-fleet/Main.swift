import AppSettings
import AppSettingsSchema
import ArgumentParser
import Glibc
import NIOCore
import NIOPosix
import SettingsTools

@main
struct FleetCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "settings-fleet",
    abstract: "Read and change the settings of all machines of a fleet.",
    discussion: """
      Documents are settings files in an etcd cluster: one for all machines, one for each group and host that needs its \
      own values. On each machine 'settings-fleet mirror' keeps a copy, which apps read as administrators' files.

      Where the cluster is, and who you are, are the settings of the app 'settings-fleet': \
      'settings-cli describe settings-fleet' lists them.

      EXIT STATUS
        0  done
        1  there is no such value, document or change; for 'status' and 'machines': not applied everywhere
        2  usage
        3  unknown key, or settings-cli is missing
        4  invalid value
        5  not writable: locked, or a signature is needed
        6  the document does not parse
        7  input/output error
        8  migration failed, or the document is newer than the app
        9  changed meanwhile, or by hand
       10  'apply --plan' has found something to do
       11  the cluster does not answer, or refuses
       12  the rollout was taken back
      """,
    version: Version.release,
    subcommands: [
      GetVerb.self, SetVerb.self, UnsetVerb.self, BatchVerb.self, EditVerb.self, ListVerb.self, DescribeVerb.self,
      DiffVerb.self, CheckVerb.self, SealVerb.self, LockVerb.self, UnlockVerb.self, ImportVerb.self, ExportVerb.self,
      ApplyVerb.self, MigrateVerb.self, LogVerb.self, UndoVerb.self, RedoVerb.self, StatusVerb.self, MachinesVerb.self,
      RolloutVerb.self, AcceptVerb.self, MirrorVerb.self, AccessVerb.self, KeyVerb.self, SchemaVerb.self,
    ])

  /// The program's name precedes every message.
  static var _errorPrefix: String { "" }

  /// Throws with a suggestion for an unknown verb: the library has suggestions for options only.
  static func checkVerb(_ words: [String]) throws {
    let names = configuration.subcommands.compactMap { $0.configuration.commandName } + ["help"]
    // 'help VERB' prints the page of that verb.
    guard let name = words.first == "help" ? words.dropFirst().first : words.first, !name.hasPrefix("-"),
      !names.contains(name)
    else { return }
    let hint =
      Self.command(for: name).map { "For that there is 'settings-fleet \($0)'." }
      ?? Suggestion.nearest(to: name, among: names).map { "Did you mean '\($0)'?" }
      ?? "'settings-fleet --help' lists the verbs."
    throw Failure(.usage, "Unknown verb '\(name)'. \(hint)")
  }

  /// What people know the verbs of a fleet as.
  private static let knownElsewhere: [(command: String, words: String)] = [
    ("machines", "hosts nodes agents clients members inventory"),
    ("status", "apps health progress"),
    ("status --metrics", "metrics"),
    ("apply DIR", "sync reconcile"),
    ("apply DIR --plan", "plan preview"),
    ("rollout --share 5 APP set KEY VALUE", "canary deploy stage"),
    ("access list", "users roles"),
  ]

  /// Our command for a word that people know from elsewhere; `nil` if nobody says so.
  private static func command(for word: String) -> String? {
    if let own = KnownElsewhere.command(for: word, in: knownElsewhere) { return own }
    let command = KnownElsewhere.command(for: word)?.replacing("TARGET", with: "APP")
    let verbs = configuration.subcommands.map { $0.configuration.commandName } + ["--version"]
    return command.flatMap { verbs.contains(String($0.prefix { $0 != " " })) ? $0 : nil }
  }

  static func main() {
    // By default there is one for each processor, and a client uses one.
    NIOSingletons.groupLoopCountSuggestion = 1
    NameServices.prepare()
    LoopExecutor.install()
    Task.detached { await answer() }
    // Tasks have a thread of their own, and the first thread of a process must not end.
    while true { pause() }
  }

  private static func answer() async {
    do {
      try await Failure.reporting { try checkVerb(Array(CommandLine.arguments.dropFirst())) }
      var command = try parseAsRoot()
      // Nobody who types a name alone knows the verbs.
      if !type(of: command).configuration.subcommands.isEmpty {
        Output.line(helpMessage(for: type(of: command)))
        throw ExitCode(ToolError.Status.usage.rawValue)
      }
      if var asynchronous = command as? any AsyncParsableCommand {
        try await asynchronous.run()
      } else {
        try command.run()
      }
    } catch {
      let code = exitCode(for: error)
      let text = fullMessage(for: error)
      if !text.isEmpty {
        if code == .success { Output.line(text) } else { Output.raw("settings-fleet: \(text)\n") }
      }
      end(with: code == .validationFailure ? 2 : code.rawValue)
    }
    end(with: EXIT_SUCCESS)
  }

  /// No script may mistake half an answer for a whole one.
  private static func end(with status: Int32) -> Never {
    guard status == EXIT_SUCCESS, let problem = Output.problem else { Glibc.exit(status) }
    Output.error(problem)
    Glibc.exit(ToolError.Status.io.rawValue)
  }
}
