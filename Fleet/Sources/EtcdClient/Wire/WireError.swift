import FoundationEssentials

/// An error of the cluster: of a call, of a stream, or in the reason of a cancelled watch.
struct WireError: Decodable, Error {
  private var message: String?
  private var error: String?
  private var code: Int?
  private var grpc_code: Int?

  init(message: String, code: Int) {
    self.message = message
    self.code = code
  }

  /// The error that an answer with a failure's status is about.
  init(status: UInt, body: [UInt8]) {
    if let parsed = try? JSONDecoder().decode(WireError.self, from: Data(body)) {
      self = parsed
    } else {
      let text = String(decoding: body.prefix(500), as: UTF8.self)
      let line = text.split(whereSeparator: \.isNewline).first.map { String($0) } ?? "no text"
      self.init(message: "HTTP status \(status): \(line)", code: status == 400 ? 3 : 14)
    }
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
    ("CommonName of client", .certificate),
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
    let text = message ?? error ?? "no text"
    let number = code ?? grpc_code ?? 2
    let found: EtcdError.Code =
      switch number {
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
      [1, 2, 4, 10, 13, 14, 15].contains(number) && !Self.textsBeforeWriting.contains { text.contains($0) }
    // A write that fills the database is carried out by every member, and answered like one that is refused.
    let isFull = text.contains("database space exceeded")
    let code = Self.codesByText.first { text.contains($0.text) }?.code ?? found
    return EtcdError(code, text, endpoint: endpoint, mayHaveHappened: isWrite && (isUncertain || isFull))
  }
}
