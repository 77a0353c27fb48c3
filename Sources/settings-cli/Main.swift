import ArgumentParser
import Glibc

/// The command and its verbs.
struct SettingsCLI: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "settings-cli",
    abstract: "Read, change and watch the settings of apps.",
    discussion: """
      TARGET is an app's id, such as org.example.editor, or the path of a TOML file: anything with a '/'.
      KEY is a dotted key, such as editor.font-size; a part with other characters is quoted: servers."eu.west".url.

      Answers go to standard output, everything else to standard error.

      EXIT STATUS
        0  done; for 'set': stored durably and effective
        1  the key has no value
        2  usage
        3  unknown app or key
        4  invalid value
        5  not writable: locked, read-only or overridden by a higher layer
        6  the file does not parse
        7  input/output error or lock time-out
        8  migration failed, or the file is newer than the app
      """,
    version: "0.1.0",
    subcommands: [
      GetVerb.self, SetVerb.self, UnsetVerb.self, ListVerb.self, WatchVerb.self, MigrateVerb.self,
      RecoverVerb.self, ImportVerb.self, PathVerb.self,
    ])
}

@main
enum Main {
  static func main() {
    // A reader that has gone ends the output, not the process by a signal half-way.
    signal(SIGPIPE, SIG_IGN)
    // Not an asynchronous `main`: that ends the main thread, for which a static executable first sorts all of its
    // unwind tables, and that takes several times as long as an answer.
    Task.detached { await run() }
    // This thread takes the signals, also where the parent process had blocked them.
    var none = sigset_t()
    sigemptyset(&none)
    while true { sigsuspend(&none) }
  }

  private static func run() async -> Never {
    do {
      var command = try SettingsCLI.parseAsRoot()
      if var command = command as? any AsyncParsableCommand {
        try await command.run()
      } else {
        try command.run()
      }
      try Output.flush()
      exit(0)
    } catch let failure as Failure {
      end(failure)
    } catch let code as ExitCode {
      exit(code.rawValue)
    } catch {
      let text = SettingsCLI.fullMessage(for: error)
      let isFailure = SettingsCLI.exitCode(for: error) != .success
      if !text.isEmpty { isFailure ? Output.error(text) : Output.line(text) }
      _ = try? Output.flush()
      exit(isFailure ? ExitStatus.usage.rawValue : 0)
    }
  }

  private static func end(_ failure: Failure) -> Never {
    _ = try? Output.flush()
    if let message = failure.message { Output.error("settings-cli: \(message)") }
    exit(failure.status.rawValue)
  }
}
