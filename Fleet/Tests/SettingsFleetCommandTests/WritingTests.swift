import ArgumentParser
import EtcdClient
import EtcdTesting
import Foundation
import Testing

@testable import settings_fleet

extension CommandTests.Writers {
  struct WritingTests {
    private static let schema = """
      [keys.port]
      type = "integer"
      minimum = 1
      maximum = 65535
      [keys.token]
      type = "string"
      secret = true
      [keys.theme]
      type = "string"

      """

    @Test func `what the schema refuses is not stored, in the words of settings-cli`() async throws {
      try await Fleet.with { fleet in
        try fleet.schema(Self.schema)
        let ada = try fleet.person()
        let wrong = try await ada.run("set", fleet.app, "port=70000")
        #expect(wrong.status == 4, "\(wrong)")
        #expect(
          wrong.error
            == "settings-cli: Cannot set 'port' to 70000: the key needs an integer from 1 to 65535. Nothing was written.\n"
        )
        #expect(try await ada.run("set", fleet.app, "prt=1").status == 3)
        let secret = try await ada.run("set", fleet.app, "token=abc")
        #expect(
          secret.status == 4 && secret.error.contains("is a secret") && !secret.error.contains("abc"), "\(secret)")
        #expect(try await ada.run("get", fleet.app, "port").status == 1)
      }
    }

    @Test func `a whole text is stored without an editor, also as a new app's with a name like a known one`()
      async throws
    {
      try await Fleet.with { fleet in
        let ada = try fleet.person()
        try fleet.schema("[keys.a]\ntype = \"integer\"\n")
        let text = "# One.\na = 1\n"
        try fleet.write(text, to: fleet.root + "/text")
        let stored = try await ada.run("edit", fleet.app, "--text", fleet.root + "/text")
        #expect(stored.status == 0, "\(stored)")
        #expect(try await ada.run("export", fleet.app).output.contains("a = 1"))
        let refused = try await ada.run(["edit", fleet.app, "--text", "-"], input: "a = \"x\"\n")
        #expect(refused.status == 4 && !refused.error.contains("Your text is in"), "\(refused)")
        #expect(try await ada.run(["edit", fleet.app, "--text", "-"], input: "").status == 0)
        #expect(try await ada.run("get", fleet.app, "a").status == 1)
        #expect(try await ada.run("edit", fleet.app, "--text", fleet.root + "/none").status == 7)

        // Of another organization than those of the other tests, which would be like it.
        let known = fleet.app.replacing("org.example.app", with: "net.test.palette")
        let near = known.replacing("palette", with: "palete")
        try fleet.write(
          "schema-version = 1\napp = \"\(known)\"\n", to: fleet.root + "/share/app-settings/\(known).toml")
        let editor = ["EDITOR": "cp \(fleet.root)/text", "VISUAL": ""]
        let typo = try await ada.run(["edit", near], adding: editor)
        #expect(typo.status == 3 && typo.error.contains("To make a new app, use --create."), "\(typo)")
        #expect(try await ada.run(["edit", near, "--create"], adding: editor).status == 0)
        #expect(try await ada.run("get", near, "a").output == "1\n")
        let nearer = known.replacing("palette", with: "pallete")
        #expect(try await ada.run("edit", nearer, "--create", "--text", fleet.root + "/text").status == 0)
      }
    }

    @Test func `an edit keeps every other byte of the document`() async throws {
      try await Fleet.with { fleet in
        let ada = try fleet.person()
        let text = "# The ports.\nport   =  80 # web\n\n[table]   # last\nb=1\n"
        try fleet.write(text, to: fleet.root + "/text")
        let stored = try await ada.run(["edit", fleet.app], adding: ["EDITOR": "cp \(fleet.root)/text", "VISUAL": ""])
        #expect(stored.status == 0, "\(stored)")
        try await ada.run("set", fleet.app, "port=81")
        try await fleet.cluster.withClient { client in
          let item = try await client.range(EtcdRange(.key("/app-settings/1/\(fleet.app)/all/v1"))).keyValues.first
          let expected = text.replacingOccurrences(of: "80", with: "81")
          #expect(item.map { String(decoding: $0.value, as: UTF8.self) } == expected)
        }
      }
    }

    @Test func `writers at the same time lose nothing`() async throws {
      try await Fleet.with { fleet in
        let ada = try fleet.person()
        let statuses = try await withThrowingTaskGroup(of: Int32.self) { group in
          for number in 0..<8 { group.addTask { try await ada.run("set", fleet.app, "k\(number)=\(number)").status } }
          return try await group.reduce(into: []) { $0.append($1) }
        }
        #expect(statuses.allSatisfy { $0 == 0 })
        let list = try await ada.run("list", fleet.app, "--names")
        #expect(list.output.split(separator: "\n").count == 8, "\(list)")
      }
    }

    @Test func `32 writers of one document take turns`() async throws {
      let cluster = try await EtcdCluster.start(members: 3, options: CommandTests.patient)
      defer { cluster.stop() }
      try await Fleet.with(cluster) { fleet in
        // Each edit adds a line to a file.
        let cli = fleet.root + "/counting-settings-cli"
        try fleet.write("#!/bin/sh\necho >>'\(fleet.root)/edits'\nexec '\(Fleet.cli ?? "")' \"$@\"\n", to: cli)
        try FileManager.default.setAttributes([.posixPermissions: 0o755], ofItemAtPath: cli)
        let ada = try fleet.person()
        let start = ContinuousClock.now
        let times = try await withThrowingTaskGroup(of: Duration.self) { group in
          for number in 0..<32 {
            group.addTask {
              let answer = try await ada.run(
                ["set", fleet.app, "--create", "key\(number)=\(number)"], adding: ["SETTINGS_CLI": cli])
              #expect(answer.status == 0, "\(answer)")
              return .now - start
            }
          }
          return try await group.reduce(into: []) { $0.append($1) }.sorted()
        }
        let text = try await ada.run("export", fleet.app)
        for number in 0..<32 { #expect(text.output.contains("key\(number) = \(number)\n"), "\(text)") }
        // One in vain, and one in its turn. Without turns each lost race is one: more than 500.
        let edits = try String(contentsOfFile: fleet.root + "/edits", encoding: .utf8).count
        #expect(edits < 32 * 3, "\(edits) edits; \(times[16]), at most \(times[31])")
        #expect(times[31] < .seconds(60), "p50 \(times[16]), at most \(times[31])")
        let left = try await cluster.withClient { try await $0.range(EtcdRange(.prefix("/app-settings-turns/"))) }
        #expect(left.keyValues.isEmpty)
      }
    }

    @Test func `what others store during an edit is merged, and a conflict keeps the text`() async throws {
      try await Fleet.with { fleet in
        let ada = try fleet.person()
        try await ada.run("set", fleet.app, "a=1", "b=1")
        // The editor is slow: while it is open, somebody else stores the document.
        let others = "\(Fleet.program) set \(fleet.app) b=2 && sed -i 's/a = 1/a = 3/' \"$1\""
        try fleet.write("#!/bin/sh\n\(others)\n", to: fleet.root + "/editor")
        chmod(fleet.root + "/editor", 0o755)
        let edit = try await ada.run(["edit", fleet.app], adding: Self.editor(fleet, ada))
        #expect(edit.status == 0, "\(edit)")
        #expect(try await ada.run("list", fleet.app).output == "a = 3\nb = 2\n")
      }
    }

    @Test func `a text that cannot be stored after the editor has ended is kept`() async throws {
      try await Fleet.with { fleet in
        let key = fleet.root + "/key"
        let made = try await fleet.person("nobody").run("key", key)
        let ada = try fleet.person("ada", "signing-key = \"\(key)\"\n")
        let eve = try fleet.person(
          "eve", "trusted-keys = [\"\(made.output.trimmingCharacters(in: .newlines))\"]\n")
        try await ada.run("set", fleet.app, "a=1")
        let edit = try await eve.run(["edit", fleet.app], adding: ["EDITOR": "sed -i s/1/2/", "VISUAL": ""])
        #expect(edit.status == 5 && edit.error.contains("it is signed, and you have no key"), "\(edit)")
        let named = try #require(edit.error.firstMatch(of: #/Your text is in '(?<path>[^']+)'\./#))
        let path = fleet.root + "/" + named.path
        #expect(try String(contentsOfFile: path, encoding: .utf8) == "a = 2\n")
        try FileManager.default.removeItem(atPath: path)
        // Without a change there is nothing to keep.
        let same = try await eve.run(["edit", fleet.app], adding: ["EDITOR": "true", "VISUAL": ""])
        #expect(same.status == 0 && !same.error.contains("Your text"), "\(same)")
      }
    }

    /// The editor runs within the workspace of the command, so that the person's own directories have to be given again.
    private static func editor(_ fleet: Fleet, _ person: Party) -> [String: String] {
      let variables = person.environment.map { "\($0.key)='\($0.value)'" }.joined(separator: " ")
      return ["EDITOR": "env \(variables) \(fleet.root)/editor", "VISUAL": ""]
    }

    @Test func `a name that is like a known one makes no document unless that is wanted`() async throws {
      try await Fleet.withMachine(groups: ["kiosks"]) { fleet, ada, machine in
        let app = fleet.app
        let mirror = "/app-settings-acks/1/settings-fleet/\(app)-m1"
        try await fleet.cluster.withClient { client in
          let isThere = try await eventually { try await client.range(EtcdRange(.key(mirror))).count == 1 }
          #expect(isThere, "\(machine.said)")
        }
        #expect(try await ada.run("set", app, "--host", "desktop", "a=1").status == 0)
        let batch = #"{"set": "a", "value": 1}"#
        for (words, input) in [
          (["set", app, "--group", "kiosk", "a=1"], ""), (["set", app, "--host", "dekstop", "a=1"], ""),
          (["lock", app, "--group", "kiosk", "a"], ""), (["batch", app, "--group", "kiosk"], batch),
          (["edit", app, "--group", "kiosk"], ""),
        ] {
          let refused = try await ada.run(words, input: input)
          let (typed, meant) = words.contains("kiosk") ? ("kiosk", "kiosks") : ("dekstop", "desktop")
          let near = "'\(typed)'. Did you mean '\(meant)'?"
          #expect(refused.status == 3 && refused.error.contains(near), "\(words) \(refused)")
          #expect(refused.error.contains("--create"), "\(words) \(refused)")
        }
        let typo = app.replacing("example", with: "exmaple")
        for words in [
          ["set", typo, "a=1"], ["lock", typo, "a"], ["edit", typo], ["get", typo, "a"], ["status", typo],
        ] {
          let refused = try await ada.run(words)
          let status: Int32 = words[0] == "get" ? 1 : 3
          #expect(refused.status == status && refused.error.contains("Did you mean '\(app)'?"), "\(words) \(refused)")
        }
        let read = try await ada.run("get", app, "a", "--host", "dekstop")
        #expect(read.status == 1 && read.error.contains("Did you mean 'desktop'?"), "\(read)")
        // What is known, what is like nothing, and the next machine of a row.
        for place in [["--group", "kiosks"], ["--group", "elsewhere"], ["--host", "desk-1"], ["--host", "desk-2"]] {
          #expect(try await ada.run(["set", app, "a=1"] + place).status == 0)
        }
        #expect(try await ada.run("set", app, "--group", "kiosk", "--create", "a=1").status == 0)
        #expect(try await ada.run("set", app, "--group", "kiosk", "a=2").status == 0)
      }
    }

    @Test func `the log shows a text that does not parse, and nothing goes back to it`() async throws {
      try await Fleet.with { fleet in
        let ada = try fleet.person()
        try await ada.run("set", fleet.app, "a=1")
        try await fleet.cluster.withClient { _ = try await $0.put("/app-settings/1/\(fleet.app)/all/v1", "a = [\n") }
        let log = try await ada.run("log", fleet.app)
        let lines = log.output.split(separator: "\n").filter { $0.hasPrefix(" ") }
        let expected = ["  (this text or the one before it does not parse)", "  a: (none) -> 1"]
        #expect(lines.map(String.init) == expected, "\(log)")
        try await fleet.cluster.withClient { _ = try await $0.put("/app-settings/1/\(fleet.app)/all/v1", "b = [\n") }
        let undo = try await ada.run("undo", fleet.app)
        #expect(undo.status == 0, "\(undo)")
        #expect(try await ada.run("list", fleet.app).output == "a = 1\n")
        // Those that did not parse are passed over.
        #expect(try await ada.run("redo", fleet.app).status == 1)
        #expect(try await ada.run("undo", fleet.app).output.hasSuffix("  a: 1 -> (none)\n"))
        let over = try await ada.run("undo", fleet.app)
        #expect(over.status == 1 && over.error.contains("Nothing to undo"), "\(over)")
      }
    }

    @Test func `what mends a text that does not parse is undone to the one before that, or is not`() async throws {
      try await Fleet.with { fleet in
        let ada = try fleet.person()
        func put(_ text: String) async throws {
          try await fleet.cluster.withClient { _ = try await $0.put("/app-settings/1/\(fleet.app)/all/v1", text) }
        }
        try await ada.run("set", fleet.app, "a=1")
        for text in ["a = [\n", "b = [\n", "a = 2\n"] { try await put(text) }
        #expect(try await ada.run("undo", fleet.app).output.hasSuffix("  a: 2 -> 1\n"))
        #expect(try await ada.run("undo", fleet.app).output.hasSuffix("  a: 1 -> (none)\n"))
        // With nothing before that.
        try await put("a = [\n")
        try await fleet.cluster.withClient { client in
          _ = try await client.delete(.prefix("/app-settings/1/\(fleet.app)/"))
        }
        for text in ["a = [\n", "b = [\n"] { try await put(text) }
        #expect(try await ada.run("undo", fleet.app).status == 0)
        #expect(try await ada.run("export", fleet.app).output == "")
      }
    }

    @Test func `log, undo and former revisions show and take back changes`() async throws {
      try await Fleet.with { fleet in
        let ada = try fleet.person()
        try await ada.run("set", fleet.app, "a=1")
        try await ada.run("set", fleet.app, "a=2")
        try await ada.run("set", fleet.app, "b=1")
        let log = try await ada.run("log", fleet.app)
        let revisions = log.output.split(separator: "\n").filter { $0.hasPrefix("#") }.map {
          String($0.dropFirst().prefix { $0 != " " })
        }
        #expect(
          revisions.count == 3 && log.output.contains("  a: 1 -> 2\n") && log.output.contains("  a: (none) -> 1\n"),
          "\(log)")
        #expect(try await ada.run("get", fleet.app, "a", "--at", revisions[2]).output == "1\n")
        // The change of a, which is not the last one.
        let undo = try await ada.run("undo", fleet.app, "--revision", revisions[1])
        #expect(undo.status == 0, "\(undo)")
        #expect(try await ada.run("list", fleet.app).output == "a = 1\nb = 1\n")
        let json = try await ada.run("log", fleet.app, "--json", "--limit", "1")
        #expect(json.output.contains(#""reason":"undo""#), "\(json)")
        #expect(try await ada.run("undo", fleet.app, "--revision", "1").status == 1)
      }
    }

    @Test func `locks are part of the document`() async throws {
      try await Fleet.with { fleet in
        let ada = try fleet.person()
        try await ada.run("set", fleet.app, "a=1")
        #expect(try await ada.run("lock", fleet.app, "a", "--reason", "See 4711.").status == 0)
        let machine = try fleet.machine("m1")
        try machine.start()
        #expect(try await eventually { machine.text()?.contains("reason = \"See 4711.\"") ?? false }, "\(machine.said)")
        #expect(try await ada.run("unlock", fleet.app, "a").status == 0)
        #expect(try await machine.wait(for: "a = 1\n"))
      }
    }

    @Test func `a new version stands beside the old one, which is then read and no longer written`() async throws {
      try await Fleet.with { fleet in
        let old = fleet.root + "/old"
        try fleet.schema(Self.schema, in: old)
        try fleet.schema(
          "[keys.port]\ntype = \"integer\"\n[[migrations]]\nversion = 2\nname = \"name the port\"\n"
            + "steps = [{ rename = \"p\", to = \"port\" }]\n")
        let ada = try fleet.person()
        let eve = Party(
          fleet: fleet, environment: ada.environment.merging(["XDG_DATA_DIRS": fleet.root + "/none"]) { $1 })
        try await eve.run("set", fleet.app, "p=80")
        let (before, after) = (try fleet.machine("before", share: old), try fleet.machine("after"))
        for machine in [before, after] { try machine.start() }
        #expect(try await after.wait(for: "p = 80\n"), "\(after.said)")
        let migrated = try await withThrowingTaskGroup(of: Int32.self) { group in
          for _ in 0..<4 { group.addTask { try await ada.run("migrate", fleet.app).status } }
          return try await group.reduce(into: []) { $0.append($1) }
        }
        #expect(migrated.allSatisfy { $0 == 0 }, "\(migrated)")
        #expect(try await after.wait(for: "settings-version = 2\nport = 80\n"), "\(after.said)")
        let oldWriter = Party(fleet: fleet, environment: ada.environment.merging(["XDG_DATA_DIRS": old]) { $1 })
        let refused = try await oldWriter.run("set", fleet.app, "theme=dark")
        #expect(refused.status == 8 && refused.error.contains("version 2"), "\(refused)")
        #expect(before.text() == "p = 80\n" || before.text() == nil)
      }
    }

    @Test func `what is to come from standard input is read from it`() async throws {
      try await Fleet.with { fleet in
        let ada = try fleet.person()
        let first = try await ada.run(
          ["import", fleet.app, "--create", "--format", "toml", "-"], input: "[b]\ny=3\n")
        #expect(first.status == 0, "\(first)")
        #expect(try await ada.run("get", fleet.app, "b.y").output == "3\n")
        let second = try await ada.run(["set", fleet.app, "--create", "text", "-"], input: "from a pipe\n")
        #expect(second.status == 0, "\(second)")
        #expect(try await ada.run("get", fleet.app, "text").output == "from a pipe\n")
        for words in [["text=-"], ["list", "--append", "-"]] {
          let third = try await ada.run(["set", fleet.app, "--create"] + words, input: "from another\n")
          #expect(third.status == 0, "\(words) \(third)")
        }
        #expect(try await ada.run("get", fleet.app, "text").output == "from another\n")
        #expect(try await ada.run("get", fleet.app, "list").output == "[\"from another\"]\n")
        for (words, text) in [(["--", "-"], "-"), (["x=-"], "x=-")] {
          let literal = try await ada.run(["set", fleet.app, "text"] + words, input: "unread\n")
          #expect(literal.status == 0, "\(literal)")
          #expect(try await ada.run("get", fleet.app, "text").output == "\(text)\n")
        }
        let cut = try await ada.run(
          ["import", fleet.app, "--create", "--format", "toml", "-"], input: "c=1\n",
          adding: ["SETTINGS_CLI_INPUT_BYTES": "8"])
        #expect(cut.status == 7 && cut.error.contains("ended after 4 bytes"), "\(cut)")
      }
    }

    @Test func `advice is about the document and the fleet, and names no file of this machine`() async throws {
      try await Fleet.with { fleet in
        let ada = try fleet.person()
        try await ada.run("set", fleet.app, "--group", "lab", "a=1")
        let unset = try await ada.run("unset", fleet.app, "--group", "lab", "--all")
        #expect(unset.status == 0 && !unset.output.contains("backup") && unset.error.isEmpty, "\(unset)")
        try await fleet.cluster.withClient { client in
          let key = "/app-settings/1/\(fleet.app)/group/lab/v1"
          _ = try await client.put(key, "a = \n")
          let broken = try await ada.run("set", fleet.app, "--group", "lab", "a=2")
          #expect(broken.status == 6, "\(broken)")
          #expect(broken.error.contains("'settings-fleet edit \(fleet.app) --group lab'"), "\(broken)")
          #expect(broken.error.contains("'settings-fleet undo \(fleet.app) --group lab'"), "\(broken)")
          #expect(!broken.error.contains("settings-cli edit") && !broken.error.contains("recover"), "\(broken)")
          #expect(!broken.error.contains("drop-in"), "\(broken)")
        }
        let unknown = try await ada.run("unset", "org.nobody.app", "a")
        #expect(unknown.status == 3 && unknown.error.contains("'settings-fleet status' lists"), "\(unknown)")
      }
    }

    @Test func `a revision that is compacted is said in words`() async throws {
      let cluster = try await EtcdCluster.start(options: CommandTests.patient)
      defer { cluster.stop() }
      try await Fleet.with(cluster) { fleet in
        let ada = try fleet.person()
        for number in 1...3 { try await ada.run("set", fleet.app, "a=\(number)") }
        try await cluster.withClient { client in
          let revision = try await client.range(EtcdRange(.key("x"))).header.revision
          try await client.compact(revision: revision)
        }
        for words in [["undo", fleet.app, "--revision", "2"], ["get", fleet.app, "a", "--at", "2"]] {
          let answer = try await ada.run(words)
          #expect(answer.status == 1 && answer.error.contains("it has been compacted"), "\(answer)")
        }
      }
    }

    @Test func `the last change is shown after a compaction, as far as it is known`() async throws {
      let cluster = try await EtcdCluster.start(options: CommandTests.patient)
      defer { cluster.stop() }
      try await Fleet.with(cluster) { fleet in
        let ada = try fleet.person()
        for value in ["a=1", "a=2"] { try await ada.run("set", fleet.app, "--create", value) }
        try await ada.run("set", fleet.app + ".other", "--create", "a=1")
        try await cluster.withClient { client in
          let revision = try await client.put("x", "")
          try await client.compact(revision: revision)
        }
        let log = try await ada.run("log", fleet.app)
        // What was before is not known: nothing says that 'a' had no value.
        #expect(log.status == 0 && log.output.contains(" set by ") && !log.output.contains("a:"), "\(log)")
        #expect(log.error.contains("have been compacted away"), "\(log)")
        let undo = try await ada.run("undo", fleet.app)
        #expect(undo.status == 1 && undo.error.contains("the text before it has been compacted away"), "\(undo)")
        let first = try await ada.run("log", fleet.app + ".other")
        #expect(first.status == 0 && first.output.contains("  a: (none) -> 1\n") && first.error.isEmpty, "\(first)")
        let early = try await ada.run("undo", fleet.app, "--revision", "99999")
        #expect(early.status == 1 && early.error.contains("99999 is not in the cluster yet"), "\(early)")
      }
    }

    @Test func `mistakes in words are said before anything is asked of the cluster`() async throws {
      try await Fleet.with { fleet in
        let ada = try fleet.person()
        for (words, word) in [
          (["get"], "settings-fleet: Missing expected argument"),
          (["staus"], "settings-fleet: Unknown verb 'staus'. Did you mean 'status'?\n"),
          (["show", fleet.app], "Unknown verb 'show'. For that there is 'settings-fleet list APP'.\n"),
          (["set", fleet.app, "--group", "../x", "a=1"], "Invalid value '../x'"),
          (["set", fleet.app, "--system", "a=1"], "another file"), (["set", "..", "a=1"], "Invalid app"),
          (["get", fleet.app, "--at", "x", "a"], "Invalid value 'x'"),
          (["set", fleet.app, "--group", "a", "--host", "b", "x=1"], "once"),
          (["set", fleet.app, "--group=../x", "a=1"], "Invalid value '../x'"),
          (["set", fleet.app, "--layer=user", "a=1"], "'--layer' leads to another file"),
          (["get", fleet.app, "--at=0", "a"], "Invalid value '0'"),
          (["lock", "--reason", "org.example.why"], "Missing expected argument '<app>'"),
          (["apply", ".", "--source", "../x"], "'../x' for '--source': a name has 1 to 253 of "),
          (["rollout", "--canaries", "../x", fleet.app, "set", "a=1"], "'--canaries': a name has 1 to 200 of "),
        ] {
          let answer = try await ada.run(words)
          #expect(answer.status == 2 && answer.error.contains(word), "\(words): \(answer)")
        }
        #expect(try await ada.run("set", "--help").output.contains("settings-fleet set APP KEY VALUE"))
        for (words, usage) in [([], "USAGE: settings-fleet <sub"), (["access"], "USAGE: settings-fleet access <sub")] {
          let help = try await ada.run(words)
          #expect(help.status == 2 && help.output.contains(usage), "\(words): \(help)")
        }
      }
    }

    @Test(arguments: FleetCommand.configuration.subcommands.map { $0._commandName })
    func `every verb shows its help`(verb: String) async throws {
      try await Fleet.with { fleet in
        let answer = try await fleet.person().run(verb, "--help")
        #expect(answer.status == 0 && answer.error.isEmpty, "\(answer)")
        #expect(answer.output.hasPrefix("OVERVIEW: ") && answer.output.contains("USAGE: settings-fleet \(verb)"))
      }
    }
  }
}
