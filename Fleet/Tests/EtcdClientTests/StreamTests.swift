import Dispatch
import EtcdClient
import EtcdTesting
import Foundation
import NIOCore
import NIOHTTP2
import NIOPosix
import Testing

/// What happens to the streams of a connection, and to the calls beside them.
struct StreamTests {
  private static let head = HTTP2Frame.FramePayload.headers([(":status", "200"), ("content-type", "application/grpc")])
  private static let success = HTTP2Frame.FramePayload.headers([("grpc-status", "0")], isLast: true)
  /// An answer with a header of revision 7: to a put, and to a watch.
  private static let header = HTTP2Frame.FramePayload.data([0, 0, 0, 0, 4, 0x0a, 2, 0x18, 7])

  private func client(
    of server: CannedServer, deadline: Duration = .seconds(10), on group: (any EventLoopGroup)? = nil
  ) throws -> EtcdClient {
    var configuration = EtcdConfiguration(endpoints: [server.endpoint], deadline: deadline)
    configuration.eventLoopGroup = group
    return try EtcdClient(configuration)
  }

  @Test func `a watch goes on after its member said that it goes away, until the client is shut down`() async throws {
    let server = try await CannedServer.start([Self.head, Self.header])
    let client = try client(of: server)
    let watch = try await client.watch(.key("k"))
    var iterator = watch.makeAsyncIterator()
    #expect(try await iterator.next() == .created(revision: 7))
    server.goAway()
    // Eventually a call makes a connection of its own.
    while server.connections < 2 {
      let other = try await client.watch(.key("k"))
      other.cancel()
    }
    server.send(Self.header)
    #expect(try await iterator.next() == .progress(revision: 7))
    await client.shutdown()
    await expectFailure(.closed) { _ = try await iterator.next() }
    try await server.stop()
  }

  @Test func `a call that waits for its turn is not sent after its deadline`() async throws {
    let server = try await CannedServer.start([Self.head, Self.header], mostStreams: 1)
    let client = try client(of: server, deadline: .seconds(3))
    let watch = try await client.watch(.key("k"))
    await expectFailure(.deadlineExceeded) { _ = try await client.grantLease(seconds: 5) }
    watch.cancel()
    // The next one has the stream that is free now.
    let next = try await client.watch(.key("k"))
    #expect(server.streams == 2 && server.connections == 1)
    next.cancel()
    await client.shutdown()
    try await server.stop()
  }

  @Test func `an answer that came in time counts, although something held up the thread until after the deadline`()
    async throws
  {
    let (own, other) = (
      MultiThreadedEventLoopGroup(numberOfThreads: 1), MultiThreadedEventLoopGroup(numberOfThreads: 1)
    )
    let (asked, held) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
    let server = try await CannedServer.start([Self.head, Self.header, Self.success], on: other) {
      // The client's thread is held up before the answer comes.
      asked.signal()
      held.wait()
    }
    let deadline = Duration.seconds(2)
    let client = try client(of: server, deadline: deadline, on: own)
    let late = ContinuousClock.now + deadline + .milliseconds(300)
    async let revision = client.put("k", "1")
    await withCheckedContinuation { continuation in
      Thread.detachNewThread {
        asked.wait()
        own.any().execute {
          held.signal()
          // Until after the deadline, which nothing else can reach.
          Thread.sleep(forTimeInterval: (late - .now) / .seconds(1))
        }
        continuation.resume()
      }
    }
    #expect(try await revision == 7)
    await client.shutdown()
    try await server.stop()
    try await own.shutdownGracefully()
    try await other.shutdownGracefully()
  }

  @Test func `shutting down ends a call that is under way, and one that waits for a connection`() async throws {
    let asked = AsyncStream.makeStream(of: Void.self)
    let busy = try await CannedServer.start([]) { asked.continuation.yield() }
    let silent = try await CannedServer.start("")
    let (first, second) = (try client(of: busy), try client(of: silent))
    async let call = failure { try await first.put("k", "1") }
    var iterator = asked.stream.makeAsyncIterator()
    await iterator.next()
    await first.shutdown()
    let error = await call
    #expect(error?.code == .closed && error?.mayHaveHappened == true, "\(error as Any)")
    async let waiting = failure { try await second.put("k", "1") }
    await second.shutdown()
    #expect(await waiting?.mayHaveHappened == false)
    for server in [busy, silent] { try await server.stop() }
  }
}

extension ClusterTests.InTurn {
  struct ManyStreamsTests {
    @Test(arguments: [false, true])
    func `calls that are cancelled together do no harm to others`(usesTLS: Bool) async throws {
      try await withShared(usesTLS: usesTLS) { client, cluster in
        let proxy = try await TCPProxy.start(to: cluster.members[0].port)
        let scheme = usesTLS ? "https" : "http"
        var configuration = cluster.configuration(endpoints: ["\(scheme)://127.0.0.1:\(proxy.port)"])
        configuration.deadline = .seconds(10)
        try await cluster.withClient(configuration) { client in
          let watch = try await client.watch(.key("survivor"))
          for _ in 0..<3 {
            await withTaskGroup(of: Void.self) { group in
              for index in 0..<200 {
                group.addTask { _ = try? await client.put("cancelled/\(index)", Array(repeating: 1, count: 1000)) }
              }
              await Task.yield()
              group.cancelAll()
            }
          }
          try await client.put("survivor", "1")
          #expect(try await watch.batches(1).count == 1)
          #expect(proxy.connections == 1)
        }
        await proxy.stop()
      }
    }
  }
}
