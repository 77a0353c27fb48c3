import CEtcdTesting
import Dispatch
import Foundation
package import Glibc
import Synchronization

/// A program that ends with this process, however this process ends.
package final class ChildProcess: Sendable {
  package struct Failure: Error, CustomStringConvertible {
    package let description: String
  }

  package let pid: pid_t
  /// Protects the state of the process; nothing is sent to a number that may be another process's by now.
  private let status = Mutex<Int32?>(nil)

  /// Starts a program. Its output goes to the end of a file.
  ///
  /// - Parameter environment: Its variables; those of this process if `nil`.
  package init(
    _ program: String, _ arguments: [String], output: String, environment: [String: String]? = nil
  ) throws(Failure) {
    // The kernel ends the program when the thread that started it ends; the threads of tasks come and go.
    let result = Launcher.shared.run {
      Self.spawn(["/usr/bin/setpriv", "--pdeathsig", "KILL", "--", program] + arguments, output: output, environment)
    }
    guard let pid = result else { throw Failure(description: "'\(program)' cannot be started.") }
    self.pid = pid
  }

  deinit { kill() }

  package var isRunning: Bool { poll(wait: false) == nil }

  package func send(_ signal: Int32) {
    status.withLock { if $0 == nil { _ = Glibc.kill(pid, signal) } }
  }

  /// Stops the program, and returns when none of its threads runs any more.
  package func stop() {
    send(SIGSTOP)
    // The signal goes to one thread, and the others run on until that one has been scheduled.
    var info = siginfo_t()
    waitid(P_PID, id_t(pid), &info, WSTOPPED | WEXITED | WNOWAIT)
  }

  /// Ends the program, and returns when it is gone.
  package func kill() {
    send(SIGKILL)
    _ = wait()
  }

  /// Waits until the program ends.
  ///
  /// - Returns: Its exit status; 128 and more if a signal ended it.
  package func wait() -> Int32 {
    while true { if let status = poll(wait: true) { return status } }
  }

  private func poll(wait: Bool) -> Int32? {
    if wait {
      // Without the lock, so that signals can be sent meanwhile. The number stays taken until it is reaped below.
      var info = siginfo_t()
      waitid(P_PID, id_t(pid), &info, WEXITED | WNOWAIT)
    }
    return status.withLock { status in
      if let status { return status }
      var raw: Int32 = 0
      guard waitpid(pid, &raw, WNOHANG) == pid else { return nil }
      let signal = raw & 0x7f
      status = signal == 0 ? (raw >> 8) & 0xff : 128 + signal
      return status
    }
  }

  private static func spawn(_ words: [String], output: String, _ environment: [String: String]?) -> pid_t? {
    var actions = posix_spawn_file_actions_t()
    posix_spawn_file_actions_init(&actions)
    defer { posix_spawn_file_actions_destroy(&actions) }
    posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0)
    posix_spawn_file_actions_addopen(&actions, 1, output, O_WRONLY | O_CREAT | O_APPEND, 0o600)
    posix_spawn_file_actions_adddup2(&actions, 1, 2)
    // A program that held this process's sockets would keep connections open that this process closed.
    let closing = etcd_testing_close_from(&actions, 3)
    guard closing == 0 || closing == ENOSYS else { return nil }
    var pointers = words.map { strdup($0) } + [nil]
    defer { for pointer in pointers { free(pointer) } }
    var variables = (environment ?? [:]).map { strdup("\($0)=\($1)") } + [nil]
    defer { for variable in variables { free(variable) } }
    var pid: pid_t = 0
    let failure =
      environment == nil
      ? posix_spawn(&pid, words[0], &actions, nil, &pointers, environ)
      : posix_spawn(&pid, words[0], &actions, nil, &pointers, &variables)
    return failure == 0 ? pid : nil
  }
}

/// A thread that lives as long as the process, for starting programs.
private final class Launcher: Sendable {
  static let shared = Launcher()

  private final class Job: Sendable {
    let start: @Sendable () -> pid_t?
    /// Protects what the job answered.
    let result = Mutex<pid_t?>(nil)
    let isDone = DispatchSemaphore(value: 0)

    init(_ start: @escaping @Sendable () -> pid_t?) { self.start = start }
  }

  /// Protects the jobs that wait.
  private let jobs = Mutex<[Job]>([])
  private let hasJob = DispatchSemaphore(value: 0)

  private init() {
    Thread.detachNewThread { [self] in
      while true {
        hasJob.wait()
        let job = jobs.withLock { $0.removeFirst() }
        let pid = job.start()
        job.result.withLock { $0 = pid }
        job.isDone.signal()
      }
    }
  }

  func run(_ start: @escaping @Sendable () -> pid_t?) -> pid_t? {
    let job = Job(start)
    jobs.withLock { $0.append(job) }
    hasJob.signal()
    job.isDone.wait()
    return job.result.withLock { $0 }
  }
}
