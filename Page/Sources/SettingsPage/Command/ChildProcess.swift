import AppSettings
import CPageSystem
import Glibc

/// A program that was started.
///
/// Its arguments go to the kernel as they are: no shell reads them.
struct ChildProcess {
  let pid: pid_t
  /// Our ends of the pipes. The caller closes them.
  let input: CInt
  let output: CInt
  let errors: CInt

  /// The number of an error of libc.
  struct StartError: Error {
    let number: CInt
  }

  /// Starts a program.
  ///
  /// It begins in `/`, with no descriptor of ours but its pipes, in a process group of its own: Ctrl-C at our terminal
  /// does not reach into a write. Our signal mask and handlers do not reach it either.
  static func start(_ arguments: [String], environment: [String: String]) throws(StartError) -> ChildProcess {
    let input = try Pipe()
    defer { input.closeReader() }
    let output: Pipe
    let errors: Pipe
    do {
      output = try Pipe()
    } catch {
      input.closeWriter()
      throw error
    }
    defer { output.closeWriter() }
    do {
      errors = try Pipe()
    } catch {
      input.closeWriter()
      output.closeReader()
      throw error
    }
    defer { errors.closeWriter() }
    do {
      let pid = try spawn(
        arguments, environment, descriptors: [input.reader, output.writer, errors.writer])
      return ChildProcess(pid: pid, input: input.writer, output: output.reader, errors: errors.reader)
    } catch {
      input.closeWriter()
      output.closeReader()
      errors.closeReader()
      throw error
    }
  }

  private struct Pipe {
    let reader: CInt
    let writer: CInt

    init() throws(StartError) {
      var ends: [CInt] = [0, 0]
      guard page_pipe(&ends) == 0 else { throw StartError(number: errno) }
      (reader, writer) = (ends[0], ends[1])
    }

    func closeReader() { close(reader) }
    func closeWriter() { close(writer) }
  }

  private static func spawn(
    _ arguments: [String], _ environment: [String: String], descriptors: [CInt]
  ) throws(StartError) -> pid_t {
    var actions = posix_spawn_file_actions_t()
    var attributes = posix_spawnattr_t()
    posix_spawn_file_actions_init(&actions)
    posix_spawnattr_init(&attributes)
    defer {
      posix_spawn_file_actions_destroy(&actions)
      posix_spawnattr_destroy(&attributes)
    }
    for (number, descriptor) in descriptors.enumerated() {
      // A descriptor that is 0, 1 or 2 already would keep its flag and be closed; ours are open, so that none is.
      posix_spawn_file_actions_adddup2(&actions, descriptor, CInt(number))
    }
    // Connections are accepted without close-on-exec: one that a long-lived command keeps would never end for a browser.
    page_spawn_without_others(&actions)
    page_spawn_in(&actions, "/")
    var none = sigset_t()
    var all = sigset_t()
    sigemptyset(&none)
    sigfillset(&all)
    posix_spawnattr_setsigmask(&attributes, &none)
    posix_spawnattr_setsigdefault(&attributes, &all)
    posix_spawnattr_setpgroup(&attributes, 0)
    posix_spawnattr_setflags(
      &attributes, Int16(POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF | POSIX_SPAWN_SETPGROUP))
    var words = arguments.map { word in word.withPath { strdup($0) } } + [nil]
    var variables = environment.map { "\($0)=\($1)".withPath { strdup($0) } } + [nil]
    defer { for text in words + variables { free(text) } }
    var pid: pid_t = 0
    // With a path in it, as the caller has found one, this does not search PATH.
    let number = arguments[0].withPath { program in
      posix_spawn(&pid, program, &actions, &attributes, &words, &variables)
    }
    guard number == 0 else { throw StartError(number: number) }
    return pid
  }

  /// Waits until it has ended.
  ///
  /// - Returns: The exit status; 128 and the signal's number if a signal ended it.
  static func wait(for pid: pid_t) -> CInt {
    var status: CInt = 0
    while waitpid(pid, &status, 0) < 0 {
      // Something else has reaped the process, so there is no status to wait for.
      guard errno == EINTR else { return 255 }
    }
    return code(status)
  }

  /// The exit status if it has ended; `nil` if it has not.
  static func poll(_ pid: pid_t) -> CInt? {
    var status: CInt = 0
    let result = waitpid(pid, &status, WNOHANG)
    if result == 0 { return nil }
    return result == pid ? code(status) : 255
  }

  private static func code(_ status: CInt) -> CInt {
    let signal = status & 0x7F
    return signal == 0 ? status >> 8 & 0xFF : 128 + signal
  }
}
