import NIOCore
import Synchronization

/// A client's connection.
final class Connection: Sendable {
  private struct State {
    var isGone = false
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
    var open: [ObjectIdentifier: (channel: any Channel, connection: Connection)] = [:]
  }

  // Protects the list of connections and their number.
  private let state: Mutex<State>

  init(_ limits: Limits) {
    state = Mutex(
      State(limit: ConnectionLimit(serving: limits.connections, refusing: limits.refusedConnections)))
  }

  func open(_ channel: any Channel) -> (ConnectionLimit.Verdict, Connection) {
    let connection = Connection()
    let verdict = state.withLock { state in
      let verdict = state.limit.open()
      if verdict == .serve { state.open[ObjectIdentifier(channel)] = (channel, connection) }
      return verdict
    }
    return (verdict, connection)
  }

  func close(_ channel: any Channel, _ verdict: ConnectionLimit.Verdict) {
    state.withLock { state in
      state.limit.close(verdict)
      if verdict == .serve { state.open[ObjectIdentifier(channel)] = nil }
    }
  }

  subscript(channel: any Channel) -> Connection? { state.withLock { $0.open[ObjectIdentifier(channel)]?.connection } }

  /// Closes all connections, whatever they are doing.
  func closeAll() {
    for (channel, _) in state.withLock({ Array($0.open.values) }) { channel.close(promise: nil) }
  }
}
