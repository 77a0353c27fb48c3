import NIOCore

// The messages about keys (rpc.proto and kv.proto of etcd's API have the numbers of fields).

// MARK: Requests

extension EtcdSpan {
  func write(to writer: inout ProtobufWriter, start: Int, end endField: Int) {
    writer.write(self.start, field: start)
    writer.write(end ?? [], field: endField)
  }
}

extension EtcdRange: ProtobufWritable {
  func write(to writer: inout ProtobufWriter) {
    span.write(to: &writer, start: 1, end: 2)
    writer.write(Int64(limit ?? 0), field: 3)
    writer.write(revision ?? 0, field: 4)
    writer.write(isSerializable, field: 7)
    writer.write(keysOnly, field: 8)
    writer.write(countOnly, field: 9)
  }
}

struct PutMessage: ProtobufWritable {
  var key: [UInt8]
  var value: [UInt8]
  var lease: Int64
  var returnsPrevious = false

  func write(to writer: inout ProtobufWriter) {
    writer.write(key, field: 1)
    writer.write(value, field: 2)
    writer.write(lease, field: 3)
    writer.write(returnsPrevious, field: 4)
  }
}

struct DeleteMessage: ProtobufWritable {
  var span: EtcdSpan
  var returnsPrevious = false

  func write(to writer: inout ProtobufWriter) {
    span.write(to: &writer, start: 1, end: 2)
    writer.write(returnsPrevious, field: 3)
  }
}

struct CompactMessage: ProtobufWritable {
  var revision: Int64
  var waits: Bool

  func write(to writer: inout ProtobufWriter) {
    writer.write(revision, field: 1)
    writer.write(waits, field: 2)
  }
}

extension EtcdCompare: ProtobufWritable {
  // What is compared with zero or nothing is left out: so does etcd read a side that is missing.
  func write(to writer: inout ProtobufWriter) {
    let relation: Int64 =
      switch relation {
      case .equal: 0
      case .greater: 1
      case .less: 2
      case .notEqual: 3
      }
    writer.write(relation, field: 1)
    let (kind, number, field): (Int64, Int64, Int) =
      switch target {
      case .version(let number): (0, number, 4)
      case .createRevision(let number): (1, number, 5)
      case .modRevision(let number): (2, number, 6)
      case .value: (3, 0, 7)
      case .lease(let number): (4, number, 8)
      }
    writer.write(kind, field: 2)
    writer.write(span.start, field: 3)
    writer.write(number, field: field)
    if case .value(let bytes) = target { writer.write(bytes, field: field) }
    writer.write(span.end ?? [], field: 64)
  }
}

extension EtcdOperation: ProtobufWritable {
  func write(to writer: inout ProtobufWriter) {
    switch self {
    case .range(let range): writer.write(range, field: 1)
    case .put(let key, let value, let lease, let returnsPrevious):
      writer.write(PutMessage(key: key, value: value, lease: lease, returnsPrevious: returnsPrevious), field: 2)
    case .delete(let span, let returnsPrevious):
      writer.write(DeleteMessage(span: span, returnsPrevious: returnsPrevious), field: 3)
    }
  }
}

extension EtcdTransaction: ProtobufWritable {
  func write(to writer: inout ProtobufWriter) {
    for compare in compares { writer.write(compare, field: 1) }
    for operation in success { writer.write(operation, field: 2) }
    for operation in failure { writer.write(operation, field: 3) }
  }
}

// MARK: Answers

extension EtcdHeader: ProtobufReadable {
  init(protobuf message: ByteBuffer) throws(ProtobufReader.Malformed) {
    var (cluster, member, revision, term) = (UInt64(0), UInt64(0), Int64(0), UInt64(0))
    try ProtobufReader.read(message) { field in
      switch field.number {
      case 1: cluster = field.value
      case 2: member = field.value
      case 3: revision = field.signed
      case 4: term = field.value
      default: break
      }
    }
    self.init(cluster: cluster, member: member, revision: revision, raftTerm: term)
  }
}

extension EtcdKeyValue: ProtobufReadable {
  init(protobuf message: ByteBuffer) throws(ProtobufReader.Malformed) {
    var (key, value): ([UInt8], [UInt8]) = ([], [])
    var (created, modified, version, lease) = (Int64(0), Int64(0), Int64(0), Int64(0))
    try ProtobufReader.read(message) { field in
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
struct HeaderAnswer: ProtobufReadable {
  var header: EtcdHeader

  init(protobuf message: ByteBuffer) throws(ProtobufReader.Malformed) {
    var found: EtcdHeader?
    try ProtobufReader.read(message) { field throws(ProtobufReader.Malformed) in
      if field.number == 1 { found = try EtcdHeader(protobuf: field.bytes) }
    }
    guard let found else { throw ProtobufReader.Malformed() }
    header = found
  }
}

struct RangeAnswer: ProtobufReadable {
  private var header: EtcdHeader?
  private var keyValues: [EtcdKeyValue] = []
  private var more = false
  private var count: Int64 = 0

  init(protobuf message: ByteBuffer) throws(ProtobufReader.Malformed) {
    var answer = (header: EtcdHeader?.none, keyValues: [EtcdKeyValue](), more: false, count: Int64(0))
    try ProtobufReader.read(message) { field throws(ProtobufReader.Malformed) in
      switch field.number {
      case 1: answer.header = try EtcdHeader(protobuf: field.bytes)
      case 2: answer.keyValues.append(try EtcdKeyValue(protobuf: field.bytes))
      case 3: answer.more = field.isTrue
      case 4: answer.count = field.signed
      default: break
      }
    }
    (header, keyValues, more, count) = answer
  }

  /// - Parameter outer: The header of the transaction, which has what this one leaves out.
  /// - Returns: The answer; `nil` if it has no header.
  func response(in outer: EtcdHeader? = nil) -> EtcdRangeResponse? {
    (outer ?? header).map { EtcdRangeResponse(header: $0, keyValues: keyValues, count: Int(count), more: more) }
  }
}

extension EtcdRangeResponse: ProtobufReadable {
  init(protobuf message: ByteBuffer) throws(ProtobufReader.Malformed) {
    guard let response = try RangeAnswer(protobuf: message).response() else { throw ProtobufReader.Malformed() }
    self = response
  }
}

struct PutAnswer: ProtobufReadable {
  var previous: EtcdKeyValue?

  init(protobuf message: ByteBuffer) throws(ProtobufReader.Malformed) {
    var found: EtcdKeyValue?
    try ProtobufReader.read(message) { field throws(ProtobufReader.Malformed) in
      if field.number == 2 { found = try EtcdKeyValue(protobuf: field.bytes) }
    }
    previous = found
  }
}

struct DeleteAnswer: ProtobufReadable {
  var count: Int
  var previous: [EtcdKeyValue]

  init(protobuf message: ByteBuffer) throws(ProtobufReader.Malformed) {
    var answer = (count: Int64(0), previous: [EtcdKeyValue]())
    try ProtobufReader.read(message) { field throws(ProtobufReader.Malformed) in
      switch field.number {
      case 2: answer.count = field.signed
      case 3: answer.previous.append(try EtcdKeyValue(protobuf: field.bytes))
      default: break
      }
    }
    (count, previous) = (Int(answer.count), answer.previous)
  }
}

extension EtcdTransactionResponse: ProtobufReadable {
  init(protobuf message: ByteBuffer) throws(ProtobufReader.Malformed) {
    var answer = (header: EtcdHeader?.none, succeeded: false, steps: [ByteBuffer]())
    try ProtobufReader.read(message) { field throws(ProtobufReader.Malformed) in
      switch field.number {
      case 1: answer.header = try EtcdHeader(protobuf: field.bytes)
      case 2: answer.succeeded = field.isTrue
      case 3: answer.steps.append(field.bytes)
      default: break
      }
    }
    guard let header = answer.header else { throw ProtobufReader.Malformed() }
    var results: [Result] = []
    for step in answer.steps { results.append(try Result(protobuf: step, in: header)) }
    self.init(header: header, succeeded: answer.succeeded, results: results)
  }
}

extension EtcdTransactionResponse.Result {
  fileprivate init(protobuf message: ByteBuffer, in header: EtcdHeader) throws(ProtobufReader.Malformed) {
    var found: Self?
    try ProtobufReader.read(message) { field throws(ProtobufReader.Malformed) in
      switch field.number {
      case 1: found = try RangeAnswer(protobuf: field.bytes).response(in: header).map { .range($0) }
      case 2: found = .put(previous: try PutAnswer(protobuf: field.bytes).previous)
      case 3:
        let answer = try DeleteAnswer(protobuf: field.bytes)
        found = .delete(count: answer.count, previous: answer.previous)
      default: break
      }
    }
    guard let found else { throw ProtobufReader.Malformed() }
    self = found
  }
}
