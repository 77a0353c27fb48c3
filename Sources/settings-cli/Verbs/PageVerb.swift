import AppSettings
import ArgumentParser
import Glibc
import SettingsTools

struct PageVerb: Verb {
  static let configuration = CommandConfiguration(
    commandName: "page",
    abstract: "Open the settings of apps as a page in the browser.",
    usage: "settings-cli page [TARGET] [--socket PATH | --port N] [--no-open] [--allow-root]",
    discussion: """
      Runs 'settings-page', which serves the page to this machine only, and opens it in the browser. Without TARGET, \
      the page begins with the list of apps. It ends when its last tab is closed.

      'settings-page' is a program of its own, in the Debian package of that name. This command looks for it beside \
      itself, in '../libexec' from there, and in PATH, and becomes that program. Exits 3 if there is none.

      EXAMPLES
        settings-cli page org.example.editor
        settings-cli page --no-open --port 8080
      """)

  @Argument(help: TargetArgument.help, completion: .custom(Candidates.targets)) var target: String?
  @Option(
    help: ArgumentHelp("Listen at this Unix socket, which is made, instead of a port.", valueName: "path"),
    completion: .file())
  var socket: String?
  @Option(
    parsing: .unconditional,
    help: ArgumentHelp("Listen at this port of this machine; by default at any free one.", valueName: "n"))
  var port: Int?
  @Flag(help: "Print the address, and open no browser.") var noOpen = false
  @Flag(help: "Run as root, too: whoever has the address can then change what root can.") var allowRoot = false
  @OptionGroup var common: CommonOptions

  func validate() throws {
    try checkAlternatives(("--socket", socket != nil), ("--port", port != nil))
    if let port, !(0...65_535).contains(port) {
      throw ValidationError("Invalid value '\(port)' for '--port': a number from 0 to 65535 is needed.")
    }
    if socket?.isEmpty == true { throw ValidationError("Invalid value '' for '--socket': a path is needed.") }
  }

  func answer() throws {
    let target = target.map { Target($0) }
    if let target {
      // What is wrong with it is said here and not in a browser.
      _ = try target.location()
      try AppName.checkKnown(target.name)
    }
    let companion = try CompanionProgram("settings-page", for: "The settings page", installedBy: "--page")
    var words = [companion.path, "--cli", companion.own]
    if let socket { words += ["--socket", Arguments.path(socket)] }
    if let port { words += ["--port", "\(port)"] }
    if noOpen { words.append("--no-open") }
    if allowRoot { words.append("--allow-root") }
    if let target { words += ["--", Arguments.path(target.name)] }
    try Program(words: words).replaceProcess()
  }
}
