import FoundationEssentials

struct WireStatus: Decodable {
  var header: WireHeader
  var version: String?
  var dbSize: WireInt?
  var dbSizeInUse: WireInt?
  var leader: WireUInt?
  var raftIndex: WireUInt?
}

struct WireAlarmRequest: Encodable {
  var action: String
  var memberID: WireUInt?
  var alarm: String?
}

struct WireAlarms: Decodable {
  struct Alarm: Decodable {
    var memberID: WireUInt?
    var alarm: String?
  }

  var alarms: [Alarm]?
}

struct WireSnapshotPart: Decodable {
  var blob: Data?
  var remaining_bytes: WireUInt?
}
