import NIOCore

// The messages about leases (rpc.proto of etcd's API has the numbers of fields).

struct GrantMessage: ProtobufWritable {
  var seconds: Int

  func write(to writer: inout ProtobufWriter) { writer.write(Int64(seconds), field: 1) }
}

struct LeaseMessage: ProtobufWritable {
  var lease: Int64
  var withKeys = false

  func write(to writer: inout ProtobufWriter) {
    writer.write(lease, field: 1)
    writer.write(withKeys, field: 2)
  }
}

/// The answers to grants, keep-alives and questions have the same numbers, except for the fourth field: a grant's is a
/// text, which etcd does not use.
struct LeaseAnswer: ProtobufReadable {
  var lease: Int64
  var seconds: Int
  var granted: Int
  var keys: [[UInt8]]

  init(protobuf message: ByteBuffer) throws(ProtobufReader.Malformed) {
    var answer = (lease: Int64(0), seconds: Int64(0), granted: Int64(0), keys: [[UInt8]]())
    try ProtobufReader.read(message) { field in
      switch field.number {
      case 2: answer.lease = field.signed
      case 3: answer.seconds = field.signed
      case 4: answer.granted = field.signed
      case 5: answer.keys.append(field.array)
      default: break
      }
    }
    (lease, seconds, granted, keys) = (answer.lease, Int(answer.seconds), Int(answer.granted), answer.keys)
  }
}
