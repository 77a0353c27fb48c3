import Dispatch
import Glibc

/// The requests to end: SIGTERM, from a service manager, and SIGINT, from Control-C.
@MainActor
final class TerminationSignals {
  private let requests: AsyncStream<CInt>
  // Kept, since a source that is released ends.
  private var sources: [any DispatchSourceSignal] = []

  /// Takes the two signals, and returns when they no longer end the process by themselves. One that comes before
  /// anybody waits is kept.
  init() async {
    let (requests, continuation) = AsyncStream.makeStream(of: CInt.self)
    self.requests = requests
    for number in [SIGTERM, SIGINT] {
      let source = DispatchSource.makeSignalSource(signal: number, queue: .global())
      source.setEventHandler { @Sendable in continuation.yield(number) }
      await withCheckedContinuation { registered in
        source.setRegistrationHandler { @Sendable in registered.resume() }
        source.resume()
      }
      sources.append(source)
    }
  }

  /// Returns when the process is asked to end.
  func wait() async {
    for await _ in requests { return }
  }
}
