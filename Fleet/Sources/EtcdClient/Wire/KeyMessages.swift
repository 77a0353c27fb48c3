import NIOCore

// The messages about keys (rpc.proto and kv.proto of etcd's API have the numbers of fields).

// MARK: Requests

extension EtcdRange {
  var message: OutgoingMessage {
    [
      1: .bytes(span.start), 2: .bytes(span.end ?? []), 3: .number(Int64(limit ?? 0)), 4: .number(revision ?? 0),
      7: .flag(isSerializable), 8: .flag(keysOnly), 9: .flag(countOnly),
    ]
  }
}

extension EtcdCompare {
  // What is compared with zero is left out: so does etcd read a side that is missing.
  var message: OutgoingMessage {
    [
      1: .number(relation == .less ? 2 : 0), 2: .number(Self.modRevisions), 3: .bytes(span.start),
      6: .number(revision), 64: .bytes(span.end ?? []),
    ]
  }

  /// Says that revisions of the last change are compared.
  private static let modRevisions: Int64 = 2
}

extension EtcdOperation {
  var message: OutgoingMessage {
    switch self {
    case .range(let range): [1: .message(range.message)]
    case .put(let key, let value, let lease): [2: .message([1: .bytes(key), 2: .bytes(value), 3: .number(lease)])]
    case .delete(let span): [3: .message(span.message)]
    }
  }
}

extension EtcdSpan {
  /// A request to delete the keys.
  var message: OutgoingMessage { [1: .bytes(start), 2: .bytes(end ?? [])] }
}

extension EtcdTransaction {
  var message: OutgoingMessage {
    var fields = compares.map { (number: 1, value: OutgoingMessage.Field.message($0.message)) }
    fields += success.map { (2, .message($0.message)) }
    fields += failure.map { (3, .message($0.message)) }
    return OutgoingMessage(fields)
  }
}

// MARK: Answers

extension EtcdHeader: ProtobufMessage {
  init(_ fields: ProtobufFields) {
    self.init(cluster: fields[1].value, member: fields[2].value, revision: fields[3].signed)
  }
}

extension EtcdKeyValue: ProtobufReadable {
  // Field by field, since an answer has thousands of them.
  init(protobuf message: ByteBuffer) throws(MalformedMessage) {
    var (key, value): ([UInt8], [UInt8]) = ([], [])
    var (created, modified, version, lease) = (Int64(0), Int64(0), Int64(0), Int64(0))
    var reader = ProtobufReader(message)
    while let field = try reader.next() {
      switch field.number {
      case 1: key = field.array
      case 2: created = field.signed
      case 3: modified = field.signed
      case 4: version = field.signed
      case 5: value = field.array
      case 6: lease = field.signed
      default: break
      }
    }
    self.init(
      key: key, value: value, createRevision: created, modRevision: modified, version: version, lease: lease)
  }
}

/// An answer that is read for its header alone, which every answer has as its first field.
struct HeaderAnswer: ProtobufMessage {
  var header: EtcdHeader

  init(_ fields: ProtobufFields) throws(MalformedMessage) { header = try fields.message(1) }
}

extension EtcdRangeResponse: ProtobufMessage {
  init(_ fields: ProtobufFields) throws(MalformedMessage) { try self.init(fields, in: fields.message(1)) }

  /// - Parameter header: That of the transaction, if it is an answer within one, which leaves out a part of it.
  fileprivate init(_ fields: ProtobufFields, in header: EtcdHeader) throws(MalformedMessage) {
    self.init(
      header: header, keyValues: try fields.messages(2), count: Int(fields[4].signed), more: fields[3].isTrue)
  }
}

struct DeleteAnswer: ProtobufMessage {
  var count: Int

  init(_ fields: ProtobufFields) { count = Int(fields[2].signed) }
}

extension EtcdTransactionResponse: ProtobufMessage {
  init(_ fields: ProtobufFields) throws(MalformedMessage) {
    let header: EtcdHeader = try fields.message(1)
    var ranges: [EtcdRangeResponse] = []
    for step in fields.all(3) {
      for range in try ProtobufFields(step.bytes).all(1) {
        ranges.append(try EtcdRangeResponse(ProtobufFields(range.bytes), in: header))
      }
    }
    self.init(header: header, succeeded: fields[2].isTrue, ranges: ranges)
  }
}
