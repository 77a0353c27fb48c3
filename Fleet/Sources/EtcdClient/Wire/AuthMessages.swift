import NIOCore

// The messages about users, roles and permissions (rpc.proto and auth.proto of etcd's API have the numbers of fields).

/// Two texts, as most of these messages are: a user and a password, a user and a role, or a name alone.
struct NamesMessage: ProtobufWritable {
  var first: String
  var second = ""

  func write(to writer: inout ProtobufWriter) {
    writer.write(first, field: 1)
    writer.write(second, field: 2)
  }
}

struct GrantPermissionMessage: ProtobufWritable {
  var role: String
  var permission: EtcdPermission

  func write(to writer: inout ProtobufWriter) {
    writer.write(role, field: 1)
    writer.write(permission, field: 2)
  }
}

struct RevokePermissionMessage: ProtobufWritable {
  var role: String
  var span: EtcdSpan

  func write(to writer: inout ProtobufWriter) {
    writer.write(role, field: 1)
    span.write(to: &writer, start: 2, end: 3)
  }
}

extension EtcdPermission: ProtobufWritable, ProtobufReadable {
  private static let accesses: [Access] = [.read, .write, .readWrite]

  func write(to writer: inout ProtobufWriter) {
    writer.write(Int64(Self.accesses.firstIndex(of: access) ?? 0), field: 1)
    span.write(to: &writer, start: 2, end: 3)
  }

  init(protobuf message: ByteBuffer) throws(ProtobufReader.Malformed) {
    var (access, start, end) = (UInt64(0), [UInt8](), [UInt8]())
    try ProtobufReader.read(message) { field in
      switch field.number {
      case 1: access = field.value
      case 2: start = field.array
      case 3: end = field.array
      default: break
      }
    }
    guard let index = Int(exactly: access), Self.accesses.indices.contains(index) else {
      throw ProtobufReader.Malformed()
    }
    self.init(Self.accesses[index], end.isEmpty ? .key(start) : .keys(from: start, to: Optional(end)))
  }
}

struct TokenAnswer: ProtobufReadable {
  var token: String

  init(protobuf message: ByteBuffer) throws(ProtobufReader.Malformed) {
    var found = ""
    try ProtobufReader.read(message) { field in
      if field.number == 2 { found = field.text }
    }
    token = found
  }
}

/// The names of users, of roles, or of a user's roles.
struct NamesAnswer: ProtobufReadable {
  var names: [String]

  init(protobuf message: ByteBuffer) throws(ProtobufReader.Malformed) {
    var found: [String] = []
    try ProtobufReader.read(message) { field in
      if field.number == 2 { found.append(field.text) }
    }
    names = found
  }
}

struct PermissionsAnswer: ProtobufReadable {
  var permissions: [EtcdPermission]

  init(protobuf message: ByteBuffer) throws(ProtobufReader.Malformed) {
    var found: [EtcdPermission] = []
    try ProtobufReader.read(message) { field throws(ProtobufReader.Malformed) in
      if field.number == 2 { found.append(try EtcdPermission(protobuf: field.bytes)) }
    }
    permissions = found
  }
}
