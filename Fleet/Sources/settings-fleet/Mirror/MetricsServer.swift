import AppSettings
import ArgumentParser
import Glibc
import NIOCore
import NIOHTTP1
import NIOPosix
import SettingsTools

/// An address that only this machine reaches: `127.0.0.1:9477` or `[::1]:9477`.
struct MetricsAddress: ExpressibleByArgument, CustomStringConvertible {
  let host: String
  let port: Int

  init?(argument: String) {
    guard let colon = argument.lastIndex(of: ":"), let port = Int(argument[argument.index(after: colon)...]),
      (1...65535).contains(port), let host = ["127.0.0.1": "127.0.0.1", "[::1]": "::1"][argument[..<colon]]
    else { return nil }
    (self.host, self.port) = (host, port)
  }

  var description: String { "\(host == "::1" ? "[::1]" : host):\(port)" }
}

/// Answers to `GET /metrics`. It sleeps until a request comes, on the thread that serves the mirror's connections.
enum MetricsServer {
  /// How many connections there can be at once. Every user of the machine can connect, and the mirror needs descriptors for
  /// its files.
  static let mostConnections = 16

  /// - Parameters:
  ///   - address: Where to listen.
  ///   - idleTime: After which time without a word a connection is closed, so that others have its place.
  ///   - text: Makes the answer.
  /// - Throws: ``Failure`` if nothing can listen there.
  static func start(
    at address: MetricsAddress, idleTime: TimeAmount = .seconds(10), _ text: @escaping @Sendable () async -> String
  ) async throws -> any Channel {
    // Counts the connections.
    let open = Lock(0)
    do {
      return try await ServerBootstrap(group: MultiThreadedEventLoopGroup.singleton)
        .serverChannelOption(.socketOption(.so_reuseaddr), value: 1)
        .childChannelInitializer { channel in
          let count = open.withLock { count in
            count += 1
            return count
          }
          channel.closeFuture.whenComplete { _ in open.withLock { $0 -= 1 } }
          guard count <= mostConnections else { return channel.close() }
          return channel.eventLoop.makeCompletedFuture {
            try channel.pipeline.syncOperations.addHandler(IdleStateHandler(allTimeout: idleTime))
            try channel.pipeline.syncOperations.configureHTTPServerPipeline(withPipeliningAssistance: false)
            try channel.pipeline.syncOperations.addHandler(Answerer(text))
          }
        }
        .bind(host: address.host, port: address.port).get()
    } catch {
      throw failure(error, at: address)
    }
  }

  /// Why nothing can listen at an address, and what helps.
  static func failure(_ error: any Error, at address: MetricsAddress) -> Failure {
    let number = (error as? IOError)?.errnoCode
    let reason = number.map { String(cString: strerror($0)) } ?? "\(error)"
    let advice =
      switch number {
      case EADDRINUSE, EACCES: " Choose another port for '--listen'."
      case EADDRNOTAVAIL, EAFNOSUPPORT: " This machine does not have the address \(address.host)."
      default: ""
      }
    return Failure(.io, "Cannot listen at \(address): \(reason).\(advice)")
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

    func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
      if event is IdleStateHandler.IdleStateEvent { context.close(promise: nil) }
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) { context.close(promise: nil) }
  }
}
