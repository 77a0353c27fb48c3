import AppSettings
import HTTPTypes
import HummingbirdCore
import NIOCore

/// Answers requests: refuses those that are not the person's, finds the route, and reads the body.
struct Responder: Sendable {
  let requestGuard: RequestGuard
  let assets: Assets
  let routes: [Route]
  let limits: Limits
  let connections: Connections
  let life: Life

  /// Answers one request.
  ///
  /// What fails is described without the request: neither its URL, nor its token, nor a value of it is in any text that
  /// is kept.
  @Sendable @concurrent func respond(_ request: Request, _ writer: consuming ResponseWriter, _ channel: any Channel)
    async throws
  {
    let connection = connections[channel]
    if let refusal = requestGuard.refusal(request.head, port: channel.localAddress?.port) {
      return try await send(refusal, to: request, writer)
    }
    if RequestGuard.needsToken(request.head.path ?? "") { connection?.markTrusted() }
    life.requestBegan()
    defer { life.requestEnded() }
    let reply: Reply
    do {
      reply = try await answer(request, connection)
    } catch let refusal as any Refused {
      reply = refusal.reply
    }
    try await send(reply, to: request, writer)
  }

  private static let part = 256 << 10

  private func answer(_ request: Request, _ connection: Connection?) async throws -> Reply {
    let parts = (request.head.path ?? "").split(separator: "?", maxSplits: 1, omittingEmptySubsequences: false)
    let path = parts.first ?? ""
    // What is sent of the answer to HEAD is its head (RFC 9110, section 9.3.2).
    let method = request.method == .head ? .get : request.method
    if let asset = assets.asset(at: String(path)) {
      guard method == .get else { throw Self.wrongMethod([.get]) }
      let takesGzip = request.headers[.acceptEncoding]?.contains("gzip") == true
      let compressed = takesGzip ? asset.compressed : nil
      var reply = Reply(.ok, type: asset.type, compressed ?? Array(buffer: asset.body))
      if compressed != nil { reply.headers[.contentEncoding] = "gzip" }
      reply.headers[.vary] = "Accept-Encoding"
      // The server's next version sends others; within one, they are a few milliseconds away. A page that a browser keeps
      // for going back is asleep, and its worker with it, which then holds its stream, and with that the server.
      reply.headers[.cacheControl] = path == "/" ? "no-store" : "no-cache"
      return reply
    }
    let found = routes.compactMap { route in route.captures(path).map { (route, $0) } }
    guard !found.isEmpty else { throw Refusal(.notFound, "There is nothing at this path.") }
    guard let (route, captures) = found.first(where: { $0.0.method == method }) else {
      throw Self.wrongMethod(found.map(\.0.method))
    }
    let call = Call(
      captures: try captures.mapValues { part in
        guard let text = PercentEncoding.decode(part) else { throw Refusal(.badRequest, "The path is malformed.") }
        return text
      },
      query: try Self.query(parts.count > 1 ? parts[1] : "", of: route),
      body: try await body(of: request), connection: connection, isHead: request.method == .head)
    guard (call.body.members ?? []).allSatisfy({ route.members.contains($0.name) }) else {
      throw Refusal(.badRequest, "The body has a member that this path does not take.")
    }
    guard route.onlyReads, let connection else { return try await route.answer(call) }
    let task = Task { try await route.answer(call) }
    connection.whenGone { task.cancel() }
    defer { connection.whenGone(nil) }
    return try await task.value
  }

  private static func wrongMethod(_ methods: [HTTPRequest.Method]) -> Refusal {
    let names = methods.flatMap { $0 == .get ? [.get, .head] : [$0] }.map(\.rawValue).joined(separator: ", ")
    var refusal = Refusal(.methodNotAllowed, "This path takes \(names).")
    refusal.reply.headers[.allow] = names
    return refusal
  }

  private static func query(_ text: Substring, of route: Route) throws -> [String: String] {
    var query: [String: String] = [:]
    for pair in text.split(separator: "&") {
      let parts = pair.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
      guard let name = PercentEncoding.decode(parts[0], plusIsSpace: true),
        let value = PercentEncoding.decode(parts.count > 1 ? parts[1] : "", plusIsSpace: true)
      else { throw Refusal(.badRequest, "The query is malformed.") }
      guard route.parameters.contains(name) else {
        throw Refusal(.badRequest, "The query has a parameter that this path does not take.")
      }
      guard query.updateValue(value, forKey: name) == nil else {
        throw Refusal(.badRequest, "The query has the parameter '\(name)' twice.")
      }
    }
    return query
  }

  /// The body of a request that has one. Browsers ask before they send JSON to another site, so it has to be called that.
  private func body(of request: Request) async throws -> JSONTree {
    let lengths = request.headers[values: .contentLength]
    let isAnnounced = lengths.contains { $0 != "0" } || request.headers.contains(.transferEncoding)
    if [.get, .head, .delete].contains(request.method) {
      guard !isAnnounced else { throw Refusal(.badRequest, "This request takes no body.") }
      return .object([])
    }
    guard lengths.allSatisfy({ Int($0).map { $0 <= limits.body } ?? false }) else { throw tooLarge }
    guard isAnnounced else { return .object([]) }
    let type = request.headers[.contentType]?.split { "; \t".contains($0) }.first
    guard type?.lowercased() == "application/json" else {
      throw Refusal(.unsupportedMediaType, "A body needs 'Content-Type: application/json'.")
    }
    var bytes: [UInt8] = []
    for try await part in request.body {
      guard bytes.count + part.readableBytes <= limits.body else { throw tooLarge }
      bytes += part.readableBytesView
    }
    do {
      let body = try JSONTree(parsing: bytes)
      guard body.members != nil else { throw Refusal(.badRequest, "The body is not a JSON object.") }
      return body
    } catch let error as JSONText.Failure {
      throw Refusal(.badRequest, "Cannot read the body: \(error.reason).")
    }
  }

  private var tooLarge: Refusal {
    Refusal(.contentTooLarge, "The body has more than \(limits.body >> 10) KiB, which is the limit.")
  }

  @concurrent private func send(_ reply: Reply, to request: Request, _ writer: consuming ResponseWriter) async throws {
    defer { reply.cleanUp?() }
    var head = HTTPResponse(status: reply.status, headerFields: reply.headers)
    guard let stream = reply.stream else {
      head.headerFields[.contentLength] = String(reply.bytes.count)
      // What followed the head of this answer would be read as the next one.
      let bytes = request.method == .head ? [] : reply.bytes
      guard bytes.count > Self.part else {
        return try await writer.write(response: head, body: ResponseBody(byteBuffer: ByteBuffer(bytes: bytes)))
      }
      // In parts: a client that reads slowly does not have the whole answer waiting in memory a second time.
      let body = ResponseBody(contentLength: bytes.count) { writer in
        for start in stride(from: 0, to: bytes.count, by: Self.part) {
          try await writer.write(ByteBuffer(bytes: bytes[start..<min(start + Self.part, bytes.count)]))
        }
        try await writer.finish(nil)
      }
      return try await writer.write(response: head, body: body)
    }
    if request.method == .head {
      // The end of a body without a length follows even here.
      head.headerFields[.connection] = "close"
      return try await writer.write(response: head, body: ResponseBody(byteBuffer: ByteBuffer()))
    }
    try await writer.write(response: head, body: ResponseBody { try await stream(&$0) })
  }
}
