// The messages about leases (rpc.proto of etcd's API has the numbers of fields).

/// The answers to grants, keep-alives and questions have the same numbers, except for the fourth field: a grant's is a
/// text, which etcd does not use.
struct LeaseAnswer: ProtobufMessage {
  var lease: Int64
  var seconds: Int
  var granted: Int

  init(_ fields: ProtobufFields) {
    (lease, seconds, granted) = (fields[2].signed, Int(fields[3].signed), Int(fields[4].signed))
  }
}
