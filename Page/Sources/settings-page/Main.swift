import AppSettings
import ArgumentParser
import CPageSystem
import Glibc
import SettingsPage
import SettingsTools

@main
struct Main: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "settings-page",
    abstract: "Show and change the settings of apps in a browser.",
    discussion: """
      Serves a page on this machine's own address, prints its address, which works once, and opens it in the browser. It \
      ends when the last tab is closed, or after ten minutes without one. 'settings-cli page' starts it.

      EXAMPLES
        settings-page org.example.editor
        settings-page org.example.editor --no-open --port 8080
        settings-page --socket "$XDG_RUNTIME_DIR/settings-page/socket"
      """,
    version: "settings-page \(Version.text)")

  @Argument(help: "What the page shows first: an app's id, or the path of a TOML file, which contains a '/'.")
  var target: String?
  @Option(help: ArgumentHelp("The settings-cli that reads and writes.", valueName: "path")) var cli: String?
  @Option(
    parsing: .unconditional,
    help: ArgumentHelp("Listen on this port of 127.0.0.1; without it, on one that is free.", valueName: "n"))
  var port: Int?
  @Option(help: ArgumentHelp("Listen on this socket instead of a port.", valueName: "path")) var socket: String?
  @Flag(help: "Only print the address; open no browser.") var noOpen = false
  @Flag(help: "Run as root, too.") var allowRoot = false

  /// Runs the program, with the exit statuses of settings-cli, which becomes this program.
  static func main() {
    do {
      var command = try parseAsRoot()
      try command.run()
    } catch {
      let code = exitCode(for: error)
      if code == .success { print(fullMessage(for: error)) } else { say(message(for: error)) }
      Glibc.exit(code == .validationFailure ? 2 : code.rawValue)
    }
  }

  func validate() throws {
    if let port, !(0...65535).contains(port) { throw ValidationError("There is no port \(port).") }
    if port != nil, socket != nil { throw ValidationError("Use either '--port' or '--socket', not both.") }
    if geteuid() == 0, !allowRoot {
      throw ValidationError(
        "A page of root's could change every setting of this machine. Run it as yourself, or use '--allow-root'.")
    }
    if let target, target.contains("/"), target.absolutePath == nil {
      throw ValidationError("There is no working directory that '\(target)' could be in.")
    }
  }

  func run() throws {
    page_return_memory()
    // Before any thread starts: they inherit that these signals wait for this one.
    let signals = EndSignals()
    signal(SIGPIPE, SIG_IGN)
    OpenFiles.raiseLimit()
    let environment = ProcessFacts.environment
    let server = PageServer(
      PageConfiguration(
        endpoint: socket.map { .socket(path: $0.absolutePath ?? $0) } ?? .loopback(port: port ?? 0),
        command: cli ?? environment["SETTINGS_CLI"] ?? "settings-cli", environment: environment,
        target: target.map { $0.contains("/") ? $0.absolutePath ?? $0 : $0 }))
    let opensBrowser = !noOpen && socket == nil
    Task {
      do {
        let opener = BrowserOpener(environment)
        try await server.run { address in
          print(address.url)
          fflush(nil)
          if opensBrowser { opener.open(address.url) }
        }
        opener.cleanUp()
        Glibc.exit(0)
      } catch {
        say("\(error)")
        Glibc.exit(7)
      }
    }
    // The first signal ends the server in good order, the second at once.
    _ = signals.wait()
    server.end()
    // As long as a command may take that takes back a trial.
    let number = signals.wait(seconds: 25)
    Glibc.exit(number.map { 128 + $0 } ?? 7)
  }
}

/// The version of this program, which is the project's.
enum Version {
  static let text = "0.1.0"
}
