import FoundationEssentials

struct WireAuthenticate: Encodable {
  var name: String
  var password: String
}

struct WireToken: Decodable {
  var token: String
}

struct WireName: Encodable {
  var name: String
}

struct WireRole: Encodable {
  var role: String
  var user: String?
  var name: String?
}

struct WireNames: Decodable {
  var users: [String]?
  var roles: [String]?
}

struct WirePermission: Codable {
  var permType: String?
  var key: Data?
  var range_end: Data?
}

struct WireGrantPermission: Encodable {
  var name: String
  var perm: WirePermission
}

struct WireRevokePermission: Encodable {
  var role: String
  var key: Data
  var range_end: Data?
}

struct WirePermissions: Decodable {
  var perm: [WirePermission]?
}
