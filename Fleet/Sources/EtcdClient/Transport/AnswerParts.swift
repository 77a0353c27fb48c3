import NIOCore
import Synchronization

/// An answer of many messages, read one after another: while the reader is busy, the member waits.
final class AnswerParts: Sendable {
  private final class Receiver: AnswerReceiver, Sendable {
    let output: AsyncThrowingStream<ByteBuffer, any Error>.Continuation
    /// Messages that have come, and that nobody has read.
    let pending = Atomic(0)
    let begun: EventLoopPromise<Void>

    init(_ output: AsyncThrowingStream<ByteBuffer, any Error>.Continuation, _ begun: EventLoopPromise<Void>) {
      (self.output, self.begun) = (output, begun)
    }

    var wantsMore: Bool { pending.load(ordering: .relaxed) == 0 }

    func receive(_ message: ByteBuffer, of exchange: Exchange) {
      exchange.hasOpened()
      pending.add(1, ordering: .relaxed)
      output.yield(message)
      begun.succeed()
    }

    func finish(_ failure: Exchange.Failure?) {
      output.finish(throwing: failure)
      if let failure { begun.fail(failure) } else { begun.succeed() }
    }
  }

  private let messages: AsyncThrowingStream<ByteBuffer, any Error>
  private let receiver: Receiver
  private let exchange: Exchange
  private let endpoint: Endpoint

  init(_ call: Call, of endpoint: Endpoint, token: String?) {
    let (messages, output) = AsyncThrowingStream.makeStream(of: ByteBuffer.self, throwing: (any Error).self)
    self.messages = messages
    self.endpoint = endpoint
    receiver = Receiver(output, endpoint.makePromise())
    exchange = endpoint.exchange(call, token: token, to: receiver)
  }

  /// Makes the call, and waits for the beginning of its answer.
  func begin(_ deadline: NIODeadline) async throws(EtcdError) {
    endpoint.start(exchange, deadline: deadline)
    do {
      try await exchange.wait(for: receiver.begun.futureResult)
    } catch {
      throw endpoint.error(error, isWrite: false)
    }
  }

  /// - Returns: The next message; `nil` at the end, and if the task is cancelled.
  func next<Message: ProtobufReadable>(as type: Message.Type) async throws(EtcdError) -> Message? {
    do {
      var iterator = messages.makeAsyncIterator()
      guard let message = try await iterator.next(isolation: #isolation) else { return nil }
      receiver.pending.subtract(1, ordering: .relaxed)
      exchange.readMore()
      return try Message(protobuf: message)
    } catch {
      throw endpoint.error(error, isWrite: false)
    }
  }

  func cancel() { exchange.cancel() }
}
