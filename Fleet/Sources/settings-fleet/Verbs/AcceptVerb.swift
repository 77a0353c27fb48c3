import ArgumentParser
import EtcdClient
import FoundationEssentials
import SettingsFleet

struct AcceptVerb: FleetVerb {
  static let configuration = CommandConfiguration(
    commandName: "accept",
    abstract: "Let machines follow the cluster although it is another or an older one than before.",
    discussion: """
      After a backup was restored, or the cluster was replaced, machines change nothing and report that. Check that the \
      documents are what they should be, and then accept the cluster as it is. Each machine uses an acceptance once.

      EXAMPLES
        settings-fleet list org.example.editor
        settings-fleet accept
      """)

  func answer(in context: Context) async throws {
    let client = context.cluster.client
    let header = try await client.range(EtcdRange(.key(FleetKey.accept.text))).header
    let change = Change(by: context.author, because: "accept")
    let acceptance = Acceptance(id: change.id, cluster: ClusterID(rawValue: header.cluster), created: change.time)
    try await client.put(FleetKey.accept.text, acceptance.json)
    Output.line("accepted cluster \(acceptance.cluster) at revision \(header.revision)")
  }
}
