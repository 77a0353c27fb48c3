import FoundationEssentials
import NIOCore

// The messages about keys in Protocol Buffers (rpc.proto and kv.proto of etcd's API have the numbers of fields).

// MARK: Requests

extension WireRange: ProtobufWritable {
  func write(to writer: inout ProtobufWriter) {
    writer.write(key, field: 1)
    writer.write(range_end ?? Data(), field: 2)
    writer.write(limit?.value ?? 0, field: 3)
    writer.write(revision?.value ?? 0, field: 4)
    writer.write(serializable ?? false, field: 7)
    writer.write(keys_only ?? false, field: 8)
    writer.write(count_only ?? false, field: 9)
  }
}

extension WirePut: ProtobufWritable {
  func write(to writer: inout ProtobufWriter) {
    writer.write(key, field: 1)
    writer.write(value, field: 2)
    writer.write(lease?.value ?? 0, field: 3)
    writer.write(prev_kv ?? false, field: 4)
  }
}

extension WireDelete: ProtobufWritable {
  func write(to writer: inout ProtobufWriter) {
    writer.write(key, field: 1)
    writer.write(range_end ?? Data(), field: 2)
    writer.write(prev_kv ?? false, field: 3)
  }
}

extension WireCompaction: ProtobufWritable {
  func write(to writer: inout ProtobufWriter) {
    writer.write(revision.value, field: 1)
    writer.write(physical ?? false, field: 2)
  }
}

extension WireCompare: ProtobufWritable {
  private static let results = ["EQUAL": Int64(0), "GREATER": 1, "LESS": 2, "NOT_EQUAL": 3]
  private static let targets = ["VERSION": Int64(0), "CREATE": 1, "MOD": 2, "VALUE": 3, "LEASE": 4]

  // What is compared with zero or nothing is left out: so does etcd read a side that is missing.
  func write(to writer: inout ProtobufWriter) {
    writer.write(Self.results[result]!, field: 1)
    writer.write(Self.targets[target]!, field: 2)
    writer.write(key, field: 3)
    writer.write(version?.value ?? 0, field: 4)
    writer.write(create_revision?.value ?? 0, field: 5)
    writer.write(mod_revision?.value ?? 0, field: 6)
    writer.write(value ?? Data(), field: 7)
    writer.write(lease?.value ?? 0, field: 8)
    writer.write(range_end ?? Data(), field: 64)
  }
}

extension WireOperation: ProtobufWritable {
  func write(to writer: inout ProtobufWriter) {
    if let request_range { writer.write(request_range.protobuf, field: 1) }
    if let request_put { writer.write(request_put.protobuf, field: 2) }
    if let request_delete_range { writer.write(request_delete_range.protobuf, field: 3) }
  }
}

extension WireTransaction: ProtobufWritable {
  func write(to writer: inout ProtobufWriter) {
    for compare in compare { writer.write(compare.protobuf, field: 1) }
    for operation in success { writer.write(operation.protobuf, field: 2) }
    for operation in failure { writer.write(operation.protobuf, field: 3) }
  }
}

// MARK: Answers

extension WireHeader: ProtobufReadable {
  init(protobuf message: ByteBuffer) throws(ProtobufReader.Malformed) {
    var reader = ProtobufReader(message)
    while let field = try reader.next() {
      switch field.number {
      case 1: cluster_id = WireUInt(field.value)
      case 2: member_id = WireUInt(field.value)
      case 3: revision = WireInt(field.signed)
      case 4: raft_term = WireUInt(field.value)
      default: break
      }
    }
  }
}

extension WireKeyValue: ProtobufReadable {
  init(protobuf message: ByteBuffer) throws(ProtobufReader.Malformed) {
    var reader = ProtobufReader(message)
    while let field = try reader.next() {
      switch field.number {
      case 1: key = Data(field.array)
      case 2: create_revision = WireInt(field.signed)
      case 3: mod_revision = WireInt(field.signed)
      case 4: version = WireInt(field.signed)
      case 5: value = Data(field.array)
      case 6: lease = WireInt(field.signed)
      default: break
      }
    }
  }
}

extension WireRangeAnswer: ProtobufReadable {
  init(protobuf message: ByteBuffer) throws(ProtobufReader.Malformed) {
    var reader = ProtobufReader(message)
    var found: [WireKeyValue] = []
    while let field = try reader.next() {
      switch field.number {
      case 1: header = try WireHeader(protobuf: field.bytes)
      case 2: found.append(try WireKeyValue(protobuf: field.bytes))
      case 3: more = field.value != 0
      case 4: count = WireInt(field.signed)
      default: break
      }
    }
    kvs = found
  }
}

/// The answers that are read for their header alone.
extension WireHeaderAnswer: ProtobufReadable {
  init(protobuf message: ByteBuffer) throws(ProtobufReader.Malformed) {
    var reader = ProtobufReader(message)
    var found: WireHeader?
    while let field = try reader.next() {
      if field.number == 1 { found = try WireHeader(protobuf: field.bytes) }
    }
    guard let found else { throw ProtobufReader.Malformed() }
    header = found
  }
}

extension WireTransactionAnswer: ProtobufReadable {
  init(protobuf message: ByteBuffer) throws(ProtobufReader.Malformed) {
    var reader = ProtobufReader(message)
    var foundHeader: WireHeader?
    var operations: [Operation] = []
    while let field = try reader.next() {
      switch field.number {
      case 1: foundHeader = try WireHeader(protobuf: field.bytes)
      case 2: succeeded = field.value != 0
      case 3: operations.append(try Operation(protobuf: field.bytes))
      default: break
      }
    }
    guard let foundHeader else { throw ProtobufReader.Malformed() }
    header = foundHeader
    responses = operations
  }
}

extension WireTransactionAnswer.Operation: ProtobufReadable {
  init(protobuf message: ByteBuffer) throws(ProtobufReader.Malformed) {
    var reader = ProtobufReader(message)
    while let field = try reader.next() {
      switch field.number {
      case 1: response_range = try WireRangeAnswer(protobuf: field.bytes)
      case 2: response_put = try WireTransactionAnswer.Put(protobuf: field.bytes)
      case 3: response_delete_range = try WireTransactionAnswer.Delete(protobuf: field.bytes)
      default: break
      }
    }
  }
}

extension WireTransactionAnswer.Put: ProtobufReadable {
  init(protobuf message: ByteBuffer) throws(ProtobufReader.Malformed) {
    var reader = ProtobufReader(message)
    while let field = try reader.next() {
      if field.number == 2 { prev_kv = try WireKeyValue(protobuf: field.bytes) }
    }
  }
}

extension WireTransactionAnswer.Delete: ProtobufReadable {
  init(protobuf message: ByteBuffer) throws(ProtobufReader.Malformed) {
    var reader = ProtobufReader(message)
    var previous: [WireKeyValue] = []
    while let field = try reader.next() {
      switch field.number {
      case 2: deleted = WireInt(field.signed)
      case 3: previous.append(try WireKeyValue(protobuf: field.bytes))
      default: break
      }
    }
    prev_kvs = previous
  }
}
