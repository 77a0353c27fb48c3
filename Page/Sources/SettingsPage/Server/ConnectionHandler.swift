import HTTPTypes
import NIOCore
import NIOHTTPTypes

/// Refuses connections above the limit, closes those whose client is too slow, and notices when a client is gone.
final class ConnectionHandler: ChannelDuplexHandler, RemovableChannelHandler {
  typealias InboundIn = HTTPRequestPart
  typealias InboundOut = HTTPRequestPart
  typealias OutboundIn = HTTPResponsePart
  typealias OutboundOut = HTTPResponsePart

  private let connections: Connections
  private let longestBody: Int
  private var clock: ConnectionClock
  private var opened: (verdict: ConnectionLimit.Verdict, connection: Connection)?
  private var timer: Scheduled<Void>?
  /// How long a refused client may take to read the answer.
  private static let farewell = TimeAmount.seconds(1)

  init(_ connections: Connections, _ limits: Limits) {
    self.connections = connections
    clock = ConnectionClock(limits)
    longestBody = limits.body
  }

  func handlerAdded(context: ChannelHandlerContext) {
    if context.channel.isActive { open(context) }
  }

  func channelActive(context: ChannelHandlerContext) {
    open(context)
    context.fireChannelActive()
  }

  private func open(_ context: ChannelHandlerContext) {
    guard opened == nil else { return }
    let opened = connections.open(context.channel)
    self.opened = opened
    switch opened.0 {
    case .serve: follow(clock.opened(), context)
    case .refuse: refuse(context)
    case .drop: context.close(promise: nil)
    }
  }

  private func refuse(_ context: ChannelHandlerContext) {
    let reply = Reply.failure(.serviceUnavailable, "The server has as many connections as it takes. Close some tabs.")
    var head = HTTPResponse(status: reply.status, headerFields: reply.headers)
    head.headerFields[.connection] = "close"
    head.headerFields[.contentLength] = String(reply.bytes.count)
    context.write(wrapOutboundOut(.head(head)), promise: nil)
    context.write(wrapOutboundOut(.body(ByteBuffer(bytes: reply.bytes))), promise: nil)
    context.writeAndFlush(wrapOutboundOut(.end(nil)), promise: nil)
    // Closed at once, with a request that nobody has read, the connection would be reset before the answer is read.
    context.close(mode: .output, promise: nil)
    schedule(Self.farewell, context)
  }

  func channelRead(context: ChannelHandlerContext, data: NIOAny) {
    guard case .serve? = opened?.verdict else { return }
    switch unwrapInboundIn(data) {
    case .head(let head):
      follow(clock.readHead(), context)
      // curl waits for it for a second before it sends a long body (RFC 9110, section 10.1.1).
      if head.headerFields[.expect]?.lowercased() == "100-continue", takesBody(of: head.headerFields) {
        context.writeAndFlush(wrapOutboundOut(.head(HTTPResponse(status: .continue))), promise: nil)
      }
    case .body(let part): follow(clock.readBody(part.readableBytes), context)
    case .end: follow(clock.readEnd(), context)
    }
    context.fireChannelRead(data)
  }

  /// Whether a body is announced, and none that is refused for its length.
  private func takesBody(of fields: HTTPFields) -> Bool {
    guard let length = fields[.contentLength] else { return fields.contains(.transferEncoding) }
    return Int(length).map { $0 > 0 && $0 <= longestBody } ?? false
  }

  func write(context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?) {
    if case .end = unwrapOutboundIn(data) { follow(clock.answered(), context) }
    context.write(data, promise: promise)
  }

  func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
    if case .inputClosed? = event as? ChannelEvent {
      opened?.connection.markGone()
      if case .refuse? = opened?.verdict { context.close(promise: nil) }
    }
    context.fireUserInboundEventTriggered(event)
  }

  func channelInactive(context: ChannelHandlerContext) {
    end(context)
    context.fireChannelInactive()
  }

  func handlerRemoved(context: ChannelHandlerContext) { end(context) }

  private func end(_ context: ChannelHandlerContext) {
    timer?.cancel()
    timer = nil
    guard let opened else { return }
    self.opened = nil
    opened.connection.markGone()
    connections.close(context.channel, opened.verdict)
  }

  private func follow(_ action: ConnectionClock.Action, _ context: ChannelHandlerContext) {
    switch action {
    case .keep: break
    case .rest:
      timer?.cancel()
      timer = nil
    case .wait(let time): schedule(TimeAmount(time), context)
    case .close: context.close(promise: nil)
    }
  }

  private func schedule(_ time: TimeAmount, _ context: ChannelHandlerContext) {
    timer?.cancel()
    let channel = context.channel
    timer = context.eventLoop.scheduleTask(in: time) { channel.close(promise: nil) }
  }
}

@available(*, unavailable)
extension ConnectionHandler: Sendable {}
