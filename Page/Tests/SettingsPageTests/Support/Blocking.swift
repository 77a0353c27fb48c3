import Dispatch

/// Runs what blocks on a thread of its own.
///
/// The pool has as many threads as the machine has processors. Two tests that wait for a process there leave none to the
/// servers of all other tests, which then answer nobody.
func blocking<Value: Sendable>(_ body: @escaping @Sendable () throws -> Value) async throws -> Value {
  try await withCheckedThrowingContinuation { continuation in
    DispatchQueue(label: "blocking").async { continuation.resume(with: Result { try body() }) }
  }
}

/// Runs an actor's code on a thread that may block.
final class QueueExecutor: SerialExecutor {
  private let queue = DispatchQueue(label: "test-client")

  func enqueue(_ job: consuming ExecutorJob) {
    let job = UnownedJob(job)
    queue.async { job.runSynchronously(on: self.asUnownedSerialExecutor()) }
  }
}
