@testable import EtcdClient
import NIOCore
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

struct LineSplitterTests {
  @Test func `lines come out whole, however the bytes are cut`() throws {
    let text = "one\n\ntwo\nthree\n"
    for size in 1...text.utf8.count {
      var splitter = LineSplitter(limit: 100)
      var lines: [String] = []
      var rest = Array(text.utf8)[...]
      while !rest.isEmpty {
        lines += try splitter.append(ByteBuffer(bytes: rest.prefix(size))).map { String(buffer: $0) }
        rest = rest.dropFirst(size)
      }
      #expect(lines == ["one", "two", "three"])
    }
  }

  @Test func `a line without end is refused at the limit`() {
    var splitter = LineSplitter(limit: 10)
    #expect(throws: LineSplitter.TooLong.self) {
      for _ in 0..<11 { _ = try splitter.append(ByteBuffer(string: "x")) }
    }
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

struct WireErrorTests {
  @Test(arguments: [
    (#"{"message":"etcdserver: request timed out","code":14}"#, 503 as UInt, EtcdError.Code.unavailable, true),
    (#"{"message":"etcdserver: no leader","code":14}"#, 503, .unavailable, false),
    (#"{"message":"etcdserver: server stopped","code":14}"#, 503, .unavailable, true),
    (#"{"message":"raft proposal dropped","code":2}"#, 500, .unavailable, false),
    (#"{"message":"auth: permission denied","code":2}"#, 500, .permissionDenied, false),
    (#"{"message":"etcdserver: too many requests","code":8}"#, 429, .unavailable, false),
    (#"{"message":"something new","code":2}"#, 500, .internal, true),
    (#"{"message":"context deadline exceeded","code":4}"#, 408, .unavailable, true),
    (#"{"error":"etcdserver: user name is empty","code":3}"#, 400, .notAuthenticated, false),
    ("CommonName of client sending a request against gateway will be ignored", 400, .certificate, false),
    ("<html>Bad Gateway</html>", 502, .unavailable, true),
  ]) func `an error's text and code say what it is and whether a write may have happened`(
    body: String, status: UInt, code: EtcdError.Code, mayHaveHappened: Bool
  ) {
    let write = WireError(status: status, body: Array(body.utf8)).error(endpoint: "e", isWrite: true)
    #expect(write.code == code)
    #expect(write.mayHaveHappened == mayHaveHappened)
    let read = WireError(status: status, body: Array(body.utf8)).error(endpoint: "e", isWrite: false)
    #expect(read.code == code)
    #expect(!read.mayHaveHappened)
  }
}
