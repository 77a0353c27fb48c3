// The messages about users and roles (rpc.proto and auth.proto of etcd's API have the numbers of fields).

extension EtcdPermission: ProtobufMessage {
  private static let accesses: [Access] = [.read, .write, .readWrite]

  var message: OutgoingMessage {
    [
      1: .number(Int64(Self.accesses.firstIndex(of: access) ?? 0)), 2: .bytes(span.start), 3: .bytes(span.end ?? []),
    ]
  }

  init(_ fields: ProtobufFields) throws(MalformedMessage) {
    guard let index = Int(exactly: fields[1].value), Self.accesses.indices.contains(index) else {
      throw MalformedMessage()
    }
    let (start, end) = (fields[2].array, fields[3].array)
    self.init(Self.accesses[index], end.isEmpty ? .key(start) : .keys(from: start, to: Optional(end)))
  }
}

struct PermissionsAnswer: ProtobufMessage {
  var permissions: [EtcdPermission]

  init(_ fields: ProtobufFields) throws(MalformedMessage) { permissions = try fields.messages(2) }
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
