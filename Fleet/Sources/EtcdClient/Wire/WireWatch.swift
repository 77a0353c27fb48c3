import FoundationEssentials

struct WireWatchRequest: Encodable {
  struct Create: Encodable {
    var key: Data
    var range_end: Data?
    var start_revision: WireInt?
    var progress_notify: Bool?
    var prev_kv: Bool?
  }

  var create_request: Create?
  var progress_request: WireNothing?
}

struct WireEvent: Decodable {
  var type: String?
  var kv: WireKeyValue?
  var prev_kv: WireKeyValue?
}

struct WireWatchAnswer: Decodable {
  var header: WireHeader?
  var created: Bool?
  var canceled: Bool?
  var compact_revision: WireInt?
  var cancel_reason: String?
  var events: [WireEvent]?
}
