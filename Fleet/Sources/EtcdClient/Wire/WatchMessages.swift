import NIOCore

// A watch's messages (rpc.proto and kv.proto of etcd's API have the numbers of fields).

struct WatchMessage: ProtobufWritable {
  var span: EtcdSpan
  var revision: Int64?
  var progressNotify: Bool

  private struct Create: ProtobufWritable {
    var watch: WatchMessage

    func write(to writer: inout ProtobufWriter) {
      watch.span.write(to: &writer, start: 1, end: 2)
      writer.write(watch.revision ?? 0, field: 3)
      writer.write(watch.progressNotify, field: 4)
    }
  }

  func write(to writer: inout ProtobufWriter) { writer.write(Create(watch: self), field: 1) }
}

struct ProgressMessage: ProtobufWritable {
  func write(to writer: inout ProtobufWriter) { writer.write(EmptyMessage(), field: 3) }
}

struct WatchAnswer: ProtobufReadable {
  var revision: Int64 = 0
  /// Whether it says that a watch is set up.
  var isCreated = false
  var isCancelled = false
  /// The oldest revision that is left, if the one to begin with was compacted away.
  var compacted: Int64 = 0
  var reason = ""
  var events: [EtcdEvent] = []

  init(protobuf message: ByteBuffer) throws(ProtobufReader.Malformed) {
    var reader = ProtobufReader(message)
    while let field = try reader.next() {
      switch field.number {
      case 1: revision = try EtcdHeader(protobuf: field.bytes).revision
      case 3: isCreated = field.isTrue
      case 4: isCancelled = field.isTrue
      case 5: compacted = field.signed
      case 6: reason = field.text
      case 11: events.append(try EtcdEvent(protobuf: field.bytes))
      default: break
      }
    }
  }

  var message: EtcdWatchMessage {
    if isCancelled {
      return compacted != 0
        ? .compacted(revision: compacted) : .cancelled(reason: reason.isEmpty ? "no reason given" : reason)
    }
    return events.isEmpty ? .progress(revision: revision) : .events(events, revision: revision)
  }
}

extension EtcdEvent: ProtobufReadable {
  init(protobuf message: ByteBuffer) throws(ProtobufReader.Malformed) {
    var (kind, found) = (Kind.put, EtcdKeyValue?.none)
    try ProtobufReader.read(message) { field throws(ProtobufReader.Malformed) in
      switch field.number {
      case 1: kind = field.value == 1 ? .delete : .put
      case 2: found = try EtcdKeyValue(protobuf: field.bytes)
      default: break
      }
    }
    guard let found else { throw ProtobufReader.Malformed() }
    self.init(kind: kind, keyValue: found)
  }
}
