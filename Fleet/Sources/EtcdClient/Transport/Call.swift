import NIOCore

/// A call of a method, with its message.
struct Call: Sendable {
  /// What may be done about a call without an answer.
  enum Kind: Sendable {
    /// It changes nothing, or nothing that doing it twice would not: another endpoint is asked.
    case repeatable
    /// It may have been carried out: only the caller knows whether to repeat it.
    case write
  }

  let method: Method
  /// The message, framed.
  let message: ByteBuffer
  let kind: Kind
  /// Whether a member without a leader is to refuse it at once, instead of holding it until it times out.
  let needsLeader: Bool

  init(_ method: Method, _ message: OutgoingMessage, _ kind: Kind, needsLeader: Bool = true) {
    self.method = method
    self.message = RPCFrames.frame(message.protobuf)
    self.kind = kind
    self.needsLeader = needsLeader
  }

  var isWrite: Bool { kind == .write }
}
