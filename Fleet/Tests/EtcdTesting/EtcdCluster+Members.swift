import Foundation

extension EtcdCluster {
  /// Removes a member for good, and adds an empty one in its place, as operators do when a machine is lost. Returns when
  /// the new one answers.
  ///
  /// - Parameter member: The member, whose name and addresses the new one gets. All others have to be well.
  public func replace(_ member: EtcdMember) async throws {
    let others = members.filter { $0 !== member }
    let former = try await id(of: member, asking: others)
    let end = ContinuousClock.now + .seconds(30)
    while true {
      do {
        // What was asked for may have happened although it failed.
        let now = try await id(of: member, asking: others)
        if now != nil, now == former { try await control(others, ["member", "remove", now!]) }
        if now == nil || now == former {
          try await control(others, ["member", "add", member.name, "--peer-urls=\(member.peerAddress)"])
        }
        break
      } catch {
        // For some seconds after an election, or after a member came back, etcd refuses.
        guard .now < end else { throw error }
        try await Task.sleep(for: .milliseconds(200))
      }
    }
    member.kill()
    try FileManager.default.removeItem(atPath: member.dataDirectory)
    try member.launch(isNew: true)
    try await waitUntilHealthy(member)
  }

  /// What the cluster calls a member; `nil` if it has none at that address.
  private func id(of member: EtcdMember, asking others: [EtcdMember]) async throws -> String? {
    let lines = try await control(others, ["member", "list"]).split(separator: "\n")
    return lines.first { $0.contains(" \(member.peerAddress),") }?.split(separator: ",").first.map(String.init)
  }
}
