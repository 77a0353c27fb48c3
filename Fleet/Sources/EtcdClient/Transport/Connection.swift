import NIOCore
import NIOHTTP2
import NIOPosix
import NIOSSL
import NIOTLS

/// An HTTP/2 connection to a member, over TLS or not. All of it happens on its event loop.
final class Connection: Sendable {
  /// What ends a connection that was closed in order, or never came about.
  enum Failure: Error {
    case closed
    case late
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
  ///   - limit: How long it may take.
  static func open(
    to address: Address, tls: NIOSSLContext?, on loop: any EventLoop, within limit: TimeAmount
  ) -> EventLoopFuture<Connection> {
    let bootstrap = ClientBootstrap(group: loop)
      .connectTimeout(limit)
      .resolver(NameResolver(loop: loop))
      .channelInitializer { channel in
        SocketOptions.set(on: channel).flatMapThrowing {
          let pipeline = channel.pipeline.syncOperations
          if let tls {
            // Without a name, the member's certificate has to have its number.
            let name = address.socket == nil ? address.host : nil
            try pipeline.addHandler(NIOSSLClientHandler(context: tls, serverHostname: name))
          }
          let http2 = NIOHTTP2Handler(
            mode: .client, eventLoop: channel.eventLoop, connectionConfiguration: settings
          ) { stream in
            // A member opens none.
            stream.close()
          }
          try pipeline.addHandler(http2)
          try pipeline.addHandler(
            ConnectionHandler(isTLS: tls != nil, streams: http2.syncMultiplexer(), loop: channel.eventLoop))
        }
      }
    let channel =
      address.socket.map { bootstrap.connect(to: $0) } ?? bootstrap.connect(host: address.host, port: address.port)
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
    settings.controlFrameRateLimit.maximumCount = .max
    return settings
  }

  /// Makes a call in a stream of its own.
  func send(_ exchange: Exchange) { handler.open(exchange) }

  /// What happens when the connection takes no further calls: it was closed, or the member is about to close it.
  func whenOver(_ body: @escaping @Sendable () -> Void) { handler.over.whenComplete { _ in body() } }

  /// Closes the connection. Its calls fail.
  @discardableResult func close() -> EventLoopFuture<Void> {
    channel.eventLoop.execute { self.handler.close() }
    return channel.closeFuture
  }
}

/// Knows when a member has accepted a connection, and when and why it is over.
final class ConnectionHandler: ChannelInboundHandler, @unchecked Sendable {  // used on its event loop only
  typealias InboundIn = HTTP2Frame

  private let isTLS: Bool
  private let streams: NIOHTTP2Handler.StreamMultiplexer
  private let whenAccepted: EventLoopPromise<Void>
  private let whenOver: EventLoopPromise<Void>
  private var context: ChannelHandlerContext?
  private var failure: any Error = Connection.Failure.closed
  private var openStreams = 0
  private var isGoingAway = false

  init(isTLS: Bool, streams: NIOHTTP2Handler.StreamMultiplexer, loop: any EventLoop) {
    self.isTLS = isTLS
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
        try channel.pipeline.syncOperations.addHandler(StreamHandler(exchange) { self.failure })
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

  private func streamEnded() {
    openStreams -= 1
    if isGoingAway, openStreams == 0 { close() }
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
    context.fireUserInboundEventTriggered(event)
  }

  func channelRead(context: ChannelHandlerContext, data: NIOAny) {
    switch unwrapInboundIn(data).payload {
    // The first frame of a member (RFC 9113, section 3.4). In TLS 1.3, a client has finished the handshake before the
    // member has seen its certificate; a member that does not accept it sends no such frame.
    case .settings: whenAccepted.succeed()
    case .goAway:
      isGoingAway = true
      whenOver.succeed()
      if openStreams == 0 { close() }
    default: break
    }
  }

  func errorCaught(context: ChannelHandlerContext, error: any Error) {
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
