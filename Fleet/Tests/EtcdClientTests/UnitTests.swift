@testable import EtcdClient
import NIOCore
import NIOHPACK
import Synchronization
import Testing

struct EtcdSpanTests {
  @Test func `the end of a prefix is the next one of its length`() {
    #expect(EtcdSpan.prefix("ab").end == Array("ac".utf8))
    #expect(EtcdSpan.prefix([1, 0xff, 0xff]).end == [2])
    #expect(EtcdSpan.prefix([0xff]).end == [0])
    #expect(EtcdSpan.prefix([0xff]).start == [0xff])
    #expect(EtcdSpan.prefix("").start == [0])
    #expect(EtcdSpan.prefix("").end == [0])
  }
}

struct AddressTests {
  @Test(arguments: [
    ("https://10.0.0.1:2379", "10.0.0.1", 2379, true, "10.0.0.1:2379"), ("http://one/", "one", 80, false, "one:80"),
    ("HTTPS://etcd.example", "etcd.example", 443, true, "etcd.example:443"),
    ("https://[::1]:2379", "::1", 2379, true, "[::1]:2379"), ("http://[fe80::1]", "fe80::1", 80, false, "[fe80::1]:80"),
  ])
  func `an endpoint has a host and a port`(
    endpoint: String, host: String, port: Int, isTLS: Bool, authority: String
  ) throws {
    let address = try Address(endpoint)
    #expect(address.host == host && address.port == port && address.isTLS == isTLS)
    #expect(address.authority == authority)
    #expect((address.serverName == nil) == !host.contains { $0.isLetter && !$0.isHexDigit })
  }

  @Test(arguments: [
    "", "10.0.0.1:2379", "ftp://one:1", "http:/one", "http://", "http://:2379", "http://one:", "http://one:x",
    "http://one:0", "http://one:65536", "http://one/path", "http://user@one:1", "http://[::1", "http://[]:1",
    "http://a b", "https://one:1:2",
  ])
  func `what is no endpoint is refused`(_ text: String) {
    let error = #expect(throws: EtcdError.self) { try Address(text) }
    #expect(error?.code == .invalidArgument && error?.message.hasPrefix("'\(text)' ") == true)
  }
}

struct EndpointRingTests {
  @Test func `the endpoint that answered last is first, one that failed is last for a while`() {
    let now = ContinuousClock.now
    var ring = EndpointRing(count: 3)
    #expect(ring.order(at: now) == [0, 1, 2])
    ring.failed(0, at: now)
    #expect(ring.order(at: now) == [1, 2, 0])
    ring.succeeded(1)
    #expect(ring.order(at: now) == [1, 2, 0])
    ring.failed(2, at: now)
    #expect(ring.order(at: now) == [1, 2, 0])
    #expect(ring.order(at: now + .seconds(6)) == [1, 2, 0])
    ring.failed(1, at: now)
    ring.succeeded(0)
    #expect(ring.order(at: now) == [0, 1, 2])
  }
}

struct InTurnTests {
  private static let refused = EtcdError(.unavailable, "The connection failed: Connection refused")
  private static let late = EtcdError(.deadlineExceeded, "No answer came in time.")
  private static let doubtful = EtcdError(.deadlineExceeded, "No answer came in time.", mayHaveHappened: true)

  @Test(arguments: [
    ([refused, late], refused), ([late, refused], refused), ([refused, doubtful], doubtful),
  ])
  func `a last try that was cut short does not hide why the tries before it failed`(
    errors: [EtcdError], expected: EtcdError
  ) async throws {
    var configuration = EtcdConfiguration(endpoints: ["http://127.0.0.1:1"])
    // The first try has to end before it, also on a busy machine.
    configuration.deadline = .seconds(8)
    let client = try EtcdClient(configuration)
    let tries = Mutex(0)
    let error = await failure {
      try await client.inTurn(.write) { _, _, deadline throws(EtcdError) in
        let number = tries.withLock { count in
          defer { count += 1 }
          return count
        }
        // The last one uses up the time, as a connection does that does not come about.
        if number > 0 { try? await Task.sleep(for: Duration(deadline - .now())) }
        throw errors[min(number, 1)]
      }
    }
    #expect(error == expected)
    await client.shutdown()
  }
}

struct WireErrorTests {
  @Test(arguments: [
    ("etcdserver: request timed out", 14, EtcdError.Code.unavailable, true),
    ("etcdserver: no leader", 14, .unavailable, false),
    ("etcdserver: server stopped", 14, .unavailable, true),
    ("raft proposal dropped", 2, .unavailable, false),
    ("auth: permission denied", 2, .permissionDenied, false),
    ("etcdserver: too many requests", 8, .unavailable, false),
    ("something new", 2, .internal, true),
    ("context deadline exceeded", 4, .unavailable, true),
    ("etcdserver: user name is empty", 3, .notAuthenticated, false),
  ]) func `an error's text and code say what it is and whether a write may have happened`(
    message: String, number: Int, code: EtcdError.Code, mayHaveHappened: Bool
  ) {
    let error = WireError(message: message, code: number)
    let write = error.error(endpoint: "e", isWrite: true)
    #expect(write.code == code)
    #expect(write.mayHaveHappened == mayHaveHappened)
    let read = error.error(endpoint: "e", isWrite: false)
    #expect(read.code == code)
    #expect(!read.mayHaveHappened)
  }
}

struct ProtobufTests {
  // The bytes are those of the examples in https://protobuf.dev/programming-guides/encoding/.
  @Test func `fields are written as the format has them`() throws {
    let message: OutgoingMessage = [
      2: .text("testing"), 3: .message([1: .number(150)]), 1: .number(-2), 4: .flag(false), 5: .bytes([]),
      6: .message([:]),
    ]
    let expected: [UInt8] =
      [0x12, 0x07] + Array("testing".utf8) + [0x1a, 0x03, 0x08, 0x96, 0x01]
      + [0x08, 0xfe, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x01, 0x32, 0x00]
    #expect(Array(message.protobuf.readableBytesView) == expected)
    let fields = try ProtobufFields(message.protobuf)
    #expect(fields[2].text == "testing" && fields[1].signed == -2 && !fields[4].isTrue && fields.all(5).isEmpty)
    #expect(try ProtobufFields(fields[3].bytes)[1].signed == 150)
  }

  @Test func `of several fields with a number the last one is taken, and a list has all`() throws {
    let message = OutgoingMessage([(2, .text("a")), (3, .number(7)), (2, .text("b"))])
    let fields = try ProtobufFields(message.protobuf)
    #expect(fields[2].text == "b" && fields.all(2).map(\.text) == ["a", "b"])
  }

  @Test func `unknown fields of every type are passed over`() throws {
    let bytes: [UInt8] = [0x49, 1, 2, 3, 4, 5, 6, 7, 8, 0x55, 1, 2, 3, 4, 0xf8, 0x7f, 5, 0x20, 1]
    let answer = try WatchAnswer(protobuf: ByteBuffer(bytes: bytes))
    #expect(answer.isCancelled && answer.revision == 0 && answer.events.isEmpty)
  }

  @Test(
    arguments: [
      [0x08], [0x08, 0x80], [0x12, 5, 1], [0x09, 1], [0x15, 1], [0x0b], [0x0c],
      [0x12, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x01, 0],
      [0x08, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x01], [0x5a, 2, 0x12, 1],
    ] as [[UInt8]])
  func `what is cut off or no message is refused`(_ bytes: [UInt8]) {
    #expect(throws: MalformedMessage.self) { try WatchAnswer(protobuf: ByteBuffer(bytes: bytes)) }
  }

  @Test func `random bytes do no harm`() {
    var generator = SystemRandomNumberGenerator()
    for _ in 0..<20_000 {
      let bytes = (0..<Int.random(in: 0..<60)).map { _ in UInt8.random(in: 0...255, using: &generator) }
      _ = try? WatchAnswer(protobuf: ByteBuffer(bytes: bytes))
      let types: [any ProtobufReadable.Type] = [
        EtcdRangeResponse.self, EtcdTransactionResponse.self, LeaseAnswer.self, EtcdStatus.self, AlarmsAnswer.self,
        NamesAnswer.self, TokenAnswer.self, DeleteAnswer.self, HeaderAnswer.self,
      ]
      for type in types { _ = try? type.init(protobuf: ByteBuffer(bytes: bytes)) }
    }
  }
}

struct RPCFramesTests {
  @Test func `messages come out whole, however the bytes are cut`() throws {
    let messages = ["one", "", String(repeating: "x", count: 300)]
    let stream = messages.flatMap { Array(RPCFrames.frame(ByteBuffer(string: $0)).readableBytesView) }
    for size in 1...stream.count {
      var frames = RPCFrames(limit: 300)
      var found: [String] = []
      var rest = stream[...]
      while !rest.isEmpty {
        found += try frames.append(ByteBuffer(bytes: rest.prefix(size))).map { String(buffer: $0) }
        rest = rest.dropFirst(size)
      }
      #expect(found == messages)
    }
  }

  @Test func `what is compressed or too long is refused before it comes`() {
    var frames = RPCFrames(limit: 300)
    #expect(throws: RPCFrames.Invalid.notPlain) { try frames.append(ByteBuffer(bytes: [1, 0, 0, 0, 9])) }
    frames = RPCFrames(limit: 300)
    #expect(throws: RPCFrames.Invalid.tooLong) { try frames.append(ByteBuffer(bytes: [0, 0xff, 0, 0, 0])) }
  }

  @Test(arguments: [
    ("14", "etcdserver: no leader", EtcdError.Code.unavailable, "etcdserver: no leader"),
    ("7", "etcdserver%3A permission denied", .permissionDenied, "etcdserver: permission denied"),
    ("2", "100%25 %C3%A4 %zz %4", .internal, "100% ä %zz %4"),
    ("much", "", .internal, "no text"),
  ])
  func `a status is an error with its text`(status: String, message: String, code: EtcdError.Code, text: String) throws
  {
    let headers = HPACKHeaders([("grpc-status", status), ("grpc-message", message)])
    let error = try #require(WireError(headers)).error(endpoint: "e", isWrite: false)
    #expect(error.code == code && error.message == text)
  }

  @Test func `success and other headers are no error`() {
    #expect(WireError(HPACKHeaders([("grpc-status", "0")])) == nil)
    #expect(WireError(HPACKHeaders([(":status", "200")])) == nil)
  }
}
