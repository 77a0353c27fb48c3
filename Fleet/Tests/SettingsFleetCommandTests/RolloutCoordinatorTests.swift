import EtcdClient
import EtcdTesting
import Foundation
import SettingsFleet
import SettingsTools
import Testing

@testable import settings_fleet

extension CommandTests {
  /// A coordinator whose cluster is away for some time.
  struct RolloutCoordinatorTests {
    @Test func `what a coordinator reads waits for a cluster that is away for a moment`() async throws {
      try await Fleet.withMachine { fleet, ada, machine in
        try await ada.run("set", fleet.app, "a=1")
        #expect(try await ada.waitUntilApplied(by: 1))
        let proxy = try await TCPProxy.start(to: fleet.cluster.members[0].port)
        var through = fleet.cluster.configuration(endpoints: ["http://127.0.0.1:\(proxy.port)"])
        through.deadline = .seconds(1)
        try await fleet.cluster.withClient(through) { client in
          var environment = ProcessInfo.processInfo.environment.merging(ada.environment) { $1 }
          environment["SETTINGS_CLI"] = Fleet.cli
          let context = Context(
            environment: environment, settings: try FleetSettings(environment: environment),
            cluster: Cluster(client: client))
          let document = try #require(FleetDocument(app: fleet.app, scope: .all))
          let editor = try DocumentEditor(context: context, document: document)
          let coordinator = RolloutCoordinator(context: context, editor: editor, appVersion: nil, answerSeconds: 60)
          let edit = try #require(try await editor.edit { try await $0.run("set", ["a=2"], on: .all) }.0)
          let process = try Coordinator(
            ada, ["rollout", "--steps", "1,100", "--bake", "10m", fleet.app, "set", "a=3"])
          #expect(try await machine.wait(for: "a = 3\n"), "\(process.said)")
          process.kill()
          let rollout = try #require(try await context.cluster.documents(of: fleet.app).rollout)

          try await Self.away(proxy) { try await coordinator.pause(rollout) }
          let paused = try await context.cluster.documents(of: fleet.app).rollout
          #expect(paused?.id == rollout.id && paused?.steps?.isPaused == true)
          // That there is one now is noticed when the machines' answers have been read.
          let other = await #expect(throws: Failure.self) {
            try await Self.away(proxy) {
              try await coordinator.run(edit, target: .share(10_000), wait: 1, requiresCheck: false, steps: nil)
            }
          }
          #expect(other?.status == ToolError.Status.changed.rawValue, "\(other as Any)")
        }
        await proxy.stop()
      }
    }

    /// Does something while nothing gets through a proxy, until several of its calls have had no answer.
    private static func away(_ proxy: TCPProxy, _ body: @escaping @Sendable () async throws -> Void) async throws {
      let before = proxy.connections
      try await proxy.set(.blackHole)
      let work = Task { try await body() }
      // Three calls without an answer end a connection.
      #expect(try await eventually(within: .seconds(20)) { proxy.connections > before })
      try await proxy.set(.forward)
      try await work.value
    }

    /// The test ends the lease itself, as etcd does after its time.
    @Test func `a coordinator whose lease is over says so, and not that somebody has ended the rollout`() async throws {
      try await Fleet.withMachine { fleet, ada, machine in
        try await ada.run("set", fleet.app, "a=1")
        #expect(try await ada.waitUntilApplied(by: 1))
        let coordinator = try Coordinator(ada, ["rollout", "--share", "100", "--wait", "10m", fleet.app, "set", "a=2"])
        #expect(try await machine.wait(for: "a = 2\n"), "\(coordinator.said)")
        try await fleet.cluster.withClient { client in
          let rollout = try await client.range(EtcdRange(.key("/app-settings/1/\(fleet.app)/rollout"))).keyValues
          try await client.revokeLease(try #require(rollout.first).lease)
        }
        #expect(try await eventually { !coordinator.isRunning } && coordinator.status == 12, "\(coordinator.said)")
        #expect(coordinator.said.contains("could not be reached for so long"), "\(coordinator.said)")
      }
    }
  }
}
