import NIOCore

/// Takes the answer to a watch: first that it was created, then what happens.
final class WatchReceiver: AnswerReceiver {
  let messages: AsyncThrowingStream<EtcdWatchMessage, any Error>
  private let output: AsyncThrowingStream<EtcdWatchMessage, any Error>.Continuation
  private let endpoint: Endpoint
  private let whenCreated: EventLoopPromise<Void>
  private var isCreated = false
  private var isOver = false

  init(_ endpoint: Endpoint) {
    (messages, output) = AsyncThrowingStream.makeStream()
    whenCreated = endpoint.makePromise()
    self.endpoint = endpoint
  }

  /// Succeeds when the member has set up the watch.
  var created: EventLoopFuture<Void> { whenCreated.futureResult }

  func receive(_ message: ByteBuffer, of exchange: Exchange) throws {
    let answer = try WatchAnswer(protobuf: message)
    if !isCreated {
      // A watch that is not allowed is created and cancelled in one message.
      if answer.isCancelled, answer.compacted == 0 {
        let reason = answer.reason.isEmpty ? "The member refused the watch." : answer.reason
        throw WireError(reason: reason)
      }
      isCreated = true
      exchange.hasOpened()
      output.yield(.created(revision: answer.revision))
      whenCreated.succeed()
      guard answer.isCancelled else { return }
    }
    output.yield(answer.message)
    if answer.isCancelled {
      isOver = true
      exchange.end(nil)
    }
  }

  func finish(_ failure: Exchange.Failure?) {
    let error =
      failure.map { endpoint.error($0, isWrite: false) }
      ?? EtcdError(.unavailable, "The member closed the watch's stream.", endpoint: endpoint.url)
    whenCreated.fail(error)
    output.finish(throwing: isOver || error.code == .cancelled ? nil : error)
  }
}
