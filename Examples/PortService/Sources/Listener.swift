import Foundation
import Synchronization

/// Says something to everyone who connects to a port of this machine, which can be another one at any time.
final class Listener: Sendable {
  /// Why a port cannot be had.
  struct Failure: Error, CustomStringConvertible {
    let description: String
  }

  // Protects the port and its socket.
  private let open = Mutex<(port: Int, socket: CInt)?>(nil)
  private let greeting: @Sendable () -> String

  init(_ greeting: @escaping @Sendable () -> String) {
    self.greeting = greeting
  }

  /// Listens on a port, and on the one before no more. Where it throws, the one before stays.
  func listen(on port: Int) throws {
    // After a port that could not be had, the next one may be the one that it never left.
    guard open.withLock({ $0?.port }) != port else { return }
    let new = try Self.open(port)
    let old = open.withLock { open in
      defer { open = (port, new) }
      return open
    }
    Thread.detachNewThread { self.serve(new) }
    if let old { shutdown(old.socket, CInt(SHUT_RDWR)) }
  }

  /// Listens no more.
  func close() {
    let old = open.withLock { open in
      defer { open = nil }
      return open
    }
    if let old { shutdown(old.socket, CInt(SHUT_RDWR)) }
  }

  private static func open(_ port: Int) throws -> CInt {
    let new = Glibc.socket(AF_INET, CInt(SOCK_STREAM.rawValue), 0)
    var yes: CInt = 1
    setsockopt(new, SOL_SOCKET, SO_REUSEADDR, &yes, socklen_t(MemoryLayout<CInt>.size))
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_port = in_port_t(UInt16(port)).bigEndian
    address.sin_addr.s_addr = in_addr_t(0x7F00_0001).bigEndian
    let size = socklen_t(MemoryLayout<sockaddr_in>.size)
    let result = withUnsafePointer(to: address) { address in
      address.withMemoryRebound(to: sockaddr.self, capacity: 1) { bind(new, $0, size) }
    }
    guard new >= 0, result == 0, Glibc.listen(new, 16) == 0 else {
      let failure = Failure(description: String(cString: strerror(errno)))
      if new >= 0 { Glibc.close(new) }
      throw failure
    }
    return new
  }

  /// Ends when the socket is shut down.
  private func serve(_ socket: CInt) {
    while true {
      let connection = accept(socket, nil, nil)
      guard connection >= 0 else {
        // A client that has gone already is no reason to end.
        if errno == ECONNABORTED || errno == EINTR { continue }
        break
      }
      let line = greeting() + "\n"
      _ = send(connection, line, line.utf8.count, CInt(MSG_NOSIGNAL))
      Glibc.close(connection)
    }
    open.withLock { if $0?.socket == socket { $0 = nil } }
    Glibc.close(socket)
  }
}
