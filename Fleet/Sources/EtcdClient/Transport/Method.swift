/// A method of etcd's gRPC services that a client calls by gRPC over TLS, and at the JSON gateway without.
struct Method: Sendable {
  static let range = Method("KV/Range", "kv/range")
  static let put = Method("KV/Put", "kv/put")
  static let deleteRange = Method("KV/DeleteRange", "kv/deleterange")
  static let transaction = Method("KV/Txn", "kv/txn")
  static let compact = Method("KV/Compact", "kv/compaction")
  static let grantLease = Method("Lease/LeaseGrant", "lease/grant")
  static let revokeLease = Method("Lease/LeaseRevoke", "lease/revoke")
  static let keepAlive = Method("Lease/LeaseKeepAlive", "lease/keepalive")
  static let timeToLive = Method("Lease/LeaseTimeToLive", "lease/timetolive")

  private let rpc: String
  private let path: String

  private init(_ rpc: String, _ path: String) {
    self.rpc = "/etcdserverpb.\(rpc)"
    self.path = "/v3/\(path)"
  }

  func call(
    _ message: some Encodable & ProtobufWritable, _ kind: Call.Kind, needsLeader: Bool, byRPC: Bool
  ) throws(EtcdError) -> Call {
    byRPC
      ? Call(rpc: rpc, message, kind, needsLeader: needsLeader)
      : try Call(path, message, kind, needsLeader: needsLeader)
  }
}
