import AppSettings
import ArgumentParser

struct PathVerb: Verb {
  static let configuration = CommandConfiguration(
    commandName: "path",
    abstract: "Print the path of the user's file, whether it exists or not.",
    discussion: """
      EXAMPLES
        settings-cli path org.example.editor
        less "$(settings-cli path org.example.editor)"
      """)

  @OptionGroup var target: TargetArgument
  @OptionGroup var common: CommonOptions

  func answer() throws { Output.path(try Target(target).location().file) }
}
