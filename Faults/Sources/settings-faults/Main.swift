import Foundation
import Glibc

@main
enum Main {
  static func main() {
    signal(SIGPIPE, SIG_IGN)
    let arguments = Array(CommandLine.arguments.dropFirst())
    if arguments.first == "worker" { exit(Worker.run(Array(arguments.dropFirst()))) }
    if arguments.contains("--help") {
      print(Options.usage)
      return
    }
    guard let options = Options(arguments) else {
      FileHandle.standardError.write(Data((Options.usage + "\n").utf8))
      exit(2)
    }
    Namespace.enter()
    do {
      let suite = try Suite(options: options)
      exit(suite.run() ? 0 : 1)
    } catch {
      FileHandle.standardError.write(Data("faults: \(error)\n".utf8))
      exit(3)
    }
  }
}

/// A mount namespace of the suite's own: what it mounts is seen by it and its children, and goes with them.
enum Namespace {
  private static let mark = "SETTINGS_FAULTS_NAMESPACE"

  static var isPrivate: Bool { ProcessInfo.processInfo.environment[mark] == "1" }
  /// Why there is none.
  static var reason: String {
    isInstalled("unshare") ? "'unshare --mount' is refused" : "'unshare' is not installed"
  }

  static func mount(_ arguments: [String]) -> Bool {
    isPrivate && Child.run(["mount"] + arguments, environment: variables).code == 0
  }

  static func unmount(_ path: String) { _ = Child.run(["umount", "--lazy", path], environment: variables) }

  private static let variables = ["PATH": "/usr/bin:/bin:/usr/sbin:/sbin"]

  /// Starts this program anew within one, if that can be. Returns in the one that is within, or where it cannot.
  static func enter() {
    guard ProcessInfo.processInfo.environment[mark] == nil, isInstalled("unshare") else { return }
    let variables = ProcessInfo.processInfo.environment
    let ways = [["unshare", "--mount", "--propagation", "private"], ["unshare", "--map-root-user", "--mount"]]
    guard let way = ways.first(where: { Child.run($0 + ["true"], environment: variables).code == 0 }) else { return }
    setenv(mark, "1", 1)
    let command = way + [Worker.executable] + CommandLine.arguments.dropFirst()
    var arguments: [UnsafeMutablePointer<CChar>?] = command.map { strdup($0) } + [nil]
    execvp(command[0], &arguments)
    unsetenv(mark)
  }
}
