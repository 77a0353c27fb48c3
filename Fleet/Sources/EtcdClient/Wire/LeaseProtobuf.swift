import FoundationEssentials
import NIOCore

// The messages about leases in Protocol Buffers (rpc.proto of etcd's API has the numbers of fields).

extension WireGrant: ProtobufWritable {
  func write(to writer: inout ProtobufWriter) {
    writer.write(TTL.value, field: 1)
  }
}

extension WireLeaseID: ProtobufWritable {
  func write(to writer: inout ProtobufWriter) {
    writer.write(ID.value, field: 1)
  }
}

extension WireTimeToLive: ProtobufWritable {
  func write(to writer: inout ProtobufWriter) {
    writer.write(ID.value, field: 1)
    writer.write(keys ?? false, field: 2)
  }
}

/// The answers to grants, keep-alives and questions have the same numbers, except for the fourth field: a grant's is a
/// text, which etcd does not use.
extension WireLease: ProtobufReadable {
  init(protobuf message: ByteBuffer) throws(ProtobufReader.Malformed) {
    var reader = ProtobufReader(message)
    var found: [Data] = []
    while let field = try reader.next() {
      switch field.number {
      case 2: ID = WireInt(field.signed)
      case 3: TTL = WireInt(field.signed)
      case 4: grantedTTL = WireInt(field.signed)
      case 5: found.append(Data(field.array))
      default: break
      }
    }
    keys = found
  }
}
