import EtcdClient
import EtcdTesting
import Foundation
import SettingsFleet
import Testing

extension CommandTests {
  @Suite(.serialized) struct SealingTests {
    private static let schema = """
      [keys.port]
      type = "integer"
      [keys."db.password"]
      type = "string"
      pattern = "[a-z0-9]+"
      secret = true
      [keys.pin]
      type = "integer"
      minimum = 1000
      secret = true
      [keys.'"a/b".c']
      type = "string"
      secret = true

      """

    /// A key of a machine: its file, and the public part.
    private static func key(_ name: String, in fleet: Fleet) async throws -> (file: String, line: String) {
      let file = "\(fleet.root)/\(name)"
      let made = try await fleet.person("keymaker").run("key", "--sealing", file)
      #expect(made.status == 0, "\(made)")
      return (file, made.output.trimmingCharacters(in: .newlines))
    }

    /// A person who seals for keys, each with a comment.
    private static func person(_ keys: [String], in fleet: Fleet, _ settings: String = "") throws -> Party {
      let lines = keys.enumerated().map { "\"\($1) key \($0 + 1)\"" }.joined(separator: ", ")
      return try fleet.person("ada", "sealing-keys = [\(lines)]\n" + settings)
    }

    /// The files in a directory and below whose bytes contain a text.
    private static func files(below root: String, containing text: String) -> [String] {
      let paths = FileManager.default.subpaths(atPath: root) ?? []
      return paths.filter { path in
        FileManager.default.contents(atPath: "\(root)/\(path)")?.range(of: Data(text.utf8)) != nil
      }
    }

    @Test func `two machines open a secret with keys of their own, and it is in plain nowhere else`() async throws {
      try await Fleet.with { fleet in
        try fleet.schema(Self.schema)
        let keys = try await [Self.key("k1", in: fleet), Self.key("k2", in: fleet)]
        let signing = try await fleet.person("keymaker").run("key", fleet.root + "/signing").output
        // What children get as arguments and variables, which others could see, is in a file that is searched below.
        let recorder = fleet.root + "/recorder"
        try fleet.write(
          "#!/bin/sh\n{ echo \"$@\"; env; } >>'\(fleet.root)/calls'\nexec '\(Fleet.cli!)' \"$@\"\n", to: recorder)
        try FileManager.default.setAttributes([.posixPermissions: 0o755], ofItemAtPath: recorder)
        func recorded(_ party: Party) -> Party {
          Party(fleet: fleet, environment: party.environment.merging(["SETTINGS_CLI": recorder]) { $1 })
        }
        let ada = recorded(
          try Self.person(keys.map(\.line), in: fleet, "signing-key = \"\(fleet.root)/signing\"\n"))
        let trusted = "trusted-keys = [\"\(signing.trimmingCharacters(in: .newlines))\"]\n"
        let plain = try fleet.machine("m1", trusted + "unsealing-keys = [\"\(keys[0].file)\"]\n")
        let first = MachineParty(party: recorded(plain.party), directory: plain.directory)
        // As systemd hands it over.
        let second = try fleet.machine("m2", trusted)
        let credentials = second.party.environment["CREDENTIALS_DIRECTORY"]!
        try FileManager.default.createDirectory(atPath: credentials, withIntermediateDirectories: true)
        try FileManager.default.copyItem(atPath: keys[1].file, toPath: credentials + "/unsealing-key")
        let machines = [first, second]
        for machine in machines { try machine.start() }
        try await ada.run("set", fleet.app, "port=80")
        let (secret, other) = ("hunter2x41c7", "wolf33d09ae")
        let sealed = try await ada.run(["seal", fleet.app, "db.password"], input: secret + "\n")
        #expect(sealed.status == 0 && sealed.output.isEmpty && sealed.error.isEmpty, "\(sealed)")
        for machine in machines { #expect(try await machine.wait(forSecret: secret), "\(machine.said)") }
        let status = try await ada.run("status", fleet.app, "--wait", "60s", "--json")
        #expect(status.status == 0, "\(status)")
        let attributes = { try FileManager.default.attributesOfItem(atPath: $0)[.posixPermissions] as? Int }
        #expect(try attributes(first.secrets + "/db.password") == 0o600)
        #expect(try attributes(first.secrets) == 0o700)
        #expect(try attributes(first.secrets + "/..") == 0o700)

        let again = try await ada.run(
          ["seal", fleet.app, "db.password", "--host", "m2", "--for", "key 2"], input: other)
        #expect(again.status == 0, "\(again)")
        #expect(try await second.wait(forSecret: other), "\(second.said)")
        #expect(try await ada.waitUntilApplied(by: 2))
        #expect(first.secret() == secret)
        // Nothing else changes with the next edit, and everything below shows no secret.
        try await ada.run("set", fleet.app, "port=81")
        for verb in ["list", "log", "export", "check", "diff", "describe"] {
          let answer = try await ada.run(verb, fleet.app)
          #expect(!"\(answer)".contains(secret) && !"\(answer)".contains(other), "\(verb) \(answer)")
        }
        for machine in machines { #expect(try await machine.wait { $0?.contains("port = 81") == true }) }
        machines.forEach { $0.stop() }
        let calls = try String(contentsOfFile: fleet.root + "/calls", encoding: .utf8)
        #expect(calls.contains("set \(fleet.app)"))
        for text in [secret, other] {
          let places = Self.files(below: fleet.root, containing: text)
          #expect(places.allSatisfy { $0.contains("/fleet-secrets/") } && !places.isEmpty, "\(places)")
          for member in fleet.cluster.members {
            #expect(Self.files(below: member.directory, containing: text).isEmpty)
          }
        }
        try await fleet.cluster.withClient { client in
          let items = try await client.rangeAll(EtcdRange(.prefix("/"))).keyValues
          let all = items.map { String(decoding: $0.key + $0.value, as: UTF8.self) }.joined()
          #expect(all.contains("settings-sealed") && !all.contains(secret) && !all.contains(other))
        }
      }
    }

    @Test func `a recipient can be named by its id, and a public part is printed again`() async throws {
      try await Fleet.with { fleet in
        try fleet.schema(Self.schema)
        let keys = try await [Self.key("k1", in: fleet), Self.key("k2", in: fleet)]
        let ada = try Self.person(keys.map(\.line), in: fleet)
        let shown = try await ada.run("key", "--sealing", "--show", keys[0].file)
        #expect(shown.status == 0 && shown.output == keys[0].line + "\n", "\(shown)")
        let signing = fleet.root + "/signing"
        try await ada.run("key", signing)
        let refused = try await ada.run("key", "--sealing", "--show", signing)
        #expect(refused.status == 4 && refused.error.contains("is not a key that opens secrets"), "\(refused)")
        let machine = try fleet.machine("m1", "unsealing-keys = [\"\(keys[0].file)\"]\n")
        try machine.start()
        let id = try #require(SealingKey(fileText: keys[0].line)).id
        let sealed = try await ada.run(["seal", fleet.app, "db.password", "--for", id], input: "a1b2")
        #expect(sealed.status == 0, "\(sealed)")
        #expect(try await machine.wait(forSecret: "a1b2"), "\(machine.said)")
        #expect(machine.text()?.contains(id) == true)
        let nobody = try await ada.run(["seal", fleet.app, "db.password", "--for", "eve"], input: "c3")
        #expect(nobody.status == 2 && nobody.error.contains("'eve'"), "\(nobody)")
        #expect(machine.secret() == "a1b2")
        machine.stop()
      }
    }

    @Test func `a group's secret counts over that for all, and one that is removed has no file`() async throws {
      try await Fleet.with { fleet in
        try fleet.schema(Self.schema)
        let key = try await Self.key("k", in: fleet)
        let ada = try Self.person([key.line], in: fleet)
        let machine = try fleet.machine("m1", groups: ["lab"], "unsealing-keys = [\"\(key.file)\"]\n")
        try machine.start()
        try await ada.run(["seal", fleet.app, "db.password", "--group", "lab"], input: "lab1")
        #expect(try await machine.wait(forSecret: "lab1"), "\(machine.said)")
        try await ada.run(["seal", fleet.app, "db.password"], input: "all1")
        try await ada.run(["seal", fleet.app, "pin"], input: "4711")
        #expect(try await machine.wait(forSecret: "4711", "pin"), "\(machine.said)")
        #expect(machine.secret() == "lab1")
        // An undo brings back what was sealed before.
        try await ada.run(["seal", fleet.app, "pin"], input: "5000")
        #expect(try await machine.wait(forSecret: "5000", "pin"))
        let undone = try await ada.run("undo", fleet.app)
        #expect(undone.status == 0, "\(undone)")
        #expect(try await machine.wait(forSecret: "4711", "pin"), "\(machine.said)")
        let removed = try await ada.run("seal", "--remove", fleet.app, "db.password", "--group", "lab")
        #expect(removed.status == 0, "\(removed)")
        #expect(try await machine.wait(forSecret: "all1"), "\(machine.said)")
        #expect(try await machine.wait(for: "", in: "20-group-lab"))
        for key in ["db.password", "pin"] { try await ada.run("seal", "--remove", fleet.app, key) }
        #expect(try await eventually { !FileManager.default.fileExists(atPath: machine.secrets) }, "\(machine.said)")
        #expect(try await ada.run("seal", "--remove", fleet.app, "pin").status == 1)
      }
    }

    @Test func `what does not open, or what the machine's schema refuses, leaves the last good text and secret`()
      async throws
    {
      try await Fleet.with { fleet in
        try fleet.schema(Self.schema)
        let keys = try await [Self.key("k1", in: fleet), Self.key("k2", in: fleet)]
        let share = fleet.root + "/machines"
        try fleet.schema(Self.schema.replacingOccurrences(of: "[a-z0-9]+", with: "[a-z]+"), in: share)
        let machine = try fleet.machine("m1", "unsealing-keys = [\"\(keys[0].file)\"]\n", share: share)
        try machine.start()
        let ada = try Self.person(keys.map(\.line), in: fleet)
        try await ada.run(["seal", fleet.app, "db.password"], input: "good")
        #expect(try await machine.wait(forSecret: "good"), "\(machine.said)")
        let text = machine.text()

        try await ada.run(["seal", fleet.app, "db.password"], input: "bad4u")
        #expect(try await eventually { try await ada.run("status", fleet.app).output.contains("1 refused") })
        let refused = try await ada.run("status", fleet.app)
        #expect(
          refused.output.contains(
            "m1 refused all: line 2: The sealed value of 'db.password' cannot be read: the app needs a string that "
              + "matches '[a-z]+'."), "\(refused)")
        try await ada.run(["seal", fleet.app, "db.password", "--for", "key 2"], input: "otherkey")
        #expect(try await eventually { try await ada.run("status", fleet.app).output.contains("other keys than") })
        let status = try await ada.run("status", fleet.app, "--json")
        #expect(status.output.contains("settings-sealed.db.password") && status.output.contains("not-opened"))
        for output in [refused.output, status.output, machine.said] {
          #expect(!output.contains("bad4u") && !output.contains("otherkey"), "\(output)")
        }
        #expect(machine.text() == text && machine.secret() == "good")

        // The machine gets the key.
        machine.stop()
        let both = try fleet.machine(
          "m1", "unsealing-keys = [\"\(keys[0].file)\", \"\(keys[1].file)\"]\n", share: share)
        try both.start()
        #expect(try await both.wait(forSecret: "otherkey"), "\(both.said)")
        both.stop()
        // And loses both: the text is what it was, and the machine says that it cannot open it.
        let none = try fleet.machine("m1", share: share)
        try none.start()
        #expect(
          try await eventually { try await ada.run("status", fleet.app).output.contains("unsealing-keys") },
          "\(none.said)")
        #expect(none.secret() == "otherkey")
      }
    }

    @Test func `a mirror that is killed leaves whole secrets, and its next start completes them without the cluster`()
      async throws
    {
      try await Fleet.with { fleet in
        try fleet.schema(Self.schema)
        let key = try await Self.key("k", in: fleet)
        let ada = try Self.person([key.line], in: fleet)
        let machine = try fleet.machine("m1", "unsealing-keys = [\"\(key.file)\"]\n")
        try machine.start()
        func value(_ number: Int) -> String { String(repeating: "\(number)", count: 30_000) }
        try await ada.run(["seal", fleet.app, "db.password"], input: value(0))
        #expect(try await machine.wait(forSecret: value(0)))
        for number in 1...4 {
          let text = machine.text()
          try await ada.run(["seal", fleet.app, "db.password"], input: value(number))
          // The text is there, and the secret perhaps.
          #expect(try await machine.wait { $0 != text })
          machine.kill()
          #expect([value(number - 1), value(number)].contains(machine.secret() ?? "none"))
          try fleet.write("torn", to: machine.secrets + "/.new")
          try fleet.write("old", to: machine.secrets + "/former")
          let plain = "\(machine.secrets)/../../fleet-mirror/staging/credentials"
          try FileManager.default.createDirectory(atPath: plain, withIntermediateDirectories: true)
          try fleet.write("left", to: plain + "/db.password")
          if number.isMultiple(of: 2) { try FileManager.default.removeItem(atPath: machine.secrets + "/db.password") }
          let alone = "\(fleet.root)/alone\(number)"
          try FileManager.default.createDirectory(atPath: alone + "/settings-fleet", withIntermediateDirectories: true)
          try fleet.write(
            "endpoints = [\"http://127.0.0.1:1\"]\nplaintext = true\ntimeout = \"1s\"\nmachine = \"x\"\nhost = \"m1\"\n"
              + "unsealing-keys = [\"\(key.file)\"]\n", to: alone + "/settings-fleet/settings.toml")
          let once = try await machine.party.run(["mirror", "--once"], adding: ["XDG_CONFIG_DIRS": alone])
          #expect(once.status == 11, "\(once)")
          #expect(machine.secret() == value(number))
          #expect(try FileManager.default.contentsOfDirectory(atPath: machine.secrets) == ["db.password"])
          #expect(!FileManager.default.fileExists(atPath: plain))
          try machine.start()
        }
      }
    }

    @Test func `a mirrored file that is damaged takes no secret away`() async throws {
      try await Fleet.with { fleet in
        try fleet.schema(Self.schema)
        let key = try await Self.key("k", in: fleet)
        let ada = try Self.person([key.line], in: fleet)
        let machine = try fleet.machine("m1", "unsealing-keys = [\"\(key.file)\"]\n")
        try machine.start()
        try await ada.run(["seal", fleet.app, "db.password"], input: "first")
        #expect(try await machine.wait(forSecret: "first"), "\(machine.said)")
        // The same for somebody who edits or removes a secret, even long after the mirror has looked at it.
        let app = fleet.app
        #expect(try await eventually { try await ada.run(["status", app]).output.contains("1 applied") })
        try fleet.write("edited", to: machine.secrets + "/db.password")
        #expect(try await machine.wait(forSecret: "first"), "\(machine.said)")
        try FileManager.default.removeItem(atPath: machine.secrets)
        #expect(try await machine.wait(forSecret: "first"), "\(machine.said)")
        machine.stop()
        #expect(!machine.said.contains("Cannot answer"), "\(machine.said)")
        try fleet.write("not [ a document", to: machine.directory + "/10-all.toml")
        // A cluster that is not there cannot give the text again.
        let alone = "\(fleet.root)/alone"
        try FileManager.default.createDirectory(atPath: alone + "/settings-fleet", withIntermediateDirectories: true)
        try fleet.write(
          "endpoints = [\"http://127.0.0.1:1\"]\nplaintext = true\nmachine = \"x\"\nhost = \"m1\"\n"
            + "unsealing-keys = [\"\(key.file)\"]\n", to: alone + "/settings-fleet/settings.toml")
        #expect(try await machine.party.run(["mirror", "--once"], adding: ["XDG_CONFIG_DIRS": alone]).status == 11)
        #expect(machine.secret() == "first")
      }
    }

    @Test func `documents with sealed values are migrated and edited like others`() async throws {
      try await Fleet.with { fleet in
        let key = try await Self.key("k", in: fleet)
        let ada = try Self.person([key.line], in: fleet)
        try await ada.run("set", fleet.app, "p=80")
        try fleet.schema(
          Self.schema + "[[migrations]]\nversion = 2\nname = \"name the port\"\n"
            + "steps = [{ rename = \"p\", to = \"port\" }]\n")
        let machine = try fleet.machine(
          "m1", "unsealing-keys = [\"\(key.file)\"]\n", share: fleet.root + "/none")
        try machine.start()
        let sealed = try await ada.run(["seal", fleet.app, "db.password"], input: "first")
        #expect(sealed.status == 0, "\(sealed)")
        #expect(try await machine.wait(forSecret: "first"), "\(machine.said)")
        #expect(machine.text()?.hasPrefix("settings-version = 2\nport = 80\n") == true)
        try await ada.run(["seal", fleet.app, "pin", "--host", "m1"], input: "4711\n")
        #expect(try await machine.wait(forSecret: "4711", "pin"), "\(machine.said)")
        #expect(machine.text("30-host")?.hasPrefix("settings-version = 2\n") == true)

        // Writers at the same time lose nothing, and all see one another's values.
        let statuses = try await withThrowingTaskGroup(of: Int32.self) { group in
          group.addTask { try await ada.run("set", fleet.app, "port=81").status }
          group.addTask { try await ada.run(["seal", fleet.app, "pin"], input: "5000").status }
          group.addTask { try await ada.run(["seal", fleet.app, "db.password"], input: "second").status }
          group.addTask {
            let script = "sed -i 's/^port/# A comment.\\nport/'"
            return try await ada.run(["edit", fleet.app], adding: ["EDITOR": script, "VISUAL": ""]).status
          }
          return try await group.reduce(into: []) { $0.append($1) }
        }
        #expect(statuses.allSatisfy { $0 == 0 }, "\(statuses)")
        #expect(try await machine.wait(forSecret: "second"), "\(machine.said)")
        #expect(try await machine.wait { $0?.contains("# A comment.\nport = 81\n") == true }, "\(machine.said)")
        #expect(machine.secret("pin") == "4711")
        try await ada.run("seal", "--remove", fleet.app, "pin", "--host", "m1")
        #expect(try await machine.wait(forSecret: "5000", "pin"), "\(machine.said)")
        // What is for settings leaves sealed values alone.
        #expect(try await ada.run("unset", fleet.app, "--all").status == 0)
        #expect(try await machine.wait { $0?.contains("port") == false })
        #expect(machine.secret() == "second")
      }
    }

    /// Starts a command at a terminal, prints what the temporary directory has while the command asks for a value, and
    /// presses Ctrl-C.
    private static let asking = """
      import os, pty, signal, sys
      signal.pthread_sigmask(signal.SIG_SETMASK, [])  # a thread of a test has blocked them
      signal.signal(signal.SIGINT, signal.SIG_DFL)  # ignored by a shell that runs the tests in the background
      pid, terminal = pty.fork()
      if pid == 0: os.execv(sys.argv[1], sys.argv[1:])
      said = b""
      while b"Value of 'db.password': " not in said: said += os.read(terminal, 65536)
      print([name for name in os.listdir(os.environ["TMPDIR"]) if name.startswith("settings-fleet-")])
      os.write(terminal, b"\\x03")
      print(os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]) != 0)
      """

    @Test func `at the prompt of a value no directory waits to be removed`() async throws {
      let python = "/usr/bin/python3"
      guard FileManager.default.isExecutableFile(atPath: python) else {
        return print("No terminal is tried: python3 is not installed.")
      }
      try await Fleet.with { fleet in
        try fleet.schema(Self.schema)
        let key = try await Self.key("k", in: fleet)
        let ada = try Self.person([key.line], in: fleet)
        let process = ada.process(["-c", Self.asking, Fleet.program, "seal", fleet.app, "db.password"])
        process.executableURL = URL(fileURLWithPath: python)
        let output = Pipe()
        process.standardOutput = output
        let said = try await ended(process, output)
        #expect(said == "[]\nTrue\n")
      }
    }

    private func ended(_ process: Process, _ output: Pipe) async throws -> String {
      try process.run()
      return await withCheckedContinuation { continuation in
        Thread.detachNewThread {
          let text = output.fileHandleForReading.readDataToEndOfFile()
          process.waitUntilExit()
          continuation.resume(returning: String(decoding: text, as: UTF8.self))
        }
      }
    }

    @Test func `what cannot be sealed is refused, and nothing is stored`() async throws {
      try await Fleet.with { fleet in
        let key = try await Self.key("k", in: fleet)
        let ada = try Self.person([key.line], in: fleet)
        func refuse(
          _ words: [String], input: String = "good", by party: Party? = nil, _ status: Int32, _ message: String
        ) async throws {
          let answer = try await (party ?? ada).run(["seal", fleet.app] + words, input: input)
          #expect(answer.status == status && answer.error.contains(message), "\(words): \(answer)")
          #expect(!answer.error.contains("leaked"), "\(answer)")
        }
        try await refuse(["db.password"], 3, "has no schema here")
        try fleet.schema(Self.schema)
        try await refuse(["port"], input: "80", 4, "does not mark it as a secret")
        try await refuse(["db.passwort"], 3, "Unknown key 'db.passwort'")
        try await refuse(["db"], 4, "is a table")
        try await refuse(["db.password"], input: "Leaked-leaked", 4, "needs a string that matches '[a-z0-9]+'")
        try await refuse(["pin"], input: "leaked", 4, "needs an integer from 1000")
        try await refuse(["db.password"], input: "", 4, "standard input is empty")
        try await refuse(["db.password", "leaked"], 2, "on standard input")
        try await refuse(["db.password=leaked"], 2, "on standard input")
        try await refuse(["\"a/b\".c"], 4, "letters, digits")
        try await refuse(["db.password", "--for", "nobody"], 2, "'nobody'")
        try await refuse(["db.password"], input: String(repeating: "a", count: 70_000), 4, "at most 65536 bytes")
        try await refuse(["db.password"], by: try fleet.person("eve"), 4, "nobody to seal for")
        #expect(try await ada.run("get", fleet.app, "port").status == 1)
        // By hand, without the command.
        try fleet.write("settings-sealed.db.password = 'leaked'\n", to: fleet.root + "/text")
        let edited = try await ada.run(["edit", fleet.app], adding: ["EDITOR": "cp \(fleet.root)/text", "VISUAL": ""])
        #expect(edited.status == 4 && edited.error.contains("is not a sealed value"), "\(edited)")
        // A key file that others can read is refused.
        try FileManager.default.setAttributes([.posixPermissions: 0o644], ofItemAtPath: key.file)
        let machine = try fleet.machine("m1", "unsealing-keys = [\"\(key.file)\"]\n")
        let open = try await machine.party.run("mirror", "--once")
        #expect(open.status == 4 && open.error.contains("Others can read"), "\(open)")
      }
    }
  }
}
