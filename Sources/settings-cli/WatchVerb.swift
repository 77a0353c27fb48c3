import AppSettings
import AppSettingsObserve
import ArgumentParser

struct WatchVerb: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "watch",
    abstract: "Print values as they change.",
    discussion: """
      With KEY: the bare value now (an empty line while there is none), then one line for each change. Without: each
      change as 'key = value' ('key' alone when it is unset), and one blank line after each batch.

      EXAMPLES
        settings-cli watch org.example.editor theme
        settings-cli watch org.example.editor --json --count 1 --timeout 10
      """)

  @OptionGroup var target: TargetArgument
  @Argument(help: "The dotted key.") var key: String?
  @Flag(help: "Print JSON objects, one a line: key, old, new, origin.") var json = false
  @Option(help: "End after this many changes, or values.") var count: Int?
  @Option(help: "End after this many seconds.") var timeout: Double?

  func validate() throws {
    if let count, count < 1 { throw ValidationError("--count has to be 1 or more.") }
    if let timeout, !(timeout > 0 && timeout < 1e9) {
      throw ValidationError("--timeout has to be more than 0 seconds.")
    }
  }

  func run() async throws {
    try await failing {
      let path = try key.map(KeyArgument.parse)
      let store = try target.openUnread()
      store.core.load()
      for problem in store.currentProblems { Output.error("settings-cli: warning: \(problem.message)") }
      let isComplete = try await withThrowingTaskGroup(of: Bool.self) { group in
        group.addTask {
          if let path { try await watch(path, in: store) } else { try await watchAll(store) }
          return true
        }
        if let timeout {
          group.addTask {
            try await Task.sleep(for: .seconds(timeout))
            return false
          }
        }
        defer { group.cancelAll() }
        return try await group.next() ?? true
      }
      // With --count, the time is a limit; without, it is how long to watch.
      if !isComplete, count != nil { throw Failure(.noValue) }
    }
  }

  /// The bare value, and then each other one; or the changes as JSON.
  private func watch(_ path: TOMLPath, in store: SettingsStore) async throws {
    let key = SettingsKey<TOMLValue?>(path.description)
    var printed = 0
    if json {
      for await change in store.changes(key) {
        try print(record(path, change.old, change.new, change.origin))
        printed += 1
        if printed == count { return }
      }
    } else {
      for await value in store.updates(key) {
        try print(value.map(Shown.bare) ?? "")
        printed += 1
        if printed == count { return }
      }
    }
  }

  /// Every change, batch by batch.
  private func watchAll(_ store: SettingsStore) async throws {
    var before = store.snapshot
    var printed = 0
    for await batch in store.changes() {
      let after = store.snapshot
      for path in batch.paths {
        if json {
          try print(record(path, before[path], after[path], batch.origin))
        } else {
          try print(after[path].map { "\(path) = \($0.tomlText)" } ?? path.description)
        }
      }
      if !json { try print("") }
      before = after
      printed += 1
      if printed == count { return }
    }
  }

  private func record(
    _ path: TOMLPath, _ old: TOMLValue?, _ new: TOMLValue?, _ origin: SettingsChangeOrigin
  ) -> String {
    Shown.object([
      ("key", Shown.quoted(path.description)), ("old", Shown.json(old)), ("new", Shown.json(new)),
      ("origin", Shown.quoted(origin.rawValue)),
    ])
  }

  private func print(_ line: String) throws {
    Output.line(line)
    try Output.flush()
  }
}
