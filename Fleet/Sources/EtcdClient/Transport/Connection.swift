import NIOCore
import NIOHTTP2
import NIOSSL
import NIOTLS

/// An HTTP/2 connection to a member, over TLS or not. All of it happens on its event loop.
final class Connection: Sendable {
  /// What ends a connection that was closed in order, or never came about.
  enum Failure: Error {
    case closed
    case late
    /// It did not answer a PING.
    case silent
    case noHTTP2(String?)
  }

  private let channel: any Channel
  private let handler: ConnectionHandler

  private init(_ channel: any Channel, _ handler: ConnectionHandler) {
    self.channel = channel
    self.handler = handler
  }

  /// Opens a connection; the member has accepted it when the future succeeds.
  ///
  /// - Parameters:
  ///   - resolver: Looks up the member's name.
  ///   - limit: How long it may take.
  ///   - pingInterval: ``EtcdConfiguration/pingInterval``.
  static func open(
    to address: Address, tls: NIOSSLContext?, on loop: any EventLoop, by resolver: NameResolver,
    within limit: TimeAmount, pingInterval: TimeAmount?
  ) -> EventLoopFuture<Connection> {
    let channel = address.connect(on: loop, by: resolver, within: limit) { channel in
      SocketOptions.set(on: channel).flatMapThrowing {
        let pipeline = channel.pipeline.syncOperations
        if let pingInterval { try pipeline.addHandler(IdleStateHandler(readTimeout: pingInterval)) }
        if let tls {
          try pipeline.addHandler(NIOSSLClientHandler(context: tls, serverHostname: address.serverName))
        }
        let http2 = NIOHTTP2Handler(
          mode: .client, eventLoop: channel.eventLoop, connectionConfiguration: settings,
          streamConfiguration: streamSettings
        ) { stream in
          // A member opens none.
          stream.close()
        }
        try pipeline.addHandler(http2)
        try pipeline.addHandler(ConnectionHandler(http2.syncMultiplexer(), on: channel.eventLoop))
      }
    }
    let opening = channel.flatMap { channel -> EventLoopFuture<Connection> in
      do {
        let handler = try channel.pipeline.syncOperations.handler(type: ConnectionHandler.self)
        let connection = Connection(channel, handler)
        return handler.accepted.map { connection }
      } catch {
        // It is closed already.
        return loop.makeFailedFuture(Failure.closed)
      }
    }
    let late = loop.scheduleTask(in: limit) { channel.whenSuccess { $0.pipeline.fireErrorCaught(Failure.late) } }
    opening.whenComplete { _ in late.cancel() }
    return opening
  }

  private static var settings: NIOHTTP2Handler.ConnectionConfiguration {
    var settings = NIOHTTP2Handler.ConnectionConfiguration()
    // Without TLS, a member sends a PING with almost every message, to measure the connection. NIO closes connections with
    // more than 200 of them in half a minute.
    settings.controlFrameRateLimit.windowLength = .nanoseconds(1)
    // What comes for a stream that was reset here, and that NIO has forgotten, ends the connection: it remembers 31.
    settings.maximumRecentlyResetStreams = 1023
    settings.targetWindowSize = window
    settings.initialSettings.append(HTTP2Setting(parameter: .initialWindowSize, value: window))
    return settings
  }

  private static var streamSettings: NIOHTTP2Handler.StreamConfiguration {
    var settings = NIOHTTP2Handler.StreamConfiguration()
    settings.targetWindowSize = window
    return settings
  }

  /// How many bytes a member may send before it has to hear that they were read. With HTTP/2's 64 KiB, a document of a
  /// megabyte would take 16 round trips.
  private static let window = 4 << 20

  /// Closes the connection when the calls that it has are over.
  func retire() { handler.retire() }

  /// Makes a call in a stream of its own.
  func send(_ exchange: Exchange) { handler.open(exchange) }

  /// What happens when the connection takes no further calls: it was closed, or the member is about to close it.
  func whenOver(_ body: @escaping @Sendable () -> Void) { handler.over.whenComplete { _ in body() } }

  func whenClosed(_ body: @escaping @Sendable () -> Void) { channel.closeFuture.whenComplete { _ in body() } }

  /// Closes the connection. Its calls fail.
  @discardableResult func close() -> EventLoopFuture<Void> {
    channel.eventLoop.execute { self.handler.close() }
    return channel.closeFuture
  }
}

/// Knows when a member has accepted a connection, and when and why it is over.
final class ConnectionHandler: ChannelInboundHandler, @unchecked Sendable {  // used on its event loop only
  typealias InboundIn = HTTP2Frame
  typealias OutboundOut = HTTP2Frame

  private let streams: NIOHTTP2Handler.StreamMultiplexer
  private let whenAccepted: EventLoopPromise<Void>
  private let whenOver: EventLoopPromise<Void>
  private var context: ChannelHandlerContext?
  private var failure: any Error = Connection.Failure.closed
  private var openStreams = 0
  /// What calls have sent, and no answer shows yet that it has arrived.
  var bytesOnTheirWay = 0
  /// The last stream that the member takes, once it has said that it goes away.
  private var lastStream: HTTP2StreamID?
  private var isRetired = false
  /// Whether the member was asked for a word, and has not answered yet.
  private var isAsked = false

  init(_ streams: NIOHTTP2Handler.StreamMultiplexer, on loop: any EventLoop) {
    self.streams = streams
    whenAccepted = loop.makePromise()
    whenOver = loop.makePromise()
  }

  var accepted: EventLoopFuture<Void> { whenAccepted.futureResult }
  var over: EventLoopFuture<Void> { whenOver.futureResult }

  func open(_ exchange: Exchange) {
    openStreams += 1
    let opening = streams.createStreamChannel { [self] channel in
      channel.eventLoop.makeCompletedFuture {
        // A stream that is opened after a GOAWAY would end the connection for those before it.
        guard lastStream == nil else { throw Connection.Failure.closed }
        try channel.pipeline.syncOperations.addHandler(StreamHandler(exchange, in: self))
      }
    }
    opening.whenComplete { result in
      switch result {
      case .success(let channel): channel.closeFuture.whenComplete { _ in self.streamEnded() }
      case .failure(let error):
        exchange.end(error)
        self.streamEnded()
      }
    }
  }

  /// What ends a stream when nothing else does.
  var reason: any Error { failure }

  /// Whether a member has certainly done nothing about a stream: RFC 9113, section 8.7.
  func hasRefused(_ closed: NIOHTTP2Errors.StreamClosed) -> Bool {
    closed.errorCode == .refusedStream || lastStream.map { closed.streamID > $0 } ?? false
  }

  func retire() {
    isRetired = true
    whenOver.succeed()
    if openStreams == 0 { close() }
  }

  private func streamEnded() {
    openStreams -= 1
    if lastStream != nil || isRetired, openStreams == 0 { close() }
  }

  func handlerAdded(context: ChannelHandlerContext) { self.context = context }

  func handlerRemoved(context: ChannelHandlerContext) {
    self.context = nil
    finish()
  }

  func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
    // A member that has not agreed on a protocol would take what follows for HTTP/1.
    if case TLSUserEvent.handshakeCompleted(let negotiated) = event, negotiated != "h2" {
      errorCaught(context: context, error: Connection.Failure.noHTTP2(negotiated))
    }
    // Nothing has come for some time.
    if case .read? = event as? IdleStateHandler.IdleStateEvent {
      if isAsked {
        errorCaught(context: context, error: Connection.Failure.silent)
      } else {
        isAsked = true
        let ping = HTTP2Frame(streamID: .rootStream, payload: .ping(HTTP2PingData(withInteger: 0), ack: false))
        context.writeAndFlush(wrapOutboundOut(ping), promise: nil)
      }
    }
    context.fireUserInboundEventTriggered(event)
  }

  func channelRead(context: ChannelHandlerContext, data: NIOAny) {
    switch unwrapInboundIn(data).payload {
    // The first frame of a member (RFC 9113, section 3.4). In TLS 1.3, a client has finished the handshake before the
    // member has seen its certificate; a member that does not accept it sends no such frame.
    case .settings: whenAccepted.succeed()
    case .ping(_, ack: true): isAsked = false
    case .goAway(let lastStream, _, _):
      self.lastStream = lastStream
      whenOver.succeed()
      if openStreams == 0 { close() }
    default: break
    }
  }

  func errorCaught(context: ChannelHandlerContext, error: any Error) {
    // What is about one stream ends that stream.
    if error is NIOHTTP2Errors.StreamError { return }
    // An end without TLS's own is one that a killed member makes.
    if case Connection.Failure.closed = failure, error as? NIOSSLError != .uncleanShutdown { failure = error }
    close()
  }

  func close() {
    guard let context else { return }
    context.close(promise: nil)
    // TLS would wait for the member's goodbye: five seconds if nobody is there.
    try? context.pipeline.syncOperations.context(handlerType: NIOSSLClientHandler.self).close(promise: nil)
  }

  func channelInactive(context: ChannelHandlerContext) {
    finish()
    context.fireChannelInactive()
  }

  private func finish() {
    whenAccepted.fail(failure)
    whenOver.succeed()
  }
}
