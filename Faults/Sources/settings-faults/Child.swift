import Glibc

/// A process that leads a group of its own, so that it can be killed with everything that it started.
final class Child {
  let pid: pid_t
  /// What it prints; `-1` once it is closed.
  private var output: CInt
  private var rest: [UInt8] = []
  private var status: CInt?

  /// The end of a process.
  struct End {
    /// The exit code; 128 and the signal for one that was killed.
    var code: Int
    var output: [UInt8]
    var isLate = false

    var text: String { String(decoding: output, as: UTF8.self) }
  }

  /// Starts a command. Its standard input and error are `/dev/null`.
  ///
  /// - Parameter leadsGroup: Without, it belongs to the caller's group, and dies with it.
  init(_ command: [String], environment: [String: String], leadsGroup: Bool = true, keepsInput: CInt? = nil) throws {
    let ends = try Files.pipe()
    var actions = posix_spawn_file_actions_t()
    posix_spawn_file_actions_init(&actions)
    defer { posix_spawn_file_actions_destroy(&actions) }
    if let keepsInput {
      posix_spawn_file_actions_adddup2(&actions, keepsInput, 0)
    } else {
      posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0)
    }
    posix_spawn_file_actions_adddup2(&actions, ends.writing, 1)
    posix_spawn_file_actions_addopen(&actions, 2, "/dev/null", O_WRONLY, 0)
    var attributes = posix_spawnattr_t()
    posix_spawnattr_init(&attributes)
    defer { posix_spawnattr_destroy(&attributes) }
    if leadsGroup {
      posix_spawnattr_setpgroup(&attributes, 0)
      posix_spawnattr_setflags(&attributes, Int16(POSIX_SPAWN_SETPGROUP))
    }
    var arguments: [UnsafeMutablePointer<CChar>?] = command.map { strdup($0) } + [nil]
    var variables: [UnsafeMutablePointer<CChar>?] = environment.map { strdup("\($0.key)=\($0.value)") } + [nil]
    defer { for pointer in arguments + variables { free(pointer) } }
    var child = pid_t()
    let result = posix_spawnp(&child, command[0], &actions, &attributes, &arguments, &variables)
    close(ends.writing)
    guard result == 0 else {
      close(ends.reading)
      throw Failure("cannot start \(command[0]): \(String(cString: strerror(result)))")
    }
    pid = child
    output = ends.reading
  }

  deinit {
    if status == nil {
      killGroup()
      _ = wait()
    }
    closeOutput()
  }

  func killGroup() { kill(-pid, SIGKILL) }

  /// Waits for its end. Call it after the output is at its end, or after a kill.
  func wait() -> Int {
    if status == nil {
      var raw: CInt = 0
      while waitpid(pid, &raw, 0) < 0 && errno == EINTR {}
      status = raw
    }
    let raw = status!
    return raw & 0x7f == 0 ? Int(raw >> 8) & 0xff : 128 + Int(raw & 0x7f)
  }

  /// Reads on until its output ends, then waits for it. Kills it, and says so, if that takes too long.
  func finish(limit milliseconds: Int) -> End {
    let deadline = Clock.milliseconds() + milliseconds
    while output >= 0 {
      let left = deadline - Clock.milliseconds()
      guard left > 0, readSome(limit: left) else {
        if output < 0 { break }
        killGroup()
        return End(code: wait(), output: rest, isLate: true)
      }
    }
    return End(code: wait(), output: rest)
  }

  /// Waits for one more acknowledgement of a worker; `nil` at the end of its output or of the time.
  func nextAcknowledgement(limit milliseconds: Int) -> Int? {
    let deadline = Clock.milliseconds() + milliseconds
    while rest.count < 8 {
      let left = deadline - Clock.milliseconds()
      guard left > 0, readSome(limit: left) else { return nil }
    }
    return takeAcknowledgements(1).first
  }

  /// The acknowledgements that are there, without waiting.
  func acknowledgements() -> [Int] {
    while output >= 0, readSome(limit: 0) {}
    return takeAcknowledgements(.max)
  }

  /// Waits for a line.
  func nextLine(limit milliseconds: Int) -> String? {
    let deadline = Clock.milliseconds() + milliseconds
    while !rest.contains(10) {
      let left = deadline - Clock.milliseconds()
      guard left > 0, readSome(limit: left) else { return nil }
    }
    let line = rest.prefix { $0 != 10 }
    rest.removeFirst(line.count + 1)
    return String(decoding: line, as: UTF8.self)
  }

  /// The output of a command that has ended or was killed, to the last byte that it wrote.
  func drain() -> [Int] {
    while output >= 0, readSome(limit: 1000) {}
    return takeAcknowledgements(.max)
  }

  private func takeAcknowledgements(_ most: Int) -> [Int] {
    let count = min(rest.count / 8, most)
    let values = (0..<count).map { index in
      rest.withUnsafeBytes { Int($0.loadUnaligned(fromByteOffset: index * 8, as: Int64.self)) }
    }
    rest.removeFirst(count * 8)
    return values
  }

  /// - Returns: Whether something came, or the end did.
  private func readSome(limit milliseconds: Int) -> Bool {
    guard output >= 0 else { return false }
    var event = pollfd(fd: output, events: Int16(POLLIN), revents: 0)
    guard poll(&event, 1, CInt(clamping: milliseconds)) > 0 else { return false }
    var buffer = [UInt8](repeating: 0, count: 65_536)
    let count = read(output, &buffer, buffer.count)
    if count > 0 {
      rest += buffer[..<count]
      return true
    }
    if count < 0, errno == EINTR { return true }
    closeOutput()
    return true
  }

  private func closeOutput() {
    if output >= 0 { close(output) }
    output = -1
  }

  /// Runs a command to its end.
  static func run(
    _ command: [String], environment: [String: String], leadsGroup: Bool = true, limit milliseconds: Int = 20_000
  ) -> End {
    guard let child = try? Child(command, environment: environment, leadsGroup: leadsGroup) else {
      return End(code: 127, output: [])
    }
    return child.finish(limit: milliseconds)
  }
}

/// Why the suite itself cannot go on.
struct Failure: Error, CustomStringConvertible {
  var description: String
  init(_ description: String) { self.description = description }
}

enum Clock {
  static func microseconds() -> Int {
    var time = timespec()
    clock_gettime(CLOCK_MONOTONIC, &time)
    return time.tv_sec * 1_000_000 + time.tv_nsec / 1000
  }

  static func milliseconds() -> Int { microseconds() / 1000 }
}
