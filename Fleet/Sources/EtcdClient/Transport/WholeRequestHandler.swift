import NIOCore
import NIOHPACK
import NIOHTTP2

/// Ends an HTTP/2 request with its last byte, and not with an empty frame some time after it.
///
/// async-http-client writes that frame when the kernel has taken the body. By then, a member may have answered; it then
/// resets the stream (RFC 9113, section 8.1), and swift-nio-http2 closes a connection that gets more than 200 resets in 30
/// seconds, with all calls on it. A watch has no length: its request stays open.
final class WholeRequestHandler: ChannelOutboundHandler {
  typealias OutboundIn = HTTP2Frame.FramePayload
  typealias OutboundOut = HTTP2Frame.FramePayload

  /// How many bytes of the body are still to come; `nil` if nobody knows.
  private var missing: Int?
  private var hasEnded = false

  func write(context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?) {
    switch unwrapOutboundIn(data) {
    case .headers(let headers):
      missing = headers.headers.first(name: "content-length").flatMap { Int($0) }
      context.write(data, promise: promise)
    case .data where hasEnded:
      // The empty frame.
      promise?.succeed()
    case .data(var part):
      guard let left = missing.map({ $0 - part.data.readableBytes }) else {
        return context.write(data, promise: promise)
      }
      missing = left
      if left == 0 { part.endStream = true }
      hasEnded = part.endStream
      context.write(wrapOutboundOut(.data(part)), promise: promise)
    default:
      context.write(data, promise: promise)
    }
  }
}
