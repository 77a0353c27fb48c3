import HummingbirdCore
import Logging
import NIOCore
import Synchronization

/// Sets up connections for HTTP, and keeps those that were accepted while the server ended, so that they are closed.
///
/// Nobody serves such a connection. NIO ends the program if the writer of one is released before it is finished.
struct PageChannel: ServerChildChannel {
  let http: HTTP1Channel
  let unserved: UnservedConnections

  func setup(channel: any Channel, logger: Logger) -> EventLoopFuture<AcceptedConnection> {
    http.setup(channel: channel, logger: logger).map { [unserved] in AcceptedConnection($0, unserved) }
  }

  func handle(value: AcceptedConnection, logger: Logger) async {
    guard let connection = value.take() else { return }
    await http.handle(value: connection, logger: logger)
  }
}

/// A connection that is yet to be served.
final class AcceptedConnection: ServerChildChannelValue {
  let channel: any Channel
  // Protects the connection, which is taken once: by who serves it, or at the end.
  private let connection: Mutex<HTTP1Channel.Value?>
  private let unserved: UnservedConnections

  init(_ connection: HTTP1Channel.Value, _ unserved: UnservedConnections) {
    channel = connection.channel
    self.connection = Mutex(connection)
    self.unserved = unserved
  }

  deinit { if let connection = take() { unserved.add(connection) } }

  func take() -> HTTP1Channel.Value? {
    connection.withLock { connection in
      defer { connection = nil }
      return connection
    }
  }
}

/// The connections that were accepted and not served.
final class UnservedConnections: Sendable {
  // Protects the list.
  private let connections = Mutex<[HTTP1Channel.Value]>([])

  fileprivate func add(_ connection: HTTP1Channel.Value) { connections.withLock { $0.append(connection) } }

  private func takeAll() -> [HTTP1Channel.Value] {
    connections.withLock { connections in
      defer { connections = [] }
      return connections
    }
  }

  /// Closes them, once no more are accepted.
  ///
  /// - Parameter loop: Where the channel that accepted them is released, in a turn after the one that closed it.
  func close(_ loop: any EventLoop) async {
    var connections: [HTTP1Channel.Value] = []
    repeat {
      try? await loop.submit {}.get()
      connections = takeAll()
      for connection in connections { try? await connection.executeThenClose { _, _ in } }
    } while !connections.isEmpty
  }
}
