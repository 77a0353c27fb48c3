import EtcdClient
import EtcdTesting
import Foundation
import Testing

extension CommandTests.Mirrors {
  /// What machines do after a backup of the cluster was restored.
  struct RestoreTests {
    @Test func `a restored backup is held over restarts and writes, until it is accepted`() async throws {
      try await Fleet.withOwnCluster { cluster, fleet, ada, machine in
        try await ada.run("set", fleet.app, "v=1")
        try await ada.run("set", fleet.app, "--group", "gone", "v=1")
        try await cluster.snapshot(to: fleet.root + "/backup")
        try await ada.run("set", fleet.app, "v=2", "limit=100")
        let text = "v = 2\nlimit = 100\n"
        #expect(try await machine.wait(for: text))
        #expect(try await ada.waitUntilApplied(by: 1))
        #expect(try await ada.run("status").output.hasPrefix("1 machine\n"))
        try await cluster.restore(from: fleet.root + "/backup")
        #expect(try await eventually { machine.said.contains("settings-fleet accept") }, "\(machine.said)")
        machine.kill()
        for number in 0..<4 { try await ada.run("set", fleet.app, "other=\(number)") }
        try machine.start()
        #expect(try await eventually { machine.said.contains("settings-fleet accept") }, "\(machine.said)")
        try await ada.run("set", fleet.app, "other=5")
        let isHeld = try await eventually {
          try await ada.run("status", fleet.app).output.contains("m1 changes nothing: ")
        }
        let status = try await ada.run("status", fleet.app)
        #expect(isHeld && status.status == 1 && status.output.contains("1 held"), "\(status)")
        #expect(machine.text() == text)
        #expect(try await ada.run("accept").status == 0)
        #expect(try await machine.wait(for: "v = 1\nother = 5\n"), "\(machine.said)")
        #expect(try await ada.waitUntilApplied(by: 1))
      }
    }

    @Test func `after a restored backup a machine changes nothing until the cluster is accepted`() async throws {
      try await Fleet.withOwnCluster { cluster, fleet, ada, machine in
        try await ada.run("set", fleet.app, "a=1")
        #expect(try await machine.wait(for: "a = 1\n"))
        try await cluster.snapshot(to: fleet.root + "/backup")
        try await ada.run("set", fleet.app, "a=2")
        #expect(try await machine.wait(for: "a = 2\n"))
        try await cluster.restore(from: fleet.root + "/backup", asNewCluster: true)
        #expect(try await eventually { machine.said.contains("settings-fleet accept") }, "\(machine.said)")
        try await ada.run("set", fleet.app, "b=1")
        let status = try await ada.run("status", fleet.app)
        #expect(machine.text() == "a = 2\n", "\(status)")
        #expect(try await ada.run("accept").status == 0)
        #expect(try await machine.wait(for: "a = 1\nb = 1\n"), "\(machine.said)")
      }
    }

    @Test func `a machine holds at once if a backup lacks a document, even if it is created again`() async throws {
      try await Fleet.withOwnCluster { cluster, fleet, ada, machine in
        try await ada.run("set", fleet.app, "a=1")
        #expect(try await machine.wait(for: "a = 1\n"))
        try await cluster.snapshot(to: fleet.root + "/backup")
        try await ada.run("set", fleet.app, "a=2")
        try await ada.run("set", fleet.app, "--host", "m1", "v=9")
        #expect(try await machine.wait(for: "v = 9\n", in: "30-host"), "\(machine.said)")
        try await cluster.restore(from: fleet.root + "/backup")
        #expect(try await eventually { machine.said.contains("settings-fleet accept") }, "\(machine.said)")
        #expect(machine.said.contains("this machine has seen") && !machine.said.contains("future"), "\(machine.said)")
        try await ada.run("set", fleet.app, "--host", "m1", "v=9")
        for number in 0..<9 { try await ada.run("set", fleet.app, "b=\(number)") }
        #expect(try await eventually { try await ada.run("status", fleet.app).output.contains("1 held") })
        #expect(machine.text() == "a = 2\n")
        #expect(try await ada.run("accept").status == 0)
        #expect(try await machine.wait(for: "a = 1\nb = 8\n"), "\(machine.said)")
      }
    }

    @Test func `what a restored backup does not have stays on a machine that was off meanwhile`() async throws {
      try await Fleet.withOwnCluster { cluster, fleet, ada, machine in
        try await ada.run("set", fleet.app, "a=1")
        #expect(try await machine.wait(for: "a = 1\n"))
        try await cluster.snapshot(to: fleet.root + "/backup")
        try await ada.run("set", fleet.app, "--host", "m1", "v=9")
        #expect(try await machine.wait(for: "v = 9\n", in: "30-host"), "\(machine.said)")
        machine.stop()
        try await cluster.restore(from: fleet.root + "/backup")
        // The cluster is soon as new as what the machine has seen.
        try await cluster.withClient { client in
          for number in 0..<40 {
            _ = try await client.put("/app-settings/1/org.example.other/all/v1", "n = \(number)\n")
          }
        }
        try machine.start()
        #expect(try await eventually { machine.said.contains("settings-fleet accept") }, "\(machine.said)")
        #expect(machine.said.contains("'\(fleet.app)/host/m1' is gone, and nothing in the cluster says"))
        #expect(
          machine.text("30-host") == "v = 9\n" && !machine.said.contains("removed \(fleet.app)"), "\(machine.said)")
        #expect(try await eventually { try await ada.run("status", fleet.app).output.contains("1 held") })
        #expect(try await ada.run("accept").status == 0)
        #expect(try await machine.wait(for: nil, in: "30-host"), "\(machine.said)")
      }
    }

    @Test func `what was removed while a machine was off is removed there, also after a compaction`() async throws {
      try await Fleet.withOwnCluster { cluster, fleet, ada, machine in
        let tree = fleet.root + "/tree/\(fleet.app)"
        try FileManager.default.createDirectory(atPath: tree + "/host", withIntermediateDirectories: true)
        try fleet.write("a = 1\n", to: tree + "/all.toml")
        try fleet.write("b = 1\n", to: tree + "/host/m1.toml")
        #expect(try await ada.run("apply", fleet.root + "/tree").status == 0)
        #expect(try await machine.wait(for: "b = 1\n", in: "30-host"), "\(machine.said)")
        machine.stop()
        try FileManager.default.removeItem(atPath: tree + "/host/m1.toml")
        let pruned = try await ada.run("apply", fleet.root + "/tree", "--prune")
        #expect(pruned.status == 0 && pruned.output.contains("1 to remove"), "\(pruned)")
        try await cluster.withClient { client in
          try await client.compact(revision: try await client.range(EtcdRange(.key("x"))).header.revision)
        }
        try machine.start()
        #expect(try await machine.wait(for: nil, in: "30-host"), "\(machine.said)")
      }
    }
  }
}
