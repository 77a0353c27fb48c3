import NIOCore
import NIOHPACK
import NIOHTTP2
import NIOPosix
import Synchronization

/// Something else than a member: it answers all that it is sent with the same.
final class CannedServer: Sendable {
  private struct State {
    var listener: (any Channel)?
    var connections: [any Channel] = []
    var streams: [any Channel] = []
    var requests: [HPACKHeaders] = []
  }

  /// Protects what has been opened.
  private let state = Mutex(State())
  private let group: any EventLoopGroup

  var endpoint: String { "http://127.0.0.1:\(state.withLock { $0.listener }?.localAddress?.port ?? 0)" }
  /// How many connections and streams there have been.
  var connections: Int { state.withLock { $0.connections.count } }
  var streams: Int { state.withLock { $0.streams.count } }

  /// The headers of the requests.
  var requests: [HPACKHeaders] { state.withLock { $0.requests } }

  private init(on group: any EventLoopGroup) { self.group = group }

  /// Answers each request of HTTP/2 with frames.
  ///
  /// - Parameters:
  ///   - first: What the first request is answered with, if with something else.
  ///   - mostStreams: How many it takes at once on a connection.
  ///   - whenAsked: Is called for each request before it is answered, on the server's event loop.
  static func start(
    _ frames: [HTTP2Frame.FramePayload], first: [HTTP2Frame.FramePayload]? = nil, mostStreams: Int = 100,
    on group: any EventLoopGroup = defaultGroup,
    whenAsked: @escaping @Sendable () -> Void = {}
  ) async throws -> CannedServer {
    let server = CannedServer(on: group)
    var settings = NIOHTTP2Handler.ConnectionConfiguration()
    settings.initialSettings = [HTTP2Setting(parameter: .maxConcurrentStreams, value: mostStreams)]
    try await server.listen { [settings] channel in
      channel.eventLoop.makeCompletedFuture {
        server.state.withLock { $0.connections.append(channel) }
        try channel.pipeline.syncOperations.addHandler(
          NIOHTTP2Handler(mode: .server, eventLoop: channel.eventLoop, connectionConfiguration: settings) { stream in
            let isFirst = server.state.withLock { state in
              state.streams.append(stream)
              return state.streams.count == 1
            }
            return stream.pipeline.addHandler(
              Answer<HTTP2Frame.FramePayload>(isFirst ? first ?? frames : frames) {
                if case .headers(let head) = $0 { server.state.withLock { $0.requests.append(head.headers) } }
                if $0.isAsked { whenAsked() }
                return $0.isAsked
              })
          })
      }
    }
    return server
  }

  /// Answers whatever comes with bytes.
  static func start(_ bytes: String) async throws -> CannedServer {
    let server = CannedServer(on: defaultGroup)
    try await server.listen { $0.pipeline.addHandler(Answer<ByteBuffer>([ByteBuffer(string: bytes)]) { _ in true }) }
    return server
  }

  static var defaultGroup: any EventLoopGroup { MultiThreadedEventLoopGroup.singleton }

  private func listen(_ initializer: @escaping @Sendable (any Channel) -> EventLoopFuture<Void>) async throws {
    let channel = try await ServerBootstrap(group: group)
      .childChannelInitializer(initializer).bind(host: "127.0.0.1", port: 0).get()
    state.withLock { $0.listener = channel }
  }

  func stop() async throws {
    try await state.withLock { $0.listener }?.close()
    for connection in state.withLock({ $0.connections }) { connection.close(promise: nil) }
  }

  /// Takes no further streams on the connections that are open.
  func goAway() {
    let frame = HTTP2Frame(
      streamID: .rootStream, payload: .goAway(lastStreamID: .maxID, errorCode: .noError, opaqueData: nil))
    for connection in state.withLock({ $0.connections }) { connection.writeAndFlush(frame, promise: nil) }
  }

  /// Sends more in all streams that are open.
  func send(_ frame: HTTP2Frame.FramePayload) {
    for stream in state.withLock({ $0.streams }) { stream.writeAndFlush(frame, promise: nil) }
  }

  private final class Answer<Part: Sendable>: ChannelInboundHandler, Sendable {
    typealias InboundIn = Part
    typealias OutboundOut = Part

    private let parts: [Part]
    private let isLast: @Sendable (Part) -> Bool

    init(_ parts: [Part], after isLast: @escaping @Sendable (Part) -> Bool) {
      self.parts = parts
      self.isLast = isLast
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
      guard isLast(unwrapInboundIn(data)) else { return }
      for part in parts { context.write(wrapOutboundOut(part), promise: nil) }
      context.flush()
    }
  }
}

extension HTTP2Frame.FramePayload {
  static func headers(_ fields: [(String, String)], isLast: Bool = false) -> Self {
    .headers(.init(headers: HPACKHeaders(fields), endStream: isLast))
  }

  static func data(_ bytes: [UInt8], isLast: Bool = false) -> Self {
    .data(.init(data: .byteBuffer(ByteBuffer(bytes: bytes)), endStream: isLast))
  }

  /// Whether a call's message is there: a watch's request does not end with it.
  fileprivate var isAsked: Bool {
    if case .data = self { true } else { false }
  }
}
