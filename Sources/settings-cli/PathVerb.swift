import AppSettings
import ArgumentParser

struct PathVerb: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "path",
    abstract: "Print the path of the user's file, whether it exists or not.",
    discussion: """
      EXAMPLES
        settings-cli path org.example.editor
        $EDITOR "$(settings-cli path org.example.editor)"
      """)

  @OptionGroup var target: TargetArgument

  func run() async throws { Output.line(try target.location().file) }
}
