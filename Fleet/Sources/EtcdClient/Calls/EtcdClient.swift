import NIOCore
import NIOPosix
import Synchronization

/// A client of an etcd cluster, by gRPC.
///
/// Every call ends when nothing has come for ``EtcdConfiguration/deadline``, whatever happens to the members. Endpoints are
/// tried in turn, beginning with the one that answered last. A call is repeated only if it cannot have been carried out,
/// or if that does no harm; otherwise the error says ``EtcdError/mayHaveHappened``.
///
/// All calls and watches at one endpoint share one HTTP/2 connection.
///
/// ```swift
/// let client = try EtcdClient(EtcdConfiguration(endpoints: ["https://10.0.0.1:2379"], tls: tls))
/// let answer = try await client.range(EtcdRange(.prefix("/app-settings/1/")))
/// await client.shutdown()
/// ```
public final class EtcdClient: Sendable {
  /// What the client was created with.
  public let configuration: EtcdConfiguration
  private let endpoints: [Endpoint]
  private let tokens = TokenKeeper()
  /// Protects which endpoints are tried first.
  private let ring: Mutex<EndpointRing>
  /// Protects the credentials that were used last.
  private let credentials: Mutex<EtcdCredentials?>

  /// Creates a client. It connects when the first call is made.
  ///
  /// - Parameter configuration: Where the cluster is.
  /// - Throws: ``EtcdError`` with code `invalidArgument` if there is no endpoint or one is not an `http` or `https`
  ///   address, or `certificate` if a file of the certificates cannot be read.
  public init(_ configuration: EtcdConfiguration) throws(EtcdError) {
    guard !configuration.endpoints.isEmpty else { throw EtcdError(.invalidArgument, "No endpoint is given.") }
    self.configuration = configuration
    let addresses = try configuration.endpoints.map { text throws(EtcdError) in try Address(text) }
    let tls = addresses.contains(where: \.isTLS) ? try TLSContexts(configuration.tls ?? EtcdTLS()) : nil
    // An attempt goes on for the next call: over a slow line it takes longer than an endpoint's share of this one's time.
    let patience = max(configuration.deadline, .seconds(3))
    let group = configuration.eventLoopGroup ?? MultiThreadedEventLoopGroup.singleton
    endpoints = addresses.map {
      Endpoint($0, tls: tls, on: group.any(), patience: patience, pingInterval: configuration.pingInterval)
    }
    credentials = Mutex(configuration.credentials)
    ring = Mutex(EndpointRing(count: configuration.endpoints.count))
  }

  deinit {
    for endpoint in endpoints { _ = endpoint.close() }
  }

  /// That the client's certificate has expired, or will within two weeks; `nil` if it is good for longer, or there is none.
  public var certificateWarning: String? { endpoints.lazy.compactMap { $0.certificateWarning() }.first }

  /// Whether calls go to another endpoint than the first, because that did not answer.
  public var isAway: Bool { ring.withLock { $0.preferred != 0 } }

  /// Goes back to the first endpoint, if it answers. Calls go there then, and the connections to others are closed as soon as
  /// the calls and watches that they have are over.
  ///
  /// - Parameter key: A key that the user may read.
  /// - Returns: Whether it answered.
  public func returnToFirst(reading key: String) async -> Bool {
    guard isAway, let first = endpoints.first else { return false }
    let range = EtcdRange(.key(key), keysOnly: true)
    do throws(EtcdError) {
      _ = try await call(.range, range.message, at: first.url, needsLeader: true, as: EtcdRangeResponse.self)
    } catch {
      return false
    }
    ring.withLock { $0.succeeded(0) }
    for other in endpoints.dropFirst() { other.retire() }
    return true
  }

  /// Closes all connections. Open calls and watches end with an error; a call that waits for a connection does so at its
  /// deadline.
  public func shutdown() async {
    for closing in endpoints.compactMap({ $0.close() }) { try? await closing.get() }
  }
}

// MARK: - Calls

extension EtcdClient {
  /// What is done at one endpoint until a point in time, with a token.
  typealias Attempt<Value> = (Endpoint, String?, NIODeadline) async throws(EtcdError) -> Value

  /// Makes a call and reads the answer.
  func call<Answer: ProtobufReadable>(
    _ method: Method, _ message: OutgoingMessage, _ kind: Call.Kind, needsLeader: Bool = true,
    as type: Answer.Type = Answer.self
  ) async throws(EtcdError) -> Answer {
    let call = Call(method, message, kind, needsLeader: needsLeader)
    return try await inTurn(kind) { endpoint, token, deadline throws(EtcdError) in
      try await Self.send(call, to: endpoint, token, deadline)
    }
  }

  /// Makes a call at one endpoint, for what is about a member and not about the cluster.
  func call<Answer: ProtobufReadable>(
    _ method: Method, _ message: OutgoingMessage, at address: String, deadline: Duration? = nil,
    needsLeader: Bool = false, as type: Answer.Type = Answer.self
  ) async throws(EtcdError) -> Answer {
    guard let endpoint = endpoints.first(where: { $0.url == Address.withoutSlash(address) }) else {
      throw EtcdError(.invalidArgument, "'\(address)' is not an endpoint of this client.")
    }
    let call = Call(method, message, .repeatable, needsLeader: needsLeader)
    let end = NIODeadline.now() + TimeAmount(deadline ?? configuration.deadline)
    return try await authenticated(endpoint, tokenBy: end, until: end) { endpoint, token, deadline throws(EtcdError) in
      try await Self.send(call, to: endpoint, token, deadline)
    }
  }

  static func send<Answer: ProtobufReadable>(
    _ call: Call, to endpoint: Endpoint, _ token: String?, _ deadline: NIODeadline
  ) async throws(EtcdError) -> Answer {
    let message = try await endpoint.send(call, token: token, deadline: deadline)
    do {
      return try Answer(protobuf: message)
    } catch {
      // It says success; so a write was most likely carried out.
      throw endpoint.error(Exchange.Failure(error: error, wasSent: true), isWrite: call.isWrite)
    }
  }

  /// Tries endpoints until one answers, or the time is over.
  ///
  /// A repeatable call gets its share of the time at each endpoint, a second if there is time for that. A write that was
  /// sent gets all the time that is left, because another endpoint must not be asked while its outcome is unknown.
  func inTurn<Value>(_ kind: Call.Kind, _ attempt: Attempt<Value>) async throws(EtcdError) -> Value {
    let end = NIODeadline.now() + TimeAmount(configuration.deadline)
    var last = EtcdError(.deadlineExceeded, "No answer came in time.")
    var pause = Duration.milliseconds(10)
    // A member that refuses connections is not asked all the time, and the last pause takes little of the time.
    let longestPause = min(max(configuration.deadline / 10, .milliseconds(100)), .seconds(1))
    while true {
      let order = ring.withLock { $0.order(at: .now) }
      var isFinal = true
      for (position, index) in order.enumerated() {
        let endpoint = endpoints[index]
        let left = end - .now()
        guard left > .zero else { throw last }
        let even = TimeAmount.nanoseconds(left.nanoseconds / Int64(order.count - position))
        let share = .now() + max(even, min(.seconds(1), .nanoseconds(left.nanoseconds / 2)))
        let deadline = kind == .write ? end : share
        do throws(EtcdError) {
          let value = try await authenticated(endpoint, tokenBy: share, until: deadline, attempt)
          ring.withLock { $0.succeeded(index) }
          return value
        } catch {
          guard error.isRetryable || error.code == .certificate else {
            if error.code != .cancelled && error.code != .closed { ring.withLock { $0.succeeded(index) } }
            throw error
          }
          ring.withLock { $0.failed(index, at: .now) }
          if error.mayHaveHappened { throw error }
          // A try for which the time was too short says less than one that failed before.
          if error.code != .deadlineExceeded || last.code == .deadlineExceeded { last = error }
          if error.isRetryable { isFinal = false }
        }
      }
      if isFinal { throw last }
      // An election or a restart of a member takes some tenths of a second.
      let wait = pause * Double.random(in: 0.5...1.5)
      guard TimeAmount(wait) < end - .now() else { throw last }
      do { try await Task.sleep(for: wait) } catch { throw EtcdError(.cancelled, "The task was cancelled.") }
      pause = min(pause * 2, longestPause)
    }
  }

  /// Does something with the user's token, twice if the cluster refuses the token that was known.
  private func authenticated<Value>(
    _ endpoint: Endpoint, tokenBy share: NIODeadline, until deadline: NIODeadline, _ attempt: Attempt<Value>
  ) async throws(EtcdError) -> Value {
    guard credentials.withLock({ $0 }) != nil else {
      do throws(EtcdError) {
        return try await attempt(endpoint, nil, deadline)
      } catch {
        // A certificate without a name is a user without a name, who may do nothing.
        guard error.code == .permissionDenied else { throw error }
        if let given = configuration.renewedCredentials?() {
          credentials.withLock { $0 = given }
          return try await authenticated(endpoint, tokenBy: share, until: deadline, attempt)
        }
        let user = configuration.tls?.certificateFile == nil ? "" : " but the name of the certificate"
        throw EtcdError(.notAuthenticated, "\(error.message) (no user is given\(user))", endpoint: endpoint.url)
      }
    }
    let fetch: TokenKeeper.Fetch = { [self] () throws(EtcdError) in
      try await fetchToken(at: endpoint, until: share)
    }
    let patience = share - .now()
    // A login is an answer, after which there is as much time again.
    func renewed() -> NIODeadline { max(deadline, .now() + patience) }
    let token = try await tokens.token(fetch)
    do throws(EtcdError) {
      return try await attempt(endpoint, token, renewed())
    } catch {
      if error.code == .deadlineExceeded { forget(token, ifAheadOf: endpoint) }
      guard error.code == .notAuthenticated, !error.mayHaveHappened else { throw error }
      tokens.refuse(token)
      return try await attempt(endpoint, try await tokens.token(fetch), renewed())
    }
  }

  /// Forgets a token of a cluster whose log was longer, such as one that a backup has replaced since.
  ///
  /// A token of etcd's own kind ends with an index of the log. A member that does not have that yet waits for it before it
  /// says that it does not know the token: on a restored cluster, for days.
  private func forget(_ token: String?, ifAheadOf endpoint: Endpoint) {
    guard let index = token?.split(separator: ".").last.flatMap({ UInt64($0) }) else { return }
    let call = Call(.status, [:], .repeatable, needsLeader: false)
    Task {
      guard let status: EtcdStatus = try? await Self.send(call, to: endpoint, nil, .now() + .seconds(1)),
        status.raftIndex < index
      else { return }
      tokens.refuse(token)
    }
  }

  /// - Returns: A token, or `nil` if the cluster has no authentication.
  private func fetchToken(at endpoint: Endpoint, until deadline: NIODeadline) async throws(EtcdError) -> String? {
    guard let known = credentials.withLock({ $0 }) else { return nil }
    do throws(EtcdError) {
      return try await fetchToken(known, at: endpoint, until: deadline)
    } catch {
      // They may have been changed since.
      guard error.code == .notAuthenticated, let renewed = configuration.renewedCredentials?(), renewed != known else {
        throw error
      }
      let token = try await fetchToken(renewed, at: endpoint, until: deadline)
      credentials.withLock { $0 = renewed }
      return token
    }
  }

  private func fetchToken(_ credentials: EtcdCredentials, at endpoint: Endpoint, until deadline: NIODeadline)
    async throws(EtcdError) -> String?
  {
    let call = Call(.authenticate, [1: .text(credentials.user), 2: .text(credentials.password)], .repeatable)
    do throws(EtcdError) {
      let answer: TokenAnswer = try await Self.send(call, to: endpoint, nil, deadline)
      return answer.token
    } catch {
      guard error.code == .failedPrecondition else { throw error }
      return nil
    }
  }
}
