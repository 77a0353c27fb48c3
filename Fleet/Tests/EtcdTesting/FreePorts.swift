import Glibc
import Synchronization

/// Ports that nobody uses, outside the range from which the kernel takes ports for connections: a member that is
/// restarted finds its port free.
enum FreePorts {
  /// Protects the ports that this process gave away.
  private static let given = Mutex<Set<UInt16>>([])

  static func next() -> Int {
    while true {
      let port = UInt16.random(in: 12_000..<32_000)
      if given.withLock({ $0.insert(port).inserted }) && isFree(port) { return Int(port) }
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
