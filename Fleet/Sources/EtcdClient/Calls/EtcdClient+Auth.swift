// Users, roles and permissions: the calls need a user with the role 'root' once authentication is on.
extension EtcdClient {
  /// Lets nobody in without a user and a password. There must be a user `root` with the role `root`.
  ///
  /// - Throws: ``EtcdError``.
  public func enableAuthentication() async throws(EtcdError) { try await change(.enableAuthentication, [:]) }

  /// Lets everybody in.
  ///
  /// - Throws: ``EtcdError``.
  public func disableAuthentication() async throws(EtcdError) {
    try await change(.disableAuthentication, [:])
  }

  /// Finds out whether the cluster requires a user. Otherwise it proves nothing about who has written a key.
  ///
  /// It needs no right: etcd's answer to a login, even to a wrong one, says so.
  ///
  /// - Returns: Whether authentication is enabled.
  /// - Throws: ``EtcdError``.
  public func isAuthenticationEnabled() async throws(EtcdError) -> Bool {
    try await inTurn(.repeatable) { endpoint, token, deadline throws(EtcdError) in
      if token != nil { return true }
      let call = Call(.authenticate, [1: .text("?")], .repeatable)
      do throws(EtcdError) {
        let _: TokenAnswer = try await Self.send(call, to: endpoint, nil, deadline)
      } catch {
        if error.code == .failedPrecondition { return false }
        guard error.code == .notAuthenticated || error.code == .invalidArgument else { throw error }
      }
      return true
    }
  }

  /// Adds a user.
  ///
  /// - Parameters:
  ///   - user: The user's name.
  ///   - password: The user's password.
  /// - Throws: ``EtcdError``; code `alreadyExists` if there is such a user.
  public func addUser(_ user: String, password: String) async throws(EtcdError) {
    try await change(.addUser, [1: .text(user), 2: .text(password)])
  }

  /// Deletes a user.
  ///
  /// - Parameter user: The user's name.
  /// - Throws: ``EtcdError``; code `notFound` if there is none.
  public func deleteUser(_ user: String) async throws(EtcdError) {
    try await change(.deleteUser, [1: .text(user)])
  }

  /// Changes a user's password. All the user's tokens become invalid.
  ///
  /// - Parameters:
  ///   - user: The user's name.
  ///   - password: The new password.
  /// - Throws: ``EtcdError``; code `notFound` if there is no such user.
  public func changePassword(of user: String, to password: String) async throws(EtcdError) {
    try await change(.changePassword, [1: .text(user), 2: .text(password)])
  }

  /// Reads the names of all users.
  ///
  /// - Returns: The names.
  /// - Throws: ``EtcdError``.
  public func users() async throws(EtcdError) -> [String] {
    try await call(.listUsers, [:], .repeatable, as: NamesAnswer.self).names
  }

  /// Reads a user's roles.
  ///
  /// - Parameter user: The user's name.
  /// - Returns: The names of the roles.
  /// - Throws: ``EtcdError``; code `notFound` if there is no such user.
  public func roles(of user: String) async throws(EtcdError) -> [String] {
    try await call(.getUser, [1: .text(user)], .repeatable, as: NamesAnswer.self).names
  }

  /// Adds a role without permissions.
  ///
  /// - Parameter role: The role's name.
  /// - Throws: ``EtcdError``; code `alreadyExists` if there is such a role.
  public func addRole(_ role: String) async throws(EtcdError) {
    try await change(.addRole, [1: .text(role)])
  }

  /// Deletes a role.
  ///
  /// - Parameter role: The role's name.
  /// - Throws: ``EtcdError``; code `notFound` if there is none.
  public func deleteRole(_ role: String) async throws(EtcdError) {
    try await change(.deleteRole, [1: .text(role)])
  }

  /// Gives a role to a user.
  ///
  /// - Parameters:
  ///   - role: The role's name.
  ///   - user: The user's name.
  /// - Throws: ``EtcdError``; code `notFound` if there is no such role or user.
  public func grantRole(_ role: String, to user: String) async throws(EtcdError) {
    try await change(.grantRole, [1: .text(user), 2: .text(role)])
  }

  /// Takes a role from a user.
  ///
  /// - Parameters:
  ///   - role: The role's name.
  ///   - user: The user's name.
  /// - Throws: ``EtcdError``.
  public func revokeRole(_ role: String, from user: String) async throws(EtcdError) {
    try await change(.revokeRole, [1: .text(user), 2: .text(role)])
  }

  /// Lets a role do more.
  ///
  /// - Parameters:
  ///   - permission: What the role may do with which keys.
  ///   - role: The role's name.
  /// - Throws: ``EtcdError``; code `notFound` if there is no such role.
  public func grantPermission(_ permission: EtcdPermission, to role: String) async throws(EtcdError) {
    try await change(.grantPermission, [1: .text(role), 2: .message(permission.message)])
  }

  /// Takes from a role what it may do with some keys.
  ///
  /// - Parameters:
  ///   - span: The keys, exactly as they were given to the role.
  ///   - role: The role's name.
  /// - Throws: ``EtcdError``.
  public func revokePermission(on span: EtcdSpan, from role: String) async throws(EtcdError) {
    try await change(.revokePermission, [1: .text(role), 2: .bytes(span.start), 3: .bytes(span.end ?? [])])
  }

  /// Reads what a role may do.
  ///
  /// - Parameter role: The role's name.
  /// - Returns: The permissions.
  /// - Throws: ``EtcdError``; code `notFound` if there is no such role.
  public func permissions(of role: String) async throws(EtcdError) -> [EtcdPermission] {
    try await call(.getRole, [1: .text(role)], .repeatable, as: PermissionsAnswer.self).permissions
  }

  private func change(_ method: Method, _ message: OutgoingMessage) async throws(EtcdError) {
    _ = try await call(method, message, .write, as: HeaderAnswer.self)
  }
}
