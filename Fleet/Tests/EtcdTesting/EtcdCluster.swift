public import EtcdClient
import Foundation
import Synchronization

/// A real cluster on the loopback interface, in a directory of its own. Nothing of it outlives this process.
///
/// ```swift
/// let cluster = try await EtcdCluster.start(members: 3)
/// defer { cluster.stop() }
/// try await cluster.leader().kill()
/// ```
public final class EtcdCluster: Sendable {
  /// How a cluster is set up.
  public struct Options: Sendable {
    /// Whether clients and members show each other certificates.
    public var usesTLS = false
    /// The password of the user `root`; without one, the cluster has no authentication.
    public var rootPassword: String?
    /// The largest size of the database in bytes.
    public var quotaBytes: Int?
    /// Further arguments of each member.
    public var arguments: [String] = []
    /// How long a call of the clients may take.
    public var deadline = Duration.seconds(1)
    /// How long a member waits for the leader before it stands for election itself.
    public var electionTimeout = Duration.milliseconds(300)

    /// Where the cluster has its directory.
    public var parent = FileManager.default.temporaryDirectory.path

    /// Creates the options of a plain cluster.
    public init() {}

    /// Keeps the cluster in memory, if there is room. A member waits for the disk at each write otherwise, and no test
    /// takes the machine's power away.
    public mutating func keepInMemory() {
      var facts = statvfs()
      let (memory, needed) = ("/dev/shm", UInt(4) << 30)
      guard access(memory, W_OK) == 0, statvfs(memory, &facts) == 0, facts.f_bavail * facts.f_frsize >= needed else {
        return
      }
      parent = memory
    }
  }

  /// Why there can be no cluster on this machine, if so.
  public static var missing: String? {
    let names = ["etcd", "etcdctl", "openssl", "setpriv"].filter { Tool.path(of: $0) == nil }
    return names.isEmpty ? nil : "not installed: \(names.joined(separator: ", "))"
  }

  /// The members.
  public let members: [EtcdMember]
  /// How the cluster is set up.
  public let options: Options
  /// The certificates, if the cluster uses TLS.
  public let certificates: TestCertificates?
  /// The cluster's directory, which goes with it.
  public let directory: String

  /// The members' addresses for clients.
  public var endpoints: [String] { members.map(\.endpoint) }

  /// What a client with all rights needs.
  public var configuration: EtcdConfiguration { configuration(endpoints: endpoints) }

  /// What a client with all rights needs that takes other ways to the members.
  ///
  /// - Parameter endpoints: The addresses, such as those of proxies.
  public func configuration(endpoints: [String]) -> EtcdConfiguration {
    EtcdConfiguration(
      endpoints: endpoints, tls: certificates?.tls,
      credentials: options.rootPassword.map { EtcdCredentials(user: "root", password: $0) }, deadline: options.deadline)
  }

  /// Starts a cluster, and returns when every member answers.
  ///
  /// - Parameters:
  ///   - members: How many members there are.
  ///   - options: How the cluster is set up.
  public static func start(members: Int = 1, options: Options = Options()) async throws -> EtcdCluster {
    let directory = options.parent + "/etcd-\(UUID().uuidString)"
    try FileManager.default.createDirectory(
      atPath: directory, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
    do {
      let certificates = options.usesTLS ? try await TestCertificates(in: directory) : nil
      let cluster = EtcdCluster(
        count: members, options: options, certificates: certificates, directory: directory)
      Leftovers.add(members: cluster.members, directory: directory)
      try await cluster.begin()
      return cluster
    } catch {
      try? FileManager.default.removeItem(atPath: directory)
      throw error
    }
  }

  private init(count: Int, options: Options, certificates: TestCertificates?, directory: String) {
    self.options = options
    self.certificates = certificates
    self.directory = directory
    let scheme = certificates == nil ? "http" : "https"
    let seats = (1...count).map { (name: "m\($0)", port: FreePorts.next(), peerPort: FreePorts.next()) }
    let peers = seats.map { "\($0.name)=http://127.0.0.1:\($0.peerPort)" }.joined(separator: ",")
    members = seats.map { seat in
      let home = "\(directory)/\(seat.name)"
      let endpoint = "\(scheme)://127.0.0.1:\(seat.port)"
      let peer = "http://127.0.0.1:\(seat.peerPort)"
      let election = Int(options.electionTimeout / .milliseconds(1))
      var arguments = [
        "--name", seat.name, "--data-dir", "\(home)/data", "--listen-client-urls", endpoint, "--advertise-client-urls",
        endpoint, "--listen-peer-urls", peer, "--initial-advertise-peer-urls", peer, "--initial-cluster", peers,
        "--heartbeat-interval", "\(max(1, election / 6))", "--election-timeout", "\(election)", "--bcrypt-cost", "4",
        "--logger", "zap", "--log-outputs", "stderr",
      ]
      if let certificates {
        arguments += [
          "--client-cert-auth", "--trusted-ca-file", certificates.authority, "--cert-file",
          certificates.memberCertificate, "--key-file", certificates.memberKey,
        ]
      }
      if let quota = options.quotaBytes { arguments += ["--quota-backend-bytes", "\(quota)"] }
      return EtcdMember(
        name: seat.name, port: seat.port, endpoint: endpoint, peerAddress: peer, directory: home,
        arguments: arguments + options.arguments)
    }
  }

  deinit { stop() }

  /// Ends all members and removes the directory.
  public func stop() {
    Leftovers.remove(directory)
  }

  private func begin() async throws {
    for member in members {
      try FileManager.default.createDirectory(atPath: member.directory, withIntermediateDirectories: true)
      try member.launch()
    }
    for member in members { try await waitUntilHealthy(member, isAuthenticated: false) }
    if let password = options.rootPassword {
      var configuration = configuration
      configuration.credentials = nil
      try await withClient(configuration) { client in
        try await client.addUser("root", password: password)
        try await client.addRole("root")
        try await client.grantRole("root", to: "root")
        try await client.enableAuthentication()
      }
    }
  }

  /// Does something with a client that is shut down afterwards.
  ///
  /// - Parameters:
  ///   - configuration: What the client needs; all rights if `nil`.
  ///   - body: What is done.
  public func withClient<Value>(_ configuration: EtcdConfiguration? = nil, _ body: (EtcdClient) async throws -> Value)
    async throws -> Value
  {
    let client = try EtcdClient(configuration ?? self.configuration)
    do {
      let value = try await body(client)
      await client.shutdown()
      return value
    } catch {
      await client.shutdown()
      throw error
    }
  }

  /// Waits until a member answers, with the whole cluster's knowledge.
  ///
  /// - Parameter member: The member.
  public func waitUntilHealthy(_ member: EtcdMember) async throws {
    try await waitUntilHealthy(member, isAuthenticated: true)
  }

  private func waitUntilHealthy(_ member: EtcdMember, isAuthenticated: Bool) async throws {
    var configuration = configuration(endpoints: [member.endpoint])
    if !isAuthenticated { configuration.credentials = nil }
    // Each try is short, and there are many: only what hangs uses up the time.
    configuration.deadline = .seconds(1)
    let end = ContinuousClock.now + .seconds(60)
    try await withClient(configuration) { client in
      while true {
        do throws(EtcdError) {
          _ = try await client.range(EtcdRange(.key("health"), limit: 1))
          return
        } catch {
          guard member.isRunning, .now < end, error.isRetryable || error.code == .internal else {
            throw Tool.Failure(description: "\(member.name) does not answer: \(error)\n\(member.log.suffix(2000))")
          }
        }
      }
    }
  }

  /// Starts a member that was killed, with its data, and waits until it answers.
  ///
  /// - Parameter member: The member.
  public func restart(_ member: EtcdMember) async throws {
    member.kill()
    try member.launch()
    try await waitUntilHealthy(member)
  }

  /// The member that leads now; waits for an election that is under way.
  public func leader() async throws -> EtcdMember {
    var configuration = configuration
    configuration.deadline = .seconds(1)
    let end = ContinuousClock.now + .seconds(60)
    return try await withClient(configuration) { client in
      while .now < end {
        for member in members where member.isRunning {
          guard let status = try? await client.status(at: member.endpoint) else { continue }
          if status.leader != 0, status.leader == status.header.member { return member }
        }
        try await Task.sleep(for: .milliseconds(20))
      }
      throw Tool.Failure(description: "No member leads.")
    }
  }

  /// The members that do not lead.
  public func followers() async throws -> [EtcdMember] {
    let leader = try await leader()
    return members.filter { $0 !== leader }
  }
}
