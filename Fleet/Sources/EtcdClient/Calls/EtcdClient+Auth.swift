import FoundationEssentials

/// What a role may do with some keys.
public struct EtcdPermission: Sendable, Hashable {
  /// The kinds of access.
  public enum Access: String, Sendable, Hashable {
    /// To read and watch.
    case read = "READ"
    /// To write and delete.
    case write = "WRITE"
    /// Both.
    case readWrite = "READWRITE"
  }

  /// The kind of access.
  public var access: Access
  /// The keys.
  public var span: EtcdSpan

  /// Creates a permission.
  ///
  /// - Parameters:
  ///   - access: The kind of access.
  ///   - span: The keys.
  public init(_ access: Access, _ span: EtcdSpan) {
    self.access = access
    self.span = span
  }
}

// Users, roles and permissions: the calls need a user with the role 'root' once authentication is on.
extension EtcdClient {
  /// Lets nobody in without a user and a password. There must be a user `root` with the role `root`.
  ///
  /// - Throws: ``EtcdError``.
  public func enableAuthentication() async throws(EtcdError) { try await change("enable", WireNothing()) }

  /// Lets everybody in.
  ///
  /// - Throws: ``EtcdError``.
  public func disableAuthentication() async throws(EtcdError) { try await change("disable", WireNothing()) }

  /// Adds a user.
  ///
  /// - Parameters:
  ///   - user: The user's name.
  ///   - password: The user's password.
  /// - Throws: ``EtcdError``; code `alreadyExists` if there is such a user.
  public func addUser(_ user: String, password: String) async throws(EtcdError) {
    try await change("user/add", WireAuthenticate(name: user, password: password))
  }

  /// Deletes a user.
  ///
  /// - Parameter user: The user's name.
  /// - Throws: ``EtcdError``; code `notFound` if there is none.
  public func deleteUser(_ user: String) async throws(EtcdError) {
    try await change("user/delete", WireName(name: user))
  }

  /// Changes a user's password. All the user's tokens become invalid.
  ///
  /// - Parameters:
  ///   - user: The user's name.
  ///   - password: The new password.
  /// - Throws: ``EtcdError``; code `notFound` if there is no such user.
  public func changePassword(of user: String, to password: String) async throws(EtcdError) {
    try await change("user/changepw", WireAuthenticate(name: user, password: password))
  }

  /// Reads the names of all users.
  ///
  /// - Returns: The names.
  /// - Throws: ``EtcdError``.
  public func users() async throws(EtcdError) -> [String] {
    try await call("/v3/auth/user/list", WireNothing(), .repeatable, as: WireNames.self).users ?? []
  }

  /// Reads a user's roles.
  ///
  /// - Parameter user: The user's name.
  /// - Returns: The names of the roles.
  /// - Throws: ``EtcdError``; code `notFound` if there is no such user.
  public func roles(of user: String) async throws(EtcdError) -> [String] {
    try await call("/v3/auth/user/get", WireName(name: user), .repeatable, as: WireNames.self).roles ?? []
  }

  /// Adds a role without permissions.
  ///
  /// - Parameter role: The role's name.
  /// - Throws: ``EtcdError``; code `alreadyExists` if there is such a role.
  public func addRole(_ role: String) async throws(EtcdError) { try await change("role/add", WireName(name: role)) }

  /// Deletes a role.
  ///
  /// - Parameter role: The role's name.
  /// - Throws: ``EtcdError``; code `notFound` if there is none.
  public func deleteRole(_ role: String) async throws(EtcdError) {
    try await change("role/delete", WireRole(role: role))
  }

  /// Reads the names of all roles.
  ///
  /// - Returns: The names.
  /// - Throws: ``EtcdError``.
  public func roles() async throws(EtcdError) -> [String] {
    try await call("/v3/auth/role/list", WireNothing(), .repeatable, as: WireNames.self).roles ?? []
  }

  /// Gives a role to a user.
  ///
  /// - Parameters:
  ///   - role: The role's name.
  ///   - user: The user's name.
  /// - Throws: ``EtcdError``; code `notFound` if there is no such role or user.
  public func grantRole(_ role: String, to user: String) async throws(EtcdError) {
    try await change("user/grant", WireRole(role: role, user: user))
  }

  /// Takes a role from a user.
  ///
  /// - Parameters:
  ///   - role: The role's name.
  ///   - user: The user's name.
  /// - Throws: ``EtcdError``.
  public func revokeRole(_ role: String, from user: String) async throws(EtcdError) {
    try await change("user/revoke", WireRole(role: role, name: user))
  }

  /// Lets a role do more.
  ///
  /// - Parameters:
  ///   - permission: What the role may do with which keys.
  ///   - role: The role's name.
  /// - Throws: ``EtcdError``; code `notFound` if there is no such role.
  public func grantPermission(_ permission: EtcdPermission, to role: String) async throws(EtcdError) {
    let span = permission.span
    let wire = WirePermission(
      permType: permission.access.rawValue, key: Data(span.start), range_end: span.end.map { Data($0) })
    try await change("role/grant", WireGrantPermission(name: role, perm: wire))
  }

  /// Takes from a role what it may do with some keys.
  ///
  /// - Parameters:
  ///   - span: The keys, exactly as they were given to the role.
  ///   - role: The role's name.
  /// - Throws: ``EtcdError``.
  public func revokePermission(on span: EtcdSpan, from role: String) async throws(EtcdError) {
    let message = WireRevokePermission(role: role, key: Data(span.start), range_end: span.end.map { Data($0) })
    try await change("role/revoke", message)
  }

  /// Reads what a role may do.
  ///
  /// - Parameter role: The role's name.
  /// - Returns: The permissions.
  /// - Throws: ``EtcdError``; code `notFound` if there is no such role.
  public func permissions(of role: String) async throws(EtcdError) -> [EtcdPermission] {
    let answer = try await call("/v3/auth/role/get", WireRole(role: role), .repeatable, as: WirePermissions.self)
    return (answer.perm ?? []).map { permission in
      let start = permission.key ?? Data()
      // A type that is left out is the first one, to read.
      let access = EtcdPermission.Access(rawValue: permission.permType ?? "READ") ?? .read
      let span = permission.range_end.map { EtcdSpan.keys(from: start, to: Optional($0)) } ?? .key(start)
      return EtcdPermission(access, span)
    }
  }

  private func change(_ path: String, _ message: some Encodable) async throws(EtcdError) {
    _ = try await call("/v3/auth/\(path)", message, .write, as: WireHeaderAnswer.self)
  }
}
