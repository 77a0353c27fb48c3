import ArgumentParser
import Glibc
import SettingsPage

@main
struct Main: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "settings-page",
    abstract: "Show and change the settings of apps in a browser.",
    discussion: """
      Serves a page on this machine's own address, and opens it in the browser. It ends when its last tab is closed. \
      'settings-cli page' starts it.
      """)

  @Argument(help: "What the page shows first: an app's id, or the path of a TOML file, which contains a '/'.")
  var target: String?
  @Option(help: ArgumentHelp("The settings-cli that reads and writes.", valueName: "path")) var cli: String?
  @Option(help: ArgumentHelp("Listen on this port of 127.0.0.1; any that is free if not given.", valueName: "n"))
  var port: Int?
  @Option(help: ArgumentHelp("Listen on this socket instead of a port.", valueName: "path")) var socket: String?
  @Flag(help: "Print the address and open no browser.") var noOpen = false
  @Flag(help: "Run as root, too.") var allowRoot = false

  func validate() throws {
    if let port, !(0...65535).contains(port) { throw ValidationError("There is no port \(port).") }
    if port != nil, socket != nil { throw ValidationError("Use either '--port' or '--socket', not both.") }
  }

  func run() throws {
    let environment = Self.environment
    let endpoint = socket.map { Endpoint.socket(path: $0) } ?? .loopback(port: port ?? 0)
    let server = PageServer(
      PageConfiguration(
        endpoint: endpoint, command: cli ?? environment["SETTINGS_CLI"] ?? "settings-cli", environment: environment,
        target: target))
    Task {
      do {
        try await server.run { address in
          print(address.url)
          fflush(nil)
        }
        Glibc.exit(0)
      } catch {
        let message = Array("settings-page: \(error)\n".utf8)
        _ = write(STDERR_FILENO, message, message.count)
        Glibc.exit(7)
      }
    }
    while true { pause() }
  }

  private static var environment: [String: String] {
    var result: [String: String] = [:]
    var entry = environ
    while let text = entry.pointee {
      let parts = String(cString: text).split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
      if parts.count == 2 { result[String(parts[0])] = String(parts[1]) }
      entry += 1
    }
    return result
  }
}
