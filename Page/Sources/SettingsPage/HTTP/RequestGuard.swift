import HTTPTypes

/// Decides whether a request may be from the person's own page or command line.
struct RequestGuard: Sendable {
  let token: Token
  /// Where a code is exchanged for the token.
  static let session = "/api/session"

  /// Why a request is refused; `nil` if it is not.
  ///
  /// A page of another site can send requests here. Its name may lead to this machine (DNS rebinding), so that the
  /// browser takes us for a part of that site: then `Host` has that name. Otherwise the browser says in `Origin` who
  /// asks. Neither has the token.
  ///
  /// - Parameter port: The port that belongs in `Host`; `nil` if any does, since it came through a socket's file.
  func refusal(_ head: HTTPRequest, port: Int?) -> Reply? {
    // The first one became the authority.
    guard let host = head.authority, !head.headerFields.contains(.secondHost), isOurs(host, port) else {
      return .failure(.forbidden, "The header Host does not name this server.")
    }
    let origins = head.headerFields[values: .origin]
    guard origins.allSatisfy({ $0.lowercased() == "http://\(host.lowercased())" }) else {
      return .failure(.forbidden, "The header Origin names another page.")
    }
    let path = head.path ?? ""
    guard Self.isOfInterface(path) else { return nil }
    guard head.headerFields[values: .fetchSite].allSatisfy({ $0 == "same-origin" || $0 == "none" }) else {
      return .failure(.forbidden, "Another page has sent this request.")
    }
    guard Self.needsToken(path) else { return nil }
    let authorizations = head.headerFields[values: .authorization]
    guard authorizations.count < 2, token.isIn(authorizations.first) else {
      var reply = Reply.failure(.unauthorized, "The header Authorization does not have the token of this server.")
      reply.headers[.wwwAuthenticate] = "Bearer"
      return reply
    }
    return nil
  }

  /// Whether the path needs the token: everything but the files of the page, which hold nothing, and the exchange of a
  /// code, whose body has what the address has.
  static func needsToken(_ path: String) -> Bool { path != session && isOfInterface(path) }

  private static func isOfInterface(_ path: String) -> Bool {
    guard let path = path.split(separator: "?", maxSplits: 1, omittingEmptySubsequences: false).first else {
      return true
    }
    return !Assets.paths.contains(String(path))
  }

  private func isOurs(_ host: String, _ port: Int?) -> Bool {
    let host = host.lowercased()
    guard let name = ["127.0.0.1", "localhost", "[::1]"].first(where: host.hasPrefix) else { return false }
    let rest = host.dropFirst(name.count)
    if let port { return rest == ":\(port)" || (port == 80 && rest.isEmpty) }
    return rest.isEmpty || (rest.first == ":" && rest.count < 7 && rest.dropFirst().allSatisfy(\.isNumber))
  }
}
