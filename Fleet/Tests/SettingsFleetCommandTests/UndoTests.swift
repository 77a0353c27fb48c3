import EtcdClient
import EtcdTesting
import Foundation
import Testing

extension CommandTests.Writers {
  struct UndoTests {
    /// The revisions of the changes, the newest first.
    private static func revisions(_ fleet: Fleet, _ person: Party) async throws -> [String] {
      try await person.run("log", fleet.app).output.split(separator: "\n").filter { $0.hasPrefix("#") }
        .map { String($0.dropFirst().prefix { $0 != " " }) }
    }

    @Test func `undo goes back change by change and prints them, and redo goes forward again`() async throws {
      try await Fleet.with { fleet in
        let ada = try fleet.person()
        for number in 1...3 { try await ada.run("set", fleet.app, "--create", "v=\(number)") }
        let made = try await Self.revisions(fleet, ada)
        func run(_ verb: String, _ done: String, of revision: String, _ line: String) async throws {
          let answer = try await ada.run(verb, fleet.app)
          #expect(answer.status == 0 && answer.output.hasPrefix("\(done): #\(revision) "), "\(answer)")
          #expect(answer.output.hasSuffix("\n  v: \(line)\n") && answer.error.isEmpty, "\(answer)")
        }
        try await run("undo", "undone", of: made[0], "3 -> 2")
        try await run("undo", "undone", of: made[1], "2 -> 1")
        let undos = try await Self.revisions(fleet, ada)
        try await run("redo", "redone", of: undos[0], "1 -> 2")
        try await run("redo", "redone", of: undos[1], "2 -> 3")
        let forward = try await ada.run("redo", fleet.app)
        #expect(forward.status == 1 && forward.error.contains("Nothing to redo"), "\(forward)")
        try await run("undo", "undone", of: made[0], "3 -> 2")
        try await ada.run("set", fleet.app, "v=9")
        #expect(try await ada.run("redo", fleet.app).status == 1)
        try await run("undo", "undone", of: try await Self.revisions(fleet, ada)[0], "9 -> 2")
        try await run("undo", "undone", of: made[1], "2 -> 1")
        try await run("undo", "undone", of: made[2], "1 -> (none)")
        let back = try await ada.run("undo", fleet.app)
        #expect(back.status == 1 && back.error.contains("Nothing to undo: each change of"), "\(back)")
        let log = try await ada.run("log", fleet.app, "--limit", "1")
        #expect(log.output.contains(" undo of #\(made[2]) by "), "\(log)")
        let json = try await ada.run("log", fleet.app, "--limit", "1", "--json")
        #expect(json.output.contains("\"undone\":\(made[2])"), "\(json)")
      }
    }

    @Test func `a change by its revision is undone once, and is passed over then`() async throws {
      try await Fleet.with { fleet in
        let ada = try fleet.person()
        for words in [["a=1", "b=1"], ["a=2"], ["b=2"]] {
          try await ada.run(["set", fleet.app, "--create"] + words)
        }
        let made = try await Self.revisions(fleet, ada)
        #expect(try await ada.run("undo", fleet.app, "--revision", made[1]).output.hasSuffix("  a: 2 -> 1\n"))
        let again = try await ada.run("undo", fleet.app, "--revision", made[1])
        #expect(again.status == 1 && again.error.contains("has the values from before revision \(made[1])"), "\(again)")
        for line in ["b: 2 -> 1", "a: 1 -> (none)\n  b: 1 -> (none)"] {
          #expect(try await ada.run("undo", fleet.app).output.hasSuffix("  \(line)\n"))
        }
        #expect(try await ada.run("undo", fleet.app, "--group", "none").status == 1)
      }
    }

    @Test func `a change of what others have changed since is not undone, and says what that is`() async throws {
      try await Fleet.with { fleet in
        let ada = try fleet.person()
        for number in 1...3 { try await ada.run("set", fleet.app, "--create", "a=\(number)", "b=\(number)") }
        let made = try await Self.revisions(fleet, ada)
        let conflict = try await ada.run("undo", fleet.app, "--revision", made[1])
        #expect(conflict.status == 9, "\(conflict)")
        #expect(
          conflict.error.contains(
            "Cannot undo revision \(made[1]) of '\(fleet.app)/all': what it changed has been changed again since:\n"
              + "  a: 2 -> 3\n  b: 2 -> 3\nNothing was written."), "\(conflict)")
      }
    }

    @Test func `what takes back a change that has been compacted away is not undone, and that is said`() async throws {
      let cluster = try await EtcdCluster.start(options: CommandTests.patient)
      defer { cluster.stop() }
      try await Fleet.with(cluster) { fleet in
        let ada = try fleet.person()
        for number in 1...2 { try await ada.run("set", fleet.app, "--create", "a=\(number)") }
        for verb in ["undo", "redo"] { #expect(try await ada.run(verb, fleet.app).status == 0) }
        try await cluster.withClient { try await $0.compact(revision: try await $0.put("/other", "")) }
        let answer = try await ada.run("undo", fleet.app)
        #expect(answer.status == 1 && answer.error.contains("one that has been compacted away."), "\(answer)")
      }
    }

    @Test func `a removal is in the log with what was before it, and is undone like a change`() async throws {
      try await Fleet.with { fleet in
        let (ada, tree, source) = (try fleet.person(), fleet.root + "/tree", ["--source", fleet.app])
        let file = "\(tree)/\(fleet.app)/all.toml"
        try FileManager.default.createDirectory(atPath: "\(tree)/\(fleet.app)", withIntermediateDirectories: true)
        for number in 1...2 {
          try fleet.write("a = \(number)\n", to: file)
          #expect(try await ada.run(["apply", tree] + source).status == 0)
        }
        try FileManager.default.removeItem(atPath: file)
        let pruned = try await ada.run(["apply", tree, "--prune", "--allow-empty"] + source)
        #expect(pruned.status == 0 && pruned.output.contains("1 to remove"), "\(pruned)")
        for isAgain in [false, true] {
          if isAgain { try await ada.run("set", fleet.app, "--create", "b=1") }
          let log = try await ada.run("log", fleet.app)
          let lines = log.output.split(separator: "\n").filter { $0.hasPrefix(" ") }
          let former = ["  a: 2 -> (none)", "  a: 1 -> 2", "  a: (none) -> 1"]
          #expect(lines.map(String.init) == (isAgain ? ["  b: (none) -> 1"] : []) + former, "\(log)")
        }
        for line in ["b: 1 -> (none)", "a: (none) -> 2", "a: 2 -> 1"] {
          let undone = try await ada.run("undo", fleet.app)
          #expect(undone.status == 0 && undone.output.hasSuffix("  \(line)\n"), "\(undone)")
        }
        // What another program removes has no note, and nothing is known of it.
        let key = "/app-settings/1/\(fleet.app)/all/v1"
        try await fleet.cluster.withClient { _ = try await $0.delete(.key(key)) }
        #expect(try await ada.run("log", fleet.app).status == 1)
      }
    }

    /// The texts of the document and what says which version is newer, by the ends of their keys.
    private static func texts(_ fleet: Fleet) async throws -> [String: String] {
      let prefix = "/app-settings/1/\(fleet.app)/all/"
      let found = try await fleet.cluster.withClient { try await $0.range(EtcdRange(.prefix(prefix))).keyValues }
      let all = found.map { item in
        (String(decoding: item.key, as: UTF8.self).dropFirst(prefix.count), String(decoding: item.value, as: UTF8.self))
      }
      return Dictionary(uniqueKeysWithValues: all.map { (String($0.0), $0.1) })
        .filter { ["v1", "v1/successor", "v2", "v2/successor"].contains($0.key) }
    }

    /// A document with two versions, from a directory that has the first.
    private static func withVersions(
      _ settings: (Fleet) async throws -> String, _ body: (Fleet, Party, _ prune: [String]) async throws -> Void
    ) async throws {
      try await Fleet.with { fleet in
        let (ada, tree) = (try fleet.person("ada", try await settings(fleet)), fleet.root + "/tree")
        let (file, source) = ("\(tree)/\(fleet.app)/all.toml", ["--source", fleet.app])
        try FileManager.default.createDirectory(atPath: "\(tree)/\(fleet.app)", withIntermediateDirectories: true)
        try fleet.write("a = 1\n", to: file)
        #expect(try await ada.run(["apply", tree] + source).status == 0)
        try fleet.schema(
          "[keys.b]\ntype = \"integer\"\n[[migrations]]\nversion = 2\nname = \"name it\"\n"
            + "steps = [{ rename = \"a\", to = \"b\" }]\n")
        #expect(try await ada.run("migrate", fleet.app).status == 0)
        try FileManager.default.removeItem(atPath: file)
        try await body(fleet, ada, ["apply", tree, "--prune", "--allow-empty", "--take", "ours"] + source)
      }
    }

    @Test func `the removal of a document is undone in all its versions, and redone as a removal`() async throws {
      try await Self.withVersions({ _ in "" }) { fleet, ada, prune in
        let texts = try await Self.texts(fleet)
        #expect(texts.keys.sorted() == ["v1", "v1/successor", "v2"])
        let pruned = try await ada.run(prune)
        #expect(pruned.status == 0, "\(pruned)")
        #expect(try await Self.texts(fleet).isEmpty)
        for _ in 1...2 {
          let undone = try await ada.run("undo", fleet.app)
          #expect(undone.status == 0 && undone.output.contains("  b: (none) -> 1\n"), "\(undone)")
          #expect(try await Self.texts(fleet) == texts)
          let redone = try await ada.run("redo", fleet.app)
          #expect(redone.status == 0 && redone.output.contains("  b: 1 -> (none)\n"), "\(redone)")
          #expect(try await Self.texts(fleet).isEmpty)
        }
        // What others have changed since stays.
        #expect(try await ada.run("undo", fleet.app).status == 0)
        let log = try await ada.run("log", fleet.app)
        #expect(log.output.contains(" apply by ") && log.output.contains(" migrate by "), "\(log)")
        try await ada.run("set", fleet.app, "b=2")
        #expect(try await ada.run("redo", fleet.app).status == 1)
        #expect(try await ada.run("undo", fleet.app).output.hasSuffix("  b: 2 -> 1\n"))
        let migrated = try await ada.run("undo", fleet.app)
        #expect(migrated.status == 8 && migrated.error.contains("it made version 2"), "\(migrated)")
        #expect(try await Self.texts(fleet) == texts)
      }
    }

    @Test func `a removal is not redone over what others have made of an earlier version`() async throws {
      try await Self.withVersions({ _ in "" }) { fleet, ada, prune in
        #expect(try await ada.run(prune).status == 0)
        #expect(try await ada.run("undo", fleet.app).status == 0)
        try await fleet.cluster.withClient { _ = try await $0.put("/app-settings/1/\(fleet.app)/all/v1", "a = 7\n") }
        let texts = try await Self.texts(fleet)
        let refused = try await ada.run("redo", fleet.app)
        #expect(refused.status == 9 && refused.error.contains("its version 1, which older releases read"), "\(refused)")
        #expect(try await Self.texts(fleet) == texts)
      }
    }

    @Test func `a signed document that was emptied comes back in all its versions`() async throws {
      func key(_ fleet: Fleet) async throws -> String {
        #expect(try await fleet.person("nobody").run("key", fleet.root + "/key").status == 0)
        return "signing-key = \"\(fleet.root)/key\"\n"
      }
      try await Self.withVersions(key) { fleet, ada, prune in
        let texts = try await Self.texts(fleet)
        let empty = ["v1": "", "v1/successor": "2", "v2": "settings-version = 2\n"]
        let pruned = try await ada.run(prune)
        #expect(pruned.status == 0, "\(pruned)")
        for _ in 1...2 {
          #expect(try await Self.texts(fleet) == empty)
          let undone = try await ada.run("undo", fleet.app)
          #expect(undone.status == 0, "\(undone)")
          #expect(try await Self.texts(fleet) == texts)
          let check = try await ada.run("check", fleet.app)
          #expect(check.status == 0 && check.error.isEmpty, "\(check)")
          #expect(try await ada.run("redo", fleet.app).status == 0)
        }
      }
    }

    @Test func `the first change of a document with a settings-version is undone and redone`() async throws {
      try await Fleet.with { fleet in
        let ada = try fleet.person()
        try fleet.schema(
          "[keys.b]\ntype = \"integer\"\n[[migrations]]\nversion = 2\nname = \"name it\"\n"
            + "steps = [{ rename = \"a\", to = \"b\" }]\n")
        #expect(try await ada.run("set", fleet.app, "b=1").status == 0)
        let texts = try await Self.texts(fleet)
        for _ in 1...2 {
          let undone = try await ada.run("undo", fleet.app)
          #expect(undone.status == 0 && undone.output.contains("  b: 1 -> (none)\n"), "\(undone)")
          #expect(try await Self.texts(fleet) == ["v2": "settings-version = 2\n"])
          let redone = try await ada.run("redo", fleet.app)
          #expect(redone.status == 0 && redone.output.contains("  b: (none) -> 1\n"), "\(redone)")
          #expect(try await Self.texts(fleet) == texts)
        }
      }
    }

    @Test func `a migration, and what was before it, cannot be undone`() async throws {
      try await Fleet.with { fleet in
        let (ada, keys) = (try fleet.person(), "[keys.size]\ntype = \"integer\"\n")
        try fleet.schema(keys + "[keys.a]\ntype = \"integer\"\n")
        for words in [["a=1", "size=1"], ["size=2"]] { try await ada.run(["set", fleet.app] + words) }
        let made = try await Self.revisions(fleet, ada)
        try fleet.schema(
          keys + "[keys.b]\ntype = \"integer\"\n[[migrations]]\nversion = 2\nname = \"name it\"\n"
            + "steps = [{ rename = \"a\", to = \"b\" }]\n")
        #expect(try await ada.run("migrate", fleet.app).status == 0)
        let text = try await ada.run("export", fleet.app).output
        for (words, reason) in [
          ([], "it made version 2 of the document"), (["--revision", made[0]], "it changed version 1 of the document"),
          (["--revision", made[1]], "it changed version 1 of the document"),
        ] {
          let refused = try await ada.run(["undo", fleet.app] + words)
          #expect(refused.status == 8 && refused.error.contains(reason), "\(words) \(refused)")
          #expect(refused.error.contains("Set the values that it should have."), "\(words) \(refused)")
        }
        #expect(try await ada.run("export", fleet.app).output == text)
        try await ada.run("set", fleet.app, "size=3")
        #expect(try await ada.run("undo", fleet.app).output.hasSuffix("  size: 3 -> 2\n"))
        #expect(try await ada.run("undo", fleet.app).status == 8)
      }
    }
  }
}
