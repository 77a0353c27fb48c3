import AppSettings
import Glibc

extension ChildProcess {
  /// Starts a `settings-cli watch`, which runs as long as somebody listens.
  ///
  /// - Parameters:
  ///   - line: Gets each line, on a thread of the process.
  ///   - end: Runs when it has ended, with what it said last on standard error.
  /// - Throws: ``CommandError`` if it cannot be started.
  static func watch(
    _ arguments: [String], environment: [String: String], line: @escaping @Sendable ([UInt8]) -> Void,
    end: @escaping @Sendable (String) -> Void
  ) throws(CommandError) -> ChildProcess {
    let child = try start(arguments, environment: environment)
    close(child.input)
    do throws(Errno) {
      try PlainThread.start("page-watch") {
        var output = WatchOutput(child)
        while output.isOpen { for text in output.next() ?? [] { line(text) } }
        output.close()
        child.stop()
        // It ends now that nobody reads it.
        _ = child.end()
        end(output.message)
      }
    } catch {
      child.signal(SIGKILL)
      for descriptor in [child.output, child.errors] { close(descriptor) }
      _ = child.end()
      throw .notStarted("'\(arguments[0])' cannot be read, as no thread can be started: \(error.message)")
    }
    return child
  }

  func stop() { signal(SIGTERM) }
}
