import Glibc
import Synchronization

/// A `settings-cli watch` that runs as long as somebody listens.
final class WatchProcess: Sendable {
  // Protects the process id: no signal is sent once the id may belong to another process.
  private let pid = Mutex<pid_t?>(nil)
  private static let mostLine = 16 << 20

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
    let child: ChildProcess
    do throws(ChildProcess.StartError) {
      child = try ChildProcess.start(arguments, environment: environment)
    } catch {
      throw .notStarted("'\(arguments[0])' cannot be started: \(String(cString: strerror(error.number)))")
    }
    close(child.input)
    pid.withLock { $0 = child.pid }
    Self.startThread { [self] in
      let messages = Self.read(child, line)
      close(child.output)
      close(child.errors)
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
      end(messages)
    }
  }

  func stop() {
    pid.withLock { pid in
      if let pid { kill(pid, SIGTERM) }
    }
  }

  /// Reads until it ends.
  private static func read(_ child: ChildProcess, _ line: ([UInt8]) -> Void) -> String {
    var (rest, messages): ([UInt8], [UInt8]) = ([], [])
    var buffer = [UInt8](repeating: 0, count: 1 << 14)
    var isOpen = true
    while isOpen {
      var polled = [child.output, child.errors].map { pollfd(fd: $0, events: Int16(POLLIN), revents: 0) }
      guard poll(&polled, 2, -1) > 0 else { continue }
      if polled[1].revents != 0 {
        let count = Glibc.read(child.errors, &buffer, buffer.count)
        // Its warnings are in its lines, too. What is kept is for a command that ends with an error.
        if count > 0 { messages = Array((messages + buffer[..<count]).suffix(4096)) }
      }
      guard polled[0].revents != 0 else {
        if polled[1].revents & Int16(POLLIN) == 0 { usleep(1000) }
        continue
      }
      let count = Glibc.read(child.output, &buffer, buffer.count)
      if count < 0, errno == EINTR { continue }
      isOpen = count > 0
      rest += buffer[..<max(count, 0)]
      while let newline = rest.firstIndex(of: UInt8(ascii: "\n")) {
        line(Array(rest[..<newline]))
        rest.removeSubrange(...newline)
      }
      if rest.count > mostLine { break }
    }
    let text = String(decoding: messages, as: UTF8.self).split(separator: "\n").last.map(String.init) ?? ""
    return text.hasPrefix("settings-cli: ") ? String(text.dropFirst("settings-cli: ".count)) : text
  }

  private static func startThread(_ body: @escaping @Sendable () -> Void) {
    final class Box: Sendable {
      let body: @Sendable () -> Void
      init(_ body: @escaping @Sendable () -> Void) { self.body = body }
    }
    var thread = pthread_t()
    var attributes = pthread_attr_t()
    pthread_attr_init(&attributes)
    pthread_attr_setdetachstate(&attributes, CInt(PTHREAD_CREATE_DETACHED))
    pthread_attr_setstacksize(&attributes, 256 << 10)
    defer { pthread_attr_destroy(&attributes) }
    let box = Unmanaged.passRetained(Box(body))
    let number = pthread_create(
      &thread, &attributes,
      { argument in
        guard let argument else { return nil }
        Unmanaged<Box>.fromOpaque(argument).takeRetainedValue().body()
        return nil
      }, box.toOpaque())
    precondition(number == 0, "A thread cannot be started.")
  }
}
