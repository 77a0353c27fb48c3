import AsyncHTTPClient
import NIOCore
import NIOHTTP1
import Synchronization

/// The answer to a call.
struct CallAnswer: Sendable {
  var status: UInt = 0
  var body = ByteBuffer()
}

/// Collects an answer, and knows whether the request was sent: whether a write may have happened depends on it.
final class CallDelegate: HTTPClientResponseDelegate, Sendable {
  struct TooLarge: Error {}

  private struct State {
    var answer = CallAnswer()
    var wasSent = false
  }

  /// Protects the answer; the event loop writes it, and the caller asks afterwards.
  private let state = Mutex(State())
  private let limit: Int

  init(limit: Int) { self.limit = limit }

  var wasSent: Bool { state.withLock { $0.wasSent } }

  func didSendRequestHead(task: HTTPClient.Task<CallAnswer>, _ head: HTTPRequestHead) {
    state.withLock { $0.wasSent = true }
  }

  func didReceiveHead(task: HTTPClient.Task<CallAnswer>, _ head: HTTPResponseHead) -> EventLoopFuture<Void> {
    state.withLock { $0.answer.status = head.status.code }
    return task.eventLoop.makeSucceededVoidFuture()
  }

  func didReceiveBodyPart(task: HTTPClient.Task<CallAnswer>, _ buffer: ByteBuffer) -> EventLoopFuture<Void> {
    let isTooLarge = state.withLock { state in
      state.answer.body.writeImmutableBuffer(buffer)
      return state.answer.body.readableBytes > limit
    }
    return isTooLarge
      ? task.eventLoop.makeFailedFuture(TooLarge()) : task.eventLoop.makeSucceededVoidFuture()
  }

  func didFinishRequest(task: HTTPClient.Task<CallAnswer>) throws -> CallAnswer {
    state.withLock { $0.answer }
  }
}
