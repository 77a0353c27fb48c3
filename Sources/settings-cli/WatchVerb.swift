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
}
