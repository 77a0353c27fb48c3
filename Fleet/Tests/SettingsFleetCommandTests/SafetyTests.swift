import EtcdClient
import EtcdTesting
import Foundation
import Testing

extension CommandTests.Owners {
  struct SafetyTests {
    @Test func `an endpoint without encryption is refused unless it is allowed`() async throws {
      try await Fleet.with { fleet in
        let ada = try fleet.person()
        let file = fleet.root + "/ada/settings-fleet/settings.toml"
        try fleet.write("endpoints = [\"\(fleet.cluster.endpoints[0])\"]\n", to: file)
        let answer = try await ada.run("get", fleet.app, "a")
        #expect(answer.status == 4 && answer.error.contains("is not encrypted"), "\(answer)")
      }
    }

    @Test func `a call gives up after the time that is set, and says where it is set`() async throws {
      try await Fleet.with { fleet in
        let port = Int(fleet.cluster.endpoints[0].split(separator: ":").last!)!
        let proxy = try await TCPProxy.start(to: port)
        try await proxy.set(.blackHole)
        let ada = try fleet.person()
        let text = "endpoints = [\"http://127.0.0.1:\(proxy.port)\"]\nplaintext = true\ntimeout = \"300ms\"\n"
        try fleet.write(text, to: fleet.root + "/ada/settings-fleet/settings.toml")
        let answer = try await ada.run("get", fleet.app, "a")
        #expect(answer.status == 11 && answer.error.contains("settings-fleet timeout 20s"), "\(answer)")
        // A writer waits once, too.
        try fleet.write(
          text.replacingOccurrences(of: "300ms", with: "3s"), to: fleet.root + "/ada/settings-fleet/settings.toml")
        let connections = proxy.connections
        #expect(try await ada.run("set", fleet.app, "a=1").status == 11)
        #expect(proxy.connections == connections + 1)
        await proxy.stop()
      }
    }

    @Test func `a machine with trusted keys applies only what they have signed, and nothing older`() async throws {
      try await Fleet.with { fleet in
        let key = fleet.root + "/key"
        let plain = try fleet.person("eve")
        let made = try await plain.run("key", key)
        #expect(made.status == 0, "\(made)")
        #expect(try FileManager.default.attributesOfItem(atPath: key)[.posixPermissions] as? Int == 0o600)
        #expect(try await plain.run("key", key).status == 7)
        #expect(try await plain.run("key", key, "--show").output == made.output)
        let ada = try fleet.person("ada", "signing-key = \"\(key)\"\n")
        let trusted = made.output.trimmingCharacters(in: .newlines)
        let machine = try fleet.machine("m1", "trusted-keys = [\"\(trusted)\"]\n")
        try machine.start()
        try await ada.run("set", fleet.app, "a=1")
        #expect(try await machine.wait(for: "a = 1\n"), "\(machine.said)")
        let document = "/app-settings/1/\(fleet.app)/all/v1"
        try await fleet.cluster.withClient { client in
          let old = try await client.range(EtcdRange(.prefix(document))).keyValues
          // Somebody who has the password only.
          let refused = try await plain.run("set", fleet.app, "a=2")
          #expect(refused.status == 5 && refused.error.contains("signed"), "\(refused)")
          try await client.put(document, "a = 666\n")
          #expect(try await eventually { machine.said.contains("changed after it was signed") }, "\(machine.said)")
          try await ada.run("set", fleet.app, "a=3", "--accept-unsigned")
          #expect(try await machine.wait(for: "a = 3\n"), "\(machine.said)")
          // The old text with its right signature.
          for item in old {
            try await client.put(String(decoding: item.key, as: UTF8.self), item.value)
          }
          #expect(try await eventually { try await ada.run("status", fleet.app).output.contains("old text") })
          _ = try await client.delete(.prefix(document))
          #expect(try await eventually { try await ada.run("status", fleet.app).output.contains("is gone") })
        }
        #expect(machine.text() == "a = 3\n")
        try FileManager.default.setAttributes([.posixPermissions: 0o644], ofItemAtPath: key)
        let open = try await ada.run("set", fleet.app, "a=4")
        #expect(open.status == 4 && open.error.contains("chmod 600 '\(key)'"), "\(open)")
      }
    }

    @Test func `over TLS, a writer changes the documents of its apps and no others`() async throws {
      var options = CommandTests.patient
      options.usesTLS = true
      let cluster = try await EtcdCluster.start(options: options)
      defer { cluster.stop() }
      try await Fleet.with(cluster) { fleet in
        let tls = try #require(cluster.certificates?.tls)
        let files = """
          plaintext = false
          timeout = "60s"
          tls.authority = "\(try #require(tls.authorityFile))"
          tls.certificate = "\(try #require(tls.certificateFile))"
          tls.key = "\(try #require(tls.keyFile))"

          """
        func person(_ name: String, _ password: String?) throws -> Party {
          let user = password.map { "user = \"\(name)\"\npassword = \"\($0)\"\n" } ?? ""
          return try fleet.person(name, files.replacingOccurrences(of: "plaintext = false\n", with: "") + user)
        }
        // Without access control everyone could have written the key that shows a user.
        let early = try person("early", "e")
        #expect(try await early.run("set", fleet.app, "a=0").status == 0)
        let forged: [EtcdOperation] = [
          .put("/app-settings/1/\(fleet.app)/all/v1", "a = 0 # forged\n"), .put("/app-settings-hands/1/early", ""),
        ]
        _ = try await cluster.withClient { try await $0.transaction(EtcdTransaction(if: [], then: forged)) }
        #expect(try await !early.run("log", fleet.app).output.contains("etcd user"))
        let enabled = try await person("nobody", nil).run(["access", "enable"], input: "r\n")
        #expect(enabled.status == 0, "\(enabled)")
        let root = try person("root", "r")
        #expect(try await root.run(["access", "add-mirror", "mirror"], input: "m\n").status == 0)
        #expect(try await root.run(["access", "add-writer", "ada", fleet.app], input: "a\n").status == 0)
        let list = try await root.run("access", "list")
        #expect(list.output.contains("ada: app-settings-hand-ada, app-settings-writer-\(fleet.app)"), "\(list)")
        let ada = try person("ada", "a")
        let set = try await ada.run("set", fleet.app, "a=1")
        #expect(set.status == 0, "\(set)")
        for (answer, advice) in [
          (try await ada.run("set", "org.example.other", "a=1"), "see 'settings-fleet access list'"),
          (try await ada.run("accept"), "see 'settings-fleet access list'"),
          (try await person("ada", "wrong").run("set", fleet.app, "a=2"), "See the settings user and password"),
          (try await person("nobody", nil).run("get", fleet.app, "a"), "See the settings user and password"),
        ] {
          #expect(answer.status == 11 && answer.error.contains(advice), "\(answer)")
        }

        // etcd itself knows who it was, whatever the writer says.
        let writer = try person("ada", "a")
        let logged = try await writer.run("log", fleet.app)
        #expect(logged.status == 0 && logged.output.contains(", etcd user ada\n"), "\(logged)")
        #expect(try await writer.run("log", fleet.app, "--json").output.contains("\"user\":\"ada\""))
        #expect(try await root.run(["access", "add-writer", "eve", fleet.app], input: "e\n").status == 0)
        var configuration = fleet.cluster.configuration
        configuration.credentials = EtcdCredentials(user: "root", password: "r")
        try await fleet.cluster.withClient(configuration) { client in
          configuration.credentials = EtcdCredentials(user: "eve", password: "e")
          try await fleet.cluster.withClient(configuration) { eve in
            await #expect(throws: EtcdError.self) { _ = try await eve.put("/app-settings-hands/1/ada", "") }
            _ = try await eve.put("/app-settings/1/\(fleet.app)/all/v1", "a = 5\n")
          }
          let foreign = try await writer.run("log", fleet.app, "--limit", "1")
          #expect(foreign.output.contains("by unknown\n"), "\(foreign)")
          // A writer of before has no such right, and can write all the same.
          try await client.revokeRole("app-settings-hand-ada", from: "ada")
        }
        #expect(try await writer.run("set", fleet.app, "a=2").status == 0)
        #expect(try await !root.run("log", fleet.app, "--limit", "1").output.contains("etcd user"))

        // A certificate names its user, who needs no password here.
        #expect(try await root.run(["access", "add-writer", "carol", fleet.app], input: "c\n").status == 0)
        let certificate = try await #require(cluster.certificates).certificate(of: "carol")
        let carol = try fleet.person(
          "carol",
          """
          tls.authority = "\(try #require(certificate.authorityFile))"
          tls.certificate = "\(try #require(certificate.certificateFile))"
          tls.key = "\(try #require(certificate.keyFile))"

          """)
        #expect(try await carol.run("set", fleet.app, "a=3").status == 0)
        #expect(try await carol.run("log", fleet.app, "--limit", "1").output.contains(", etcd user carol\n"))
        configuration.credentials = EtcdCredentials(user: "root", password: "r")
        try await fleet.cluster.withClient(configuration) { client in
          try await client.revokeRole("app-settings-hand-carol", from: "carol")
        }
        #expect(try await carol.run("set", fleet.app, "a=1").status == 0)
        #expect(try await !root.run("log", fleet.app, "--limit", "1").output.contains("etcd user"))
        #expect(try await carol.run("log", fleet.app).status == 0)

        // What only root can read, a machine's service gets as credentials.
        let machine = try fleet.machine(
          "m1", files.split(separator: "\n").dropFirst().dropLast().joined(separator: "\n") + "\nuser = \"mirror\"\n")
        let credentials = machine.party.environment["CREDENTIALS_DIRECTORY"]!
        try FileManager.default.createDirectory(atPath: credentials, withIntermediateDirectories: true)
        try FileManager.default.copyItem(atPath: try #require(tls.keyFile), toPath: credentials + "/tls-key")
        try fleet.write("m", to: credentials + "/password")
        try machine.start()
        #expect(try await machine.wait(for: "a = 1\n"), "\(machine.said)")
        #expect(try await root.waitUntilApplied(by: 1))
        // The certificates of tests are good for two days.
        let warning = "warning: The certificate in '\(tls.certificateFile ?? "")' expires on "
        #expect(try await eventually { machine.said.contains(warning) }, "\(machine.said)")
        let counted = try await person("ada", "a").run("set", fleet.app, "a=7")
        #expect(counted.status == 0, "\(counted)")
        #expect(try await fleet.machinesOfLastChange(as: EtcdCredentials(user: "root", password: "r")) == 1)
        let mirror = try person("mirror", "m")
        #expect(try await mirror.run("set", fleet.app, "a=6").status == 11)

        // A second user, before the first one goes: the mirror reads the new settings when the cluster refuses the old.
        #expect(try await root.run(["access", "add-mirror", "mirror-2"], input: "m2\n").status == 0)
        let settings = fleet.root + "/m1/etc/settings-fleet/settings.toml"
        let former = try String(contentsOfFile: settings, encoding: .utf8)
        try fleet.write(former.replacingOccurrences(of: "\"mirror\"", with: "\"mirror-2\""), to: settings)
        try fleet.write("m2", to: credentials + "/password")
        #expect(try await root.run("access", "remove", "mirror").status == 0)
        #expect(try await ada.run("set", fleet.app, "a=8").status == 0)
        #expect(try await machine.wait(for: "a = 8\n"), "\(machine.said)")
        machine.stop()

        // A user of one machine alone reads and answers nothing else.
        let add = ["access", "add-mirror", "web-1", "--app", fleet.app, "--group", "web", "--host", "m3"]
        #expect(try await root.run(add, input: "w").status == 2)
        let added = try await root.run(add + ["--machine", "\(fleet.app)-m3"], input: "w")
        #expect(added.status == 0, "\(added)")
        let own = try fleet.machine(
          "m3", groups: ["web"],
          files.replacingOccurrences(of: "plaintext = false\n", with: "")
            + "user = \"web-1\"\npassword-file = \"\(fleet.root)/web-1.password\"\n")
        try fleet.write("w\n", to: fleet.root + "/web-1.password")
        try FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: fleet.root + "/web-1.password")
        try own.start()
        #expect(try await own.wait(for: "a = 8\n"), "\(own.said)")
        for (words, name) in [(["--group", "web"], "20-group-web"), (["--host", "m3"], "30-host")] {
          #expect(try await ada.run(["set", fleet.app] + words + ["b=1"]).status == 0)
          #expect(try await own.wait(for: "b = 1\n", in: name), "\(own.said)")
        }
        #expect(try await root.waitUntilApplied(by: 2))
        for (words, status) in [([String](), 11), (["--host", "m3"], 11)] {
          let answer = try await person("web-1", "w").run(["get", fleet.app] + words + ["b"])
          #expect(answer.status == status, "\(answer)")
        }
      }
    }
  }
}
