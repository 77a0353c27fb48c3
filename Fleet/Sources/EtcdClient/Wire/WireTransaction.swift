import FoundationEssentials

struct WirePut: Encodable {
  var key: Data
  var value: Data
  var lease: WireInt?
  var prev_kv: Bool?
}

struct WireDelete: Encodable {
  var key: Data
  var range_end: Data?
  var prev_kv: Bool?
}

struct WireCompare: Encodable {
  var target: String
  var result: String
  var key: Data
  var range_end: Data?
  var value: Data?
  var version: WireInt?
  var create_revision: WireInt?
  var mod_revision: WireInt?
  var lease: WireInt?

  init(_ compare: EtcdCompare) {
    result = compare.relation.rawValue
    key = Data(compare.span.start)
    range_end = compare.span.end.map { Data($0) }
    switch compare.target {
    case .value(let bytes): (target, value) = ("VALUE", Data(bytes))
    case .version(let number): (target, version) = ("VERSION", WireInt(number))
    case .createRevision(let number): (target, create_revision) = ("CREATE", WireInt(number))
    case .modRevision(let number): (target, mod_revision) = ("MOD", WireInt(number))
    case .lease(let number): (target, lease) = ("LEASE", WireInt(number))
    }
  }
}

struct WireOperation: Encodable {
  var request_put: WirePut?
  var request_delete_range: WireDelete?
  var request_range: WireRange?

  init(_ operation: EtcdOperation) {
    switch operation {
    case .put(let key, let value, let lease, let returnsPrevious):
      request_put = WirePut(
        key: Data(key), value: Data(value), lease: lease == 0 ? nil : WireInt(lease),
        prev_kv: returnsPrevious ? true : nil)
    case .delete(let span, let returnsPrevious):
      request_delete_range = WireDelete(
        key: Data(span.start), range_end: span.end.map { Data($0) }, prev_kv: returnsPrevious ? true : nil)
    case .range(let range):
      request_range = WireRange(range)
    }
  }
}

struct WireTransaction: Encodable {
  var compare: [WireCompare]
  var success: [WireOperation]
  var failure: [WireOperation]

  init(_ transaction: EtcdTransaction) {
    compare = transaction.compares.map { WireCompare($0) }
    success = transaction.success.map { WireOperation($0) }
    failure = transaction.failure.map { WireOperation($0) }
  }
}

struct WireTransactionAnswer: Decodable {
  struct Put: Decodable {
    var prev_kv: WireKeyValue?
  }

  struct Delete: Decodable {
    var deleted: WireInt?
    var prev_kvs: [WireKeyValue]?
  }

  struct Operation: Decodable {
    var response_put: Put?
    var response_delete_range: Delete?
    var response_range: WireRangeAnswer?
  }

  var header: WireHeader
  var succeeded: Bool?
  var responses: [Operation]?

  var response: EtcdTransactionResponse {
    let header = header.header
    let results = (responses ?? []).map { answer -> EtcdTransactionResponse.Result in
      if let range = answer.response_range {
        .range(range.response(in: header))
      } else if let delete = answer.response_delete_range {
        .delete(count: Int(delete.deleted?.value ?? 0), previous: delete.prev_kvs?.map(\.keyValue) ?? [])
      } else {
        .put(previous: answer.response_put?.prev_kv?.keyValue)
      }
    }
    return EtcdTransactionResponse(header: header, succeeded: succeeded ?? false, results: results)
  }
}
