// A watch's messages (rpc.proto and kv.proto of etcd's API have the numbers of fields).

extension EtcdSpan {
  /// A request to watch the keys.
  ///
  /// - Parameter revision: The first revision to report changes of; if `nil`, changes from now on.
  func watchMessage(from revision: Int64?) -> OutgoingMessage {
    [1: .message([1: .bytes(start), 2: .bytes(end ?? []), 3: .number(revision ?? 0)])]
  }
}

struct WatchAnswer: ProtobufMessage {
  let revision: Int64
  /// Whether it says that a watch is set up.
  let isCreated: Bool
  let isCancelled: Bool
  /// The oldest revision that is left, if the one to begin with was compacted away.
  let compacted: Int64
  let reason: String
  let events: [EtcdEvent]

  init(_ fields: ProtobufFields) throws(MalformedMessage) {
    revision = try EtcdHeader(protobuf: fields[1].bytes).revision
    (isCreated, isCancelled) = (fields[3].isTrue, fields[4].isTrue)
    (compacted, reason) = (fields[5].signed, fields[6].text)
    events = try fields.messages(11)
  }

  var message: EtcdWatchMessage {
    if isCancelled {
      return compacted != 0
        ? .compacted(revision: compacted) : .cancelled(reason: reason.isEmpty ? "no reason given" : reason)
    }
    return events.isEmpty ? .progress(revision: revision) : .events(events, revision: revision)
  }
}

extension EtcdEvent: ProtobufMessage {
  init(_ fields: ProtobufFields) throws(MalformedMessage) {
    self.init(kind: fields[1].value == 1 ? .delete : .put, keyValue: try fields.message(2))
  }
}
