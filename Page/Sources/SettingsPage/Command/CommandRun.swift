import Glibc
import Synchronization

/// What a command has answered.
struct CommandResult: Sendable {
  let pid: pid_t
  let status: Int
  let output: [UInt8]
  /// What it wrote to standard error, without the command's name before each message.
  let messages: [String]

  var text: String { String(decoding: output, as: UTF8.self) }
}

/// Why a command gave no answer.
enum CommandError: Error, Equatable {
  /// There is no such program, or it cannot be started.
  case notStarted(String)
  case tookTooLong
  case answeredTooMuch
  /// Whoever wanted the answer is gone.
  case cancelled
}

/// One run of a command, on a thread that waits for it.
final class CommandRun: Sendable {
  private struct State {
    var child: ChildProcess?
    var isCancelled = false
  }

  // Protects whether it is to end. The lock of the process is taken within it.
  private let state = Mutex(State())
  private static let mostMessages = 64 << 10

  /// Ends the command, now or as soon as it starts.
  func cancel() {
    state.withLock { state in
      state.isCancelled = true
      state.child?.signal(SIGKILL)
    }
  }

  /// Runs the command and waits for its end.
  ///
  /// - Parameters:
  ///   - input: What it reads.
  ///   - whenStarted: Runs before the command gets its input, which the verbs that take one read to its end before they
  ///     do anything.
  func run(
    _ arguments: [String], environment: [String: String], input: [UInt8], within time: Duration, upTo mostOutput: Int,
    whenStarted: (pid_t) -> Void
  ) throws(CommandError) -> CommandResult {
    if state.withLock({ $0.isCancelled }) { throw .cancelled }
    let child = try ChildProcess.start(arguments, environment: environment)
    state.withLock { state in
      state.child = child
      if state.isCancelled { child.signal(SIGKILL) }
    }
    whenStarted(child.pid)
    var exchange = Exchange(child, input, until: .now + time, upTo: mostOutput)
    let failure = exchange.run()
    exchange.close()
    if failure != nil { child.signal(SIGKILL) }
    let status = child.end(by: exchange.deadline)
    if status == nil {
      child.signal(SIGKILL)
      _ = child.end()
    }
    if state.withLock({ $0.isCancelled }) { throw .cancelled }
    if let failure { throw failure }
    guard let status else { throw .tookTooLong }
    return CommandResult(
      pid: child.pid, status: Int(status), output: exchange.output,
      messages: Self.messages(exchange.errors))
  }

  /// The messages in what a command writes to standard error, without its name before each.
  static func messages(_ bytes: [UInt8]) -> [String] {
    let name = "settings-cli: "
    var messages: [String] = []
    for line in String(decoding: bytes, as: UTF8.self).split(separator: "\n") {
      if line.hasPrefix(name) || messages.isEmpty {
        messages.append(String(line.hasPrefix(name) ? line.dropFirst(name.count) : line))
      } else {
        // A message may have more lines: the line of a file, with a caret.
        messages[messages.count - 1] += "\n" + line
      }
    }
    return messages
  }

  /// What goes to and comes from a process.
  private struct Exchange {
    private var input: CInt
    private var readers: [CInt]
    private var rest: ArraySlice<UInt8>
    private(set) var output: [UInt8] = []
    private(set) var errors: [UInt8] = []
    let deadline: ContinuousClock.Instant
    private let mostOutput: Int

    init(_ child: ChildProcess, _ input: [UInt8], until deadline: ContinuousClock.Instant, upTo mostOutput: Int) {
      (self.input, readers) = (child.input, [child.output, child.errors])
      (rest, self.deadline, self.mostOutput) = (input[...], deadline, mostOutput)
      for descriptor in [child.input, child.output, child.errors] {
        _ = fcntl(descriptor, F_SETFL, fcntl(descriptor, F_GETFL) | O_NONBLOCK)
      }
    }

    /// Exchanges it all.
    mutating func run() -> CommandError? {
      while true {
        if rest.isEmpty { closeInput() }
        if readers.allSatisfy({ $0 < 0 }) { return nil }
        let time = deadline - .now
        guard time > .zero else { return .tookTooLong }
        var polled = [
          pollfd(fd: readers[0], events: Int16(POLLIN), revents: 0),
          pollfd(fd: readers[1], events: Int16(POLLIN), revents: 0),
          pollfd(fd: input, events: Int16(POLLOUT), revents: 0),
        ]
        // Rounded up: the time is over when it is over, not a bit before.
        let milliseconds = CInt(min(time / .milliseconds(1), 3_600_000)) + 1
        guard poll(&polled, nfds_t(polled.count), milliseconds) >= 0 else { continue }
        for index in readers.indices where polled[index].revents != 0 { read(index) }
        if polled[2].revents != 0 { write() }
        if output.count > mostOutput { return .answeredTooMuch }
      }
    }

    private mutating func read(_ index: Int) {
      let count = withUnsafeTemporaryAllocation(of: UInt8.self, capacity: 1 << 16) { buffer in
        let count = Glibc.read(readers[index], buffer.baseAddress, buffer.count)
        guard count > 0 else { return count }
        if index == 0 {
          output += buffer[..<count]
        } else if errors.count < CommandRun.mostMessages {
          errors += buffer[..<count]
        }
        return count
      }
      guard count == 0 || (count < 0 && errno != EAGAIN && errno != EINTR) else { return }
      _ = Glibc.close(readers[index])
      readers[index] = -1
    }

    private mutating func write() {
      let count = rest.withUnsafeBytes { Glibc.write(input, $0.baseAddress, $0.count) }
      if count >= 0 {
        rest = rest.dropFirst(count)
      } else if errno != EAGAIN && errno != EINTR {
        // It does not read any further.
        rest = []
      }
    }

    private mutating func closeInput() {
      guard input >= 0 else { return }
      _ = Glibc.close(input)
      input = -1
    }

    mutating func close() {
      closeInput()
      for reader in readers where reader >= 0 { _ = Glibc.close(reader) }
      readers = [-1, -1]
    }
  }
}
