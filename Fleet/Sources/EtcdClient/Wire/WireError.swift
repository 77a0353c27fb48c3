import NIOHPACK

/// An error of the cluster: of a call, or in the reason of a cancelled watch.
struct WireError: Error {
  private var message: String
  private var code: Int

  init(message: String, code: Int) {
    self.message = message
    self.code = code
  }

  /// The error that the headers or trailers of an answer are about; `nil` for success, and for headers without a status.
  ///
  /// A member says at the end of an answer what came of it, in the trailers or in the only headers
  /// (https://github.com/grpc/grpc/blob/master/doc/PROTOCOL-HTTP2.md, "Responses").
  init?(_ headers: HPACKHeaders) {
    guard let status = headers.first(name: "grpc-status"), status != "0" else { return nil }
    let message = headers.first(name: "grpc-message") ?? ""
    // Unknown is what a status that is no number stands for.
    self.init(message: Self.text(ofMessage: message), code: Int(status) ?? 2)
  }

  /// Bytes other than printable ASCII are percent-encoded.
  private static func text(ofMessage message: String) -> String {
    var bytes: [UInt8] = []
    var rest = message.utf8[...]
    while let byte = rest.popFirst() {
      if byte == UInt8(ascii: "%"), rest.count > 1, let value = UInt8(String(Substring(rest.prefix(2))), radix: 16) {
        bytes.append(value)
        rest = rest.dropFirst(2)
      } else {
        bytes.append(byte)
      }
    }
    return String(decoding: bytes, as: UTF8.self)
  }

  /// The error that the reason of a cancelled watch is about: `rpc error: code = NAME desc = TEXT`.
  init(reason: String) {
    let codes = ["PermissionDenied": 7, "Unauthenticated": 16, "InvalidArgument": 3, "Unavailable": 14]
    let name = reason.firstRange(of: "code = ").flatMap { reason[$0.upperBound...].split(separator: " ").first }
    let text = reason.firstRange(of: "desc = ").map { String(reason[$0.upperBound...]) }
    self.init(message: text ?? reason, code: name.flatMap { codes[String($0)] } ?? 14)
  }

  private static let codesByText: [(text: String, code: EtcdError.Code)] = [
    ("user name is empty", .notAuthenticated),
    ("invalid auth token", .notAuthenticated),
    ("authentication failed", .notAuthenticated),
    ("revision of auth store is old", .notAuthenticated),
    ("permission denied", .permissionDenied),
    ("revision has been compacted", .compacted),
    ("future revision", .futureRevision),
    ("lease not found", .leaseNotFound),
    ("request is too large", .tooLarge),
    ("message larger than max", .tooLarge),
    ("database space exceeded", .noSpace),
    ("already exists", .alreadyExists),
    ("name not found", .notFound),
    ("too many requests", .unavailable),
    ("no leader", .unavailable),
    ("proposal dropped", .unavailable),
    ("request timed out", .unavailable),
    ("leader changed", .unavailable),
  ]

  /// The errors that etcd answers with before it proposes a write to the other members. It answers with codes that
  /// could mean anything for some of them.
  private static let textsBeforeWriting = ["permission denied", "too many requests", "no leader", "proposal dropped"]

  func error(endpoint: String, isWrite: Bool) -> EtcdError {
    let found: EtcdError.Code =
      switch code {
      case 1, 4, 14: .unavailable
      case 3, 11: .invalidArgument
      case 5: .notFound
      case 6: .alreadyExists
      case 7: .permissionDenied
      case 8: .unavailable
      case 9: .failedPrecondition
      case 12: .unsupported
      case 16: .notAuthenticated
      default: .internal
      }
    let isUncertain =
      [1, 2, 4, 10, 13, 14, 15].contains(code) && !Self.textsBeforeWriting.contains { message.contains($0) }
    // A write that fills the database is carried out by every member, and answered like one that is refused.
    let isFull = message.contains("database space exceeded")
    let known = Self.codesByText.first { message.contains($0.text) }?.code
    return EtcdError(
      known ?? found, message.isEmpty ? "no text" : message, endpoint: endpoint,
      mayHaveHappened: isWrite && (isUncertain || isFull))
  }
}
