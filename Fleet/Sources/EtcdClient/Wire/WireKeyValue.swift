import FoundationEssentials

// The messages of etcd's JSON gateway. It leaves out fields that are zero, false or empty.

struct WireHeader: Decodable {
  var cluster_id: WireUInt?
  var member_id: WireUInt?
  var revision: WireInt?
  var raft_term: WireUInt?

  var header: EtcdHeader {
    EtcdHeader(
      cluster: cluster_id?.value ?? 0, member: member_id?.value ?? 0, revision: revision?.value ?? 0,
      raftTerm: raft_term?.value ?? 0)
  }
}

struct WireKeyValue: Decodable {
  var key: Data?
  var value: Data?
  var create_revision: WireInt?
  var mod_revision: WireInt?
  var version: WireInt?
  var lease: WireInt?

  var keyValue: EtcdKeyValue {
    EtcdKeyValue(
      key: Array(key ?? Data()), value: Array(value ?? Data()), createRevision: create_revision?.value ?? 0,
      modRevision: mod_revision?.value ?? 0, version: version?.value ?? 0, lease: lease?.value ?? 0)
  }
}

struct WireRange: Encodable {
  var key: Data
  var range_end: Data?
  var limit: WireInt?
  var revision: WireInt?
  var serializable: Bool?
  var keys_only: Bool?
  var count_only: Bool?

  init(_ range: EtcdRange) {
    key = Data(range.span.start)
    range_end = range.span.end.map { Data($0) }
    limit = range.limit.map { WireInt(Int64($0)) }
    revision = range.revision.map { WireInt($0) }
    serializable = range.isSerializable ? true : nil
    keys_only = range.keysOnly ? true : nil
    count_only = range.countOnly ? true : nil
  }
}

struct WireRangeAnswer: Decodable {
  var header: WireHeader?
  var kvs: [WireKeyValue]?
  var more: Bool?
  var count: WireInt?

  /// - Parameter outer: The header of the transaction, which has what this one leaves out.
  func response(in outer: EtcdHeader? = nil) -> EtcdRangeResponse {
    EtcdRangeResponse(
      header: outer ?? header?.header ?? WireHeader().header, keyValues: kvs?.map(\.keyValue) ?? [],
      count: Int(count?.value ?? 0), more: more ?? false)
  }
}

struct WireHeaderAnswer: Decodable {
  var header: WireHeader
}

struct WireCompaction: Encodable {
  var revision: WireInt
  var physical: Bool?
}
