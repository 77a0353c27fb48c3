import NIOCore

// The messages about members (rpc.proto of etcd's API has the numbers of fields).

extension EtcdStatus: ProtobufReadable {
  init(protobuf message: ByteBuffer) throws(ProtobufReader.Malformed) {
    var answer = (
      header: EtcdHeader?.none, version: "", size: Int64(0), leader: UInt64(0), index: UInt64(0), inUse: Int64(0)
    )
    try ProtobufReader.read(message) { field throws(ProtobufReader.Malformed) in
      switch field.number {
      case 1: answer.header = try EtcdHeader(protobuf: field.bytes)
      case 2: answer.version = field.text
      case 3: answer.size = field.signed
      case 4: answer.leader = field.value
      case 5: answer.index = field.value
      case 9: answer.inUse = field.signed
      default: break
      }
    }
    guard let header = answer.header else { throw ProtobufReader.Malformed() }
    self.init(
      header: header, version: answer.version, databaseSize: answer.size, databaseSizeInUse: answer.inUse,
      leader: answer.leader, raftIndex: answer.index)
  }
}

struct AlarmMessage: ProtobufWritable {
  /// What is done about alarms, by its number.
  enum Action: Int64 {
    case get = 0
    case deactivate = 2
  }

  var action: Action
  var alarm: EtcdAlarm?

  func write(to writer: inout ProtobufWriter) {
    writer.write(action.rawValue, field: 1)
    writer.write(Int64(bitPattern: alarm?.member ?? 0), field: 2)
    writer.write(Int64(alarm.flatMap { EtcdAlarm.kinds.firstIndex(of: $0.kind) } ?? 0), field: 3)
  }
}

extension EtcdAlarm: ProtobufReadable {
  fileprivate static let kinds = ["NONE", "NOSPACE", "CORRUPT"]

  init(protobuf message: ByteBuffer) throws(ProtobufReader.Malformed) {
    var (member, kind) = (UInt64(0), UInt64(0))
    try ProtobufReader.read(message) { field in
      switch field.number {
      case 1: member = field.value
      case 2: kind = field.value
      default: break
      }
    }
    guard let index = Int(exactly: kind), Self.kinds.indices.contains(index) else { throw ProtobufReader.Malformed() }
    self.init(member: member, kind: Self.kinds[index])
  }
}

struct AlarmsAnswer: ProtobufReadable {
  var alarms: [EtcdAlarm]

  init(protobuf message: ByteBuffer) throws(ProtobufReader.Malformed) {
    var found: [EtcdAlarm] = []
    try ProtobufReader.read(message) { field throws(ProtobufReader.Malformed) in
      if field.number == 2 { found.append(try EtcdAlarm(protobuf: field.bytes)) }
    }
    alarms = found
  }
}

/// An answer of which nothing is read.
struct EmptyAnswer: ProtobufReadable {
  init(protobuf message: ByteBuffer) throws(ProtobufReader.Malformed) {}
}

struct SnapshotPart: ProtobufReadable {
  var remaining: UInt64
  var bytes: [UInt8]

  init(protobuf message: ByteBuffer) throws(ProtobufReader.Malformed) {
    var part = (remaining: UInt64(0), bytes: [UInt8]())
    try ProtobufReader.read(message) { field in
      switch field.number {
      case 2: part.remaining = field.value
      case 3: part.bytes = field.array
      default: break
      }
    }
    (remaining, bytes) = part
  }
}
