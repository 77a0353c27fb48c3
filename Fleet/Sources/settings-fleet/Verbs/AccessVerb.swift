import ArgumentParser
import EtcdClient
import SettingsFleet
import SettingsTools

struct AccessVerb: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "access",
    abstract: "Make the users and roles of the cluster.",
    discussion: """
      A mirror reads all documents and writes machines' answers; one with --app only what is its machine's. A writer reads and writes the documents of some apps, and \
      reads the answers about them and which machines there are; 'log' shows each writer's name, which \
      etcd proves. Passwords are read from standard input.

      EXAMPLES
        settings-fleet access enable < root-password
        settings-fleet access add-mirror mirror < password
        settings-fleet access add-writer ada org.example.editor org.example.viewer < password
        settings-fleet access list
      """,
    subcommands: [Enable.self, AddMirror.self, AddWriter.self, Remove.self, List.self])

  struct Enable: FleetVerb {
    static let configuration = CommandConfiguration(
      commandName: "enable",
      abstract: "Make the user 'root' and turn on the cluster's access control.",
      discussion: """
        A 'root' that exists gets this password. From then on only users with a role get in. Name 'root' and its password in your settings of 'settings-fleet' to \
        add others.
        """)

    func answer(in context: Context) async throws {
      let password = try HiddenInput.password()
      try await Access(client: context.cluster.client).enable(password)
    }
  }

  struct AddMirror: FleetVerb {
    static let configuration = CommandConfiguration(
      commandName: "add-mirror", abstract: "Make a user for mirrors. All machines can share one, or have their own.",
      discussion: """
        With --app, the user reads only what is for one machine: the documents of these apps for all, for its groups and \
        for its host. It answers for that machine alone. The machine's settings 'apps', 'groups', 'host' and 'machine' \
        have to say the same.

        A mirror's user that exists may do from then on what is named now, and nothing that it might do before; its \
        password becomes the new one.
        """)
    @Argument(help: "The user's name.") var user: String
    @Option(name: .customLong("app"), help: ArgumentHelp("An app that it mirrors. Can be repeated.", valueName: "app"))
    var apps: [String] = []
    @Option(
      name: .customLong("group"), help: ArgumentHelp("A group of the machine. Can be repeated.", valueName: "name"))
    var groups: [String] = []
    @Option(help: ArgumentHelp("The machine's host name.", valueName: "name")) var host: String?
    @Option(help: ArgumentHelp("The machine's id, as in /etc/machine-id.", valueName: "id")) var machine: String?

    func validate() throws {
      guard apps.isEmpty ? host != nil || machine != nil || !groups.isEmpty : host == nil || machine == nil else {
        return
      }
      throw ValidationError("Name all of --app, --host and --machine for the user of one machine, or none of them.")
    }

    func answer(in context: Context) async throws {
      let password = try HiddenInput.password()
      let access = Access(client: context.cluster.client)
      var role = Role.mirror
      if let host, let machine {
        do throws(FleetProblem) {
          role = .mirror(user, of: try Machine(id: machine, host: host, groups: groups, apps: Set(apps)))
        } catch {
          throw Failure(.usage, error.message)
        }
        try await access.checkReadsNothingElse(user)
      }
      try await access.add(user, password, roles: [role], insteadOf: Role.mirrorNames(user))
    }
  }

  struct AddWriter: FleetVerb {
    static let configuration = CommandConfiguration(
      commandName: "add-writer", abstract: "Make a user who may change the documents of some apps.",
      discussion: "A user that exists gets the apps in addition; its password becomes the new one.")
    @Argument(help: "The user's name.") var user: String
    @Argument(help: "The apps.") var apps: [String]

    func answer(in context: Context) async throws {
      for app in apps where !FleetNames.isApp(app) { throw Failure(.usage, "Invalid app '\(app)'.") }
      for app in apps { try DocumentEditor.checkOwner(of: app) }
      guard !apps.isEmpty else { throw Failure(.usage, "Missing expected argument '<apps>'.") }
      let password = try HiddenInput.password()
      try await Access(client: context.cluster.client).add(
        user, password, roles: apps.map { .writer(of: $0) } + [.hand(of: user)])
    }
  }

  struct Remove: FleetVerb {
    static let configuration = CommandConfiguration(
      commandName: "remove", abstract: "Remove a user, and the roles that are the user's alone.")
    @Argument(help: "The user's name.") var user: String

    func answer(in context: Context) async throws {
      try await Access(client: context.cluster.client).remove(user)
    }
  }

  struct List: FleetVerb {
    static let configuration = CommandConfiguration(commandName: "list", abstract: "Print the users and their roles.")

    func answer(in context: Context) async throws {
      let client = context.cluster.client
      for user in try await client.users() {
        Output.line("\(user): \(try await client.roles(of: user).joined(separator: ", "))")
      }
    }
  }
}

/// A role of the cluster: what its users may do.
private struct Role {
  var name: String
  /// All that it may do.
  var permissions: [EtcdPermission]

  private static func mirrorName(_ user: String) -> String { "app-settings-mirror-\(user)" }
  private static func handName(_ user: String) -> String { "app-settings-hand-\(user)" }

  /// The roles that let a user be a mirror: of all machines, or of one.
  static func mirrorNames(_ user: String) -> [String] { [mirror.name, mirrorName(user)] }

  /// The roles that no other user has.
  static func ownNames(of user: String) -> [String] { [mirrorName(user), handName(user)] }

  static let mirror = Role(
    name: "app-settings-mirror",
    permissions: [
      EtcdPermission(.read, .prefix(FleetNames.prefix)), EtcdPermission(.readWrite, .prefix(FleetNames.acksPrefix)),
    ])

  static func mirror(_ user: String, of machine: Machine) -> Role {
    let apps = (machine.apps ?? []).filter(machine.mirrors).sorted()
    let own = apps.flatMap { app in
      machine.prefixes(of: app).map { EtcdPermission(.read, .prefix($0)) }
        + [EtcdPermission(.read, .key(FleetKey.rollout(app: app).text))]
    }
    let answers = (apps + [FleetNames.ownApp]).map { app in
      EtcdPermission(.readWrite, .key(FleetKey.ack(app: app, machine: machine.id).text))
    }
    return Role(
      name: mirrorName(user),
      permissions: [EtcdPermission(.read, .key(FleetKey.accept.text))] + own + answers)
  }

  /// What shows that it was this user: 'log' reads it.
  static func hand(of user: String) -> Role {
    Role(
      name: handName(user),
      permissions: [
        EtcdPermission(.read, .prefix(FleetNames.handsPrefix)),
        EtcdPermission(.readWrite, .key(FleetNames.handsPrefix + user)),
      ])
  }

  static func writer(of app: String) -> Role {
    Role(
      name: "app-settings-writer-\(app)",
      permissions: [
        EtcdPermission(.readWrite, .prefix(FleetNames.prefix(ofApp: app))),
        EtcdPermission(.readWrite, .prefix(FleetNames.turnsPrefix(ofApp: app))),
        EtcdPermission(.read, .prefix(FleetNames.acksPrefix(ofApp: app))),
        EtcdPermission(.read, .prefix(FleetNames.acksPrefix(ofApp: FleetNames.ownApp))),
      ])
  }
}

/// Makes and removes users and roles. A command that failed half way can be repeated.
private struct Access {
  let client: EtcdClient

  func enable(_ password: String) async throws {
    let isEnabled = try await client.isAuthenticationEnabled()
    _ = try await isDone(unless: .alreadyExists) { () async throws(EtcdError) in try await client.addRole("root") }
    _ = try await isDone(unless: .alreadyExists) { () async throws(EtcdError) in
      try await client.addUser("root", password: password)
    }
    try await client.grantRole("root", to: "root")
    // From then on, the password in the settings may be another one.
    try await client.changePassword(of: "root", to: password)
    if !isEnabled { try await client.enableAuthentication() }
  }

  /// - Parameter others: Roles that the user has no longer, unless they are among `roles`.
  func add(_ user: String, _ password: String, roles: [Role], insteadOf others: [String] = []) async throws {
    guard user != "root" else { throw Failure(.usage, "'root' may do everything already.") }
    guard !user.isEmpty else { throw Failure(.usage, "Invalid user '': a user has a name.") }
    for role in roles { try await make(role) }
    let isNew = try await isDone(unless: .alreadyExists) { () async throws(EtcdError) in
      try await client.addUser(user, password: password)
    }
    if !isNew { try await client.changePassword(of: user, to: password) }
    for role in roles { try await client.grantRole(role.name, to: user) }
    let names = Set(roles.map(\.name))
    for role in try await client.roles(of: user) where others.contains(role) && !names.contains(role) {
      try await client.revokeRole(role, from: user)
    }
  }

  /// Makes a role that may do what it says, and nothing else that a role of its name might do before.
  private func make(_ role: Role) async throws {
    _ = try await isDone(unless: .alreadyExists) { () async throws(EtcdError) in try await client.addRole(role.name) }
    let former = try await client.permissions(of: role.name)
    // What is granted again has the new access.
    for permission in role.permissions where !former.contains(permission) {
      try await client.grantPermission(permission, to: role.name)
    }
    let spans = Set(role.permissions.map(\.span))
    for permission in former where !spans.contains(permission.span) {
      try await client.revokePermission(on: permission.span, from: role.name)
    }
  }

  /// Refuses the user of one machine that could read more because of its other roles.
  func checkReadsNothingElse(_ user: String) async throws {
    var roles: [String] = []
    _ = try await isDone(unless: .notFound) { () async throws(EtcdError) in roles = try await client.roles(of: user) }
    roles.removeAll { Role.mirrorNames(user).contains($0) }
    guard !roles.isEmpty else { return }
    throw Failure(
      .usage,
      "'\(user)' could read more than its machine's documents, because of its other roles: "
        + "\(roles.joined(separator: ", ")). Choose another name, or remove this user first: "
        + "settings-fleet access remove \(user). Nothing was written.")
  }

  /// Removes a user, and before that the roles that a later user of this name must not find.
  func remove(_ user: String) async throws {
    guard user != "root" else {
      throw Failure(
        .usage,
        "'root' cannot be removed: nobody could change users and roles any more. 'settings-fleet access enable' gives it "
          + "another password.")
    }
    for role in Role.ownNames(of: user) {
      _ = try await isDone(unless: .notFound) { () async throws(EtcdError) in try await client.deleteRole(role) }
    }
    let isGone = try await isDone(unless: .notFound) { () async throws(EtcdError) in try await client.deleteUser(user) }
    guard isGone else { throw Failure(.noValue, "There is no user '\(user)'.") }
  }

  /// Does something; `false` if that is not needed or not possible for one reason.
  private func isDone(
    unless code: EtcdError.Code, _ body: () async throws(EtcdError) -> Void
  ) async throws(EtcdError) -> Bool {
    do throws(EtcdError) {
      try await body()
      return true
    } catch {
      guard error.code == code else { throw error }
      return false
    }
  }
}
