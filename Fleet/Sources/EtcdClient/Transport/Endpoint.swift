import Glibc
import NIOCore
import NIOHPACK
import NIOHTTP2
import NIOPosix
import NIOSSL
import Synchronization

/// A member's address, with one connection for all its calls.
final class Endpoint: Sendable {
  private struct State {
    /// Is opened by the first call that needs it; has succeeded while it is in use.
    var connection: EventLoopFuture<Connection>?
    /// All that are open, those too that take no further calls.
    var open: [ObjectIdentifier: Connection] = [:]
    /// Calls in a row without an answer in time.
    var timeouts = 0
    var wasAccepted = false
    var isClosed = false
  }

  private struct Closed: Error {}

  let address: Address
  private let tls: TLSContexts?
  private let loop: any EventLoop
  private let resolver: NameResolver
  /// How long a connection may take to come about. It goes on after the call that began it has given up.
  private let patience: Duration
  /// Protects which connection is in use.
  private let state = Mutex(State())

  private let pingInterval: Duration?

  init(_ address: Address, tls: TLSContexts?, on loop: any EventLoop, patience: Duration, pingInterval: Duration?) {
    self.pingInterval = pingInterval
    self.address = address
    self.tls = address.isTLS ? tls : nil
    self.loop = loop
    resolver = NameResolver(loop: loop)
    self.patience = patience
  }

  var url: String { address.url }

  func certificateWarning() -> String? { tls?.warning(at: time(nil)) }

  // MARK: Calls

  /// Makes one call.
  ///
  /// - Parameters:
  ///   - call: What to ask.
  ///   - token: The user's token.
  ///   - deadline: When the call ends without an answer.
  /// - Returns: The message of the answer.
  func send(_ call: Call, token: String?, deadline: NIODeadline) async throws(EtcdError) -> ByteBuffer {
    let answer = SingleAnswer(on: loop)
    let exchange = exchange(call, token: token, to: answer)
    start(exchange, deadline: deadline)
    do {
      return try await exchange.wait(for: answer.message)
    } catch {
      throw self.error(error, isWrite: call.isWrite)
    }
  }

  /// Describes a call whose answer a receiver takes. It begins with ``start(_:deadline:)``.
  func exchange(
    _ call: Call, token: String?, staysOpen: Bool = false, following: [ByteBuffer] = [],
    to receiver: some AnswerReceiver
  ) -> Exchange {
    var headers: HPACKHeaders = [
      ":method": "POST", ":scheme": address.isTLS ? "https" : "http", ":path": call.method.path,
      ":authority": address.authority, "te": "trailers", "content-type": "application/grpc",
    ]
    if call.needsLeader { headers.add(name: "hasleader", value: "true") }
    if let token { headers.add(name: "token", value: token) }
    return Exchange(call, headers: headers, on: loop, staysOpen: staysOpen, following: following, to: receiver)
  }

  func makePromise() -> EventLoopPromise<Void> { loop.makePromise() }

  /// Sends a call as soon as there is a connection.
  func start(_ exchange: Exchange, deadline: NIODeadline) {
    loop.execute { [self] in
      let opening = connect()
      exchange.setDeadline(deadline) { self.note(hasAnswered: $0, opening) }
      opening.whenComplete { result in
        switch result {
        case .success(let connection):
          guard !exchange.isOver else { return }
          exchange.hasProgressed()
          connection.send(exchange)
        case .failure(let error): exchange.end(error)
        }
      }
    }
  }

  // MARK: The connection

  /// Called on the event loop.
  private func connect() -> EventLoopFuture<Connection> {
    let (isClosed, known) = state.withLock { ($0.isClosed, $0.connection) }
    if isClosed { return loop.makeFailedFuture(Closed()) }
    if let known { return known }
    let opening = Connection.open(
      to: address, tls: tls?.current, on: loop, by: resolver, within: TimeAmount(patience),
      pingInterval: pingInterval.map { TimeAmount($0) }
    ).flatMapError { [tls, address, loop, resolver] error in
      guard let tls, TLSReason.isVerification(error) else { return loop.makeFailedFuture(error) }
      return TLSReason.explaining(error, at: address, authority: tls.authority, on: loop, by: resolver)
    }
    state.withLock { $0.connection = opening }
    opening.whenComplete { [self] result in
      guard case .success(let connection) = result else { return forget(opening) }
      let isWanted = state.withLock { state in
        state.wasAccepted = true
        state.open[ObjectIdentifier(connection)] = connection
        // The client may have been shut down since this was begun.
        return state.connection === opening && !state.isClosed
      }
      connection.whenOver { self.forget(opening) }
      connection.whenClosed { self.state.withLock { _ = $0.open.removeValue(forKey: ObjectIdentifier(connection)) } }
      if !isWanted { connection.close() }
    }
    return opening
  }

  private func forget(_ connection: EventLoopFuture<Connection>?) {
    state.withLock { state in
      guard state.connection === connection else { return }
      state.connection = nil
      state.timeouts = 0
    }
  }

  /// A connection that nobody answers would be used by all later calls. After three calls without an answer there is a
  /// new one; the calls and watches of the old one end.
  private func note(hasAnswered: Bool, _ connection: EventLoopFuture<Connection>) {
    let isDead = state.withLock { state in
      guard state.connection === connection else { return false }
      state.timeouts = hasAnswered ? 0 : state.timeouts + 1
      return state.timeouts == 3
    }
    guard isDead else { return }
    forget(connection)
    connection.whenSuccess { $0.close() }
  }

  /// Takes no further calls over the connection that there is, which is closed when those that it has are over.
  func retire() {
    loop.execute { [self] in
      let known = state.withLock { $0.connection }
      forget(known)
      known?.whenSuccess { $0.retire() }
    }
  }

  /// Closes all connections, and one that is yet to come about as soon as it does: nobody waits for that. Calls fail from
  /// now on.
  ///
  /// - Returns: `nil` if nothing was open. The loop may have ended before its client is released.
  func close() -> EventLoopFuture<Void>? {
    let open = state.withLock { state in
      (state.isClosed, state.connection) = (true, nil)
      return Array(state.open.values)
    }
    return open.isEmpty ? nil : EventLoopFuture.andAllComplete(open.map { $0.close() }, on: loop)
  }

  // MARK: Errors

  /// What an error of an exchange means, in the words of the client.
  func error(_ error: any Error, isWrite: Bool) -> EtcdError {
    guard let failure = error as? Exchange.Failure else { return described(error, wasSent: false, isWrite: isWrite) }
    return described(failure.error, wasSent: failure.wasSent, isWrite: isWrite)
  }

  private func described(_ error: any Error, wasSent: Bool, isWrite: Bool) -> EtcdError {
    func make(_ code: EtcdError.Code, _ message: String) -> EtcdError {
      EtcdError(code, message, endpoint: url, mayHaveHappened: wasSent && isWrite)
    }
    let (wasAccepted, isClosed) = state.withLock { ($0.wasAccepted, $0.isClosed) }
    switch error {
    case let error as EtcdError: return error
    case let error as WireError: return error.error(endpoint: url, isWrite: isWrite)
    case is RPCFrames.Invalid, is MalformedMessage:
      return make(.internal, "The cluster's answer cannot be read: \(error)")
    case Exchange.End.deadline: return make(.deadlineExceeded, "No answer came in time.")
    case Exchange.End.cancelled: return make(.cancelled, "The task was cancelled.")
    // A member that is stopped in order ends its streams like that.
    case Exchange.End.noStatus: return make(.unavailable, "The member ended the call without a status.")
    case Exchange.End.noMessage: return make(.internal, "The cluster answered without a message.")
    case Exchange.End.manyMessages: return make(.internal, "The cluster answered with more than one message.")
    case Exchange.End.http(let status): return make(Self.code(ofStatus: status), "HTTP status \(status), no gRPC")
    // A member with TLS that is just stopped leaves the answer to its HTTP server.
    case Exchange.End.foreign(nil):
      return make(.unavailable, "The answer had no content type: the member was just stopped, or it is no member.")
    case Exchange.End.foreign(let type?):
      return make(.internal, "Something that is no member answered, with the content type '\(type)'.")
    case is Closed: return make(.closed, "The client was shut down.")
    case Connection.Failure.closed where isClosed: return make(.closed, "The client was shut down.")
    case Connection.Failure.closed where address.isTLS && !wasSent && !wasAccepted:
      return make(.certificate, "The member closed a new connection: it does not accept the client's certificate.")
    case Connection.Failure.closed where !wasSent && !wasAccepted:
      return make(
        .unavailable, "The member closed a new connection. If it wants TLS, its endpoint begins with https://.")
    case Connection.Failure.closed, ChannelError.ioOnClosedChannel, ChannelError.inputClosed, ChannelError.eof:
      return make(.unavailable, "The member closed the connection.")
    case Connection.Failure.silent: return make(.unavailable, "The member did not answer any more.")
    case Connection.Failure.late, ChannelError.connectTimeout:
      return make(.unavailable, "No connection came about in time.")
    case Connection.Failure.noHTTP2(let negotiated):
      return make(.unavailable, "It does not speak HTTP/2, but '\(negotiated ?? "")': it is no member.")
    case let error as NIOHTTP2Errors.StreamClosed:
      return make(.unavailable, "The member ended the call: \(error.errorCode)")
    case is any NIOHTTP2Error where !wasSent && !wasAccepted:
      return make(.unavailable, "What answers there does not speak HTTP/2: it is no member.")
    case NIOSSLError.handshakeFailed(.sslError([.eofDuringHandshake])):
      return make(
        .unavailable, "The member closed a new connection. If it has no TLS, its endpoint begins with http://.")
    case NIOSSLError.handshakeFailed(.sslError), BoringSSLError.sslError, is NIOSSLExtraError, is TLSReason.Untrusted:
      // What ends a connection that was used before says nothing about the certificates.
      return make(wasSent ? .unavailable : .certificate, text(of: error))
    case let error as NIOConnectionError:
      guard let first = error.connectionErrors.first else {
        let reason = (error.dnsAError ?? error.dnsAAAAError).map { ": \($0)" } ?? ""
        return make(.unavailable, "The name '\(error.host)' has no address\(reason)")
      }
      return described(first.error, wasSent: wasSent, isWrite: isWrite)
    case let error as IOError:
      return make(.unavailable, "The connection failed: \(String(cString: strerror(error.errnoCode)))")
    default:
      return make(.unavailable, "The connection failed: \(error)")
    }
  }

  private func text(of error: any Error) -> String {
    let text = TLSReason.text(of: error, host: address.host)
    return certificateWarning().map { "\(text) \($0)" } ?? text
  }

  /// What a status of HTTP says where gRPC has none:
  /// https://github.com/grpc/grpc/blob/master/doc/http-grpc-status-mapping.md
  private static func code(ofStatus status: String) -> EtcdError.Code {
    switch status {
    case "401": .notAuthenticated
    case "403": .permissionDenied
    case "404": .unsupported
    case "429", "502", "503", "504": .unavailable
    default: .internal
    }
  }
}
