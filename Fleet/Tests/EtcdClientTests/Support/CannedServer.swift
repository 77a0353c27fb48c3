import NIOCore
import NIOPosix

/// Something else than a member: it answers all that it is sent with the same bytes.
struct CannedServer {
  private let channel: any Channel

  var endpoint: String { "http://127.0.0.1:\(channel.localAddress?.port ?? 0)" }

  static func start(_ answer: String) async throws -> CannedServer {
    CannedServer(
      channel: try await ServerBootstrap(group: MultiThreadedEventLoopGroup.singleton)
        .childChannelInitializer { $0.pipeline.addHandler(Answer(ByteBuffer(string: answer))) }
        .bind(host: "127.0.0.1", port: 0).get())
  }

  func stop() async throws { try await channel.close() }

  private final class Answer: ChannelInboundHandler, Sendable {
    typealias InboundIn = ByteBuffer
    typealias OutboundOut = ByteBuffer

    private let bytes: ByteBuffer

    init(_ bytes: ByteBuffer) { self.bytes = bytes }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
      // The client sends a request as a whole, and the next one when it has the answer.
      context.writeAndFlush(wrapOutboundOut(bytes), promise: nil)
    }
  }
}
