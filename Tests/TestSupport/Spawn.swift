import CSettingsSystem
import Foundation

/// A child process, by `posix_spawn(3)` and `waitpid(2)`.
///
/// Not Foundation's `Process`: that takes a process for ended when a socket is closed which all of its descendants have
/// inherited, and which may find its way into other children that are started at the same moment. So a test would wait
/// for what another test's process has left running, and maybe that one for this.
package final class Spawn: @unchecked Sendable {  // what changes is under `lock`
  /// How a process ended.
  struct End {
    /// The exit status, or the signal.
    var status: Int32
    var wasKilled: Bool
  }

  let id: pid_t
  private let lock = NSLock()
  private var end: End?

  /// What every child has in its environment: a program that is built to measure coverage would leave its counts in its
  /// working directory, where tests take them for litter.
  package static let ownVariables = ["LLVM_PROFILE_FILE": "/dev/null"]

  /// Starts a process in a process group of its own, with no signal blocked and no other files open.
  ///
  /// - Parameters:
  ///   - input: Its standard input; `nil` for the null device.
  ///   - output: Its standard output; `nil` for that of this process.
  ///   - error: Its standard error; `nil` for that of this process.
  init(
    _ path: String, _ arguments: [String], environment: [String: String], directory: String? = nil,
    input: FileHandle? = nil, output: FileHandle? = nil, error: FileHandle? = nil
  ) throws {
    _ = Self.survivesBrokenPipes
    var files = posix_spawn_file_actions_t()
    posix_spawn_file_actions_init(&files)
    defer { posix_spawn_file_actions_destroy(&files) }
    if let input {
      posix_spawn_file_actions_adddup2(&files, input.fileDescriptor, 0)
    } else {
      posix_spawn_file_actions_addopen(&files, 0, "/dev/null", O_RDONLY, 0)
    }
    if let output { posix_spawn_file_actions_adddup2(&files, output.fileDescriptor, 1) }
    if let error { posix_spawn_file_actions_adddup2(&files, error.fileDescriptor, 2) }
    posix_spawn_file_actions_addclosefrom_np(&files, 3)
    if let directory { posix_spawn_file_actions_addchdir_np(&files, directory) }

    var attributes = posix_spawnattr_t()
    posix_spawnattr_init(&attributes)
    defer { posix_spawnattr_destroy(&attributes) }
    var signals = sigset_t()
    sigemptyset(&signals)
    posix_spawnattr_setsigmask(&attributes, &signals)
    sigfillset(&signals)
    posix_spawnattr_setsigdefault(&attributes, &signals)
    posix_spawnattr_setflags(
      &attributes, Int16(POSIX_SPAWN_SETPGROUP | POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF))

    let words = ([path] + arguments).map { strdup($0) } + [nil]
    let variables = environment.merging(Self.ownVariables) { given, _ in given }.map { strdup("\($0)=\($1)") } + [nil]
    defer { for text in words + variables { free(text) } }
    var id = pid_t()
    let code = posix_spawn(&id, path, &files, &attributes, words, variables)
    guard code == 0 else { throw POSIXError(POSIXErrorCode(rawValue: code) ?? .EIO, userInfo: [:]) }
    self.id = id
  }

  /// A child may end before it has read what a test writes to it: that ends the write, not the tests. Children have the
  /// default.
  private static let survivesBrokenPipes: Void = { Glibc.signal(SIGPIPE, SIG_IGN) }()

  deinit {
    // A test that failed halfway leaves nothing behind.
    signal(SIGKILL)
    wait()
  }

  /// Sends it a signal, unless it is known to have ended.
  func signal(_ number: Int32) {
    lock.withLock { if end == nil { kill(id, number) } }
  }

  /// Waits for its end.
  @discardableResult
  func wait() -> End {
    // First without the lock, and without taking the process away: a signal may be what ends it.
    var information = siginfo_t()
    while waitid(P_PID, id_t(id), &information, WEXITED | WNOWAIT) != 0 && errno == EINTR {}
    return lock.withLock {
      if let end { return end }
      var status: Int32 = 0
      while waitpid(id, &status, 0) < 0 && errno == EINTR {}
      let signal = status & 0x7f
      let new = End(status: signal == 0 ? status >> 8 & 0xff : signal, wasKilled: signal != 0)
      end = new
      return new
    }
  }
}
