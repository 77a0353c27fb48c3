import AppSettings
import ArgumentParser

struct FleetVerb: Verb {
  static let configuration = CommandConfiguration(
    commandName: "fleet",
    abstract: "Read and change the settings of all machines of a fleet.",
    usage: "settings-cli fleet VERB APP ...",
    discussion: """
      Becomes 'settings-fleet', with everything that follows as its arguments. 'settings-cli fleet --help' lists its \
      verbs.

      'settings-fleet' is a program of its own, in the Debian package of that name. This command looks for it beside \
      itself, in '../libexec' from there, and in PATH. Exits 3 if there is none.

      EXAMPLES
        settings-cli fleet set org.example.editor theme=dark
        settings-cli fleet status org.example.editor
      """)

  // Its own help is that of the other program, too.
  @Argument(parsing: .captureForPassthrough, help: "The verb of settings-fleet, and its arguments.")
  var words: [String] = []
  @OptionGroup var common: CommonOptions

  func answer() throws {
    let companion = try CompanionProgram("settings-fleet", for: "The fleet's command", installedBy: "--fleet")
    try Program(words: [companion.path] + words.map(Arguments.path)).replaceProcess()
  }
}
