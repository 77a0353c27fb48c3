import EtcdClient
import EtcdTesting
import Foundation
import NIOCore
import NIOPosix
import NIOSSL

/// Connections to etcd that send the bytes of a request, and no library that understands the answers: the floor.
struct BareConnections: Sendable {
  private let group: MultiThreadedEventLoopGroup
  private let certificates: NIOSSLContext?
  let port: Int

  /// - Parameter threads: How many threads the connections share.
  init(to member: EtcdMember, of cluster: EtcdCluster, threads: Int) throws {
    group = MultiThreadedEventLoopGroup(numberOfThreads: threads)
    port = member.port
    certificates = try cluster.certificates.map { certificates in
      let tls = certificates.tls
      var settings = TLSConfiguration.makeClientConfiguration()
      settings.trustRoots = .certificates(try NIOSSLCertificate.fromPEMFile(tls.authorityFile ?? ""))
      settings.certificateChain = try NIOSSLCertificate.fromPEMFile(tls.certificateFile ?? "").map { .certificate($0) }
      settings.privateKey = .privateKey(try NIOSSLPrivateKey(file: tls.keyFile ?? "", format: .pem))
      return try NIOSSLContext(configuration: settings)
    }
  }

  /// Opens a connection that a handler serves.
  func open(_ handler: some ChannelInboundHandler & Sendable) async throws -> any Channel {
    let certificates = certificates
    return try await ClientBootstrap(group: group).channelInitializer { channel in
      channel.eventLoop.makeCompletedFuture {
        if let certificates {
          try channel.pipeline.syncOperations.addHandler(
            NIOSSLClientHandler(context: certificates, serverHostname: nil))
        }
        try channel.pipeline.syncOperations.addHandler(handler)
      }
    }.connect(host: "127.0.0.1", port: port).get()
  }

  func shutdown() async { try? await group.shutdownGracefully() }

  /// A request as it goes over the wire.
  static func request(_ path: String, _ body: String) -> ByteBuffer {
    ByteBuffer(
      string: "POST \(path) HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Type: application/json\r\n"
        + "Content-Length: \(body.utf8.count)\r\n\r\n\(body)")
  }

  static func base64(_ text: String) -> String { Data(text.utf8).base64EncodedString() }
}

/// A watch that only notes the time at which something comes.
final class BareWatch: ChannelInboundHandler, Sendable {
  typealias InboundIn = ByteBuffer
  typealias OutboundOut = ByteBuffer

  private let request: ByteBuffer
  private let board: Board
  private let created: AsyncStream<Void>
  private let whenCreated: AsyncStream<Void>.Continuation
  // On the channel's event loop only.
  nonisolated(unsafe) private var isCreated = false
  nonisolated(unsafe) private var lastRound = 0

  init(_ key: String, noting board: Board) {
    request = BareConnections.request(
      "/v3/watch", #"{"create_request":{"key":"\#(BareConnections.base64(key))"}}"#)
    self.board = board
    (created, whenCreated) = AsyncStream.makeStream()
  }

  func channelActive(context: ChannelHandlerContext) {
    context.writeAndFlush(wrapOutboundOut(request), promise: nil)
  }

  func channelRead(context: ChannelHandlerContext, data: NIOAny) {
    if isCreated {
      board.note(last: &lastRound)
      return
    }
    let text = String(buffer: unwrapInboundIn(data))
    guard text.contains(#""created":true"#) else { return }
    isCreated = true
    whenCreated.finish()
  }

  /// Waits until the member has set up the watch.
  func opened() async { for await _ in created {} }
}

/// A writer that stores a value, and another one as soon as the answer is there.
final class BareWriter: ChannelInboundHandler, Sendable {
  typealias InboundIn = ByteBuffer
  typealias OutboundOut = ByteBuffer

  private let request: ByteBuffer
  // On the channel's event loop only, and read when the channel is closed.
  nonisolated(unsafe) private(set) var count = 0
  nonisolated(unsafe) private var isOver = false

  init(_ key: String, value: String) {
    request = BareConnections.request(
      "/v3/kv/put", #"{"key":"\#(BareConnections.base64(key))","value":"\#(BareConnections.base64(value))"}"#)
  }

  func channelActive(context: ChannelHandlerContext) {
    context.writeAndFlush(wrapOutboundOut(request), promise: nil)
  }

  func channelRead(context: ChannelHandlerContext, data: NIOAny) {
    // An answer has 200 bytes and comes at once: a status, headers and {"header":{…}}.
    let answer = String(buffer: unwrapInboundIn(data))
    precondition(answer.hasPrefix("HTTP/1.1 200") && answer.hasSuffix("}}"), "etcd answered '\(answer)'")
    count += 1
    if isOver { context.close(promise: nil) } else { context.writeAndFlush(wrapOutboundOut(request), promise: nil) }
  }

  /// Ends after the answer that is awaited now.
  func finish(_ channel: any Channel) async throws {
    channel.eventLoop.execute { self.isOver = true }
    try await channel.closeFuture.get()
  }
}
