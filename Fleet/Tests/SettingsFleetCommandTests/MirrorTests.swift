import EtcdClient
import EtcdTesting
import Foundation
import Testing

extension CommandTests.Mirrors {
  struct MirrorTests {
    private static let schema = """
      [keys.port]
      type = "integer"
      minimum = 1
      maximum = 65535
      [keys.token]
      type = "string"
      secret = true

      """

    @Test func `a value that is set reaches every machine, byte for byte, and the status says so`() async throws {
      try await Fleet.with { fleet in
        let ada = try fleet.person()
        let machines = try ["m1", "m2"].map { try fleet.machine($0) }
        for machine in machines { try machine.start() }
        #expect(try await ada.run("set", fleet.app, "port=80", "name=\"a\"").status == 0)
        let text = "port = 80\nname = \"a\"\n"
        for machine in machines { #expect(try await machine.wait(for: text), "\(machine.said)") }
        #expect(try await ada.waitUntilApplied(by: 2))
        let status = try await ada.run("status", fleet.app, "--wait", "60s")
        #expect(status.status == 0 && status.output.contains("2 applied"), "\(status)")
        let attributes = try FileManager.default.attributesOfItem(atPath: machines[0].directory + "/10-all.toml")
        #expect(attributes[.posixPermissions] as? Int == 0o644)
      }
    }

    @Test func `the status of an app that nobody knows is an error`() async throws {
      try await Fleet.with { fleet in
        let ada = try fleet.person()
        for words in [
          ["status", fleet.app], ["status", fleet.app, "--json"], ["status", fleet.app, "--wait", "1ms"],
        ] {
          let unknown = try await ada.run(words)
          #expect(unknown.status == 3 && unknown.error.contains("knows no app '\(fleet.app)'"), "\(unknown)")
        }
      }
    }

    @Test func `a document that no machine has answered about is not applied`() async throws {
      try await Fleet.with { fleet in
        let ada = try fleet.person()
        try await ada.run("set", fleet.app, "--group", "\(fleet.app)-none", "a=1")
        for words in [["status", fleet.app], ["status", fleet.app, "--json", "--wait", "1ms"]] {
          let status = try await ada.run(words)
          #expect(status.status == 1 && status.error.contains("No machine has answered about '"), "\(status)")
        }
      }
    }

    @Test func `a machine that answers about no other app yet is waited for`() async throws {
      try await Fleet.withMachine { fleet, ada, machine in
        let key = "/app-settings-acks/1/settings-fleet/\(fleet.app)-m1"
        try await fleet.cluster.withClient { client in
          let isThere = try await eventually { try await client.range(EtcdRange(.key(key))).count == 1 }
          #expect(isThere)
        }
        #expect(try await ada.run("status", "settings-fleet").status == 0)
        machine.pause()
        try await ada.run("set", fleet.app, "a=1")
        let status = try await ada.run("status", fleet.app)
        #expect(status.status == 1 && status.output.contains("m1 pending: it has not answered"), "\(status)")
        machine.resume()
        let later = try await ada.run("status", fleet.app, "--wait", "60s")
        #expect(later.status == 0 && later.output.contains("1 applied"), "\(later)")
      }
    }

    @Test func `a machine that cannot write says why`() async throws {
      try await Fleet.with { fleet in
        let ada = try fleet.person()
        let machine = try fleet.machine("m1")
        // There is a file in the place of the directory.
        let directory = URL(fileURLWithPath: machine.directory).deletingLastPathComponent().path
        try FileManager.default.createDirectory(atPath: directory, withIntermediateDirectories: true)
        try fleet.write("", to: machine.directory)
        try machine.start()
        try await ada.run("set", fleet.app, "a=1")
        let said = try await eventually {
          try await ada.run("status", fleet.app).output.contains("m1 pending: all: Cannot ")
        }
        let status = try await ada.run("status", fleet.app)
        #expect(said && status.output.contains("a file is in its place"), "\(status)")
        try FileManager.default.removeItem(atPath: machine.directory)
        #expect(try await machine.wait(for: "a = 1\n"), "\(machine.said)")
      }
    }

    @Test func `a machine answers again about an app that was gone for a while`() async throws {
      try await Fleet.withMachine { fleet, ada, machine in
        try await ada.run("set", fleet.app, "a=1")
        #expect(try await ada.waitUntilApplied(by: 1))
        try await fleet.cluster.withClient { client in
          _ = try await client.delete(.prefix("/app-settings/1/\(fleet.app)/"))
          // What is installed is read again when a schema changes.
          let isGone = try await eventually {
            try fleet.write("schema-version = 1\n", to: fleet.root + "/share/app-settings/org.example.other.toml")
            return try await client.range(EtcdRange(.prefix("/app-settings-acks/1/\(fleet.app)/"))).count == 0
          }
          #expect(isGone, "\(machine.said)")
        }
        let again = try await ada.run("set", fleet.app, "--create", "a=2")
        #expect(again.status == 0, "\(again)")
        let status = try await ada.run("status", fleet.app, "--wait", "60s")
        #expect(status.status == 0 && status.output.contains("1 applied"), "\(status) \(machine.said)")
      }
    }

    @Test func `a mirror whose messages nobody can take goes on`() async throws {
      try await Fleet.with { fleet in
        let (ada, machine) = (try fleet.person(), try fleet.machine("m1"))
        let process = machine.party.process(["mirror"])
        process.standardError = FileHandle(forWritingAtPath: "/dev/full")
        process.standardInput = FileHandle.nullDevice
        try process.run()
        defer { process.terminate() }
        for text in ["a = 1\n", "a = 2\n"] {
          #expect(try await ada.run("set", fleet.app, String(text.dropLast().filter { $0 != " " })).status == 0)
          #expect(try await machine.wait(for: text))
        }
      }
    }

    @Test func `a mirror that is told to end does not wait for a cluster that does not answer`() async throws {
      try await Fleet.with { fleet in
        let proxy = try await TCPProxy.start(to: fleet.cluster.members[0].port)
        let machine = try fleet.machine(
          "m1", "timeout = \"600s\"\n", endpoints: "[\"http://127.0.0.1:\(proxy.port)\"]")
        try machine.start()
        try await fleet.person().run("set", fleet.app, "a=1")
        #expect(try await machine.wait(for: "a = 1\n"), "\(machine.said)")
        #expect(try await fleet.person().waitUntilApplied(by: 1))
        try await proxy.set(.blackHole)
        let sent = proxy.bytesToMembers
        // To write the file again, it reads the cluster.
        try fleet.write("a = 2\n", to: machine.directory + "/10-all.toml")
        #expect(try await eventually { proxy.bytesToMembers > sent })
        let start = ContinuousClock.now
        machine.stop()
        #expect(.now - start < .seconds(20))
        #expect(!machine.said.contains("Cannot"), "\(machine.said)")
        await proxy.stop()
      }
    }

    // Its manager would wake up every second from then on.
    @Test func `a mirror has no thread of libdispatch`() async throws {
      try await Fleet.withMachine { fleet, ada, machine in
        try await ada.run("set", fleet.app, "a=1")
        #expect(try await machine.wait(for: "a = 1\n"), "\(machine.said)")
        #expect(try await ada.waitUntilApplied(by: 1))
        let threads = machine.threads
        // libdispatch names its threads after the queues that they serve, such as com.apple.root.default-qos.
        #expect(!threads.isEmpty && !threads.contains { $0.contains("qos") || $0.contains("apple") }, "\(threads)")
      }
    }

    @Test func `machines with the same list of endpoints spread over the members`() async throws {
      try await Fleet.with { fleet in
        var proxies: [TCPProxy] = []
        for _ in 0..<3 { proxies.append(try await TCPProxy.start(to: fleet.cluster.members[0].port)) }
        let endpoints = proxies.map { "\"http://127.0.0.1:\($0.port)\"" }.joined(separator: ", ")
        let machine = try fleet.machine("m1", endpoints: "[\(endpoints)]")
        for _ in 0..<12 { #expect(try await machine.party.run("mirror", "--once").status == 0) }
        // That twelve machines choose the same one of three by chance happens once in 177,147 times.
        #expect(proxies.count { $0.connections > 0 } > 1)
        #expect(proxies.reduce(0) { $0 + $1.connections } == 12)
        for proxy in proxies { await proxy.stop() }
      }
    }

    @Test func `a writer counts the machines, and they remember the number`() async throws {
      try await Fleet.with { fleet in
        let ada = try fleet.person()
        let machines = try ["m1", "m2"].map { try fleet.machine($0) }
        for machine in machines { try machine.start() }
        try await ada.run("set", fleet.app, "a=1")
        #expect(try await fleet.machinesOfLastChange() == 0)
        for machine in machines { #expect(try await machine.wait(for: "a = 1\n"), "\(machine.said)") }
        #expect(try await ada.waitUntilApplied(by: 2))
        try await ada.run("set", fleet.app, "a=2")
        #expect(try await fleet.machinesOfLastChange() == 2)
        for machine in machines {
          #expect(try await machine.wait(for: "a = 2\n"), "\(machine.said)")
          let record = machine.party.environment["APP_SETTINGS_FLEET_DIR"]! + "-mirror/record.json"
          #expect(try String(contentsOfFile: record, encoding: .utf8).contains(#""machines":2"#))
        }
      }
    }

    @Test func `groups and hosts get their own documents, and a machine that leaves a group loses its file`()
      async throws
    {
      try await Fleet.withMachine(groups: ["lab"]) { fleet, ada, machine in
        try await ada.run("set", fleet.app, "a=1")
        try await ada.run("set", fleet.app, "--group", "lab", "a=2")
        try await ada.run("set", fleet.app, "--group", "other", "a=3")
        try await ada.run("set", fleet.app, "--host", "m1", "a=4")
        try await ada.run("set", fleet.app, "--host", "m2", "a=5")
        #expect(try await machine.wait(for: "a = 4\n", in: "30-host"))
        #expect(try await machine.wait(for: "a = 2\n", in: "20-group-lab"))
        #expect(
          try FileManager.default.contentsOfDirectory(atPath: machine.directory).sorted() == [
            "10-all.toml", "20-group-lab.toml", "30-host.toml",
          ])
        machine.stop()
        let moved = try fleet.machine("m1")
        try moved.start()
        #expect(try await moved.wait(for: nil, in: "20-group-lab"))
        #expect(moved.text("30-host") == "a = 4\n")
        moved.stop()
      }
    }

    @Test func `a machine refuses what its schema refuses, keeps the last good text, and says where and why`()
      async throws
    {
      try await Fleet.with { fleet in
        // The writer has no schema.
        let ada = try fleet.person()
        let share = fleet.root + "/machines"
        try fleet.schema(Self.schema, in: share)
        let machine = try fleet.machine("m1", share: share)
        try machine.start()
        try await ada.run("set", fleet.app, "port=80")
        #expect(try await machine.wait(for: "port = 80\n"), "\(machine.said)")
        try await ada.run("set", fleet.app, "port=70000")
        #expect(try await eventually { try await ada.run("status", fleet.app).output.contains("1 refused") })
        let status = try await ada.run("status", fleet.app)
        #expect(status.status == 1)
        #expect(status.output.contains("m1 refused all: line 1: ") && status.output.contains("65535"), "\(status)")
        #expect(machine.text() == "port = 80\n")
        // An upgrade of the app brings a schema that takes it, and nothing changes in the cluster.
        try fleet.schema(Self.schema.replacingOccurrences(of: "65535", with: "100000"), in: share)
        #expect(try await machine.wait(for: "port = 70000\n"), "\(machine.said)")
      }
    }

    @Test(arguments: ["max_inotify_instances", "max_inotify_watches"])
    func `a schema is noticed where the kernel has no watch left, and the mirror says so`(_ limit: String) async throws
    {
      try await Fleet.with { fleet in
        let (ada, share) = (try fleet.person(), fleet.root + "/machines")
        try fleet.schema(Self.schema, in: share)
        let machine = try fleet.machine("m1", share: share)
        try machine.start(after: "echo 0 > /proc/sys/user/\(limit) && echo limited >&2")
        guard try await eventually({ machine.said.contains("limited") || !machine.isRunning }), machine.isRunning else {
          return print("'\(limit)' is not tried: user namespaces are not to be had here.")
        }
        try await ada.run("set", fleet.app, "port=70000")
        #expect(try await eventually { try await ada.run("status", fleet.app).output.contains("1 refused") })
        let said = machine.said
        #expect(said.contains("the limit of inotify") && said.contains("once a second"), "\(said)")
        try fleet.schema(Self.schema.replacingOccurrences(of: "65535", with: "100000"), in: share)
        #expect(try await machine.wait(for: "port = 70000\n"), "\(machine.said)")
      }
    }

    @Test func `a file that somebody edits is written again at the next start`() async throws {
      try await Fleet.withMachine { fleet, ada, machine in
        try await ada.run("set", fleet.app, "a=1")
        #expect(try await machine.wait(for: "a = 1\n"))
        machine.kill()
        try fleet.write("a = 2\n", to: machine.directory + "/10-all.toml")
        try machine.start()
        #expect(try await machine.wait(for: "a = 1\n"))
      }
    }

    @Test func `a file that somebody edits or removes is written again at once`() async throws {
      try await Fleet.withMachine(groups: ["web"]) { fleet, ada, machine in
        try await ada.run("set", fleet.app, "a=1")
        try await ada.run("set", fleet.app, "--group", "web", "b=1")
        #expect(try await machine.wait(for: "b = 1\n", in: "20-group-web"))
        #expect(try await machine.wait(for: "a = 1\n"))
        for damage in ["a = 2\n", "torn [", nil] {
          let path = machine.directory + "/10-all.toml"
          if let damage { try fleet.write(damage, to: path) } else { try FileManager.default.removeItem(atPath: path) }
          #expect(try await machine.wait(for: "a = 1\n", within: .seconds(20)), "\(machine.said)")
        }
        try fleet.write("c = 1\n", to: machine.directory + "/20-group-other.toml")
        #expect(try await machine.wait(for: nil, in: "20-group-other", within: .seconds(20)), "\(machine.said)")
        try FileManager.default.removeItem(atPath: machine.directory)
        #expect(try await machine.wait(for: "a = 1\n", within: .seconds(20)), "\(machine.said)")
        #expect(try await machine.wait(for: "b = 1\n", in: "20-group-web", within: .seconds(20)))
      }
    }

    @Test func `a machine that is expected and not there is missing`() async throws {
      try await Fleet.with { fleet in
        let ada = try fleet.person("ada", "expected = [\"m1\"]\n")
        let machine = try fleet.machine("m1")
        try machine.start()
        try await ada.run("set", fleet.app, "a=1")
        #expect(try await ada.waitUntilApplied(by: 1))
        #expect(try await ada.run("status", fleet.app).status == 0)
        let status = try await ada.run("status", fleet.app, "--expect", "m1", "--expect", "m9")
        #expect(status.status == 1 && status.output.contains("1 applied, 1 missing"), "\(status)")
        #expect(status.output.contains("  m9 missing: "), "\(status)")
        let json = try await ada.run("status", fleet.app, "--expect", "m9", "--json")
        #expect(json.output.contains(#""missing":["m9"]"#), "\(json)")
      }
    }

    @Test func `a removed document is removed on machines, also if that happened while they were away`() async throws {
      try await Fleet.withMachine { fleet, ada, machine in
        try await ada.run("set", fleet.app, "a=1")
        #expect(try await machine.wait(for: "a = 1\n"))
        machine.stop()
        try await fleet.cluster.withClient { client in
          _ = try await client.delete(.prefix("/app-settings/1/\(fleet.app)/all/"))
        }
        try machine.start()
        #expect(try await machine.wait(for: nil))
      }
    }

    @Test func `a schema that cannot be used stops its own app alone`() async throws {
      try await Fleet.with { fleet in
        let machine = try fleet.machine("m1")
        try fleet.allow(apps: [fleet.app, fleet.app + ".broken"], on: "m1")
        let broken = fleet.root + "/share/app-settings/\(fleet.app).broken.toml"
        try fleet.write("schema-version = \n", to: broken)
        try machine.start()
        try await fleet.cluster.withClient { client in
          _ = try await client.put("/app-settings/1/\(fleet.app).broken/all/v1", "a = 1\n")
          _ = try await client.put("/app-settings/1/\(fleet.app)/all/v1", "a = 1\n")
        }
        #expect(try await machine.wait(for: "a = 1\n"), "\(machine.said)")
        let ada = try fleet.person()
        #expect(
          try await eventually {
            // With the line of the schema, and not as a line of the document.
            try await ada.run("status", fleet.app + ".broken").output.contains("m1 refused all: Cannot use the schema")
          })
        try FileManager.default.removeItem(atPath: broken)
        #expect(
          try await eventually {
            FileManager.default.fileExists(atPath: "\(fleet.root)/m1/fleet/\(fleet.app).broken/settings.d/10-all.toml")
          })
      }
    }

    @Test func `two mirrors of one directory are refused`() async throws {
      try await Fleet.with { fleet in
        let machine = try fleet.machine("m1")
        try machine.start()
        try await fleet.person().run("set", fleet.app, "a=1")
        #expect(try await machine.wait(for: "a = 1\n"))
        let second = try await machine.party.run("mirror", "--once")
        #expect(second.status == 7 && second.error.contains("Another mirror runs"), "\(second)")
      }
    }

    @Test func `without the cluster a machine keeps its files, and follows again when it is back`() async throws {
      try await Fleet.withOwnCluster { cluster, fleet, ada, machine in
        try await ada.run("set", fleet.app, "a=1")
        #expect(try await machine.wait(for: "a = 1\n"))
        cluster.members[0].kill()
        let refused = try await ada.run("set", fleet.app, "a=2")
        #expect(refused.status == 11, "\(refused)")
        machine.kill()
        try machine.start()
        #expect(machine.text() == "a = 1\n")
        try await cluster.restart(cluster.members[0])
        try await ada.run("set", fleet.app, "a=3")
        #expect(try await machine.wait(for: "a = 3\n"), "\(machine.said)")
      }
    }
  }
}
