import NIOCore
import NIOPosix
import Synchronization

/// Stands between a client and a member, and makes the network fail.
public final class TCPProxy: Sendable {
  /// What happens to bytes and connections.
  public enum Mode: Sendable, Hashable {
    /// They get through.
    case forward
    /// They get through later.
    case delay(Duration)
    /// They get through later, and not more than so many in a second each way.
    case line(delay: Duration, bytesPerSecond: Int?)
    /// Connections are accepted, and nothing gets through; what was sent comes when the mode changes.
    case blackHole
    /// There is nobody at the port.
    case refuse
  }

  /// The port that the proxy listens to, on the loopback interface.
  public let port: Int
  private let target: Int
  private let host: String

  private struct State {
    var mode = Mode.forward
    var listener: (any Channel)?
    var relays: [ObjectIdentifier: Relay] = [:]
    var accepted = 0
    var bytesToClients = 0
    var bytesToMembers = 0
  }

  /// Protects the mode and the connections.
  private let state = Mutex(State())

  /// Starts a proxy.
  ///
  /// - Parameters:
  ///   - target: The port to connect to, on the loopback interface.
  ///   - host: The address of that interface to listen at.
  public static func start(to target: Int, host: String = "127.0.0.1") async throws -> TCPProxy {
    let proxy = TCPProxy(port: FreePorts.next(), target: target, host: host)
    try await proxy.listen()
    return proxy
  }

  private init(port: Int, target: Int, host: String) {
    self.port = port
    self.target = target
    self.host = host
  }

  deinit {
    let (listener, relays) = state.withLock { ($0.listener, $0.relays.values) }
    listener?.close(promise: nil)
    for relay in relays { relay.close() }
  }

  /// How many connections were accepted.
  public var connections: Int { state.withLock { $0.accepted } }

  /// How many bytes have come for clients.
  public var bytesToClients: Int { state.withLock { $0.bytesToClients } }

  /// How many bytes have come for members.
  public var bytesToMembers: Int { state.withLock { $0.bytesToMembers } }

  /// How many connections are open.
  public var openConnections: Int { state.withLock { $0.relays.count } }

  /// The ports of the clients of these.
  package var clientPorts: [Int] { state.withLock { $0.relays.values.compactMap(\.clientPort) } }

  /// Changes what happens to bytes and connections, those that are open and those that come.
  ///
  /// - Parameter mode: What happens.
  public func set(_ mode: Mode) async throws {
    let (relays, listener) = state.withLock { state in
      state.mode = mode
      let listener = state.listener
      if mode == .refuse { state.listener = nil }
      return (Array(state.relays.values), listener)
    }
    if mode == .refuse {
      try await listener?.close()
      await cut()
    } else {
      if listener == nil { try await listen() }
      for relay in relays { relay.flush() }
    }
  }

  /// Closes all open connections; returns when they are closed.
  public func cut() async {
    let relays = state.withLock { Array($0.relays.values) }
    for relay in relays { await relay.closed() }
  }

  /// Lets nothing more through the connections that are open, for good; new ones work. This is what a network does
  /// that forgot its connections.
  public func forget() {
    for relay in state.withLock({ Array($0.relays.values) }) { relay.forget() }
  }

  /// Closes everything.
  public func stop() async {
    try? await set(.refuse)
  }

  fileprivate var mode: Mode { state.withLock { $0.mode } }

  private func listen() async throws {
    let channel = try await ServerBootstrap(group: .singletonMultiThreadedEventLoopGroup)
      .serverChannelOption(.socketOption(.so_reuseaddr), value: 1)
      .serverChannelOption(.backlog, value: 1024)
      .childChannelOption(.autoRead, value: false)
      .childChannelInitializer { [weak self] client in
        guard let self else { return client.close() }
        return self.accept(client)
      }
      .bind(host: host, port: port).get()
    state.withLock { $0.listener = channel }
  }

  private func accept(_ client: any Channel) -> EventLoopFuture<Void> {
    state.withLock { $0.accepted += 1 }
    let key = ObjectIdentifier(client)
    let relay = Relay(client: client, mode: { [weak self] in self?.mode ?? .refuse }) {
      [weak self] count, isForClient in
      self?.state.withLock { state in
        if isForClient { state.bytesToClients += count } else { state.bytesToMembers += count }
      }
    }
    state.withLock { $0.relays[key] = relay }
    client.closeFuture.whenComplete { [weak self] _ in
      self?.state.withLock { $0.relays[key] = nil }
      relay.close()
    }
    return ClientBootstrap(group: client.eventLoop)
      .channelOption(.autoRead, value: false)
      .connect(host: "127.0.0.1", port: target)
      .flatMap { relay.join($0) }
      .flatMapErrorThrowing { _ in client.close(promise: nil) }
  }
}

/// One connection of a client with the one that the proxy made for it. Both are on one event loop.
private final class Relay: Sendable {
  private let client: any Channel
  private let mode: @Sendable () -> TCPProxy.Mode
  private let count: @Sendable (Int, _ isForClient: Bool) -> Void

  private struct State {
    /// When each side's line is free again.
    var free: [ObjectIdentifier: NIODeadline] = [:]
    var server: (any Channel)?
    /// What waits, in order; no bytes stand for the end of the connection.
    var waiting: [(to: any Channel, bytes: ByteBuffer?, due: NIODeadline)] = []
    var isForgotten = false

    /// What goes the other way does not wait for it.
    mutating func add(_ new: (to: any Channel, bytes: ByteBuffer?, due: NIODeadline)) {
      let before = waiting.lastIndex { $0.due <= new.due || $0.to === new.to }
      waiting.insert(new, at: before.map { $0 + 1 } ?? 0)
    }
  }

  /// Protects what waits, for the event loop and for those who change the mode.
  private let state = Mutex(State())

  init(
    client: any Channel, mode: @escaping @Sendable () -> TCPProxy.Mode,
    counting count: @escaping @Sendable (Int, _ isForClient: Bool) -> Void
  ) {
    self.client = client
    self.mode = mode
    self.count = count
  }

  var clientPort: Int? { client.remoteAddress?.port }

  func join(_ server: any Channel) -> EventLoopFuture<Void> {
    state.withLock { $0.server = server }
    client.closeFuture.whenComplete { _ in server.close(promise: nil) }
    return client.eventLoop.makeCompletedFuture {
      try client.pipeline.syncOperations.addHandler(Side(relay: self, other: server))
      try server.pipeline.syncOperations.addHandler(Side(relay: self, other: client))
    }.flatMap { [client] in
      client.setOption(.autoRead, value: true).and(server.setOption(.autoRead, value: true)).map { _ in }
    }
  }

  /// Takes bytes, or the end, that came from one side for the other.
  func take(_ bytes: ByteBuffer?, to channel: any Channel) {
    if let bytes { count(bytes.readableBytes, channel === client) }
    var (delay, rate) = (TimeAmount.zero, Int?.none)
    switch mode() {
    case .delay(let duration): delay = TimeAmount(duration)
    case .line(let duration, let bytesPerSecond): (delay, rate) = (TimeAmount(duration), bytesPerSecond)
    default: break
    }
    state.withLock { state in
      guard !state.isForgotten else { return }
      guard let rate, var rest = bytes else { return state.add((channel, bytes, .now() + delay)) }
      // In pieces, as a line has them.
      while let piece = rest.readSlice(length: min(4096, rest.readableBytes)), piece.readableBytes > 0 {
        let side = ObjectIdentifier(channel)
        let begin = max(.now(), state.free[side] ?? .now())
        let end = begin + .nanoseconds(Int64(piece.readableBytes) * 1_000_000_000 / Int64(rate))
        state.free[side] = end
        state.add((channel, piece, end + delay))
      }
    }
    passOn()
  }

  func forget() { state.withLock { $0.isForgotten = true } }

  func flush() { client.eventLoop.execute { [self] in passOn() } }

  /// Passes on what is due, in the order in which it came: nothing overtakes what waits.
  private func passOn() {
    while mode() != .blackHole {
      enum Step {
        case pass(any Channel, ByteBuffer?)
        case wait(NIODeadline)
      }
      let step = state.withLock { state -> Step? in
        guard let first = state.waiting.first else { return nil }
        guard first.due <= .now() else { return .wait(first.due) }
        state.waiting.removeFirst()
        return .pass(first.to, first.bytes)
      }
      switch step {
      case .pass(let channel, let bytes?): channel.writeAndFlush(bytes, promise: nil)
      case .pass(let channel, nil): channel.close(promise: nil)
      case .wait(let due):
        client.eventLoop.scheduleTask(deadline: due) { [self] in passOn() }
        return
      case nil: return
      }
    }
  }

  func close() {
    client.close(promise: nil)
    state.withLock { $0.server }?.close(promise: nil)
  }

  func closed() async {
    close()
    _ = try? await client.closeFuture.get()
  }
}

private final class Side: ChannelInboundHandler {
  typealias InboundIn = ByteBuffer

  private let relay: Relay
  private let other: any Channel

  init(relay: Relay, other: any Channel) {
    self.relay = relay
    self.other = other
  }

  func channelRead(context: ChannelHandlerContext, data: NIOAny) { relay.take(unwrapInboundIn(data), to: other) }

  func channelInactive(context: ChannelHandlerContext) { relay.take(nil, to: other) }

  func errorCaught(context: ChannelHandlerContext, error: any Error) { context.close(promise: nil) }
}
