import EtcdClient
import Foundation

extension EtcdCluster {
  /// Saves a backup of the whole cluster.
  ///
  /// - Parameter file: The backup's file, which must not exist.
  public func snapshot(to file: String) async throws {
    // It may be behind the others.
    try await waitUntilHealthy(members[0])
    try await control([members[0]], ["snapshot", "save", file])
  }

  /// Runs an operator's command.
  ///
  /// - Parameter members: Whom it asks.
  /// - Returns: What it printed.
  @discardableResult
  func control(_ members: [EtcdMember], _ words: [String]) async throws -> String {
    var arguments = ["--endpoints", members.map(\.endpoint).joined(separator: ",")]
    if let tls = certificates?.tls {
      arguments += [
        "--cacert", tls.authorityFile ?? "", "--cert", tls.certificateFile ?? "", "--key", tls.keyFile ?? "",
      ]
    }
    if let password = options.rootPassword { arguments += ["--user", "root:\(password)"] }
    return try await Tool.run("etcdctl", arguments + words, in: directory)
  }

  /// Replaces everything in the cluster with a backup, and waits until every member answers.
  ///
  /// - Parameters:
  ///   - file: The backup.
  ///   - asNewCluster: Whether the cluster gets another identity, as it does if an operator gives it another token.
  public func restore(from file: String, asNewCluster: Bool = false) async throws {
    for member in members { member.kill() }
    let peers = members.map { "\($0.name)=\($0.peerAddress)" }.joined(separator: ",")
    let token = asNewCluster ? "cluster-\(UUID().uuidString)" : "etcd-cluster"
    for member in members {
      try FileManager.default.removeItem(atPath: member.dataDirectory)
      try await Tool.run(
        "etcdctl",
        [
          "snapshot", "restore", file, "--name", member.name, "--data-dir", member.dataDirectory, "--initial-cluster",
          peers, "--initial-cluster-token", token, "--initial-advertise-peer-urls", member.peerAddress,
        ], in: directory)
    }
    for member in members { try member.launch() }
    for member in members { try await waitUntilHealthy(member) }
  }
}
