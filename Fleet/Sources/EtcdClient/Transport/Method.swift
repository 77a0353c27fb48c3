/// A method of etcd's gRPC services, which rpc.proto of its API describes.
struct Method: Sendable {
  static let range = Method("KV/Range")
  static let put = Method("KV/Put")
  static let deleteRange = Method("KV/DeleteRange")
  static let transaction = Method("KV/Txn")
  static let compact = Method("KV/Compact")
  static let watch = Method("Watch/Watch")
  static let grantLease = Method("Lease/LeaseGrant")
  static let revokeLease = Method("Lease/LeaseRevoke")
  static let keepAlive = Method("Lease/LeaseKeepAlive")
  static let timeToLive = Method("Lease/LeaseTimeToLive")
  static let alarm = Method("Maintenance/Alarm")
  static let status = Method("Maintenance/Status")
  static let defragment = Method("Maintenance/Defragment")
  static let enableAuthentication = Method("Auth/AuthEnable")
  static let disableAuthentication = Method("Auth/AuthDisable")
  static let authenticate = Method("Auth/Authenticate")
  static let addUser = Method("Auth/UserAdd")
  static let getUser = Method("Auth/UserGet")
  static let listUsers = Method("Auth/UserList")
  static let deleteUser = Method("Auth/UserDelete")
  static let changePassword = Method("Auth/UserChangePassword")
  static let grantRole = Method("Auth/UserGrantRole")
  static let revokeRole = Method("Auth/UserRevokeRole")
  static let addRole = Method("Auth/RoleAdd")
  static let getRole = Method("Auth/RoleGet")
  static let deleteRole = Method("Auth/RoleDelete")
  static let grantPermission = Method("Auth/RoleGrantPermission")
  static let revokePermission = Method("Auth/RoleRevokePermission")

  /// The path of an HTTP/2 request.
  let path: String

  private init(_ name: String) { path = "/etcdserverpb.\(name)" }
}
