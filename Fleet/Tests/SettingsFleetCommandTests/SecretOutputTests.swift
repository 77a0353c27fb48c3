import EtcdClient
import EtcdTesting
import Foundation
import Testing

extension CommandTests.Writers {
  /// Secrets that are in a document in plain: a desk without the schema stored them, they became secrets later, or
  /// somebody put them into the directory. What a command prints goes into the log of a job.
  struct SecretOutputTests {
    private static let schema = """
      [keys.token]
      type = "string"
      secret = true
      [keys.logins]
      type = "table"
      elements = { type = "string" }
      secret = true
      [keys.port]
      type = "integer"

      """

    /// A fleet with such a document, and a person whose desk has the schema.
    private static func with(_ settings: String = "", _ body: (Fleet, Party) async throws -> Void) async throws {
      try await Fleet.with { fleet in
        let ada = try fleet.person("ada", settings)
        let early = try fleet.person("early", settings)
        for values in [
          ["token=hunter1", "port=1", "api.password=hunter2", "logins.hunter3=hunter4"], ["token=hunter5", "port=2"],
        ] {
          let set = try await early.run(["set", fleet.app, "--create"] + values)
          #expect(set.status == 0, "\(set)")
        }
        try fleet.schema(Self.schema)
        try await body(fleet, ada)
      }
    }

    @Test func `of a sealed value, lines have enough to tell it from others`() async throws {
      try await Fleet.with { fleet in
        let (key, tree) = (fleet.root + "/sealing", fleet.root + "/tree")
        let made = try await fleet.person("keymaker").run("key", "--sealing", key)
        let line = made.output.trimmingCharacters(in: .newlines)
        let ada = try fleet.person("ada", "sealing-keys = [\"\(line)\"]\n")
        try fleet.schema(Self.schema)
        #expect(try await ada.run(["seal", fleet.app, "token"], input: "first").status == 0)
        #expect(try await ada.run("export", "--tree", tree, fleet.app).status == 0)
        #expect(try await ada.run(["seal", fleet.app, "token"], input: "second").status == 0)
        let log = try await ada.run("log", fleet.app)
        let plan = try await ada.run("apply", tree, "--plan", "--take", "ours")
        let undo = try await ada.run("undo", fleet.app)
        let short = #/settings-sealed\.token: \["v1 [0-9a-f]{16} …(.{8})"\] -> \["v1 [0-9a-f]{16} …(.{8})"\]/#
        for answer in [log, plan, undo] {
          let found = try #require(answer.output.firstMatch(of: short), "\(answer)")
          #expect(found.1 != found.2)
          #expect(answer.output.split(separator: "\n").allSatisfy { $0.utf8.count < 160 }, "\(answer)")
        }
        // For programs it is whole.
        let json = try await ada.run("log", fleet.app, "--json").output
        #expect(json.contains(#/"before":"\[\\"v1 [0-9a-f]{16} [^"…]{100,}/#), "\(json)")
      }
    }

    @Test func `the log names secrets and shows none`() async throws {
      try await Self.with { fleet, ada in
        let log = try await ada.run("log", fleet.app)
        #expect(log.status == 0 && !"\(log)".contains("hunter"), "\(log)")
        for line in [
          "  token: (secret) -> (another secret)\n", "  port: 1 -> 2\n", "  token: (none) -> (secret)\n",
          "  api.password: (none) -> (secret)\n", "  logins: (none) -> (secret)\n",
        ] { #expect(log.output.contains(line), "\(log)") }
        let json = try await ada.run("log", fleet.app, "--json")
        #expect(json.status == 0 && !"\(json)".contains("hunter"), "\(json)")
        let change = #"{"after":"(another secret)","before":"(secret)","isSecret":true,"key":"token"}"#
        #expect(json.output.contains(change), "\(json)")
      }
    }

    @Test func `a plan names secrets and shows none`() async throws {
      try await Self.with { fleet, ada in
        let tree = fleet.root + "/tree/\(fleet.app)"
        try FileManager.default.createDirectory(atPath: tree, withIntermediateDirectories: true)
        try fleet.write("token = \"hunter6\"\nport = 3\n", to: tree + "/all.toml")
        for words in [[], ["--json"]] {
          let plan = try await ada.run(["apply", fleet.root + "/tree", "--plan", "--take", "ours"] + words)
          #expect(plan.status == 4 && !"\(plan)".contains("hunter"), "\(plan)")
          #expect(plan.output.contains("token") && plan.output.contains("(another secret)"), "\(plan)")
        }
        // What does not parse has no key that could say what it is.
        try fleet.write("token = hunter7\n", to: tree + "/all.toml")
        let broken = try await ada.run("apply", fleet.root + "/tree", "--plan")
        #expect(broken.status == 4 && broken.error.contains("does not parse: 1:"), "\(broken)")
        #expect(!"\(broken)".contains("hunter"), "\(broken)")
        // What goes is of an app that the directory does not have.
        try fleet.write("port = 3\n", to: tree + "/all.toml")
        let own = ["--source", fleet.app]
        #expect(try await ada.run(["apply", fleet.root + "/tree", "--take", "ours"] + own).status == 0)
        let document = "/app-settings/1/\(fleet.app)/all/v1"
        try await fleet.cluster.withClient { _ = try await $0.put(document, "token = \"hunter8\"\n") }
        try FileManager.default.removeItem(atPath: tree)
        let pruned = try await ada.run(
          ["apply", fleet.root + "/tree", "--plan", "--prune", "--allow-empty", "--take", "ours"] + own)
        #expect(pruned.output.contains("token: (secret) -> (none)"), "\(pruned)")
        #expect(!"\(pruned)".contains("hunter"), "\(pruned)")
      }
    }

    @Test func `no verb shows what somebody without a key has made of a secret`() async throws {
      try await Fleet.with { fleet in
        #expect(try await fleet.person("maker").run("key", fleet.root + "/key").status == 0)
        let ada = try fleet.person("ada", "signing-key = \"\(fleet.root)/key\"\n")
        #expect(try await ada.run("set", fleet.app, "--create", "token=hunter1", "port=1").status == 0)
        try fleet.schema(Self.schema)
        let document = "/app-settings/1/\(fleet.app)/all/v1"
        try await fleet.cluster.withClient { _ = try await $0.put(document, "token = \"hunter2\"\nport = 1\n") }
        let rollout = ["rollout", "--share", "100", fleet.app, "set", "port=2"]
        for words in [
          ["set", fleet.app, "port=2"], ["unset", fleet.app, "port"], ["check", fleet.app], ["log", fleet.app], rollout,
          ["status", fleet.app, "--json"], ["diff", fleet.app],
        ] {
          let answer = try await ada.run(words)
          #expect(!"\(answer)".contains("hunter"), "\(words) \(answer)")
          if words[0] == "set" {
            #expect(answer.error.contains("token: (secret) -> (another secret)"), "\(answer)")
          }
        }
        // Others have changed the same secret since.
        try await fleet.cluster.withClient { client in
          for text in ["token = \"hunter3\"\n", "token = \"hunter4\"\n"] { _ = try await client.put(document, text) }
          let revision = try await client.range(EtcdRange(.key(document))).keyValues.first?.modRevision ?? 0
          _ = try await client.put(document, "token = \"hunter5\"\n")
          let undo = try await ada.run("undo", fleet.app, "--revision", "\(revision)", "--accept-unsigned")
          #expect(undo.status == 9 && !"\(undo)".contains("hunter"), "\(undo)")
        }
      }
    }

    @Test func `a log without a schema that can be used shows nothing`() async throws {
      try await Self.with { fleet, ada in
        try fleet.write("broken", to: fleet.root + "/share/app-settings/\(fleet.app).toml")
        let log = try await ada.run("log", fleet.app)
        #expect(log.status == 4 && log.output.isEmpty && log.error.contains("Cannot use the schema"), "\(log)")
      }
    }
  }
}
