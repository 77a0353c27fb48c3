/// A watch: the changes of some keys, in order, from one member over one stream.
///
/// The sequence ends after ``EtcdWatchMessage/compacted(revision:)`` or ``EtcdWatchMessage/cancelled(reason:)``, and
/// with an ``EtcdError`` if the stream ends in any other way. To go on, open a watch from the revision after the last
/// one that came. Read the keys again after each gap: etcd 3.4 may leave out a deletion after a compaction.
///
/// A stream can stay silent although there are changes:
/// - The member is stopped. Call ``requestProgress()`` now and then.
/// - The network is gone. The kernel finds out: some four seconds after the last packet, the sequence ends.
/// - The member is cut off from the others. It ends its watches by itself when it has missed its leader for three
///   elections' time.
///
/// One task may iterate. What is not read waits at the member. To drop the watch closes its stream.
public final class EtcdWatch: AsyncSequence, Sendable {
  /// What the sequence consists of.
  public typealias Element = EtcdWatchMessage
  /// What ends the sequence.
  public typealias Failure = EtcdError

  /// The endpoint that serves the watch.
  public let endpoint: String
  let messages: AsyncThrowingStream<EtcdWatchMessage, any Error>
  private let backlog: WatchBacklog
  private let exchange: Exchange

  init(
    endpoint: String, messages: AsyncThrowingStream<EtcdWatchMessage, any Error>, backlog: WatchBacklog,
    exchange: Exchange
  ) {
    self.backlog = backlog
    self.endpoint = endpoint
    self.messages = messages
    self.exchange = exchange
  }

  deinit { cancel() }

  /// Asks the member how far the watch is. The answer is a ``EtcdWatchMessage/progress(revision:)``.
  ///
  /// That no answer comes within a second or so means that the stream is dead. The member answers without asking the
  /// others: a member that is cut off from them, and has not noticed yet, answers, too.
  public func requestProgress() {
    let request: OutgoingMessage = [3: .message([:])]
    exchange.send(RPCFrames.frame(request.protobuf))
  }

  fileprivate func hasRead() {
    let waited = backlog.isFull
    backlog.remove()
    if waited { exchange.readMore() }
  }

  /// Closes the stream. The sequence ends.
  public func cancel() { exchange.cancel() }

  /// Returns an iterator over what the watch reports.
  public func makeAsyncIterator() -> Iterator {
    Iterator(watch: self, base: messages.makeAsyncIterator())
  }

  /// An iterator over what a watch reports.
  public struct Iterator: AsyncIteratorProtocol {
    /// Keeps the stream open.
    let watch: EtcdWatch
    var base: AsyncThrowingStream<EtcdWatchMessage, any Error>.Iterator

    /// Returns the next report, or `nil` when the watch is over.
    public mutating func next() async throws(EtcdError) -> EtcdWatchMessage? {
      try await next(isolation: #isolation)
    }

    /// Returns the next report, or `nil` when the watch is over.
    ///
    /// - Parameter actor: Where the caller runs.
    public mutating func next(isolation actor: isolated (any Actor)?) async throws(EtcdError) -> EtcdWatchMessage? {
      do {
        let message = try await base.next(isolation: actor)
        if message != nil { watch.hasRead() }
        return message
      } catch {
        throw error as? EtcdError ?? EtcdError(.internal, "\(error)", endpoint: watch.endpoint)
      }
    }
  }
}
