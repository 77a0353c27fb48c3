import Glibc
import Synchronization

/// Ports that nobody uses, outside the range from which the kernel takes ports for connections: a member that is
/// restarted finds its port free.
package enum FreePorts {
  /// Other processes take ports in the same way at the same time. Each process has blocks of its own: a block belongs to
  /// who has bound the socket of its name. Such names belong to a network namespace, as ports do, and go with the process.
  private struct Blocks {
    private var next: UInt16 = 0
    private var end: UInt16 = 0
    private static let (first, size, count) = (UInt16(12_000), UInt16(100), UInt16(200))

    mutating func port() -> UInt16 {
      while next == end { take(UInt16.random(in: 0..<Self.count)) }
      defer { next += 1 }
      return next
    }

    private mutating func take(_ block: UInt16) {
      let socket = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
      var address = sockaddr_un()
      address.sun_family = sa_family_t(AF_UNIX)
      // A name that begins with a zero is no file: unix(7).
      let name = Array("\0etcd-testing-ports-\(block)".utf8)
      withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: name) }
      let length = MemoryLayout<sockaddr_un>.offset(of: \.sun_path)! + name.count
      let isMine = withUnsafeBytes(of: &address) {
        bind(socket, $0.baseAddress!.assumingMemoryBound(to: sockaddr.self), socklen_t(length)) == 0
      }
      // It stays open until the process ends.
      guard isMine else { return _ = close(socket) }
      next = Self.first + block * Self.size
      end = next + Self.size
    }
  }

  /// Protects the ports that this process gives away.
  private static let blocks = Mutex(Blocks())

  package static func next() -> Int {
    while true {
      let port = blocks.withLock { $0.port() }
      if isFree(port) { return Int(port) }
    }
  }

  private static func isFree(_ port: UInt16) -> Bool {
    let socket = socket(AF_INET, Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
    defer { close(socket) }
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_port = port.bigEndian
    address.sin_addr.s_addr = UInt32(0x7f00_0001).bigEndian
    return withUnsafeBytes(of: &address) {
      bind(socket, $0.baseAddress!.assumingMemoryBound(to: sockaddr.self), socklen_t($0.count)) == 0
    }
  }
}
