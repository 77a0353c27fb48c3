import NIOCore

/// An answer of one message.
final class SingleAnswer: AnswerReceiver {
  private let promise: EventLoopPromise<ByteBuffer>
  private var found: ByteBuffer?

  init(on loop: any EventLoop) { promise = loop.makePromise() }

  var message: EventLoopFuture<ByteBuffer> { promise.futureResult }

  func receive(_ message: ByteBuffer, of exchange: Exchange) throws {
    guard found == nil else { throw Exchange.End.manyMessages }
    found = message
  }

  func finish(_ failure: Exchange.Failure?) {
    if let failure {
      promise.fail(failure)
    } else if let found {
      promise.succeed(found)
    } else {
      promise.fail(Exchange.Failure(error: Exchange.End.noMessage, wasSent: true))
    }
  }
}
