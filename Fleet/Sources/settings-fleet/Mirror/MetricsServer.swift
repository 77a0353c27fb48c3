import ArgumentParser
import NIOCore
import NIOHTTP1
import NIOPosix

/// An address that only this machine reaches: `127.0.0.1:9477` or `[::1]:9477`.
struct MetricsAddress: ExpressibleByArgument {
  let host: String
  let port: Int

  init?(argument: String) {
    guard let colon = argument.lastIndex(of: ":"), let port = Int(argument[argument.index(after: colon)...]),
      (1...65535).contains(port), let host = ["127.0.0.1": "127.0.0.1", "[::1]": "::1"][argument[..<colon]]
    else { return nil }
    (self.host, self.port) = (host, port)
  }
}

/// Answers to `GET /metrics`. It sleeps until somebody asks, on the thread that serves the mirror's connections.
enum MetricsServer {
  /// - Parameter text: Makes the answer.
  /// - Throws: ``Failure`` if nothing can listen there.
  static func start(
    at address: MetricsAddress, _ text: @escaping @Sendable () async -> String
  ) async throws -> any Channel {
    do {
      return try await ServerBootstrap(group: MultiThreadedEventLoopGroup.singleton)
        .serverChannelOption(.socketOption(.so_reuseaddr), value: 1)
        .childChannelInitializer { channel in
          channel.eventLoop.makeCompletedFuture {
            try channel.pipeline.syncOperations.configureHTTPServerPipeline(withPipeliningAssistance: false)
            try channel.pipeline.syncOperations.addHandler(Answerer(text))
          }
        }
        .bind(host: address.host, port: address.port).get()
    } catch {
      throw Failure(.io, "Cannot listen at port \(address.port) of \(address.host): \(error)")
    }
  }

  private final class Answerer: ChannelInboundHandler {
    typealias InboundIn = HTTPServerRequestPart

    private let text: @Sendable () async -> String
    private var head: HTTPRequestHead?

    init(_ text: @escaping @Sendable () async -> String) { self.text = text }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
      switch unwrapInboundIn(data) {
      case .head(let head): self.head = head
      case .body: break
      case .end:
        guard let head else { return }
        let (channel, text) = (context.channel, text)
        let isFound = head.method == .GET && head.uri.prefix { $0 != "?" } == "/metrics"
        Task {
          let body = isFound ? await text() : "There is only GET /metrics.\n"
          let headers: HTTPHeaders = [
            "content-type": isFound ? "text/plain; version=0.0.4; charset=utf-8" : "text/plain; charset=utf-8",
            "content-length": "\(body.utf8.count)", "connection": "close",
          ]
          let head = HTTPResponseHead(version: .http1_1, status: isFound ? .ok : .notFound, headers: headers)
          channel.write(HTTPServerResponsePart.head(head), promise: nil)
          channel.write(HTTPServerResponsePart.body(.byteBuffer(ByteBuffer(string: body))), promise: nil)
          try? await channel.writeAndFlush(HTTPServerResponsePart.end(nil))
          try? await channel.close()
        }
      }
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) { context.close(promise: nil) }
  }
}
