import FoundationEssentials
import NIOCore

/// A call: a path of the JSON gateway, or of a gRPC service, with a message.
struct Call: Sendable {
  /// What may be done about a call without an answer.
  enum Kind: Sendable {
    /// It changes nothing, or nothing that doing it twice would not: another endpoint is asked.
    case repeatable
    /// It may have been carried out: only the caller knows whether to repeat it.
    case write
  }

  let path: String
  let body: ByteBuffer
  let kind: Kind
  /// Whether a member without a leader is to refuse it at once, instead of holding it until it times out.
  let needsLeader: Bool
  /// Whether it is made by gRPC, over HTTP/2 only.
  var isRPC = false
  /// The largest answer in bytes.
  var answerLimit = 256 << 20

  var isWrite: Bool { kind == .write }

  /// A call by gRPC.
  init(rpc path: String, _ message: some ProtobufWritable, _ kind: Kind, needsLeader: Bool = true) {
    self.path = path
    body = RPCFrames.frame(message.protobuf)
    self.kind = kind
    self.needsLeader = needsLeader
    isRPC = true
  }

  /// A call of the JSON gateway.
  init(_ path: String, _ message: some Encodable, _ kind: Kind, needsLeader: Bool = true) throws(EtcdError) {
    self.path = path
    self.kind = kind
    self.needsLeader = needsLeader
    do {
      let encoder = JSONEncoder()
      encoder.outputFormatting = .withoutEscapingSlashes
      body = ByteBuffer(bytes: try encoder.encode(message))
    } catch {
      throw EtcdError(.internal, "The request cannot be written as JSON: \(error)")
    }
  }
}

struct WireNothing: Codable {}

extension ByteBuffer {
  /// Reads a message.
  func decoded<Message: Decodable>(as type: Message.Type, endpoint: String? = nil) throws(EtcdError) -> Message {
    do {
      return try JSONDecoder().decode(Message.self, from: Data(readableBytesView))
    } catch {
      throw EtcdError(.internal, "The cluster's answer cannot be read: \(error)", endpoint: endpoint)
    }
  }
}
