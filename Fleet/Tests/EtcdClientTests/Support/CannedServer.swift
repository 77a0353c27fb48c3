import NIOCore
import NIOHPACK
import NIOHTTP2
import NIOPosix

/// Something else than a member: it answers all that it is sent with the same.
struct CannedServer {
  private let channel: any Channel

  var endpoint: String { "http://127.0.0.1:\(channel.localAddress?.port ?? 0)" }

  /// Answers each request of HTTP/2 with frames.
  static func start(_ frames: [HTTP2Frame.FramePayload]) async throws -> CannedServer {
    try await start { channel in
      channel.eventLoop.makeCompletedFuture {
        try channel.pipeline.syncOperations.addHandler(
          NIOHTTP2Handler(mode: .server, eventLoop: channel.eventLoop) { stream in
            stream.pipeline.addHandler(Answer<HTTP2Frame.FramePayload>(frames) { $0.isEnd })
          })
      }
    }
  }

  /// Answers whatever comes with bytes.
  static func start(_ bytes: String) async throws -> CannedServer {
    try await start { $0.pipeline.addHandler(Answer<ByteBuffer>([ByteBuffer(string: bytes)]) { _ in true }) }
  }

  private static func start(
    _ initializer: @escaping @Sendable (any Channel) -> EventLoopFuture<Void>
  ) async throws -> CannedServer {
    CannedServer(
      channel: try await ServerBootstrap(group: MultiThreadedEventLoopGroup.singleton)
        .childChannelInitializer(initializer).bind(host: "127.0.0.1", port: 0).get())
  }

  func stop() async throws { try await channel.close() }

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

  fileprivate var isEnd: Bool {
    if case .data(let data) = self { data.endStream } else { false }
  }
}
