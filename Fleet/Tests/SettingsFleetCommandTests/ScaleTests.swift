import EtcdClient
import EtcdTesting
import Foundation
import Testing

extension CommandTests {
  /// What a mirror does in a fleet with many apps and machines.
  @Suite(.serialized) struct ScaleTests {
    @Test func `what is for other machines costs a mirror no memory`() async throws {
      let cluster = try await EtcdCluster.start(options: CommandTests.patient)
      defer { cluster.stop() }
      try await Fleet.with(cluster) { fleet in
        let ada = try fleet.person()
        let machine = try fleet.machine("m1", groups: ["web"])
        try fleet.allowEveryApp(on: "m1")
        try machine.start()
        try await ada.run("set", fleet.app, "a=1")
        try await ada.run("set", fleet.app, "--group", "web", "b=1")
        try await ada.run("set", fleet.app, "--host", "m1", "c=1")
        #expect(try await machine.wait(for: "c = 1\n", in: "30-host"))
        let before = try #require(machine.peakMemory)
        machine.kill()
        let text = Array("x = \"".utf8) + Array(repeating: UInt8(ascii: "x"), count: 900_000) + Array("\"\n".utf8)
        try await cluster.withClient { client in
          for number in 0..<30 {
            for app in [fleet.app, "org.example.z"] {
              _ = try await client.put("/app-settings/1/\(app)/host/other\(number)/v1", text)
            }
          }
        }
        try await ada.run("set", fleet.app, "a=2")
        try machine.start()
        #expect(try await machine.wait(for: "a = 2\n"), "\(machine.said)")
        #expect(try await machine.wait(for: "b = 1\n", in: "20-group-web"))
        #expect(machine.text("30-host") == "c = 1\n")
        let after = try #require(machine.peakMemory)
        #expect(after < before + 15_000, "\(before) KB, then \(after) KB")
      }
    }

    @Test func `ten thousand documents of other hosts are not sent`() async throws {
      let cluster = try await EtcdCluster.start(options: CommandTests.patient)
      defer { cluster.stop() }
      let proxy = try await TCPProxy.start(to: cluster.members[0].port)
      try await Fleet.with(cluster) { fleet in
        let machine = try fleet.machine("m1", endpoints: "[\"http://127.0.0.1:\(proxy.port)\"]")
        try fleet.allowEveryApp(on: "m1")
        let text = String(repeating: "x", count: 1000)
        func storeForOthers() async throws {
          try await cluster.withClient { client in
            for first in stride(from: 0, to: 10_000, by: 100) {
              try await client.transaction(
                EtcdTransaction(
                  then: (first..<first + 100).map {
                    .put("/app-settings/1/\(fleet.app)/host/h\($0)/v1", "a = \"\(text)\"\n")
                  }))
            }
          }
        }
        try await storeForOthers()
        let ada = try fleet.person()
        try await ada.run("set", fleet.app, "a=1")
        try machine.start()
        #expect(try await machine.wait(for: "a = 1\n"), "\(machine.said)")
        let toRead = proxy.bytesToClients
        #expect(toRead < 100_000, "\(toRead) bytes for a new mirror")
        try await storeForOthers()
        try await ada.run("set", fleet.app, "--host", "m1", "b=1")
        #expect(try await machine.wait(for: "b = 1\n", in: "30-host"), "\(machine.said)")
        let toFollow = proxy.bytesToClients - toRead
        #expect(toFollow < 100_000, "\(toFollow) bytes for changes of others")
      }
      await proxy.stop()
    }

    @Test func `a change does not wait for hundreds of other apps`() async throws {
      let cluster = try await EtcdCluster.start(options: CommandTests.patient)
      defer { cluster.stop() }
      try await Fleet.with(cluster) { fleet in
        // Where the disk is slow, a deadline would let it read all again, and the order of changes is what counts here.
        let machine = try fleet.machine("m1", "timeout = \"60s\"\n")
        try fleet.allowEveryApp(on: "m1")
        let apps = (0..<300).map { "org.example.many\($0)" }
        let text = String(repeating: "# A line that is not changed.\n", count: 130) + "a = 1\n"
        try await cluster.withClient { client in
          for app in apps { try await client.put("/app-settings/1/\(app)/all/v1", text) }
        }
        let files = fleet.root + "/m1/fleet"
        func contents(of app: String, _ name: String = "10-all") -> String? {
          try? String(contentsOfFile: "\(files)/\(app)/settings.d/\(name).toml", encoding: .utf8)
        }
        // Each file is read only until it is right: reading all again and again would take the mirror's time.
        var missing = apps
        func isThere(_ text: String) -> Bool {
          while let app = missing.last, contents(of: app) == text { missing.removeLast() }
          return missing.isEmpty
        }
        try machine.start()
        #expect(try await eventually { apps.contains { contents(of: $0) != nil } })
        // Its name is behind those of the others.
        try await cluster.withClient { _ = try await $0.put("/app-settings/1/z.urgent/host/m1/v1", "a = 2\n") }
        #expect(
          try await eventually(within: .seconds(120)) { contents(of: "z.urgent", "30-host") == "a = 2\n" },
          "\(machine.said)")
        #expect(!isThere(text), "the urgent one was the last")
        #expect(try await eventually(within: .seconds(120)) { isThere(text) }, "\(machine.said)")
        // The same on a mirror that has had them all, and when the urgent change comes last.
        let changed = text + "b = 1\n"
        missing = apps
        try await cluster.withClient { client in
          for app in apps { try await client.put("/app-settings/1/\(app)/all/v1", changed) }
          _ = try await client.put("/app-settings/1/z.urgent/host/m1/v1", "a = 3\n")
        }
        #expect(
          try await eventually(within: .seconds(120)) { contents(of: "z.urgent", "30-host") == "a = 3\n" },
          "\(machine.said)")
        #expect(!isThere(changed), "the urgent one was the last")
        #expect(try await eventually(within: .seconds(120)) { isThere(changed) }, "\(machine.said)")
        // Each app has its own answer, and that of the mirror is there, too.
        let isAnswered = try await cluster.withClient { client in
          try await eventually {
            try await client.range(EtcdRange(.prefix("/app-settings-acks/1/"), countOnly: true)).count == apps.count + 2
          }
        }
        #expect(isAnswered)
      }
    }
  }
}
