import AppSettings
import EtcdClient
import Glibc
import SettingsTools

extension EndSignals {
  // Written before the handler is installed, and only read by it.
  nonisolated(unsafe) private static var pipe: (reader: CInt, writer: CInt) = (-1, -1)

  /// Runs something, and cancels it at the first signal, which is a wish that the verb grants in good order. The second
  /// one ends the process at once.
  ///
  /// - Returns: Whether a signal came.
  static func cancelling(_ body: @escaping @Sendable () async throws -> Void) async throws -> Bool {
    var ends: [CInt] = [-1, -1]
    guard Glibc.pipe(&ends) == 0 else { throw Failure(.io, "Cannot make a pipe: \(String(cString: strerror(errno))).") }
    for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
    pipe = (ends[0], ends[1])
    let numbers = [SIGINT, SIGTERM, SIGHUP]
    for number in numbers {
      signal(number) { number in
        var byte: UInt8 = 0
        // write(2) is one of the calls that signal-safety(7) allows.
        _ = write(EndSignals.pipe.writer, &byte, 1)
        signal(number, SIG_DFL)
      }
    }
    let work = Task { try await body() }
    try? PlainThread.start("end-signals") {
      // Whoever started this process may have left them blocked, in every thread.
      var set = sigset_t()
      sigemptyset(&set)
      for number in numbers { sigaddset(&set, number) }
      pthread_sigmask(SIG_UNBLOCK, &set, nil)
      var byte: UInt8 = 0
      while read(EndSignals.pipe.reader, &byte, 1) < 0, errno == EINTR {}
      work.cancel()
    }
    let result = await work.result
    guard case .failure(let error) = result else { return work.isCancelled }
    let isCancellation = error is CancellationError || (error as? EtcdError)?.code == .cancelled
    guard work.isCancelled, isCancellation else { throw error }
    return true
  }
}
