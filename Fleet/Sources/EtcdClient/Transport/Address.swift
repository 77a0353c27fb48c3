import NIOCore
import NIOPosix

/// Where a member listens, as an endpoint such as `https://10.0.0.1:2379` says.
struct Address: Sendable, Hashable {
  /// The endpoint without a slash at its end.
  let url: String
  let isTLS: Bool
  /// The host's name, or its number without brackets.
  let host: String
  let port: Int

  /// - Throws: ``EtcdError`` with code `invalidArgument` if the text is no such endpoint.
  init(_ endpoint: String) throws(EtcdError) {
    url = Self.withoutSlash(endpoint)
    let scheme = url.prefix { $0 != ":" }.lowercased()
    guard ["http", "https"].contains(scheme), url.dropFirst(scheme.count).hasPrefix("://") else {
      throw EtcdError(.invalidArgument, "'\(endpoint)' is not an address that begins with http:// or https://.")
    }
    isTLS = scheme == "https"
    let authority = url.dropFirst(scheme.count + 3)
    // An IPv6 address is in brackets and has colons: RFC 3986, section 3.2.2.
    let hostEnd: Substring.Index
    if authority.hasPrefix("[") {
      let end = authority.firstIndex(of: "]")
      hostEnd = end.map { authority.index(after: $0) } ?? authority.endIndex
      host = end.map { String(authority[..<$0].dropFirst()) } ?? ""
    } else {
      hostEnd = authority.firstIndex(of: ":") ?? authority.endIndex
      host = String(authority[..<hostEnd])
    }
    let rest = authority[hostEnd...]
    let port = rest.isEmpty ? (isTLS ? 443 : 80) : rest.hasPrefix(":") ? Int(rest.dropFirst()) : nil
    guard !host.isEmpty, !host.contains(where: { "/?#@ []".contains($0) }), let port, (1...65535).contains(port) else {
      throw EtcdError(
        .invalidArgument, "'\(endpoint)' is not an address of a host and a port, such as https://10.0.0.1:2379.")
    }
    self.port = port
  }

  /// The host and the port, as HTTP/2 has them in `:authority`.
  var authority: String { host.contains(":") ? "[\(host)]:\(port)" : "\(host):\(port)" }

  /// The address, if the host is a number.
  private var socket: SocketAddress? { try? SocketAddress(ipAddress: host, port: port) }

  /// What the member's certificate has to be for; `nil` for its number.
  var serverName: String? { socket == nil ? host : nil }

  /// Connects to the member.
  ///
  /// - Parameters:
  ///   - resolver: Looks up the host's name.
  ///   - limit: How long it may take.
  ///   - initializer: Sets up the channel.
  func connect(
    on loop: any EventLoop, by resolver: NameResolver, within limit: TimeAmount,
    _ initializer: @escaping @Sendable (any Channel) -> EventLoopFuture<Void>
  ) -> EventLoopFuture<any Channel> {
    let bootstrap = ClientBootstrap(group: loop).connectTimeout(limit).resolver(resolver)
      .channelInitializer(initializer)
    return socket.map { bootstrap.connect(to: $0) } ?? bootstrap.connect(host: host, port: port)
  }

  static func withoutSlash(_ endpoint: String) -> String {
    endpoint.hasSuffix("/") ? String(endpoint.dropLast()) : endpoint
  }
}
