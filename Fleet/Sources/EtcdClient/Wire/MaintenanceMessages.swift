import NIOCore

// The messages about members (rpc.proto of etcd's API has the numbers of fields).

extension EtcdStatus: ProtobufMessage {
  init(_ fields: ProtobufFields) throws(MalformedMessage) {
    self.init(
      header: try fields.message(1), version: fields[2].text, databaseSize: fields[3].signed,
      databaseSizeInUse: fields[9].signed, leader: fields[4].value, raftIndex: fields[5].value)
  }
}

extension EtcdAlarm: ProtobufMessage {
  private static let kinds = ["NONE", "NOSPACE", "CORRUPT"]

  init(_ fields: ProtobufFields) throws(MalformedMessage) {
    guard let index = Int(exactly: fields[2].value), Self.kinds.indices.contains(index) else {
      throw MalformedMessage()
    }
    self.init(member: fields[1].value, kind: Self.kinds[index])
  }

  /// A request to take the alarm away.
  var deactivation: OutgoingMessage {
    [
      1: .number(2), 2: .number(Int64(bitPattern: member)), 3: .number(Int64(Self.kinds.firstIndex(of: kind) ?? 0)),
    ]
  }
}

struct AlarmsAnswer: ProtobufMessage {
  var alarms: [EtcdAlarm]

  init(_ fields: ProtobufFields) throws(MalformedMessage) { alarms = try fields.messages(2) }
}

/// An answer of which nothing is read.
struct EmptyAnswer: ProtobufReadable {
  init(protobuf message: ByteBuffer) throws(MalformedMessage) {}
}
