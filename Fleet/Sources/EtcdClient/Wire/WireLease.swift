import FoundationEssentials

struct WireGrant: Encodable {
  var TTL: WireInt
}

struct WireLeaseID: Encodable {
  var ID: WireInt
}

struct WireTimeToLive: Encodable {
  var ID: WireInt
  var keys: Bool?
}

struct WireLease: Decodable {
  var ID: WireInt?
  var TTL: WireInt?
  var grantedTTL: WireInt?
  var keys: [Data]?
}

/// One message of a stream.
struct WireStreamed<Message: Decodable>: Decodable {
  var result: Message?
  var error: WireError?
}
