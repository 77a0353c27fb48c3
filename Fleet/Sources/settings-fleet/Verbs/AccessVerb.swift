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
        From then on only users with a role get in. Name 'root' and its password in your settings of 'settings-fleet' to \
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
      var role = Role.mirror
      if let host, let machine {
        do throws(FleetProblem) {
          role = .mirror(user, of: try Machine(id: machine, host: host, groups: groups, apps: Set(apps)))
        } catch {
          throw Failure(.usage, error.message)
        }
      }
      try await Access(client: context.cluster.client).add(user, password, roles: [role])
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
    static let configuration = CommandConfiguration(commandName: "remove", abstract: "Remove a user.")
    @Argument(help: "The user's name.") var user: String

    func answer(in context: Context) async throws {
      do {
        try await context.cluster.client.deleteUser(user)
      } catch {
        throw error.code == .notFound ? Failure(.noValue, "There is no user '\(user)'.") : error
      }
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
  var permissions: [EtcdPermission]

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
      name: "app-settings-mirror-\(user)",
      permissions: [EtcdPermission(.read, .key(FleetKey.accept.text))] + own + answers)
  }

  /// What shows that it was this user: 'log' reads it.
  static func hand(of user: String) -> Role {
    let own = FleetNames.isName(user) ? [EtcdPermission(.readWrite, .key(FleetNames.handsPrefix + user))] : []
    return Role(
      name: "app-settings-hand-\(user)", permissions: [EtcdPermission(.read, .prefix(FleetNames.handsPrefix))] + own)
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

/// Makes users and roles. What exists already is left, so that a command that failed half way can be repeated.
private struct Access {
  let client: EtcdClient

  func enable(_ password: String) async throws {
    _ = try await isNew { () async throws(EtcdError) in try await client.addUser("root", password: password) }
    _ = try await isNew { () async throws(EtcdError) in try await client.addRole("root") }
    try await client.grantRole("root", to: "root")
    try await client.enableAuthentication()
  }

  func add(_ user: String, _ password: String, roles: [Role]) async throws {
    guard user != "root" else { throw Failure(.usage, "'root' may do everything already.") }
    for role in roles {
      _ = try await isNew { () async throws(EtcdError) in try await client.addRole(role.name) }
      for permission in role.permissions { try await client.grantPermission(permission, to: role.name) }
    }
    if try await !isNew({ () async throws(EtcdError) in try await client.addUser(user, password: password) }) {
      try await client.changePassword(of: user, to: password)
    }
    for role in roles { try await client.grantRole(role.name, to: user) }
  }

  /// Makes something; `false` if it is there already.
  private func isNew(_ make: () async throws(EtcdError) -> Void) async throws(EtcdError) -> Bool {
    do throws(EtcdError) {
      try await make()
      return true
    } catch {
      guard error.code == .alreadyExists else { throw error }
      return false
    }
  }
}
