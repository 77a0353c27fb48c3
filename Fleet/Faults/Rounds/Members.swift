import EtcdClient
import EtcdTesting
import SettingsFleet

/// What each member of a cluster stores for itself.
///
/// Members that have carried out the same log have to store the same. If they do not, the fault is etcd's: no client can
/// make it, and none can mend it.
struct Members: Sendable {
  private struct Content: Equatable, CustomStringConvertible {
    let log: UInt64
    let revision: Int64
    let texts: [String]

    var description: String { "revision \(revision), log \(log), documents " + texts.joined(separator: ", ") }
  }

  private let cluster: EtcdCluster
  private let bell: Bell

  init(of arena: Arena) { (cluster, bell) = (arena.cluster, arena.bell) }

  /// Waits for up to ten seconds until the members have the same log, and says what they store.
  ///
  /// - Returns: Whether they store different things after the same log, and still do two seconds later: what is in the log
  ///   may not be carried out yet.
  func differ() async -> Bool {
    var found: [Content?] = []
    var timesDifferent = 0
    for _ in 0..<40 where timesDifferent < 8 {
      found = []
      for member in cluster.members { found.append(await content(of: member)) }
      let known = found.compactMap { $0 }
      if known.count < found.count || Set(known.map(\.log)).count > 1 {
        timesDifferent = 0
      } else if known.allSatisfy({ $0 == known[0] }) {
        break
      } else {
        timesDifferent += 1
      }
      await bell.wait(.milliseconds(250)) { false }
    }
    say(found)
    return timesDifferent == 8
  }

  /// - Returns: `nil` without an answer, or if the log has grown meanwhile.
  private func content(of member: EtcdMember) async -> Content? {
    try? await cluster.withClient(cluster.configuration(endpoints: [member.endpoint])) { client in
      let log = try await client.status(at: member.endpoint).raftIndex
      let answer = try await client.rangeAll(EtcdRange(.prefix(FleetNames.prefix), isSerializable: true))
      guard try await client.status(at: member.endpoint).raftIndex == log else { return nil }
      return Content(
        log: log, revision: answer.header.revision,
        texts: answer.keyValues.map { "\($0.modRevision) \(TextDigest(of: $0.value).hex.prefix(8))" })
    }
  }

  private func say(_ found: [Content?]) {
    let lines = zip(cluster.members, found).map { "\($0.name): \($1.map { "\($0)" } ?? "no answer at rest")" }
    Output.say("the members have\n" + lines.joined(separator: "\n"))
  }
}
