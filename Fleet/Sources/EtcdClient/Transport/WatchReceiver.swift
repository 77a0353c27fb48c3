import NIOCore
import Synchronization

/// How much of a watch has come, and was not read.
final class WatchBacklog: Sendable {
  private let count = Atomic(0)
  /// The member waits while so many messages are there.
  private static let most = 16

  var isFull: Bool { count.load(ordering: .relaxed) >= Self.most }
  func add() { count.add(1, ordering: .relaxed) }
  func remove() { count.subtract(1, ordering: .relaxed) }
}

/// Takes the answer to a watch: first that its spans are watched, then what happens.
final class WatchReceiver: AnswerReceiver {
  let backlog = WatchBacklog()
  let messages: AsyncThrowingStream<EtcdWatchMessage, any Error>
  private let output: AsyncThrowingStream<EtcdWatchMessage, any Error>.Continuation
  private let endpoint: Endpoint
  private let whenCreated: EventLoopPromise<Void>
  /// How many of the spans are not watched yet.
  private var missing: Int
  private var hasBegun = false
  private var isOver = false

  init(_ endpoint: Endpoint, spans: Int) {
    missing = spans
    (messages, output) = AsyncThrowingStream.makeStream()
    whenCreated = endpoint.makePromise()
    self.endpoint = endpoint
  }

  /// Succeeds when the member has set up the watch.
  var created: EventLoopFuture<Void> { whenCreated.futureResult }

  func receive(_ message: ByteBuffer, of exchange: Exchange) throws {
    let answer = try WatchAnswer(protobuf: message)
    if !hasBegun || answer.isCreated {
      // A watch that is not allowed is created and cancelled in one message.
      if answer.isCancelled, answer.compacted == 0 {
        let reason = answer.reason.isEmpty ? "The member refused the watch." : answer.reason
        throw WireError(reason: reason)
      }
      if !hasBegun { pass(.created(revision: answer.revision)) }
      hasBegun = true
      missing -= 1
      if missing == 0 || answer.isCancelled {
        exchange.hasOpened()
        whenCreated.succeed()
      }
      guard answer.isCancelled else { return }
    }
    pass(answer.message)
    if answer.isCancelled {
      isOver = true
      exchange.end(nil)
    }
  }

  var wantsMore: Bool { !backlog.isFull }

  private func pass(_ message: EtcdWatchMessage) {
    backlog.add()
    output.yield(message)
  }

  func finish(_ failure: Exchange.Failure?) {
    let error =
      failure.map { endpoint.error($0, isWrite: false) }
      ?? EtcdError(.unavailable, "The member closed the watch's stream.", endpoint: endpoint.url)
    whenCreated.fail(error)
    output.finish(throwing: isOver || error.code == .cancelled ? nil : error)
  }
}
