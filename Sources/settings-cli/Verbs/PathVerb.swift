import AppSettings
import ArgumentParser
import SettingsTools

struct PathVerb: Verb {
  static let configuration = CommandConfiguration(
    commandName: "path",
    abstract: "Print the path of the file that 'set' writes, whether it exists or not.",
    discussion: """
      For an app's id that is the active profile, or else the user's file. The last parts of an id are enough if only one \
      app has them.

      EXAMPLES
        settings-cli path org.example.editor
        settings-cli path org.example.editor --layer host
        less "$(settings-cli path org.example.editor)"
      """)

  @OptionGroup var target: TargetArgument
  @OptionGroup var common: CommonOptions

  func answer() throws {
    let target = try Target(target)
    try target.checkNotEndOfAnother()
    Output.path(try target.location().file)
  }
}
