import AppSettings
import Glibc
import NIOCore
import NIOPosix

/// Looks up the name of a member with getaddrinfo(3), in threads that end with it: a name that no server answers takes
/// half a minute, and holds up no other one.
///
/// NIO's own resolver uses a queue of libdispatch, which from then on wakes up the process once a second.
final class NameResolver: Resolver, @unchecked Sendable {  // used on its event loop only
  struct Failure: Error, CustomStringConvertible {
    let description: String
  }

  typealias LookUp = @Sendable (_ host: String, _ port: Int, _ family: CInt) throws -> [SocketAddress]

  private let loop: any EventLoop
  private let lookUp: LookUp
  /// What is under way, by family. It outlives the attempt to connect that began it, and the next one waits for it.
  private var running: [CInt: EventLoopFuture<[SocketAddress]>] = [:]

  init(loop: any EventLoop, lookUp: @escaping LookUp = NameResolver.addresses) {
    (self.loop, self.lookUp) = (loop, lookUp)
  }

  func initiateAQuery(host: String, port: Int) -> EventLoopFuture<[SocketAddress]> { look(up: host, port, AF_INET) }

  func initiateAAAAQuery(host: String, port: Int) -> EventLoopFuture<[SocketAddress]> { look(up: host, port, AF_INET6) }

  /// A look-up that nobody waits for ends by itself.
  func cancelQueries() {}

  private func look(up host: String, _ port: Int, _ family: CInt) -> EventLoopFuture<[SocketAddress]> {
    if let running = running[family] { return running }
    let promise = loop.makePromise(of: [SocketAddress].self)
    running[family] = promise.futureResult
    promise.futureResult.whenComplete { _ in self.running[family] = nil }
    do throws(Errno) {
      try PlainThread.start("look-up") { [lookUp] in
        promise.completeWith(Result { try lookUp(host, port, family) })
      }
    } catch {
      promise.fail(error)
    }
    return promise.futureResult
  }

  @Sendable private static func addresses(of host: String, _ port: Int, _ family: CInt) throws -> [SocketAddress] {
    var hints = addrinfo()
    hints.ai_family = family
    hints.ai_socktype = Int32(SOCK_STREAM.rawValue)
    var first: UnsafeMutablePointer<addrinfo>?
    let status = getaddrinfo(host, "\(port)", &hints, &first)
    guard status == 0 else { throw Failure(description: String(cString: gai_strerror(status))) }
    defer { freeaddrinfo(first) }
    return sequence(first: first, next: { $0?.pointee.ai_next }).compactMap { entry in
      guard let entry = entry?.pointee, let address = entry.ai_addr else { return nil }
      return switch entry.ai_family {
      case AF_INET: SocketAddress(UnsafeRawPointer(address).loadUnaligned(as: sockaddr_in.self), host: host)
      case AF_INET6: SocketAddress(UnsafeRawPointer(address).loadUnaligned(as: sockaddr_in6.self), host: host)
      default: nil
      }
    }
  }
}
