import AppSettings
import Glibc
import HummingbirdCore
import NIOCore
import Synchronization

/// Where the server listens.
public enum Endpoint: Sendable, Equatable, CustomStringConvertible {
  /// This machine's own address; a port of 0 is any that is free.
  case loopback(port: Int)
  /// A socket in the file system. Its directory keeps others out.
  case socket(path: String)

  /// The place, as a part of a sentence.
  public var description: String {
    switch self {
    case .loopback(0): "this machine's own address"
    case .loopback(let port): "port \(port)"
    case .socket(let path): "'\(path)'"
    }
  }

  /// - Parameter hasIPv4: Whether the machine has the address 127.0.0.1.
  func address(hasIPv4: Bool) -> BindAddress {
    switch self {
    case .loopback(let port): .hostname(hasIPv4 ? "127.0.0.1" : "::1", port: port)
    case .socket(let path): .unixDomainSocket(path: path)
    }
  }

  /// Whether the machine has the address 127.0.0.1.
  static var hasIPv4: Bool { succeeds(bind, at: try? SocketAddress(ipAddress: "127.0.0.1", port: 0)) }

  /// Whether a call succeeds with a new socket.
  private static func succeeds(
    _ call: (CInt, UnsafePointer<sockaddr>, socklen_t) -> CInt, at address: SocketAddress?
  ) -> Bool {
    guard let address else { return false }
    let isFile = address.protocol == .unix
    let descriptor = Glibc.socket(
      isFile ? AF_UNIX : AF_INET, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
    guard descriptor >= 0 else { return false }
    defer { close(descriptor) }
    return address.withSockAddr { call(descriptor, $0, socklen_t($1)) == 0 }
  }

  // MARK: A socket's file

  /// Makes the directory of a socket, and sees to it that nobody else can reach into it.
  ///
  /// - Throws: ``PageError`` if others can, or if a server or a file is there already.
  func prepare() throws {
    guard case .socket(let path) = self else { return }
    guard path.utf8.count < 108 else {
      throw PageError("The path '\(path)' is longer than the path of a socket may be.")
    }
    let directory = path.lastIndex(of: "/").map { String(path[..<$0]) } ?? "."
    if mkdir(directory, 0o700) != 0, errno != EEXIST {
      throw PageError("Cannot make the directory '\(directory)': \(String(cString: strerror(errno))).")
    }
    guard let status = try? Syscalls().status(at: directory), status.isDirectory else {
      throw PageError("'\(directory)' is not a directory.")
    }
    guard status.owner == geteuid(), status.permissions & 0o077 == 0 else {
      // Its mode is not to be changed: it may be '/tmp'.
      let name = path.split(separator: "/").last ?? ""
      throw PageError(
        "Others may use the directory '\(directory)', and a socket needs one that is yours alone. With "
          + "'--socket \(directory)/settings-page/\(name)', it is made.")
    }
    guard let present = try? Syscalls().status(at: path, followingLinks: false) else { return }
    guard present.mode & S_IFMT == S_IFSOCK else {
      throw PageError("'\(path)' exists and is not a socket. Choose another path. The file is unchanged.")
    }
    let isAnswered = Self.succeeds(connect, at: try? SocketAddress(unixDomainSocketPath: path))
    guard !isAnswered else { throw PageError("A server is running at '\(path)' already.") }
  }
}

/// The file of a socket, from when the server listens until it ends.
final class SocketFile: Sendable {
  private let path: String?
  // Protects which file it is.
  private let file = Mutex<FileStatus?>(nil)

  init(_ endpoint: Endpoint) { if case .socket(let path) = endpoint { self.path = path } else { path = nil } }

  /// Takes the socket that was made, and keeps others off it, should its directory be opened to them later.
  func made() {
    guard let path, let present else { return }
    file.withLock { $0 = present }
    _ = chmod(path, 0o600)
  }

  /// Removes the socket, if it is still the one that was made.
  func remove() {
    guard let path, let file = file.withLock({ $0 }), present?.sameFile(file) == true else { return }
    _ = unlink(path)
  }

  private var present: FileStatus? { path.flatMap { try? Syscalls().status(at: $0, followingLinks: false) } }
}

/// Where a server can be reached.
public struct PageAddress: Sendable {
  /// The URL of the page, with a code and what it shows first in the fragment, which browsers do not send.
  public let url: String
  /// The port; `nil` for a socket.
  public let port: Int?

  init(_ address: SocketAddress?, _ configuration: PageConfiguration) {
    port = address?.port
    let host = port.map { (address?.protocol == .inet6 ? "[::1]" : "127.0.0.1") + ":\($0)" } ?? "localhost"
    var url = "http://\(host)/#code=\(configuration.code.text)"
    if let target = configuration.target { url += "&app=\(PercentEncoding.encode(target))" }
    self.url = url
  }
}
