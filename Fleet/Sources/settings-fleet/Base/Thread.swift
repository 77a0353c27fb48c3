import AppSettings

/// A thread for work that may wait for a disk or take long, so that connections are served meanwhile.
enum Thread {
  static func value<Value: Sendable, Failed: Error>(
    _ body: @escaping @Sendable () throws(Failed) -> Value
  ) async throws(Failed) -> Value {
    try await withCheckedContinuation { continuation in
      let run: @Sendable () -> Void = { continuation.resume(returning: Result(catching: body)) }
      do throws(Errno) {
        try PlainThread.start("work", run)
      } catch {
        run()
      }
    }.get()
  }
}
