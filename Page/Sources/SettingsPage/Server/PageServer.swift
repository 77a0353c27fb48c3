import Glibc
import HummingbirdCore
import Logging
import NIOCore
import NIOPosix

/// The server of the settings page.
public final class PageServer: Sendable {
  private let configuration: PageConfiguration
  private let life: Life

  /// Makes a server, which listens once ``run(whenRunning:)`` is called.
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
    let limits = configuration.limits
    let connections = Connections(limits)
    let commands = try Commands(configuration.command, environment: configuration.environment, limits)
    let hub = WatchHub(commands, limits)
    let trials = Trials(commands, hub)
    let interface = Interface(
      commands: commands, trials: trials, hub: hub, life: life, servedPath: configuration.target,
      session: (configuration.code, configuration.token))
    let responder = Responder(
      requestGuard: RequestGuard(token: configuration.token), assets: Assets(environment: configuration.environment),
      routes: interface.routes, limits: limits, connections: connections, life: life)
    try configuration.endpoint.prepare()
    let socket = SocketFile(configuration.endpoint)
    defer { socket.remove() }
    let recovery = trials.startRecovery()
    let unserved = UnservedConnections()
    let server = server(responder, connections, unserved, group) { [configuration] channel in
      socket.made()
      whenRunning(PageAddress(channel.localAddress, configuration))
    }
    let ending = Task { [life] in
      guard await life.waitForEnd() else { return }
      await trials.shutDown()
      hub.shutDown()
      // A client that does not read, or has sent half a request, does not put off the end.
      let closing = Task {
        guard (try? await Task.sleep(for: limits.farewell)) != nil else { return }
        connections.closeAll()
      }
      try? await server.shutdownGracefully()
      closing.cancel()
    }
    var failure: (any Error)?
    do {
      try await server.run()
      await ending.value
      await recovery.value
    } catch {
      ending.cancel()
      failure = error
    }
    await unserved.close(group.any())
    await commands.end()
    try? await group.shutdownGracefully()
    guard let failure else { return }
    let reason = (failure as? IOError).map { String(cString: strerror($0.errnoCode)) } ?? "\(failure)"
    let advice =
      if case .loopback(1...) = configuration.endpoint { " Without '--port', it listens on a free one." } else { "" }
    throw PageError("Cannot listen at \(configuration.endpoint): \(reason).\(advice)")
  }

  /// Ends the server, as if the last tab had been closed.
  public func end() { life.end() }

  private func server(
    _ responder: Responder, _ connections: Connections, _ unserved: UnservedConnections, _ group: any EventLoopGroup,
    whenRunning: @escaping @Sendable (any Channel) async -> Void
  ) -> Server<PageChannel> {
    let limits = configuration.limits
    let channel = HTTP1Channel(
      responder: responder.respond,
      configuration: .init(
        additionalChannelHandlers: [ConnectionHandler(connections, limits)],
        httpDecoderConfiguration: .init(
          maxHeaderFieldSize: limits.head, maxHeaderListSize: limits.head, maxHeaderFieldCount: 100)))
    return Server(
      childChannelSetup: PageChannel(http: channel, unserved: unserved),
      configuration: ServerConfiguration(
        address: configuration.endpoint.address(hasIPv4: configuration.hasIPv4), backlog: 128),
      onServerRunning: whenRunning, eventLoopGroup: group,
      // Nothing is logged: a line of a log could have what a request has.
      logger: Logger(label: "settings-page") { _ in SwiftLogNoOpLogHandler() })
  }
}
