import AppSettings
import ArgumentParser

struct UnsetVerb: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "unset",
    abstract: "Remove the values of keys from the user's file.",
    discussion: """
      What lower layers and defaults say shows again. A table goes with everything in it. Exits 1 if none of the keys
      was there.

      EXAMPLES
        settings-cli unset org.example.editor editor.font-size
        settings-cli unset ./settings.toml plugins theme
      """,
    aliases: ["reset"])

  @OptionGroup var target: TargetArgument
  @Argument(help: "The dotted keys.") var keys: [String]

  func run() async throws {
    try await failing {
      let paths = try keys.map(KeyArgument.parse)
      let store = try target.open()
      let changed = try store.core.commit(of: paths.map { Edit(path: $0, value: nil) })
      if !changed { throw Failure(.noValue) }
    }
  }
}
