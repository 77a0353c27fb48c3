import HTTPTypes
import HummingbirdCore
import NIOCore
import SettingsTools

/// The answer to a request.
struct Reply: Sendable {
  var status: HTTPResponse.Status
  var headers: HTTPFields
  /// What is sent; for a stream, nothing of it is known yet.
  var bytes: [UInt8] = []
  /// Sends a body whose length is not known, and returns when it is over.
  var stream: (@concurrent @Sendable (inout any ResponseBodyWriter) async throws -> Void)?

  /// Runs when the answer was sent, or could not be.
  var cleanUp: (@Sendable () -> Void)?

  init(_ status: HTTPResponse.Status, type: String, _ bytes: [UInt8]) {
    (self.status, self.bytes) = (status, bytes)
    headers = Self.safety
    headers[.contentType] = type
  }

  /// JSON that a command has printed.
  static func json(_ bytes: [UInt8], _ status: HTTPResponse.Status = .ok) -> Reply {
    var reply = Reply(status, type: "application/json", bytes)
    reply.headers[.cacheControl] = "no-store"
    return reply
  }

  static func json(_ object: JSONObject, _ status: HTTPResponse.Status = .ok) -> Reply { json(object.bytes, status) }

  /// An error.
  ///
  /// - Parameters:
  ///   - exitStatus: That of the command; `nil` if the server itself refuses the request.
  ///   - key: The key that the error is about, if it is about one.
  ///   - more: What else is known of the error.
  static func failure(
    _ status: HTTPResponse.Status, _ message: String, exitStatus: Int? = nil, key: String? = nil,
    with more: JSONObject = [:]
  ) -> Reply {
    var error: JSONObject = ["status": .number(exitStatus), "message": .text(message)]
    if let key { error["key"] = .text(key) }
    return json(["error": .object(error + more)], status)
  }

  /// What every answer has. A page of ours runs no script but its own, talks to nobody but this server, and is shown in
  /// no other page; no other page reads what this server sends.
  private static let safety: HTTPFields = [
    .contentSecurityPolicy:
      "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; img-src 'self' data:; "
      + "base-uri 'none'; form-action 'none'; frame-ancestors 'none'; require-trusted-types-for 'script'; trusted-types stream",
    .xContentTypeOptions: "nosniff",
    .referrerPolicy: "no-referrer",
    .frameOptions: "DENY",
    .crossOriginOpenerPolicy: "same-origin",
    .crossOriginResourcePolicy: "same-origin",
  ]
}

extension HTTPField.Name {
  static let referrerPolicy = Self("Referrer-Policy")!
  static let frameOptions = Self("X-Frame-Options")!
  static let crossOriginOpenerPolicy = Self("Cross-Origin-Opener-Policy")!
  static let fetchSite = Self("Sec-Fetch-Site")!
  /// The first Host of a request becomes its authority, and is no header any more.
  static let secondHost = Self("Host")!
}
