import BenchmarkHarness
import EtcdClient
import EtcdTesting
import Foundation
import SettingsFleet

/// How long the command takes that says who has applied what.
struct Status: Sendable {
  let run: Run
  let party: Party

  func measure() async throws {
    let machines = run.isShort ? 20 : 1000
    let document = FleetDocument(app: party.app, scope: .all)!
    let app = party.app
    try await run.cluster.withClient(run.patient) { client in
      let revision = try await client.put(document.key(version: 1), "theme = \"light\"\n")
      try await inParallel(0..<machines) { number in
        let lease = try await client.grantLease(seconds: 86400)
        var ack = Ack(
          app: app, machine: "machine-\(number)", host: "host-\(number)", release: "settings-fleet 0.1.0",
          revision: revision,
          documents: [.init(scope: .all, version: 1, modRevision: revision, state: .applied)])
        ack.lease = LeaseID(rawValue: lease)
        try await client.put(ack.key.text, ack.json, lease: lease)
      } each: { _ in
      }
    }
    let rounds = run.isShort ? 1 : 11
    // It exits with 0 because each of them has applied the document.
    let (status, version) = (party.command("status", app), party.command("--version"))
    let pair = Harness.pair(rounds: rounds) {
      status.run()
    } _: {
      version.run()
    }
    Harness.report("status of \(machines) machines / --version", pair)
    Harness.report(
      "status of \(machines) machines", pair.first.median / 1e6, .milliseconds, budget: run.budget(.atMost(1000)))
  }
}
