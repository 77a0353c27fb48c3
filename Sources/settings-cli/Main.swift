import AppSettings
import Glibc
import SettingsTools

@main
enum Main {
  static func main() {
    // If the reader is gone, the output ends with an error and not the process by a signal. A limit on file sizes is an
    // error with a message too.
    signal(SIGPIPE, SIG_IGN)
    signal(SIGXFSZ, SIG_IGN)
    // Histories name this command, whatever the file of it is called.
    ProcessFacts.tool.withLock { $0 = SettingsCLI.name }
    do {
      let words = Arguments.words
      do {
        try run(words)
      } catch let failure as ToolError {
        guard let app = failure.meantApp, app.use(for: words) else { throw SettingsCLI.answer(to: failure, words) }
        try run(words)
      } catch let failure as SettingsError where failure.code == .invalidLocation {
        throw SettingsCLI.answer(to: ToolError(any: failure), words)
      }
      try Output.flush()
      exit(EXIT_SUCCESS)
    } catch {
      Output.end(with: error)
    }
  }

  private static func run(_ words: [String]) throws {
    if try !DirectPath.run(words) { try SettingsCLI.run(words) }
  }
}
