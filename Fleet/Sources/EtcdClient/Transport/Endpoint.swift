import AsyncHTTPClient
import Glibc
import NIOCore
import NIOHTTP1
import NIOPosix
import NIOSSL
import Synchronization

/// A member's address with its connections: one over TLS (HTTP/2), one for each open call without.
final class Endpoint: Sendable {
  let url: String
  let isTLS: Bool

  private struct State {
    var client: HTTPClient
    var timeouts = 0
    var hasAnswered = false
    var isClosed = false
  }

  /// Protects which client is in use.
  private let state: Mutex<State>
  private let makeClient: @Sendable () -> HTTPClient

  init(url: String, makeClient: @escaping @Sendable () -> HTTPClient) {
    self.url = url
    isTLS = url.hasPrefix("https:")
    self.makeClient = makeClient
    state = Mutex(State(client: makeClient()))
  }

  /// Makes one call.
  ///
  /// - Parameters:
  ///   - call: What to ask.
  ///   - token: The user's token.
  ///   - deadline: When the call ends without an answer.
  /// - Returns: The body of the answer.
  func send(_ call: Call, token: String?, deadline: NIODeadline) async throws(EtcdError) -> ByteBuffer {
    let delegate = CallDelegate(limit: call.answerLimit)
    let client = state.withLock { $0.client }
    do {
      let request = try HTTPClient.Request(
        url: url + call.path, method: .POST, headers: Self.headers(for: call, token: token),
        body: .byteBuffer(call.body))
      let task = client.execute(request: request, delegate: delegate, deadline: deadline)
      let answer = try await withTaskCancellationHandler {
        try await task.futureResult.get()
      } onCancel: {
        task.cancel()
      }
      noteAnswer()
      guard answer.status == 200 else {
        throw WireError(status: answer.status, body: Array(answer.body.readableBytesView))
          .error(endpoint: url, isWrite: call.isWrite)
      }
      return answer.body
    } catch let error as EtcdError {
      throw error
    } catch {
      let wasSent = delegate.wasSent
      noteTimeout(error, of: client)
      throw transportError(error, wasSent: wasSent, isWrite: call.isWrite)
    }
  }

  /// Opens a stream; returns when the head of the answer is there.
  ///
  /// - Parameters:
  ///   - call: What to ask.
  ///   - requests: What to send, beginning with the call's message, if more is to follow it.
  ///   - token: The user's token.
  ///   - deadline: When the stream has to be open.
  /// - Returns: The answer.
  func stream(_ call: Call, requests: AsyncStream<ByteBuffer>? = nil, token: String?, deadline: NIODeadline)
    async throws(EtcdError) -> HTTPClientResponse
  {
    var request = HTTPClientRequest(url: url + call.path)
    request.method = .POST
    request.headers = Self.headers(for: call, token: token)
    request.body = requests.map { .stream($0, length: .unknown) } ?? .bytes(call.body)
    let client = state.withLock { $0.client }
    do {
      let response = try await client.execute(request, deadline: deadline)
      noteAnswer()
      return response
    } catch {
      noteTimeout(error, of: client)
      throw transportError(error, wasSent: false, isWrite: false)
    }
  }

  func shutdown() async {
    let client = state.withLock { state in
      state.isClosed = true
      return state.client
    }
    try? await client.shutdown()
  }

  private static func headers(for call: Call, token: String?) -> HTTPHeaders {
    var headers: HTTPHeaders =
      call.isRPC
      ? ["Content-Type": "application/grpc", "TE": "trailers"] : ["Content-Type": "application/json"]
    if call.needsLeader { headers.add(name: call.isRPC ? "hasleader" : "Grpc-Metadata-hasleader", value: "true") }
    if let token { headers.add(name: call.isRPC ? "token" : "Authorization", value: token) }
    return headers
  }

  private func noteAnswer() {
    state.withLock { state in
      state.timeouts = 0
      state.hasAnswered = true
    }
  }

  /// A connection that nobody answers, or that got stuck while it was set up, would be used by all later calls. After
  /// three calls without an answer there is a new one; the calls and watches of the old one end.
  private func noteTimeout(_ error: any Error, of client: HTTPClient) {
    guard let error = error as? HTTPClientError,
      [.connectTimeout, .getConnectionFromPoolTimeout, .tlsHandshakeTimeout, .deadlineExceeded].contains(error)
    else { return }
    let dead = state.withLock { state -> HTTPClient? in
      guard !state.isClosed, state.client === client else { return nil }
      state.timeouts += 1
      guard state.timeouts == 3 else { return nil }
      state.timeouts = 0
      state.client = makeClient()
      return client
    }
    if let dead { Task { try? await dead.shutdown() } }
  }

  func transportError(_ error: any Error, wasSent: Bool, isWrite: Bool) -> EtcdError {
    let mayHaveHappened = wasSent && isWrite
    func make(_ code: EtcdError.Code, _ message: String) -> EtcdError {
      EtcdError(code, message, endpoint: url, mayHaveHappened: mayHaveHappened)
    }
    switch error {
    case let error as EtcdError:
      return error
    case let error as WireError:
      return error.error(endpoint: url, isWrite: isWrite)
    case is CancellationError:
      return make(.cancelled, "The task was cancelled.")
    case is CallDelegate.TooLarge:
      return make(.tooLarge, "The answer is larger than the client accepts.")
    case let error as HTTPClientError:
      switch error {
      case .deadlineExceeded: return make(.deadlineExceeded, "No answer came in time.")
      case .cancelled where Task.isCancelled: return make(.cancelled, "The task was cancelled.")
      case .alreadyShutdown where state.withLock { $0.isClosed }: return make(.closed, "The client was shut down.")
      case .remoteConnectionClosed where isTLS && !wasSent && state.withLock { !$0.hasAnswered }:
        // In TLS 1.3 a member judges the client's certificate when the client has finished the handshake.
        return make(.certificate, "The member closed a new connection: it does not accept the client's certificate.")
      case .remoteConnectionClosed: return make(.unavailable, "The member closed the connection.")
      case .connectTimeout, .tlsHandshakeTimeout: return make(.unavailable, "No connection came about in time.")
      default: return make(.unavailable, error.description)
      }
    case NIOSSLError.handshakeFailed(.sslError), BoringSSLError.sslError, is NIOSSLExtraError:
      // What ends a connection that was used before says nothing about the certificates.
      return make(wasSent ? .unavailable : .certificate, "The TLS connection failed: \(error)")
    case let error as NIOConnectionError:
      guard let first = error.connectionErrors.first else {
        return make(.unavailable, "The name '\(error.host)' has no address.")
      }
      return transportError(first.error, wasSent: wasSent, isWrite: isWrite)
    case let error as IOError:
      return make(.unavailable, "The connection failed: \(String(cString: strerror(error.errnoCode)))")
    default:
      return make(.unavailable, "The connection failed: \(error)")
    }
  }
}
