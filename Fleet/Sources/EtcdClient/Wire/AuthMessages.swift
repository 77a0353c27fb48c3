// The messages about users and roles (rpc.proto and auth.proto of etcd's API have the numbers of fields).

extension EtcdPermission {
  private static let accesses: [Access] = [.read, .write, .readWrite]

  var message: OutgoingMessage {
    [
      1: .number(Int64(Self.accesses.firstIndex(of: access) ?? 0)), 2: .bytes(span.start), 3: .bytes(span.end ?? []),
    ]
  }
}

struct TokenAnswer: ProtobufMessage {
  var token: String

  init(_ fields: ProtobufFields) { token = fields[2].text }
}

/// The names of users, or of a user's roles.
struct NamesAnswer: ProtobufMessage {
  var names: [String]

  init(_ fields: ProtobufFields) { names = fields.all(2).map(\.text) }
}
