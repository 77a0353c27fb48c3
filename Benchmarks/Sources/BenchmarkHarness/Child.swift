import Foundation

/// A program that is run to its end, with its output thrown away.
public struct Child {
  let words: [String]
  let environment: [String]

  /// Words with the program first, a path or a name that is looked for, and the environment as `NAME=value`.
  public init(_ words: [String], _ environment: [String]) {
    self.words = [Self.find(words[0]) ?? words[0]] + words.dropFirst()
    self.environment = environment
  }

  /// The path of a program.
  public static func find(_ name: String) -> String? {
    guard !name.contains("/") else { return name }
    return ["/usr/local/bin/", "/usr/bin/", "/bin/"].map { $0 + name }.first { access($0, X_OK) == 0 }
  }

  /// Runs it and waits. It has to exit, with status 0 unless it may fail.
  @discardableResult
  public func run(mayFail: Bool = false) -> Int32 {
    let process = start(output: nil)
    var status: Int32 = 0
    while waitpid(process, &status, 0) < 0, errno == EINTR {}
    precondition(mayFail ? status & 0x7f == 0 : status == 0, "\(words) ended with \(status)")
    return status
  }

  /// The most memory that is resident when it has its answer, and nothing but that is left to do.
  ///
  /// The kernel's figure for ended children counts what the process was before it became this program. So the answer goes
  /// into a pipe that is full, and the process is looked at while it waits there.
  ///
  /// - Returns: All of it, in which are the pages of the executable that the kernel has mapped around each one that was
  ///   needed, and the part that is the process's own.
  public func peakKilobytes() -> (all: Int, own: Int) {
    var ends: [Int32] = [0, 0]
    precondition(pipe(&ends) == 0)
    defer { for end in ends { close(end) } }
    _ = fcntl(ends[1], F_SETFL, O_NONBLOCK)
    let block = [UInt8](repeating: 0, count: 4096)
    while write(ends[1], block, block.count) > 0 {}
    _ = fcntl(ends[1], F_SETFL, 0)
    let process = start(output: ends[1])
    defer {
      kill(process, SIGKILL)
      var status: Int32 = 0
      waitpid(process, &status, 0)
    }
    // 1 is write(2) on x86, 64 on ARM; 0x1 standard output.
    while true {
      let call = (try? String(contentsOfFile: "/proc/\(process)/syscall", encoding: .utf8)) ?? ""
      if call.hasPrefix("1 0x1 ") || call.hasPrefix("64 0x1 ") { break }
      precondition(kill(process, 0) == 0, "\(words) has ended")
      usleep(1000)
    }
    let status = (try? String(contentsOfFile: "/proc/\(process)/status", encoding: .utf8)) ?? ""
    func value(of field: String) -> Int {
      let line = status.split(separator: "\n").first { $0.hasPrefix(field + ":") }
      return line.flatMap { Int($0.split(whereSeparator: { !$0.isNumber }).last ?? "") } ?? 0
    }
    return (value(of: "VmHWM"), value(of: "RssAnon"))
  }

  private func start(output: Int32?) -> pid_t {
    var actions = posix_spawn_file_actions_t()
    posix_spawn_file_actions_init(&actions)
    defer { posix_spawn_file_actions_destroy(&actions) }
    if let output {
      posix_spawn_file_actions_adddup2(&actions, output, 1)
    } else {
      posix_spawn_file_actions_addopen(&actions, 1, "/dev/null", O_WRONLY, 0)
      // Thousands of warnings, where it checks what is wrong thousands of times.
      posix_spawn_file_actions_adddup2(&actions, 1, 2)
    }
    var process = pid_t()
    let arguments = words.map { strdup($0) } + [nil]
    let variables = environment.map { strdup($0) } + [nil]
    defer { for text in arguments + variables { free(text) } }
    precondition(posix_spawn(&process, words[0], &actions, nil, arguments, variables) == 0, "cannot run \(words[0])")
    return process
  }
}
