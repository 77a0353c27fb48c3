import ArgumentParser
import EtcdClient
import EtcdTesting
import Foundation
import SettingsFleet
import Testing

@testable import settings_fleet

extension CommandTests.Mirrors {
  /// All machines of a cluster are listed, so it is one of its own.
  struct MachinesTests {
    @Test func `all machines are listed, with their apps, what they refuse, and what was changed on them by hand`()
      async throws
    {
      let cluster = try await EtcdCluster.start(members: 3, options: CommandTests.patient)
      defer { cluster.stop() }
      try await Fleet.with(cluster) { fleet in
        let (ada, app) = (try fleet.person("ada", "expected = [\"m1\"]\n"), fleet.app)
        let share = fleet.root + "/strict"
        try fleet.schema("[keys.a]\ntype = \"integer\"\nmaximum = 5\n", in: share)
        let machines = [
          try fleet.machine("m1"), try fleet.machine("m2", groups: ["lab"], share: share), try fleet.machine("m3"),
        ]
        #expect(try await ada.run("set", app, "a=1").status == 0)
        for verb in ["status", "machines"] {
          let alone = try await ada.run(verb)
          #expect(alone.status == 1 && alone.error == "settings-fleet: No machine has answered yet.\n", "\(alone)")
        }
        for machine in machines { try machine.start() }
        let waited = try await ada.run("status", "--wait", "60s", "--expect", "m2", "--expect", "m3")
        #expect(waited.status == 0, "\(waited)")
        #expect(waited.output.wholeMatch(of: #/3 machines\norg\.example\.app\d+: rev \d+: 3 applied\n/#) != nil)
        let listed = try await ada.run("machines")
        #expect(
          listed.output == """
            m1: applied, settings-fleet 0.1.0, apps \(app)
            m2: applied, settings-fleet 0.1.0, groups lab, apps \(app) 1
            m3: applied, settings-fleet 0.1.0, apps \(app)

            """, "\(listed)")
        #expect(listed.status == 0)

        try fleet.write("a = 7\n", to: machines[0].directory + "/10-all.toml")
        #expect(try await machines[0].wait(for: "a = 1\n"))
        #expect(
          try await eventually {
            try await ada.run("machines").output.contains("  \(app): changed by hand 1 time, and written again")
          })
        try await ada.run("set", app, "--host", "m2", "a=9", "--create")
        #expect(
          try await eventually {
            try await ada.run("machines").output.contains("m2: refused")
          })
        let refused = try await ada.run("machines", "list")
        #expect(refused.status == 1 && refused.output.contains("  \(app) refused: host/m2: line 1: "), "\(refused)")

        try fleet.write("# The lab's.\nm3\nweb-9   # new\n", to: fleet.root + "/hosts")
        for verb in ["status", "machines"] {
          let missing = try await ada.run(verb, "--expect", fleet.root + "/hosts")
          #expect(missing.status == 1 && missing.output.contains("  web-9 missing: "), "\(missing)")
          let json = try await ada.run(verb, "--expect", fleet.root + "/hosts", "--json")
          let object = try JSONSerialization.jsonObject(with: Data(json.output.utf8)) as? [String: Any]
          #expect(object?["missing"] as? [String] == ["web-9"], "\(json)")
          #expect((object?["machines"] as? [[String: Any]])?.map { $0["host"] as? String } == ["m1", "m2", "m3"])
        }
        #expect(try await ada.run("status", app, "--expect", fleet.root + "/none").status == 7)

        let present = try await ada.run("machines", "forget", "m3")
        #expect(present.status == 5 && present.error.contains("it still answers"), "\(present)")
        #expect(try await ada.run("machines", "forget", "web-9").status == 1)
        machines[2].kill()
        try await Self.forget("m3", ada)
        #expect(try await !ada.run("machines").output.contains("m3: "))
        try machines[2].start()
        #expect(try await eventually { try await ada.run("machines").output.contains("m3: applied") })
      }
    }

    /// Silence takes a minute, which only the long form waits for: `SETTINGS_FLEET=full`.
    private static func forget(_ name: String, _ ada: Party) async throws {
      if ProcessInfo.processInfo.environment["SETTINGS_FLEET"] == "full" {
        #expect(
          try await eventually(within: .seconds(100)) {
            try await ada.run("machines").output.contains("\(name): silent for")
          })
        let forgot = try await ada.run("machines", "forget", name)
        #expect(forgot.status == 0 && forgot.output.hasPrefix("forgot \(name) ("), "\(forgot)")
        return
      }
      let client = try EtcdClient(ada.fleet.cluster.configuration)
      let environment = ada.environment
      let context = Context(
        environment: environment, settings: try FleetSettings(environment: environment),
        cluster: Cluster(client: client))
      let reader = StatusReader(cluster: context.cluster, app: nil)
      let (overview, acks, _) = try await reader.overview()
      let verb = try MachinesVerb.Forget.parse([name])
      try await verb.forget(
        try #require(overview.machines.first { $0.host == name }), acks, in: context)
      await client.shutdown()
    }
  }
}
