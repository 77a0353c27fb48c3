import EtcdClient
import NIOCore
import NIOHPACK
import NIOHTTP2
import Testing

/// What something that is no member, or a broken one, may answer.
struct CannedAnswerTests {
  private static let head = HTTP2Frame.FramePayload.headers([
    (":status", "200"), ("content-type", "application/grpc"),
  ])
  private static let success = HTTP2Frame.FramePayload.headers([("grpc-status", "0")], isLast: true)
  /// The answer to a put, with a header of revision 7.
  private static let message: [UInt8] = [0, 0, 0, 0, 4, 0x0a, 2, 0x18, 7]

  /// What a write and a read at such an endpoint throw.
  private func errors(_ server: CannedServer) async throws -> (write: EtcdError?, read: EtcdError?) {
    let client = try EtcdClient(EtcdConfiguration(endpoints: [server.endpoint], deadline: .seconds(3)))
    let write = await failure { try await client.put("x", "1") }
    let read = await failure { _ = try await client.range(EtcdRange(.key("x"))) }
    await client.shutdown()
    try await server.stop()
    return (write, read)
  }

  @Test(
    arguments: [
      ("no message", [head, success]),
      ("two messages", [head, .data(message), .data(message), success]),
      ("half a message", [head, .data([0, 0, 0, 0, 4, 0x0a]), success]),
      ("no field of a header", [head, .data([0, 0, 0, 0, 0]), success]),
      ("no Protocol Buffers", [head, .data([0, 0, 0, 0, 1, 0xff]), success]),
      ("compressed", [head, .data([1, 0, 0, 0, 1, 0x0a]), success]),
      (
        "a page",
        [.headers([(":status", "200"), ("content-type", "text/html")]), .data(Array("<html>".utf8), isLast: true)]
      ),
    ] as [(String, [HTTP2Frame.FramePayload])])
  func `an answer that cannot be read leaves open whether a write was carried out`(
    name: String, frames: [HTTP2Frame.FramePayload]
  ) async throws {
    let server = try await CannedServer.start(frames)
    let endpoint = server.endpoint
    let (write, read) = try await errors(server)
    #expect(write?.code == .internal && write?.mayHaveHappened == true, "\(write as Any)")
    #expect(read?.code == .internal && read?.mayHaveHappened == false, "\(read as Any)")
    #expect(read?.endpoint == endpoint && write?.endpoint == endpoint)
  }

  private static let unavailable = HTTP2Frame.FramePayload.headers(
    [
      (":status", "200"), ("content-type", "application/grpc"), ("grpc-status", "14"),
      ("grpc-message", "etcdserver: no leader"),
    ], isLast: true)

  @Test func `a cluster that cannot answer yet is asked now and then, until nearly the end of the time`() async throws {
    let server = try await CannedServer.start([Self.unavailable])
    let client = try EtcdClient(EtcdConfiguration(endpoints: [server.endpoint], deadline: .seconds(5)))
    let start = ContinuousClock.now
    let error = await failure { _ = try await client.range(EtcdRange(.key("x"))) }
    #expect(error?.code == .unavailable, "\(error as Any)")
    #expect(ContinuousClock.now - start > .seconds(4))
    // With a tenth of a second between them, there would be fifty.
    #expect((10...26).contains(server.streams), "\(server.streams)")
    await client.shutdown()
    try await server.stop()
  }

  @Test func `a cluster that cannot answer yet is not asked more often where there is less time`() async throws {
    let server = try await CannedServer.start([Self.unavailable])
    let client = try EtcdClient(EtcdConfiguration(endpoints: [server.endpoint], deadline: .milliseconds(100)))
    for _ in 0..<6 { #expect(await failure { _ = try await client.range(EtcdRange(.key("x"))) } != nil) }
    // The shortest pauses are 5, 10, 20 and 40 ms; with a tenth of the time, there would be ten each time.
    #expect(server.streams <= 6 * 5, "\(server.streams)")
    await client.shutdown()
    try await server.stop()
  }

  @Test(
    arguments: [
      [head, .data(message, isLast: true)], [head, .data(message), .headers([("x", "y")], isLast: true)],
    ] as [[HTTP2Frame.FramePayload]])
  func `an answer that ends without a status comes from a member that ends`(
    frames: [HTTP2Frame.FramePayload]
  ) async throws {
    let (write, read) = try await errors(try await CannedServer.start(frames))
    #expect(write?.code == .unavailable && write?.mayHaveHappened == true, "\(write as Any)")
    #expect(read?.code == .unavailable, "\(read as Any)")
  }

  @Test func `an answer without a content type comes from a member that ends, or from something else`() async throws {
    let (write, read) = try await errors(try await CannedServer.start([.headers([(":status", "200")], isLast: true)]))
    #expect(write?.code == .unavailable && write?.mayHaveHappened == true, "\(write as Any)")
    #expect(read?.code == .unavailable && read?.message.hasSuffix("or it is no member.") == true, "\(read as Any)")
  }

  @Test func `a whole answer is read`() async throws {
    let server = try await CannedServer.start([Self.head, .data(Self.message), Self.success])
    let client = try EtcdClient(EtcdConfiguration(endpoints: [server.endpoint], deadline: .seconds(10)))
    #expect(try await client.put("x", "1") == 7)
    await client.shutdown()
    try await server.stop()
  }

  @Test(arguments: [
    ("401", EtcdError.Code.notAuthenticated), ("404", .unsupported), ("503", .unavailable),
    ("500", .internal),
  ])
  func `a status of HTTP says what something between answered`(status: String, code: EtcdError.Code) async throws {
    let server = try await CannedServer.start([.headers([(":status", status)], isLast: true)])
    let (write, read) = try await errors(server)
    #expect(write?.code == code && write?.mayHaveHappened == true, "\(write as Any)")
    #expect(read?.code == code && read?.message == "HTTP status \(status), no gRPC", "\(read as Any)")
  }

  @Test func `a stream that is refused was not carried out, and its call is made again`() async throws {
    let server = try await CannedServer.start(
      [Self.head, .data(Self.message), Self.success], first: [.rstStream(.refusedStream)])
    let client = try EtcdClient(EtcdConfiguration(endpoints: [server.endpoint], deadline: .seconds(10)))
    #expect(try await client.put("x", "1") == 7)
    #expect(server.streams == 2)
    await client.shutdown()
    try await server.stop()
  }

  @Test func `a stream that is reset may have been carried out`() async throws {
    let server = try await CannedServer.start([.rstStream(.internalError)])
    let (write, _) = try await errors(server)
    #expect(write?.code == .unavailable && write?.mayHaveHappened == true, "\(write as Any)")
  }

  @Test func `what is no gRPC is said, and an answer may begin with other headers`() async throws {
    let page = HTTP2Frame.FramePayload.headers([(":status", "200"), ("content-type", "text/html")])
    let (_, read) = try await errors(try await CannedServer.start([page, .data(Array("<html>".utf8), isLast: true)]))
    #expect(read?.message == "Something that is no member answered, with the content type 'text/html'.")
    let early = HTTP2Frame.FramePayload.headers([(":status", "103")])
    let server = try await CannedServer.start([early, Self.head, .data(Self.message), Self.success])
    let client = try EtcdClient(EtcdConfiguration(endpoints: [server.endpoint], deadline: .seconds(10)))
    #expect(try await client.put("x", "1") == 7)
    await client.shutdown()
    try await server.stop()
  }

  @Test func `a member learns how long a call may take`() async throws {
    let server = try await CannedServer.start([Self.head, .data(Self.message), Self.success])
    let client = try EtcdClient(EtcdConfiguration(endpoints: [server.endpoint], deadline: .seconds(10)))
    try await client.put("x", "1")
    try await client.put("x", String(repeating: "x", count: 80 << 10))
    let limits = server.requests.map { $0.first(name: "grpc-timeout") ?? "none" }
    #expect(limits.count == 2 && limits.allSatisfy { $0.hasSuffix("m") }, "\(limits)")
    let times = limits.compactMap { Int($0.dropLast()) }
    // A large one may take as long as a slow line does.
    #expect((5000...10_100).contains(times.first ?? 0) && times.last ?? 0 > 15_000, "\(limits)")
    await client.shutdown()
    try await server.stop()
  }

  @Test func `a message that is too long is not kept in memory`() async throws {
    let server = try await CannedServer.start([Self.head, .data([0, 0x10, 0, 0, 0]), Self.success])
    let (_, read) = try await errors(server)
    #expect(read?.code == .internal && read?.message.contains("too long") == true, "\(read as Any)")
  }

  private static let noMember = "does not speak HTTP/2: it is no member."

  @Test(arguments: [
    ("HTTP/1.1 400 Bad Request\r\nContent-Length: 0\r\n\r\n", noMember), ("SSH-2.0-x\r\n", noMember),
    ("", "in time."),
  ])
  func `what does not speak HTTP2 takes no call`(_ bytes: String, _ reason: String) async throws {
    let server = try await CannedServer.start(bytes)
    let (write, read) = try await errors(server)
    #expect(write?.isRetryable == true && write?.mayHaveHappened == false, "\(write as Any)")
    #expect(read?.isRetryable == true && read?.message.hasSuffix(reason) == true, "\(read as Any)")
  }
}
