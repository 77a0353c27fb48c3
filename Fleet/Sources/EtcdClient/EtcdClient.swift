import AsyncHTTPClient
public import Logging
import NIOCore
import NIOHTTP1
import NIOSSL
import Synchronization

/// A client of an etcd cluster.
///
/// Over TLS, calls about keys and leases, and watches, are made by gRPC. All other calls, and all calls without TLS, use the
/// cluster's JSON gateway, which is a gRPC client within the member and costs it more time.
///
/// Every call ends within ``EtcdConfiguration/deadline``, whatever happens to the members. Endpoints are tried in turn,
/// beginning with the one that answered last. A call is repeated only if it cannot have been carried out, or if it
/// changes nothing; otherwise the error says ``EtcdError/mayHaveHappened``.
///
/// Over TLS, all calls and watches at one endpoint share one HTTP/2 connection.
///
/// ```swift
/// let client = try EtcdClient(EtcdConfiguration(endpoints: ["https://10.0.0.1:2379"], tls: tls))
/// let answer = try await client.range(EtcdRange(.prefix("/app-settings/1/")))
/// await client.shutdown()
/// ```
public final class EtcdClient: Sendable {
  /// What the client was created with.
  public let configuration: EtcdConfiguration
  let logger: Logger
  private let endpoints: [Endpoint]
  private let tokens = TokenKeeper()
  /// Protects which endpoints are tried first.
  private let ring: Mutex<EndpointRing>

  /// Creates a client. It connects when the first call is made.
  ///
  /// - Parameters:
  ///   - configuration: Where the cluster is.
  ///   - logger: What failed endpoints are reported to, at level debug.
  /// - Throws: ``EtcdError`` with code `invalidArgument` if there is no endpoint or one is not an `http` or `https`
  ///   address, or `certificate` if a file of the certificates cannot be read.
  public init(
    _ configuration: EtcdConfiguration,
    logger: Logger = Logger(label: "etcd", factory: { _ in SwiftLogNoOpLogHandler() })
  ) throws(EtcdError) {
    guard !configuration.endpoints.isEmpty else { throw EtcdError(.invalidArgument, "No endpoint is given.") }
    self.configuration = configuration
    self.logger = logger
    let settings = try Self.settings(configuration)
    endpoints = try configuration.endpoints.map { address throws(EtcdError) in
      let url = Self.url(of: address)
      guard url.hasPrefix("http://") || url.hasPrefix("https://") else {
        throw EtcdError(.invalidArgument, "'\(address)' is not an address that begins with http:// or https://.")
      }
      // One thread: then a request is sent as a whole before anything else happens to its connection.
      let loop = (configuration.eventLoopGroup ?? HTTPClient.defaultEventLoopGroup).any()
      return Endpoint(url: url) { HTTPClient(eventLoopGroup: loop, configuration: settings) }
    }
    ring = Mutex(EndpointRing(count: configuration.endpoints.count))
  }

  deinit {
    // The connections' owner must not go before they are closed.
    Task { [endpoints] in for endpoint in endpoints { await endpoint.shutdown() } }
  }

  /// Closes all connections. Open calls and watches end with an error.
  public func shutdown() async {
    for endpoint in endpoints { await endpoint.shutdown() }
  }

  private static func url(of address: String) -> String {
    address.hasSuffix("/") ? String(address.dropLast()) : address
  }

  private static func settings(_ configuration: EtcdConfiguration) throws(EtcdError) -> HTTPClient.Configuration {
    // One endpoint that does not even answer a connection attempt must leave time for the others.
    let connect = configuration.deadline / configuration.endpoints.count
    var settings = HTTPClient.Configuration(
      tlsConfiguration: try configuration.tls.map { tls throws(EtcdError) in try tls.settings() },
      redirectConfiguration: .disallow,
      timeout: .init(connect: TimeAmount(connect)))
    settings.connectionPool.retryConnectionEstablishment = false
    settings.connectionPool.concurrentHTTP1ConnectionsPerHostSoftLimit = 100_000
    settings.http1_1ConnectionDebugInitializer = SocketOptions.set
    settings.http2ConnectionDebugInitializer = SocketOptions.set
    settings.http2StreamChannelDebugInitializer = { stream in
      stream.eventLoop.makeCompletedFuture {
        // Below what async-http-client has put there, and what is written passes the first one last.
        try stream.pipeline.syncOperations.addHandlers(
          [EarlyEndHandler(), WholeRequestHandler(), RPCStatusHandler()], position: .first)
      }
    }
    return settings
  }
}

extension EtcdTLS {
  fileprivate func settings() throws(EtcdError) -> TLSConfiguration {
    var settings = TLSConfiguration.makeClientConfiguration()
    settings.minimumTLSVersion = .tlsv12
    do {
      if let authorityFile {
        settings.trustRoots = .certificates(try NIOSSLCertificate.fromPEMFile(authorityFile))
      }
      if let certificateFile {
        settings.certificateChain = try NIOSSLCertificate.fromPEMFile(certificateFile).map { .certificate($0) }
      }
      if let keyFile { settings.privateKey = .privateKey(try NIOSSLPrivateKey(file: keyFile, format: .pem)) }
    } catch {
      let files = [authorityFile, certificateFile, keyFile].compactMap { $0 }.joined(separator: "', '")
      throw EtcdError(.certificate, "The certificates in '\(files)' cannot be read: \(error)")
    }
    return settings
  }
}

// MARK: - Calls

extension EtcdClient {
  /// What is done at one endpoint until a point in time, with a token.
  typealias Attempt<Value> = (Endpoint, String?, NIODeadline) async throws(EtcdError) -> Value

  /// Makes a call and reads the answer.
  func call<Answer: Decodable>(
    _ path: String, _ message: some Encodable, _ kind: Call.Kind, needsLeader: Bool = true,
    as type: Answer.Type = Answer.self
  ) async throws(EtcdError) -> Answer {
    let call = try Call(path, message, kind, needsLeader: needsLeader)
    return try await inTurn(kind) { endpoint, token, deadline throws(EtcdError) in
      let body = try await endpoint.send(call, token: token, deadline: deadline)
      return try Self.reading(kind) { () throws(EtcdError) in try body.decoded(as: type, endpoint: endpoint.url) }
    }
  }

  /// Makes a call, by gRPC over TLS, and reads the answer.
  func call<Answer: Decodable & ProtobufReadable>(
    _ method: Method, _ message: some Encodable & ProtobufWritable, _ kind: Call.Kind, needsLeader: Bool = true,
    as type: Answer.Type = Answer.self
  ) async throws(EtcdError) -> Answer {
    try await inTurn(kind) { endpoint, token, deadline throws(EtcdError) in
      let call = try method.call(message, kind, needsLeader: needsLeader, byRPC: endpoint.isTLS)
      let body = try await endpoint.send(call, token: token, deadline: deadline)
      return try Self.reading(kind) { () throws(EtcdError) in
        call.isRPC
          ? try RPCFrames.onlyMessage(in: body, as: type, endpoint: endpoint.url)
          : try body.decoded(as: type, endpoint: endpoint.url)
      }
    }
  }

  /// Reads the answer that says success. If it cannot be read, a write was most likely carried out.
  private static func reading<Value>(
    _ kind: Call.Kind, _ read: () throws(EtcdError) -> Value
  ) throws(EtcdError) -> Value {
    do throws(EtcdError) {
      return try read()
    } catch {
      throw EtcdError(error.code, error.message, endpoint: error.endpoint, mayHaveHappened: kind == .write)
    }
  }

  /// Makes a call at one endpoint, for what is about a member and not about the cluster.
  func call<Answer: Decodable>(
    _ path: String, _ message: some Encodable, at address: String, deadline: Duration? = nil,
    as type: Answer.Type = Answer.self
  ) async throws(EtcdError) -> Answer {
    let call = try Call(path, message, .repeatable, needsLeader: false)
    let body = try await self.at(address, deadline: deadline) { endpoint, token, deadline throws(EtcdError) in
      try await endpoint.send(call, token: token, deadline: deadline)
    }
    return try body.decoded(as: type)
  }

  func at<Value>(_ address: String, deadline: Duration? = nil, _ attempt: Attempt<Value>) async throws(EtcdError)
    -> Value
  {
    guard let endpoint = endpoints.first(where: { $0.url == Self.url(of: address) }) else {
      throw EtcdError(.invalidArgument, "'\(address)' is not an endpoint of this client.")
    }
    let end = NIODeadline.now() + TimeAmount(deadline ?? configuration.deadline)
    return try await authenticated(endpoint, tokenBy: end, until: end, attempt)
  }

  /// Tries endpoints until one answers, or the time is over.
  ///
  /// A repeatable call gets its share of the time at each endpoint. A write that was sent gets all the time that is
  /// left, because another endpoint must not be asked while its outcome is unknown.
  func inTurn<Value>(_ kind: Call.Kind, _ attempt: Attempt<Value>) async throws(EtcdError) -> Value {
    let end = NIODeadline.now() + TimeAmount(configuration.deadline)
    var last = EtcdError(.deadlineExceeded, "No answer came in time.")
    var pause = 10.0
    while true {
      let order = ring.withLock { $0.order(at: .now) }
      var isFinal = true
      for (position, index) in order.enumerated() {
        let endpoint = endpoints[index]
        let left = end - .now()
        guard left > .zero else { throw last }
        let share = .now() + TimeAmount.nanoseconds(left.nanoseconds / Int64(order.count - position))
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
          logger.debug("etcd call failed", metadata: ["error": "\(error)"])
          ring.withLock { $0.failed(index, at: .now) }
          if error.mayHaveHappened { throw error }
          // A try for which the time was too short says less than one that failed before.
          if error.code != .deadlineExceeded || last.code == .deadlineExceeded { last = error }
          if error.isRetryable { isFinal = false }
        }
      }
      if isFinal { throw last }
      // An election or a restart of a member takes some tenths of a second.
      let wait = Duration.milliseconds(pause * Double.random(in: 0.5...1.5))
      guard TimeAmount(wait) < end - .now() else { throw last }
      do { try await Task.sleep(for: wait) } catch { throw EtcdError(.cancelled, "The task was cancelled.") }
      pause = min(pause * 2, 100)
    }
  }

  /// Does something with the user's token, twice if the cluster refuses the token that was known.
  private func authenticated<Value>(
    _ endpoint: Endpoint, tokenBy share: NIODeadline, until deadline: NIODeadline, _ attempt: Attempt<Value>
  ) async throws(EtcdError) -> Value {
    guard let credentials = configuration.credentials else {
      do throws(EtcdError) {
        return try await attempt(endpoint, nil, deadline)
      } catch {
        // To gRPC, a certificate without a name is a user without a name, who may do nothing.
        guard error.code == .permissionDenied else { throw error }
        throw EtcdError(.notAuthenticated, "\(error.message) (no user is given)", endpoint: endpoint.url)
      }
    }
    let fetch: TokenKeeper.Fetch = { [self] () throws(EtcdError) in
      try await fetchToken(credentials, at: endpoint, until: share)
    }
    let token = try await tokens.token(fetch)
    do throws(EtcdError) {
      return try await attempt(endpoint, token, deadline)
    } catch {
      guard error.code == .notAuthenticated else { throw error }
      tokens.refuse(token)
      return try await attempt(endpoint, try await tokens.token(fetch), deadline)
    }
  }

  /// - Returns: A token, or `nil` if the cluster has no authentication.
  private func fetchToken(_ credentials: EtcdCredentials, at endpoint: Endpoint, until deadline: NIODeadline)
    async throws(EtcdError) -> String?
  {
    let message = WireAuthenticate(name: credentials.user, password: credentials.password)
    let call = try Call("/v3/auth/authenticate", message, .repeatable)
    do throws(EtcdError) {
      let body = try await endpoint.send(call, token: nil, deadline: deadline)
      return try body.decoded(as: WireToken.self, endpoint: endpoint.url).token
    } catch {
      guard error.code == .failedPrecondition else { throw error }
      return nil
    }
  }
}
