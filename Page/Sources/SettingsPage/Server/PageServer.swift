import Glibc
import HummingbirdCore
import Logging
import NIOCore
import NIOPosix

/// The server of the settings page.
public final class PageServer: Sendable {
  private let configuration: PageConfiguration
  private let life: Life

  public init(_ configuration: PageConfiguration) {
    self.configuration = configuration
    life = Life(configuration.limits)
  }

  /// Serves until the last tab is closed, or ``end()`` is called.
  ///
  /// - Parameter whenRunning: Runs once connections are accepted; gets the address to open.
  /// - Throws: ``PageError`` if it cannot listen.
  public func run(whenRunning: @escaping @Sendable (PageAddress) -> Void) async throws {
    let group = MultiThreadedEventLoopGroup(numberOfThreads: 1)
    defer { group.shutdownGracefully { _ in } }
    let connections = Connections(configuration.limits)
    let responder = Responder(
      requestGuard: RequestGuard(token: configuration.token), assets: Assets(environment: configuration.environment),
      routes: [], limits: configuration.limits, connections: connections, life: life)
    try configuration.endpoint.prepare()
    defer { configuration.endpoint.remove() }
    try await listen { address in
      server(at: address, responder, connections, group) { [configuration] channel in
        configuration.endpoint.protect()
        whenRunning(PageAddress(channel.localAddress, configuration))
      }
    }
  }

  /// Ends the server, as if the last tab had been closed.
  public func end() { life.end() }

  /// Listens at the first address that this machine has.
  private func listen(_ make: (BindAddress) -> Server<HTTP1Channel>) async throws {
    for address in configuration.endpoint.addresses {
      let server = make(address)
      let ending = Task { [life] in
        await life.waitForEnd()
        try? await server.shutdownGracefully()
      }
      defer { ending.cancel() }
      do {
        return try await server.run()
      } catch let error as IOError {
        guard address != configuration.endpoint.addresses.last, Endpoint.isMissingAddress(error) else {
          throw PageError("Cannot listen at \(configuration.endpoint): \(error.reasonPhrase).")
        }
      }
    }
  }

  private func server(
    at address: BindAddress, _ responder: Responder, _ connections: Connections, _ group: any EventLoopGroup,
    whenRunning: @escaping @Sendable (any Channel) async -> Void
  ) -> Server<HTTP1Channel> {
    let limits = configuration.limits
    let channel = HTTP1Channel(
      responder: responder.respond,
      configuration: .init(
        additionalChannelHandlers: [ConnectionHandler(connections, limits)],
        httpDecoderConfiguration: .init(
          maxHeaderFieldSize: limits.head, maxHeaderListSize: limits.head, maxHeaderFieldCount: 100)))
    return Server(
      childChannelSetup: channel, configuration: ServerConfiguration(address: address, backlog: 128),
      onServerRunning: whenRunning, eventLoopGroup: group,
      // Nothing is logged: a line of a log could have what a request has.
      logger: Logger(label: "settings-page") { _ in SwiftLogNoOpLogHandler() })
  }
}

extension IOError {
  fileprivate var reasonPhrase: String { String(cString: strerror(errnoCode)) }
}
