import AppSettings
import Glibc
import Synchronization

/// A `settings-cli watch` that runs as long as somebody listens.
final class WatchProcess: Sendable {
  // Protects the process id: no signal is sent once the id may belong to another process.
  private let pid = Mutex<pid_t?>(nil)

  /// Starts it.
  ///
  /// - Parameters:
  ///   - line: Gets each line, on a thread of the process.
  ///   - end: Runs when it has ended, with what it said last on standard error.
  /// - Throws: ``CommandError`` if it cannot be started.
  init(
    _ arguments: [String], environment: [String: String], line: @escaping @Sendable ([UInt8]) -> Void,
    end: @escaping @Sendable (String) -> Void
  ) throws(CommandError) {
    let child = try ChildProcess.start(arguments, environment: environment)
    close(child.input)
    pid.withLock { $0 = child.pid }
    do throws(Errno) {
      try PlainThread.start("page-watch") { [self] in
        var output = WatchOutput(child)
        while output.isOpen { for text in output.next() ?? [] { line(text) } }
        output.close()
        stop()
        // It ends now that nobody reads it; but its number stays its own until someone has asked for its status.
        var pause: useconds_t = 100
        while !pid.withLock({ pid in
          if ChildProcess.poll(child.pid) != nil { pid = nil }
          return pid == nil
        }) {
          usleep(pause)
          pause = min(pause * 2, 50_000)
        }
        end(output.message)
      }
    } catch {
      kill(child.pid, SIGKILL)
      for descriptor in [child.output, child.errors] { close(descriptor) }
      _ = ChildProcess.wait(for: child.pid)
      throw .notStarted("'\(arguments[0])' cannot be read, as no thread can be started: \(error.message)")
    }
  }

  func stop() {
    pid.withLock { pid in
      if let pid { kill(pid, SIGTERM) }
    }
  }
}
