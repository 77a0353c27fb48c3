import NIOCore
import Synchronization

/// A client's connection.
final class Connection: Sendable {
  private struct State {
    var isGone = false
    var isTrusted = false
    var observer: (@Sendable () -> Void)?
  }

  // Protects whether the client is gone, and who is to know.
  private let state = Mutex(State())

  /// Has an action run when the client goes away, in place of the one before; at once if it has gone already.
  func whenGone(_ action: (@Sendable () -> Void)?) {
    let isGone = state.withLock { state in
      state.observer = action
      return state.isGone
    }
    if isGone { action?() }
  }

  /// Whether a request on it had the token.
  var isTrusted: Bool { state.withLock { $0.isTrusted } }

  func markTrusted() { state.withLock { $0.isTrusted = true } }

  func markGone() {
    let observer = state.withLock { state -> (@Sendable () -> Void)? in
      guard !state.isGone else { return nil }
      state.isGone = true
      return state.observer
    }
    observer?()
  }
}

/// All connections.
final class Connections: Sendable {
  private struct State {
    var limit: ConnectionLimit
    /// Those that are served, the oldest first.
    var open: [(channel: any Channel, connection: Connection)] = []
  }

  // Protects the list of connections, and how many are refused. A connection's own lock is taken within it.
  private let state: Mutex<State>

  init(_ limits: Limits) {
    state = Mutex(
      State(limit: ConnectionLimit(serving: limits.connections, refusing: limits.refusedConnections)))
  }

  func open(_ channel: any Channel) -> (ConnectionLimit.Verdict, Connection) {
    let connection = Connection()
    let (verdict, loser) = state.withLock { state -> (ConnectionLimit.Verdict, (any Channel)?) in
      var loser: (any Channel)?
      if state.open.count >= state.limit.mostServed,
        let oldest = state.open.firstIndex(where: { !$0.connection.isTrusted })
      {
        loser = state.open.remove(at: oldest).channel
      }
      let verdict = state.limit.open(beside: state.open.count)
      if verdict == .serve { state.open.append((channel, connection)) }
      return (verdict, loser)
    }
    loser?.close(promise: nil)
    return (verdict, connection)
  }

  func close(_ channel: any Channel, _ verdict: ConnectionLimit.Verdict) {
    state.withLock { state in
      state.open.removeAll { $0.channel === channel }
      state.limit.close(verdict)
    }
  }

  subscript(channel: any Channel) -> Connection? {
    state.withLock { $0.open.first { $0.channel === channel }?.connection }
  }

  /// Closes all connections, whatever they are doing.
  func closeAll() {
    for (channel, _) in state.withLock({ $0.open }) { channel.close(promise: nil) }
  }
}
