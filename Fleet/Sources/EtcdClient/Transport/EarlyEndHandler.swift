import NIOCore
import NIOHTTP2

/// Keeps what happens to an HTTP/2 stream after the end of the answer from those who wait for the answer.
///
/// A member may finish an answer before it has seen the end of the request: always when it ends a watch, whose request
/// is open as long as the watch. It resets the stream then. async-http-client has forgotten the request at that point
/// and traps on the error (its issue 922, not fixed in 1.37), so that a member that ends a watch would end the process.
final class EarlyEndHandler: ChannelDuplexHandler {
  typealias InboundIn = HTTP2Frame.FramePayload
  typealias OutboundIn = HTTP2Frame.FramePayload

  private var hasRequestEnded = false
  private var hasAnswerEnded = false

  func write(context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?) {
    if unwrapOutboundIn(data).endsStream { hasRequestEnded = true }
    context.write(data, promise: promise)
  }

  func channelRead(context: ChannelHandlerContext, data: NIOAny) {
    let isEnd = unwrapInboundIn(data).endsStream
    if isEnd { hasAnswerEnded = true }
    context.fireChannelRead(data)
    // The rest of the request is not needed, and nothing else would close the stream.
    if isEnd && !hasRequestEnded { context.close(promise: nil) }
  }

  func channelInactive(context: ChannelHandlerContext) {
    if !hasAnswerEnded { context.fireChannelInactive() }
  }

  func channelWritabilityChanged(context: ChannelHandlerContext) {
    if !hasAnswerEnded { context.fireChannelWritabilityChanged() }
  }

  func errorCaught(context: ChannelHandlerContext, error: any Error) {
    if !hasAnswerEnded { context.fireErrorCaught(error) }
  }
}

extension HTTP2Frame.FramePayload {
  fileprivate var endsStream: Bool {
    switch self {
    case .data(let data): data.endStream
    case .headers(let headers): headers.endStream
    default: false
    }
  }
}
