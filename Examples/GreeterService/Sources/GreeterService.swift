import AppSettings
import AppSettingsObserve
import Glibc

@main
struct GreeterService {
  static func main() async throws {
    let termination = await TerminationSignals()
    let settings = try SettingsStore(app: "org.example.greeter", migrations: migrations)

    // The first read opens the file and, where it is of an earlier release, migrates it.
    let names = settings.names.joined(separator: " and ")
    say("\(settings.text)\(names.isEmpty ? "" : ", \(names)")!")
    say("volume \(settings.volume), style \(settings.style), door \(settings.door ?? "any")")
    for problem in settings.currentProblems { say("problem: \(problem.message)") }

    await withTaskGroup(of: Void.self) { group in
      group.addTask { await follow(.text, of: settings) }
      group.addTask { await follow(.volume, of: settings) }
      group.addTask { await follow(.names, of: settings) }
      await termination.wait()
      group.cancelAll()
    }

    // What was set in the background would be written at exit as well; this way a failure is seen.
    try await settings.flush()
    say("ended")
  }

  /// Says what a key's value is now, and each time it changes, whoever changed it, until the task is cancelled.
  private static func follow<Value>(_ key: SettingsKey<Value>, of settings: SettingsStore) async {
    for await value in settings.updates(key) {
      say("\(key.name) is \(value)")
    }
  }

  /// Prints a line at once, also into a pipe.
  private static func say(_ line: String) {
    print(line)
    fflush(nil)
  }
}
