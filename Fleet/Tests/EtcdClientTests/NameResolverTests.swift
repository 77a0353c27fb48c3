import AppSettings
@testable import EtcdClient
import Glibc
import NIOCore
import NIOPosix
import Testing

struct NameResolverTests {
  private static let loop = MultiThreadedEventLoopGroup.singleton.any()

  /// Looks up names, and counts its calls. Some names get no answer until a gate opens.
  private final class Names: Sendable {
    private let state = Monitor((isOpen: false, count: 0))

    var count: Int { state.withLock { $0.count } }

    func open() { state.withLock { $0.isOpen = true } }

    func look(up host: String) throws -> [SocketAddress] {
      state.withLock { $0.count += 1 }
      if host == "dead" { state.wait { $0.isOpen ? () : nil } }
      return [try SocketAddress(ipAddress: "127.0.0.1", port: 1)]
    }
  }

  @Test func `names that nobody answers do not hold up another one`() async throws {
    let names = Names()
    let resolvers = (0..<40).map { _ in NameResolver(loop: Self.loop) { host, _, _ in try names.look(up: host) } }
    let waiting = try await Self.loop.submit { resolvers.map { $0.initiateAQuery(host: "dead", port: 1) } }.get()
    let other = NameResolver(loop: Self.loop) { host, _, _ in try names.look(up: host) }
    let found = try await Self.loop.flatSubmit { other.initiateAQuery(host: "alive", port: 1) }.get()
    #expect(found.count == 1)
    names.open()
    for one in waiting { _ = try await one.get() }
  }

  @Test func `a name is looked up once at a time, for each family`() async throws {
    let names = Names()
    let resolver = NameResolver(loop: Self.loop) { host, _, _ in try names.look(up: host) }
    func ask() async throws -> [EventLoopFuture<[SocketAddress]>] {
      try await Self.loop.submit {
        [resolver.initiateAQuery(host: "dead", port: 1), resolver.initiateAAAAQuery(host: "dead", port: 1)]
      }.get()
    }
    let waiting = try await ask() + ask() + ask()
    names.open()
    for one in waiting { _ = try await one.get() }
    #expect(names.count == 2)
    for one in try await ask() { _ = try await one.get() }
    #expect(names.count == 4)
  }

  @Test func `a name that does not exist is said so`() async throws {
    let resolver = NameResolver(loop: Self.loop)
    let error = await #expect(throws: NameResolver.Failure.self) {
      try await Self.loop.flatSubmit { resolver.initiateAQuery(host: "no name", port: 1) }.get()
    }
    #expect(error?.description == String(cString: gai_strerror(EAI_NONAME)))
  }
}
