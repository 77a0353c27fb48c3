import EtcdTesting
import Foundation
import Glibc

@main
enum Main {
  static func main() async {
    signal(SIGPIPE, SIG_IGN)
    let arguments = Array(CommandLine.arguments.dropFirst())
    if arguments.contains("--help") {
      print(Options.usage)
      return
    }
    guard let options = Options(arguments) else {
      FileHandle.standardError.write(Data((Options.usage + "\n").utf8))
      exit(2)
    }
    if let missing = EtcdCluster.missing {
      Output.say("left out: a cluster cannot be started here: \(missing)")
      exit(0)
    }
    do {
      try Sandbox.enter()
      exit(try await Suite(options).run() ? 0 : 1)
    } catch {
      Output.say("\(error)")
      exit(3)
    }
  }
}
