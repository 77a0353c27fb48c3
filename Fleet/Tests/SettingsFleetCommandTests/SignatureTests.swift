import EtcdClient
import EtcdTesting
import Foundation
import Testing

extension CommandTests.Owners {
  /// Somebody with etcd's password and without the key writes into a document, and somebody with the key edits it.
  struct SignatureTests {
    private static let signed = "theme = \"light\"\nport = 1001\n"
    private static let foreign = "theme = \"light\"\nport = 1001\nfont-size = 66 # no key\n"

    /// A fleet with a signed document that was changed by somebody without the key.
    private static func with(_ body: (Fleet, Party, MachineParty, String) async throws -> Void) async throws {
      try await Fleet.with { fleet in
        let key = fleet.root + "/key"
        let made = try await fleet.person("nobody").run("key", key)
        let ada = try fleet.person("ada", "signing-key = \"\(key)\"\n")
        let machine = try fleet.machine(
          "m1", "trusted-keys = [\"\(made.output.trimmingCharacters(in: .newlines))\"]\n")
        try machine.start()
        try await ada.run("set", fleet.app, "--create", "theme=\"light\"", "port=1001")
        #expect(try await machine.wait(for: signed), "\(machine.said)")
        let document = "/app-settings/1/\(fleet.app)/all/v1"
        try await fleet.cluster.withClient { _ = try await $0.put(document, foreign) }
        try await body(fleet, ada, machine, made.output.trimmingCharacters(in: .newlines))
      }
    }

    private static func stored(_ fleet: Fleet) async throws -> String? {
      try await fleet.cluster.withClient { client in
        let key = "/app-settings/1/\(fleet.app)/all/v1"
        return try await client.range(EtcdRange(.key(key))).keyValues.first
          .map { String(decoding: $0.value, as: UTF8.self) }
      }
    }

    @Test func `what nobody has signed is not signed by the next edit`() async throws {
      try await Self.with { fleet, ada, machine, _ in
        let batch = #"{"set": "port", "value": 1002}"# + "\n"
        for (words, input) in [
          (["set", fleet.app, "port=1002"], ""), (["unset", fleet.app, "port"], ""),
          (["lock", fleet.app, "port"], ""), (["batch", fleet.app], batch),
          (["import", fleet.app, "--format", "toml", "-"], "port = 1002\n"),
          (["rollout", "--share", "100", fleet.app, "set", "port=1002"], ""),
        ] {
          let refused = try await ada.run(words, input: input)
          #expect(refused.status == 5 && refused.error.contains("changed after it was signed"), "\(words) \(refused)")
          #expect(refused.error.contains("font-size: (none) -> 66"), "\(words) \(refused)")
          #expect(refused.error.contains("--accept-unsigned"), "\(words) \(refused)")
        }
        let edited = try await ada.run(["edit", fleet.app], adding: ["EDITOR": "sed -i s/1001/1002/", "VISUAL": ""])
        #expect(edited.status == 5 && edited.error.contains("font-size: (none) -> 66"), "\(edited)")
        #expect(try await Self.stored(fleet) == Self.foreign)

        let accepted = try await ada.run("set", fleet.app, "port=1002", "--accept-unsigned")
        #expect(accepted.status == 0, "\(accepted)")
        let text = Self.foreign.replacingOccurrences(of: "1001", with: "1002")
        #expect(try await machine.wait(for: text), "\(machine.said)")
        let log = try await ada.run("log", fleet.app)
        let lines = log.output.split(separator: "\n").filter { $0.hasPrefix("#") }
        #expect(lines.count == 3 && lines[0].contains("signed by"), "\(log)")
        #expect(lines[0].hasSuffix("after accepting an unsigned text"), "\(log)")
        #expect(lines[1].contains("by unknown, not signed") && lines[2].contains("signed by"), "\(log)")
      }
    }

    /// Once the fleet has the signed text again, 'apply' cannot tell where the directory has a value from.
    @Test func `what nobody has signed does not come into a directory unnoticed`() async throws {
      try await Self.with { fleet, ada, _, _ in
        let tree = fleet.root + "/tree"
        let refused = try await ada.run("export", "--tree", tree, fleet.app)
        #expect(refused.status == 5 && refused.error.contains("'\(fleet.app)/all' was changed after"), "\(refused)")
        #expect(refused.error.contains("--accept-unsigned") && refused.output.isEmpty, "\(refused)")
        #expect(!FileManager.default.fileExists(atPath: tree))
        #expect(try await ada.run("undo", fleet.app).status == 0)
        let exported = try await ada.run("export", "--tree", tree, fleet.app)
        #expect(exported.status == 0 && exported.error.isEmpty, "\(exported)")
        #expect(try String(contentsOfFile: "\(tree)/\(fleet.app)/all.toml", encoding: .utf8) == Self.signed)
      }
    }

    @Test func `what nobody has signed is not signed because a directory has it from the fleet`() async throws {
      try await Self.with { fleet, ada, machine, _ in
        let tree = fleet.root + "/tree"
        let exported = try await ada.run("export", "--tree", tree, fleet.app, "--accept-unsigned")
        #expect(exported.status == 0 && exported.error.contains("changed after it was signed"), "\(exported)")
        for words in [["--plan"], [], ["--take", "ours"]] {
          let refused = try await ada.run(["apply", tree] + words)
          #expect(refused.status == 5 && refused.error.contains("--accept-unsigned"), "\(words) \(refused)")
          #expect(refused.output.contains("font-size: (none) -> 66"), "\(words) \(refused)")
        }
        let plan = try await ada.run("apply", tree, "--plan", "--json")
        #expect(plan.output.contains(#""doubtful":["\#(fleet.app)/all"]"#), "\(plan)")
        #expect(machine.text() == Self.signed)

        let accepted = try await ada.run("apply", tree, "--accept-unsigned")
        #expect(accepted.status == 0, "\(accepted)")
        #expect(try await machine.wait(for: Self.foreign), "\(machine.said)")
        // The signing is a change of its own, which 'undo' does not take for the last one.
        let log = try await ada.run("log", fleet.app)
        let lines = log.output.split(separator: "\n").filter { $0.hasPrefix("#") }
        #expect(lines.count == 3 && lines[0].contains(" apply by ") && lines[0].contains("signed by"), "\(log)")
        #expect(lines[0].hasSuffix("after accepting an unsigned text"), "\(log)")
        #expect(lines[1].contains("by unknown, not signed") && lines[2].contains("signed by"), "\(log)")
        let undone = try await ada.run("undo", fleet.app)
        #expect(undone.status == 0, "\(undone)")
        #expect(try await Self.stored(fleet) == Self.signed)
      }
    }

    @Test func `what a directory has from the fleet is not signed beside a change of it`() async throws {
      try await Self.with { fleet, ada, machine, _ in
        let tree = fleet.root + "/tree"
        let file = "\(tree)/\(fleet.app)/all.toml"
        let conflict = "'\(fleet.app)/all' was not made by 'apply': "
        func write(_ text: String) throws { try fleet.write(text, to: file) }
        #expect(try await ada.run("export", "--tree", tree, fleet.app, "--accept-unsigned").status == 0)
        try write(Self.foreign.replacingOccurrences(of: "1001", with: "1002"))
        let byHand = try await ada.run("apply", tree)
        #expect(byHand.status == 9 && byHand.error.contains(conflict), "\(byHand)")
        #expect(byHand.error.contains("was changed after it was signed"), "\(byHand)")
        #expect(byHand.error.contains("Check what is not signed"), "\(byHand)")
        for words in [["--plan"], []] {
          let refused = try await ada.run(["apply", tree, "--take", "ours"] + words)
          #expect(refused.status == 5 && refused.error.contains("--accept-unsigned"), "\(words) \(refused)")
          let lines = ["font-size: (none) -> 66", "port: 1001 -> 1002"]
          #expect(lines.allSatisfy(refused.output.contains), "\(words) \(refused)")
        }
        let json = try await ada.run("apply", tree, "--take", "ours", "--plan", "--json")
        #expect(json.output.contains(#""after":"66""#) && json.output.contains("doubtful\":[\""), "\(json)")
        #expect(try await Self.stored(fleet) == Self.foreign)

        // What only the directory has is its reviewers' word, also for a value that was changed by the other one.
        let own = Self.signed.replacingOccurrences(of: "1001", with: "1002") + "font-size = 14\n"
        try write(own)
        let applied = try await ada.run("apply", tree, "--take", "ours")
        #expect(applied.status == 0 && applied.output.contains("font-size: 66 -> 14"), "\(applied)")
        #expect(try await machine.wait(for: own), "\(machine.said)")
      }
    }

    @Test func `an element of an array and a new version are not signed beside a change`() async throws {
      try await Self.with { fleet, ada, _, _ in
        let (tree, key) = (fleet.root + "/tree", "/app-settings/1/\(fleet.app)/all/v1")
        #expect(try await ada.run("undo", fleet.app).status == 0)
        #expect(try await ada.run("set", fleet.app, "--create", "hosts=[\"a\"]").status == 0)
        try await fleet.cluster.withClient { _ = try await $0.put(key, Self.signed + "hosts = [\"a\", \"evil\"]\n") }
        #expect(try await ada.run("export", "--tree", tree, fleet.app, "--accept-unsigned").status == 0)
        for (text, status) in [
          (Self.signed + "hosts = [\"b\", \"evil\"]\n", 5), ("settings-version = 2\n" + Self.signed, 5),
          (Self.signed + "hosts = [\"a\"]\nport2 = 2\n", 0),
        ] {
          try fleet.write(text, to: "\(tree)/\(fleet.app)/all.toml")
          let answer = try await ada.run("apply", tree, "--take", "ours")
          #expect(answer.status == Int32(status), "\(text) \(answer)")
        }
      }
    }

    @Test func `a document that was removed and made again by somebody without a key is not new`() async throws {
      try await Self.with { fleet, ada, _, _ in
        let (tree, key) = (fleet.root + "/tree", "/app-settings/1/\(fleet.app)/all/v1")
        try await fleet.cluster.withClient { client in
          for _ in 0..<100 { _ = try await client.put("/other", "") }
          _ = try await client.delete(.prefix(key))
          for _ in 0..<9 { _ = try await client.put("/other", "") }
          _ = try await client.put(key, Self.foreign)
        }
        #expect(try await ada.run("export", "--tree", tree, fleet.app, "--accept-unsigned").status == 0)
        let refused = try await ada.run("apply", tree)
        #expect(refused.status == 5 && refused.output.contains("font-size: (none) -> 66"), "\(refused)")
        #expect(refused.error.contains("'\(fleet.app)/all' is not signed"), "\(refused)")
      }
    }

    @Test(arguments: [true, false])
    func `a signed text that was there for a short time long ago is found`(_ hasNote: Bool) async throws {
      let cluster = try await EtcdCluster.start(options: CommandTests.patient)
      defer { cluster.stop() }
      try await Fleet.with(cluster) { fleet in
        let (tree, file) = (fleet.root + "/tree", fleet.root + "/key")
        #expect(try await fleet.person("nobody").run("key", file).status == 0)
        let ada = try fleet.person("ada", "signing-key = \"\(file)\"\n")
        #expect(try await ada.run("set", fleet.app, "--create", "url=good").status == 0)
        try await cluster.withClient { client in
          let key = "/app-settings/1/\(fleet.app)/all/v1"
          for _ in 0..<(hasNote ? 0 : 20) { _ = try await client.put("/other", "") }
          if hasNote {
            _ = try await client.delete(.key(key + "/signature"))
            _ = try await client.delete(.key(key))
          } else {
            _ = try await client.delete(.prefix(key))
          }
          for _ in 0..<70 { _ = try await client.put("/other", "") }
          _ = try await client.put(key, "url = \"EVIL\"\n")
        }
        #expect(try await ada.run("export", "--tree", tree, fleet.app, "--accept-unsigned").status == 0)
        let refused = try await ada.run("apply", tree)
        #expect(refused.status == 5 && refused.output.contains("url: \"good\" -> \"EVIL\""), "\(refused)")
      }
    }

    /// What is left was changed before the signed text was, or at a revision that is compacted by now.
    @Test(arguments: [true, false])
    func `what is left beside a removed document hides no signed text`(_ isCompacted: Bool) async throws {
      let cluster = try await EtcdCluster.start(options: CommandTests.patient)
      defer { cluster.stop() }
      try await Fleet.with(cluster) { fleet in
        let (file, tree) = (fleet.root + "/key", fleet.root + "/tree")
        let nobody = try fleet.person("nobody")
        #expect(try await nobody.run("key", file).status == 0)
        #expect(try await nobody.run("set", fleet.app, "--create", "url=first").status == 0)
        #expect(try await nobody.run("export", "--tree", tree + "/first", fleet.app).status == 0)
        #expect(try await nobody.run("apply", tree + "/first").status == 0)
        let ada = try fleet.person("ada", "signing-key = \"\(file)\"\n")
        #expect(try await ada.run("set", fleet.app, "url=good", "--accept-unsigned").status == 0)
        try await cluster.withClient { client in
          let key = "/app-settings/1/\(fleet.app)/all/v1"
          let left = try await client.range(EtcdRange(.prefix(key + "/"))).keyValues
          #expect(left.contains { String(decoding: $0.key, as: UTF8.self) == key + "/applied" }, "\(left)")
          for _ in 0..<40 { _ = try await client.put("/other", "") }
          if isCompacted { try await client.compact(revision: try await client.put("/other", "")) }
          for _ in 0..<40 { _ = try await client.put("/other", "") }
          for name in ["", "/signature"] + (isCompacted ? [] : ["/change"]) {
            _ = try await client.delete(.key(key + name))
          }
          for _ in 0..<10 { _ = try await client.put("/other", "") }
          _ = try await client.put(key, "url = \"EVIL\"\n")
        }
        #expect(try await ada.run("export", "--tree", tree + "/now", fleet.app, "--accept-unsigned").status == 0)
        let refused = try await ada.run("apply", tree + "/now")
        #expect(refused.status == 5 && refused.output.contains("url: \"good\" -> \"EVIL\""), "\(refused)")
      }
    }

    @Test func `a document whose signature was taken away first is not one that never had one`() async throws {
      try await Self.with { fleet, ada, _, _ in
        let (app, tree) = (fleet.app + ".new", fleet.root + "/tree")
        try await ada.run("set", app, "--create", "a=1")
        try await fleet.cluster.withClient { client in
          let key = "/app-settings/1/\(app)/all/v1"
          _ = try await client.delete(.key(key + "/signature"))
          _ = try await client.put("/other", "")
          _ = try await client.put(key, "a = 1\nb = 666\n")
        }
        #expect(try await ada.run("export", "--tree", tree, app, "--accept-unsigned").status == 0)
        let refused = try await ada.run("apply", tree)
        #expect(refused.status == 5 && refused.output.contains("b: (none) -> 666"), "\(refused)")
      }
    }

    @Test func `to sign a document for the first time does not read its earlier texts`() async throws {
      try await Self.with { fleet, _, _, _ in
        let (app, tree, changes, size) = (fleet.app + ".long", fleet.root + "/tree", 40, 20_000)
        try await fleet.cluster.withClient { client in
          for number in 0..<changes {
            let text = "a = \(number)\nb = \"\(String(repeating: "b", count: size))\"\n"
            _ = try await client.put("/app-settings/1/\(app)/all/v1", text)
          }
        }
        let port = Int(fleet.cluster.endpoints[0].split(separator: ":").last!)!
        let proxy = try await TCPProxy.start(to: port)
        let eve = try fleet.person("eve", "signing-key = \"\(fleet.root)/key\"\n")
        let file = fleet.root + "/eve/settings-fleet/settings.toml"
        let settings = try String(contentsOfFile: file, encoding: .utf8)
        let direct = settings.split(separator: "\n").first!
        try fleet.write(
          settings.replacingOccurrences(of: direct, with: "endpoints = [\"http://127.0.0.1:\(proxy.port)\"]"), to: file)
        #expect(try await eve.run("export", "--tree", tree, app, "--accept-unsigned").status == 0)
        let before = proxy.bytesToClients
        let applied = try await eve.run("apply", tree)
        #expect(applied.status == 0 && applied.output.contains("= \(app)/all: signed as it is"), "\(applied)")
        #expect(proxy.bytesToClients - before < 10 * size, "\(proxy.bytesToClients - before)")
        await proxy.stop()
      }
    }

    @Test func `a text of a key that is not trusted is not called changed`() async throws {
      try await Self.with { fleet, ada, _, _ in
        let (tree, key) = (fleet.root + "/tree", fleet.root + "/other-key")
        #expect(try await ada.run("undo", fleet.app).status == 0)
        #expect(try await ada.run("key", key).status == 0)
        let bob = try fleet.person("bob", "signing-key = \"\(key)\"\n")
        #expect(try await bob.run("export", "--tree", tree, fleet.app, "--accept-unsigned").status == 0)
        let refused = try await bob.run("apply", tree)
        #expect(refused.status == 5 && refused.error.contains("which is not trusted here"), "\(refused)")
        #expect(!refused.error.contains("hanged after"), "\(refused)")
      }
    }

    @Test func `a text that is as it was signed is not called changed`() async throws {
      try await Self.with { fleet, ada, _, trusted in
        #expect(try await ada.run("undo", fleet.app).status == 0)
        let key = fleet.root + "/other-key"
        #expect(try await ada.run("key", key).status == 0)
        let bob = try fleet.person("bob", "signing-key = \"\(key)\"\ntrusted-keys = [\"\(trusted)\"]\n")
        #expect(try await bob.run("set", fleet.app, "port=1002").status == 0)
        #expect(try await bob.run("undo", fleet.app).status == 0)
        let refused = try await ada.run("set", fleet.app, "port=1003")
        #expect(refused.status == 5 && refused.error.contains("The text is that of revision "), "\(refused)")
        #expect(!refused.error.contains("comments or spacing"), "\(refused)")
      }
    }

    @Test func `what never was signed is signed as the directory has it`() async throws {
      try await Self.with { fleet, ada, _, _ in
        let app = fleet.app + ".new"
        try await fleet.person("nobody").run("set", app, "--create", "a=1")
        let tree = fleet.root + "/tree"
        let refused = try await ada.run("export", "--tree", tree, app)
        #expect(refused.status == 5 && refused.error.contains("'\(app)/all' is not signed"), "\(refused)")
        #expect(try await ada.run("export", "--tree", tree, app, "--accept-unsigned").status == 0)
        let applied = try await ada.run("apply", tree)
        #expect(applied.status == 0 && applied.output.contains("= \(app)/all: signed as it is"), "\(applied)")
      }
    }

    @Test func `what may have been signed before a compaction is not signed as it is`() async throws {
      let cluster = try await EtcdCluster.start(options: CommandTests.patient)
      defer { cluster.stop() }
      try await Fleet.with(cluster) { fleet in
        let (key, tree) = (fleet.root + "/key", fleet.root + "/tree")
        #expect(try await fleet.person("nobody").run("key", key).status == 0)
        let ada = try fleet.person("ada", "signing-key = \"\(key)\"\n")
        #expect(try await ada.run("set", fleet.app, "--create", "url=good").status == 0)
        try await cluster.withClient { client in
          let document = "/app-settings/1/\(fleet.app)/all/v1"
          _ = try await client.put(document, "url = \"EVIL\"\n")
          _ = try await client.delete(.key(document + "/signature"))
        }
        #expect(try await ada.run("export", "--tree", tree, fleet.app, "--accept-unsigned").status == 0)
        for line in ["EVIL", "what was earlier has been compacted away"] {
          for words in [["--plan"], []] {
            let refused = try await ada.run(["apply", tree] + words)
            #expect(refused.status == 5 && refused.error.contains("--accept-unsigned"), "\(words) \(refused)")
            #expect(refused.output.contains(line), "\(words) \(refused)")
          }
          try await cluster.withClient { try await $0.compact(revision: try await $0.put("/other", "")) }
        }
        let set = try await ada.run("set", fleet.app, "--create", "a=1")
        #expect(set.status == 5 && set.error.contains("what was earlier has been compacted away"), "\(set)")
        #expect(try await ada.run("apply", tree, "--accept-unsigned").status == 0)
        #expect(try await ada.run("check", fleet.app).status == 0)
      }
    }

    @Test func `a new version that may be made from a foreign text is not signed beside a text that is right`()
      async throws
    {
      try await Self.with { fleet, ada, machine, _ in
        let tree = "\(fleet.root)/tree/\(fleet.app)"
        try FileManager.default.createDirectory(atPath: tree, withIntermediateDirectories: true)
        try fleet.write(Self.signed, to: tree + "/all@1.toml")
        try fleet.write("settings-version = 2\n" + Self.foreign, to: tree + "/all.toml")
        let refused = try await ada.run("apply", fleet.root + "/tree", "--take", "ours")
        #expect(refused.status == 5 && refused.error.contains("--accept-unsigned"), "\(refused)")
        #expect(refused.output.contains("font-size: (none) -> 66"), "\(refused)")
        // What is right is stored first.
        #expect(try await ada.run("undo", fleet.app).status == 0)
        let applied = try await ada.run("apply", fleet.root + "/tree", "--take", "ours")
        #expect(applied.status == 0, "\(applied)")
      }
    }

    @Test func `what nobody has signed is named by verbs that read, and can be taken back`() async throws {
      try await Self.with { fleet, ada, machine, key in
        let eve = try fleet.person("eve", "trusted-keys = [\"\(key) Ada's desk\"]\n")
        let log = try await eve.run("log", fleet.app)
        #expect(log.output.contains(" (Ada's desk)\n") && log.output.contains("by unknown, not signed\n"), "\(log)")
        for person in [ada, eve] {
          for (words, status) in [
            (["get", fleet.app, "port"], 0), (["diff", fleet.app], 0), (["check", fleet.app], 5),
          ] {
            let answer = try await person.run(words)
            #expect(answer.status == Int32(status) || words[0] == "diff", "\(answer)")
            #expect(answer.error.contains("'\(fleet.app)/all' was changed after it was signed"), "\(words) \(answer)")
          }
        }
        // Nothing new is signed by this.
        let undone = try await ada.run("undo", fleet.app)
        #expect(undone.status == 0, "\(undone)")
        #expect(try await Self.stored(fleet) == Self.signed)
        #expect(try await eventually { try await ada.run("status", fleet.app).output.contains("1 applied") })
        let again = try await ada.run("redo", fleet.app)
        #expect(again.status == 5 && again.error.contains("--accept-unsigned"), "\(again)")
        #expect(machine.text() == Self.signed)
        let clean = try await ada.run("check", fleet.app)
        #expect(clean.status == 0 && clean.error.isEmpty, "\(clean)")
      }
    }
  }
}
