import EtcdClient
import EtcdTesting
import Foundation
import SettingsFleet
import Testing

extension CommandTests.Writers {
  /// What somebody with etcd's password and without the key puts beside a signed document.
  struct ForeignTextTests {
    /// A fleet with a person who signs.
    private static func with(_ body: (Fleet, Party) async throws -> Void) async throws {
      try await Fleet.with { try await body($0, try await signer(in: $0)) }
    }

    /// The same, with a cluster of its own: a compaction is of the whole cluster.
    private static func withOwnCluster(_ body: (Fleet, Party) async throws -> Void) async throws {
      let cluster = try await EtcdCluster.start(options: CommandTests.patient)
      defer { cluster.stop() }
      try await Fleet.with(cluster) { try await body($0, try await signer(in: $0)) }
    }

    private static func signer(in fleet: Fleet) async throws -> Party {
      let key = fleet.root + "/key"
      #expect(try await fleet.person("nobody").run("key", key).status == 0)
      return try fleet.person("ada", "signing-key = \"\(key)\"\n")
    }

    private static func put(_ value: String, at key: String, of fleet: Fleet) async throws {
      try await fleet.cluster.withClient { _ = try await $0.put("/app-settings/1/\(fleet.app)/\(key)", value) }
    }

    private static func stored(_ key: String, of fleet: Fleet) async throws -> String? {
      try await fleet.cluster.withClient { client in
        try await client.range(EtcdRange(.key("/app-settings/1/\(fleet.app)/\(key)"))).keyValues.first
          .map { String(decoding: $0.value, as: UTF8.self) }
      }
    }

    @Test func `a list in a group's document takes nothing from a document for all that nobody has signed`()
      async throws
    {
      try await Self.with { fleet, ada in
        let app = fleet.app
        #expect(try await ada.run("set", app, "--create", "hosts=[\"a\"]").status == 0)
        try await Self.put("hosts = [\"evil\"]\n", at: "all/v1", of: fleet)
        let append = ["set", app, "--group", "web", "hosts", "--append", "good"]
        let batch = #"{"append": "hosts", "value": "good"}"# + "\n"
        for (words, input) in [
          (append, ""), (["batch", app, "--group", "web"], batch),
          (["rollout", "--share", "100", app, "--group", "web", "set", "hosts", "--append", "good"], ""),
        ] {
          let refused = try await ada.run(words, input: input)
          #expect(refused.status == 5 && refused.error.contains("Cannot store '\(app)/group/web'"), "\(refused)")
          #expect(refused.error.contains("'\(app)/all' was changed after it was signed"), "\(words) \(refused)")
          #expect(refused.error.contains("--accept-unsigned"), "\(words) \(refused)")
        }
        #expect(try await Self.stored("group/web/v1", of: fleet) == nil)
        #expect(try await ada.run("undo", app).status == 0)
        #expect(try await ada.run(append).status == 0)
        #expect(try await Self.stored("group/web/v1", of: fleet) == "hosts = [\"a\", \"good\"]\n")
      }
    }

    @Test func `what a directory has from an earlier text that nobody has signed is not signed`() async throws {
      try await Self.with { fleet, ada in
        let (app, tree) = (fleet.app, fleet.root + "/tree")
        #expect(try await ada.run("set", app, "--create", "a=1").status == 0)
        try await Self.put("a = 666\n", at: "all/v1", of: fleet)
        #expect(try await ada.run("export", "--tree", tree, app, "--accept-unsigned").status == 0)
        // With what was signed put back in between.
        try await Self.put("a = 1\n", at: "all/v1", of: fleet)
        try await Self.put("a = 1\nb = 2\n", at: "all/v1", of: fleet)
        let refused = try await ada.run("apply", tree, "--take", "ours")
        #expect(refused.status == 5 && refused.output.contains("a: 1 -> 666"), "\(refused)")
        // What only the directory has is its reviewers' word.
        try fleet.write("a = 3\n", to: "\(tree)/\(app)/all.toml")
        let applied = try await ada.run("apply", tree, "--take", "ours")
        #expect(applied.status == 0, "\(applied)")
      }
    }

    @Test func `two operators who sign one directory without each other's keys are warned`() async throws {
      try await Self.with { fleet, ada in
        let (app, tree, key) = (fleet.app, fleet.root + "/tree", fleet.root + "/other-key")
        try FileManager.default.createDirectory(atPath: "\(tree)/\(app)", withIntermediateDirectories: true)
        try fleet.write("a = 1\n", to: "\(tree)/\(app)/all.toml")
        let made = try await ada.run("key", key)
        let line = made.output.trimmingCharacters(in: .newlines)
        let bob = try fleet.person("bob", "signing-key = \"\(key)\"\n")
        #expect(try await ada.run("apply", tree).status == 0)
        #expect(try await bob.run("apply", tree, "--accept-unsigned").status == 0)
        for (person, words) in [(ada, ["--plan"]), (ada, []), (bob, ["--plan", "--json"]), (bob, [])] {
          let applied = try await person.run(["apply", tree] + words)
          #expect(applied.status == (words.isEmpty ? 0 : 10), "\(applied)")
          #expect(applied.error.contains("warning: '\(app)/all' is signed with the key"), "\(applied)")
          #expect(applied.error.contains("'trusted-keys'"), "\(applied)")
        }
        let known = try fleet.person("ada", "signing-key = \"\(fleet.root)/key\"\ntrusted-keys = [\"\(line)\"]\n")
        let again = try await known.run("apply", tree)
        #expect(again.status == 0 && again.output == "1 unchanged\n" && again.error.isEmpty, "\(again)")
      }
    }

    @Test func `a version that nobody has signed is taken away from above a signed one`() async throws {
      try await Self.with { fleet, ada in
        let app = fleet.app
        #expect(try await ada.run("set", app, "--create", "a=1").status == 0)
        for value in ["evil = 1", "evil = 2"] {
          try await Self.put("settings-version = 9\n\(value)\n", at: "all/v9", of: fleet)
        }
        let refused = try await ada.run("set", app, "a=2")
        #expect(refused.status == 5 && refused.error.contains("above version 1, which is signed"), "\(refused)")
        try await Self.put("x", at: "all/v9/signature", of: fleet)
        try await Self.put("9", at: "all/v1/successor", of: fleet)
        let undone = try await ada.run("undo", app)
        #expect(undone.status == 0 && undone.output.contains("undone: version 9"), "\(undone)")
        for key in ["all/v9", "all/v9/signature", "all/v1/successor"] {
          #expect(try await Self.stored(key, of: fleet) == nil, "\(key)")
        }
        #expect(try await ada.run("set", app, "a=2").status == 0)
        #expect(try await ada.run("undo", app).status == 0)
        #expect(try await Self.stored("all/v1", of: fleet) == "a = 1\n")
      }
    }

    @Test func `a version above what the app reads, or one that is only said to be there, is no upgrade`() async throws
    {
      try await Self.with { fleet, ada in
        let (app, schema) = (fleet.app, "[keys.a]\ntype = \"integer\"\n")
        try fleet.schema(schema)
        #expect(try await ada.run("set", app, "a=1").status == 0)
        try await Self.put("9", at: "all/v1/successor", of: fleet)
        #expect(try await ada.run("set", app, "a=2").status == 0)
        try await Self.put("settings-version = 9\n", at: "all/v9", of: fleet)
        let refused = try await ada.run("set", app, "a=3")
        #expect(refused.status == 5 && refused.error.contains("no trusted key has signed its version 9"), "\(refused)")
        #expect(refused.error.contains("settings-fleet undo"), "\(refused)")
        #expect(try await ada.run("undo", app).status == 0)
        #expect(try await ada.run("set", app, "a=3").status == 0)
      }
    }

    @Test func `all versions that nobody has signed are taken away from above a signed one`() async throws {
      try await Self.with { fleet, ada in
        #expect(try await ada.run("set", fleet.app, "--create", "a=1").status == 0)
        for version in [8, 9] {
          try await Self.put("settings-version = \(version)\n", at: "all/v\(version)", of: fleet)
        }
        let undone = try await ada.run("undo", fleet.app)
        #expect(undone.status == 0 && undone.output.contains("Version 1 is the newest again"), "\(undone)")
        #expect(try await Self.stored("all/v8", of: fleet) == nil)
        #expect(try await Self.stored("all/v9", of: fleet) == nil)
      }
    }

    @Test func `a version that somebody else has signed, or may have, is not taken away`() async throws {
      try await Self.withOwnCluster { fleet, ada in
        #expect(try await ada.run("set", fleet.app, "--create", "a=1").status == 0)
        let signature = #"{"key": "b0b", "serial": 7, "signature": "\#(Data(count: 64).base64EncodedString())"}"#
        try await Self.put("settings-version = 9\n", at: "all/v9", of: fleet)
        try await Self.put(signature, at: "all/v9/signature", of: fleet)
        for why in ["key b0b, which is not trusted here", "what it was earlier has been compacted away"] {
          let refused = try await ada.run("undo", fleet.app)
          #expect(refused.status == 5 && refused.error.contains(why), "\(refused)")
          #expect(refused.error.contains("--accept-unsigned"), "\(refused)")
          #expect(try await Self.stored("all/v9", of: fleet) != nil)
          try await fleet.cluster.withClient { client in
            _ = try await client.delete(.key("/app-settings/1/\(fleet.app)/all/v9/signature"))
            try await client.compact(revision: try await client.put("/other", ""))
          }
        }
        #expect(try await ada.run("undo", fleet.app, "--accept-unsigned").status == 0)
        #expect(try await Self.stored("all/v9", of: fleet) == nil)
      }
    }

    @Test func `a version that nobody has signed since it was made is taken away in a compacted cluster, too`()
      async throws
    {
      try await Self.withOwnCluster { fleet, ada in
        #expect(try await ada.run("set", fleet.app, "--create", "a=1").status == 0)
        try await fleet.cluster.withClient { try await $0.compact(revision: try await $0.put("/other", "")) }
        for value in ["evil = 1", "evil = 2"] {
          try await Self.put("settings-version = 9\n\(value)\n", at: "all/v9", of: fleet)
        }
        let undone = try await ada.run("undo", fleet.app)
        #expect(undone.status == 0 && undone.output.contains("Version 1 is the newest again"), "\(undone)")
        #expect(try await Self.stored("all/v9", of: fleet) == nil)
      }
    }

    @Test func `a group's edit beside a document for all that never was signed says to sign that`() async throws {
      try await Self.with { fleet, ada in
        let app = fleet.app
        #expect(try await fleet.person("nobody").run("set", app, "--create", "hosts=[\"a\"]").status == 0)
        let append = ["set", app, "--group", "web", "hosts", "--append", "good"]
        let refused = try await ada.run(append)
        #expect(refused.status == 5 && refused.error.contains("Sign that first: edit it with"), "\(refused)")
        #expect(!refused.error.contains("undo"), "\(refused)")
        #expect(try await ada.run("set", app, "a=1", "--create", "--accept-unsigned").status == 0)
        #expect(try await ada.run(append).status == 0)
      }
    }

    @Test func `a signed text that somebody has put back is not signed again by an edit`() async throws {
      let cluster = try await EtcdCluster.start(options: CommandTests.patient)
      defer { cluster.stop() }
      try await Fleet.with(cluster) { fleet in
        let (app, key) = (fleet.app, fleet.root + "/key")
        let made = try await fleet.person("nobody").run("key", key)
        let ada = try fleet.person("ada", "signing-key = \"\(key)\"\n")
        let machine = try fleet.machine(
          "m1", "trusted-keys = [\"\(made.output.trimmingCharacters(in: .newlines))\"]\n")
        #expect(try await ada.run("set", app, "--create", "a=1").status == 0)
        #expect(try await ada.run("set", app, "--create", "c=1").status == 0)
        let text = try #require(try await Self.stored("all/v1", of: fleet))
        let signature = try #require(try await Self.stored("all/v1/signature", of: fleet))
        #expect(try await ada.run("set", app, "a=2").status == 0)
        func putBack() async throws -> Int64 {
          try await cluster.withClient { client in
            let document = "/app-settings/1/\(app)/all/v1"
            return try await client.transaction(
              EtcdTransaction(if: [], then: [.put(document, text), .put(document + "/signature", signature)])
            ).header.revision
          }
        }
        // No machine has seen that, but the cluster has.
        let back = try await putBack()
        let refused = try await ada.run("set", app, "--create", "b=1")
        let reason = "at revision \(back - 1) the cluster had a newer"
        #expect(refused.status == 5 && refused.error.contains(reason), "\(refused)")
        #expect(refused.error.contains("--accept-unsigned"), "\(refused)")
        // Nor by taking back another change in it.
        let changes = try await ada.run("log", app).output.split(separator: "\n").filter { $0.hasPrefix("#") }
        let revision = try #require(changes.dropFirst(2).first?.dropFirst().split(separator: " ").first)
        #expect(try await ada.run("undo", app, "--revision", String(revision)).status == 5, "\(changes)")
        #expect(try await ada.run("undo", app).status == 0)
        #expect(try await ada.run("set", app, "--create", "b=1").status == 0)
        try machine.start()
        #expect(try await machine.wait(for: "a = 2\nc = 1\nb = 1\n"), "\(machine.said)")
        // What was is compacted away, and a machine knows it.
        let again = try await putBack()
        try await cluster.withClient { try await $0.compact(revision: again) }
        #expect(try await eventually { try await ada.run("status", app).output.contains("it is an old text") })
        let reported = try await ada.run("set", app, "--create", "d=1")
        #expect(reported.status == 5 && reported.error.contains("'m1' has had a newer text"), "\(reported)")
      }
    }

    @Test(arguments: ["undo", "accept", "compacted"])
    func `what is in the place of a text that was signed by a clock that is ahead, machines take`(way: String)
      async throws
    {
      try await Self.withOwnCluster { fleet, ada in
        let app = fleet.app
        let text = try String(contentsOfFile: fleet.root + "/key", encoding: .utf8)
        let key = try #require(SigningKey(fileText: text))
        let machine = try fleet.machine("m1", "trusted-keys = [\"\(key.verificationKey.fileText.dropLast())\"]\n")
        try machine.start()
        #expect(try await ada.run("set", app, "a=1").status == 0)
        let earlier = try #require(try await Self.stored("all/v1/signature", of: fleet))
        let tomorrow = UInt64(Date().timeIntervalSince1970 + 86_000) * 1000
        func put(_ text: String, _ signature: String) async throws {
          let document = "/app-settings/1/\(app)/all/v1"
          try await fleet.cluster.withClient { client in
            _ = try await client.transaction(
              EtcdTransaction(if: [], then: [.put(document, text), .put(document + "/signature", signature)]))
          }
        }
        let statement = Statement.document(
          FleetDocument(app: app, scope: .all)!, version: 1, text: TextDigest(of: "a = 2\n".utf8))
        let signed = key.sign(statement, serial: tomorrow).json
        try await put("a = 2\n", String(decoding: signed, as: UTF8.self))
        #expect(try await machine.wait(for: "a = 2\n"), "\(machine.said)")
        try await put("a = 1\n", earlier)
        #expect(try await eventually { try await ada.run("status", app).output.contains("it is an old text") })
        if way == "undo" {
          #expect(try await ada.run("undo", app).status == 0)
          #expect(try await ada.run("set", app, "b=1").status == 0)
          #expect(try await machine.wait(for: "a = 2\nb = 1\n"), "\(machine.said)")
        } else {
          // Then only the machine's answer says how far ahead it was.
          if way == "compacted" {
            try await fleet.cluster.withClient { try await $0.compact(revision: try await $0.put("/other", "")) }
          }
          #expect(try await ada.run("set", app, "b=1", "--accept-unsigned").status == 0)
          #expect(try await machine.wait(for: "a = 1\nb = 1\n"), "\(machine.said)")
        }
      }
    }

    @Test func `a note of who made a change is one line, whatever is in it`() async throws {
      try await Self.with { fleet, ada in
        #expect(try await ada.run("set", fleet.app, "--create", "a=1").status == 0)
        let by = #"root@vm\n#99 2026-01-01T00:00:00Z set by root@vm, signed by 11eb\u001b[31m"#
        let note = #"{"id": "1", "by": "\#(by)", "time": "now\n#98", "reason": "set\r#97"}"#
        try await Self.put(note, at: "all/v1/change", of: fleet)
        let log = try await ada.run("log", fleet.app)
        let lines = log.output.split(whereSeparator: \.isNewline).filter { $0.hasPrefix("#") }
        #expect(lines.count == 2 && lines[0].contains("11eb\u{FFFD}[31m"), "\(log)")
        #expect(!log.output.contains("\u{1b}") && !log.output.contains("\r"), "\(log)")
      }
    }
  }
}
