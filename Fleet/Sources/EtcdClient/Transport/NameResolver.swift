import Glibc
import NIOCore
import NIOPosix

/// Looks up names with getaddrinfo(3), on NIO's threads for what blocks.
///
/// NIO's own resolver uses a queue of libdispatch, which from then on wakes up the process once a second.
struct NameResolver: Resolver, Sendable {
  struct Failure: Error, CustomStringConvertible {
    let description: String
  }

  let loop: any EventLoop

  func initiateAQuery(host: String, port: Int) -> EventLoopFuture<[SocketAddress]> { look(up: host, port, AF_INET) }

  func initiateAAAAQuery(host: String, port: Int) -> EventLoopFuture<[SocketAddress]> { look(up: host, port, AF_INET6) }

  /// A look-up that nobody waits for ends by itself.
  func cancelQueries() {}

  private func look(up host: String, _ port: Int, _ family: Int32) -> EventLoopFuture<[SocketAddress]> {
    NIOThreadPool.singleton.runIfActive(eventLoop: loop) {
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
}
