import EtcdClient
import EtcdTesting
import Foundation
import SettingsFleet
import Testing

@testable import settings_fleet

extension CommandTests.Owners {
  struct ApplyTests {
    /// A directory of documents on disk.
    private struct Tree {
      let path: String

      init(_ fleet: Fleet, _ name: String = "tree", _ files: [String: String] = [:]) throws {
        path = "\(fleet.root)/\(name)"
        try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
        for (file, text) in files { try write(text, as: file) }
      }

      func write(_ text: String, as file: String) throws {
        let url = URL(fileURLWithPath: "\(path)/\(file)")
        try FileManager.default.createDirectory(at: url.deletingLastPathComponent(), withIntermediateDirectories: true)
        try Data(text.utf8).write(to: url)
      }

      func remove(_ file: String) throws { try FileManager.default.removeItem(atPath: "\(path)/\(file)") }

      var files: [String: [UInt8]] {
        var files: [String: [UInt8]] = [:]
        for case let file as String in FileManager.default.enumerator(atPath: path) ?? .init() {
          if let data = FileManager.default.contents(atPath: "\(path)/\(file)"), file.hasSuffix(".toml") {
            files[file] = Array(data)
          }
        }
        return files
      }
    }

    @Test func `a directory is planned, applied and exported, with its comments`() async throws {
      try await Fleet.with { fleet in
        let (ada, app) = (try fleet.person(), fleet.app)
        let text = "# Why?\na = 1   # one\n\n[t]\nb='x'"
        let tree = try Tree(
          fleet, "tree",
          ["\(app)/all.toml": text, "\(app)/group/lab.toml": "a = 2\r\n", "README.md": "", ".git/all.toml": ""])
        let machine = try fleet.machine("m1", groups: ["lab"])
        try machine.start()
        let plan = try await ada.run("apply", tree.path, "--plan")
        #expect(plan.status == 10 && plan.error.isEmpty, "\(plan)")
        #expect(
          plan.output == """
            + \(app)/all
                a: (none) -> 1
                t.b: (none) -> "x"
            + \(app)/group/lab
                a: (none) -> 2
            2 to create, 0 unchanged

            """)
        #expect(try await ada.run("get", app, "a").status == 1)
        let applied = try await ada.run("apply", tree.path)
        #expect(applied.status == 0 && applied.error.hasPrefix("settings-fleet: stored 2 documents at"), "\(applied)")
        #expect(try await machine.wait(for: text))
        #expect(try await machine.wait(for: "a = 2\r\n", in: "20-group-lab"))
        for words in [["apply", tree.path, "--plan"], ["apply", tree.path]] {
          let again = try await ada.run(words)
          #expect(again.status == 0 && again.output == "2 unchanged\n" && again.error.isEmpty, "\(again)")
        }
        let json = try await ada.run("apply", tree.path, "--plan", "--json")
        #expect(
          json.output.contains(#""documents":[],"doubtful":[],"left":[],"refused":[],"transactions":0,"unchanged":2"#),
          "\(json)")
        let copy = try Tree(fleet, "copy", ["\(app)/all.toml": "old = 1\n", "\(app)/host/h.toml": "mine = 1\n"])
        let exported = try await ada.run("export", "--tree", copy.path, app)
        #expect(exported.status == 0 && exported.output == "2 documents\n", "\(exported)")
        #expect(exported.error == "settings-fleet: note: '\(app)/host/h.toml' is not in the fleet.\n")
        try copy.remove("\(app)/host/h.toml")
        #expect(copy.files == tree.files.filter { !$0.key.hasPrefix(".git") })
        let log = try await ada.run("log", app)
        #expect(log.output.contains(" apply by "), "\(log)")
      }
    }

    @Test func `what was changed by hand is named, and left or replaced as --take says`() async throws {
      try await Fleet.with { fleet in
        let (ada, app) = (try fleet.person(), fleet.app)
        let tree = try Tree(fleet, "tree", ["\(app)/all.toml": "a = 1\n", "\(app)/host/h.toml": "a = 1\n"])
        #expect(try await ada.run("apply", tree.path).status == 0)
        try await ada.run("set", app, "a=9")
        try tree.write("a = 2\n", as: "\(app)/host/h.toml")
        for words in [["--plan"], []] {
          let refused = try await ada.run(["apply", tree.path] + words)
          #expect(refused.status == 9 && refused.error.contains("'\(app)/all' was changed after it was"), "\(refused)")
          #expect(refused.error.contains(", set by ") && refused.error.contains("--take ours"), "\(refused)")
        }
        #expect(try await ada.run("get", app, "a", "--host", "h").output == "1\n")
        let theirs = try await ada.run("apply", tree.path, "--take", "theirs")
        #expect(theirs.status == 0 && theirs.output.contains("! \(app)/all: left as it was"), "\(theirs)")
        #expect(try await ada.run("get", app, "a").output == "9\n")
        #expect(try await ada.run("get", app, "a", "--host", "h").output == "2\n")
        let ours = try await ada.run("apply", tree.path, "--take", "ours")
        #expect(ours.status == 0 && ours.output.contains("a: 9 -> 1"), "\(ours)")
        #expect(try await ada.run("apply", tree.path).output == "2 unchanged\n")
      }
    }

    @Test func `only what came from the directory is removed`() async throws {
      try await Fleet.with { fleet in
        let (ada, app) = (try fleet.person(), fleet.app)
        let own = ["--source", "\(app)"]
        let tree = try Tree(fleet, "tree", ["\(app)/all.toml": "a = 1\n", "\(app)/group/g.toml": "a = 1\n"])
        #expect(try await ada.run(["apply", tree.path] + own).status == 0)
        try await ada.run("set", app, "--host", "h", "a=1")
        try tree.remove("\(app)/group/g.toml")
        #expect(try await ada.run(["apply", tree.path] + own).output == "1 unchanged\n")
        let pruned = try await ada.run(["apply", tree.path, "--prune"] + own)
        #expect(pruned.status == 0 && pruned.output.hasPrefix("- \(app)/group/g\n    a: 1 -> (none)\n"), "\(pruned)")
        #expect(try await ada.run("get", app, "a", "--group", "g").error.contains("has no document"))
        #expect(try await ada.run("get", app, "a", "--host", "h").output == "1\n")
        // A checkout that has failed must not remove everything.
        try tree.remove("\(app)/all.toml")
        for options in [["--prune"], ["--prune", "--plan"]] {
          let refused = try await ada.run(["apply", tree.path] + options + own)
          #expect(refused.status == 2 && refused.error.contains("has no document. With --prune, all"), "\(refused)")
        }
        #expect(try await ada.run("get", app, "a").output == "1\n")
        #expect(try await ada.run(["apply", tree.path] + own).status == 0)
        try tree.write("", as: "\(app)/group/empty.toml")
        #expect(try await ada.run(["apply", tree.path] + own).status == 0)
        try tree.remove("\(app)/group/empty.toml")
        let emptied = try await ada.run(["apply", tree.path, "--prune", "--allow-empty"] + own)
        #expect(emptied.status == 0 && emptied.output.contains("\n- \(app)/group/empty\n2 to remove"), "\(emptied)")
        #expect(try await ada.run("get", app, "a").status == 1)
        let other = try Tree(fleet, "other", ["\(app)/host/h.toml": "a = 1\n"])
        let adopted = try await ada.run(["apply", other.path] + own)
        #expect(adopted.status == 0 && adopted.output.contains("= \(app)/host/h: as in the directory"), "\(adopted)")
        // The app is gone, and left a schema that cannot be used.
        try fleet.write("broken", to: fleet.root + "/share/app-settings/\(app).toml")
        let all = try await ada.run(["apply", tree.path, "--prune", "--allow-empty"] + own)
        #expect(all.status == 0 && all.output.contains("1 to remove"), "\(all)")
        #expect(all.output.contains("the values are not shown"), "\(all)")
      }
    }

    @Test func `what machines would refuse, or no document can be, is refused before anything is written`() async throws
    {
      try await Fleet.with { fleet in
        let (ada, app) = (try fleet.person(), fleet.app)
        try fleet.schema(
          "[keys.port]\ntype = \"integer\"\nmaximum = 9\n[keys.token]\ntype = \"string\"\nsecret = true\n")
        let tree = try Tree(
          fleet, "tree",
          [
            "\(app)/all.toml": "port = 1\n", "\(app)/group/a.toml": "port = 70\n",
            "\(app)/host/b.toml": "token = 'hunter2'\n", "\(app)/host/c.toml": "\nsettings-locked = 'port'\n",
          ])
        for words in [["--plan"], []] {
          let refused = try await ada.run(["apply", tree.path] + words)
          #expect(refused.status == 4 && refused.error.contains("'\(app)/group/a': machines would refuse it: line 1"))
          let lock = "'\(app)/host/c': machines would refuse it: line 2: Cannot use 'settings-locked'"
          #expect(refused.error.contains(lock), "\(refused)")
          #expect(refused.error.contains("'\(app)/host/b'") && refused.error.contains("is a secret"), "\(refused)")
          #expect(!refused.error.contains("hunter2"), "\(refused)")
        }
        #expect(try await ada.run("get", app, "port").status == 1)
        let typo = try await ada.run("apply", Tree(fleet, "typo", ["\(app)/all.toml": "prot = 5\n"]).path, "--plan")
        let warning = "settings-fleet: warning: '\(app)/all': line 1: Unknown key 'prot'. Did you mean 'port'?\n"
        #expect(typo.status == 10 && typo.error == warning, "\(typo)")
        let bad = try Tree(
          fleet, "bad",
          [
            "\(app)/all.toml": "a = \n", "\(app)/groups/a.toml": "", "\(app)/host/h@2.toml": "a = 1\n",
            "settings-fleet/all.toml": "user = 'root'\n", "\(app)/group/g@1.toml": "a = 1\n",
          ])
        try fleet.write("secret = 1\n", to: fleet.root + "/elsewhere.toml")
        try FileManager.default.createSymbolicLink(
          atPath: "\(bad.path)/\(app)/group/link.toml", withDestinationPath: fleet.root + "/elsewhere.toml")
        let name = "\(bad.path)/\(app)/group/x".utf8.map { CChar($0) } + [CChar(bitPattern: 0xff), 0]
        #expect(close(creat(name, 0o600)) == 0)
        let refused = try await ada.run("apply", bad.path)
        #expect(refused.status == 4 && unlink(name) == 0, "\(refused)")
        for part in [
          "all.toml': The document does not parse", "groups/a.toml' is not a document",
          "h@2.toml' says that it has version 1",
          "settings-fleet/all.toml': The settings of", "link.toml' is neither",
          "cannot be read: its name is not UTF-8",
        ] { #expect(refused.error.contains(part), "\(part): \(refused)") }
        for file in bad.files.keys where !file.hasSuffix("g@1.toml") { try bad.remove(file) }
        let alone = try await ada.run("apply", bad.path)
        #expect(alone.status == 4 && alone.error.contains("/group/g.toml' is missing"), "\(alone)")
        #expect(try await ada.run("apply", fleet.root + "/none").status == 7)
        let loop = fleet.root + "/loop"
        try FileManager.default.createSymbolicLink(atPath: loop, withDestinationPath: loop)
        let looping = try await ada.run("apply", loop)
        #expect(looping.status == 7 && looping.error.contains("Cannot read '\(loop)': Too many levels"), "\(looping)")
      }
    }

    @Test func `versions are beside each other, and machines of both releases follow`() async throws {
      try await Fleet.with { fleet in
        let (ada, app) = (try fleet.person(), fleet.app)
        let old = fleet.root + "/old"
        try fleet.schema(
          "[keys.b]\ntype = \"integer\"\n[[migrations]]\nversion = 2\nname = \"name it\"\n"
            + "steps = [{ rename = \"a\", to = \"b\" }]\n")
        try fleet.schema("[keys.a]\ntype = \"integer\"\n", in: old)
        let (new, former) = (try fleet.machine("new"), try fleet.machine("former", share: old))
        for machine in [new, former] { try machine.start() }
        let tree = try Tree(
          fleet, "tree",
          ["\(app)/all.toml": "settings-version = 2\nb = 2\n", "\(app)/all@1.toml": "a = 1\n"])
        #expect(try await ada.run("apply", tree.path).status == 0)
        #expect(try await new.wait(for: "settings-version = 2\nb = 2\n"), "\(new.said)")
        #expect(try await former.wait(for: "a = 1\n"), "\(former.said)")
        try tree.write("a = 3\n", as: "\(app)/all@1.toml")
        let changed = try await ada.run("apply", tree.path)
        #expect(changed.status == 0 && changed.output.contains("a: 1 -> 3"), "\(changed)")
        #expect(try await former.wait(for: "a = 3\n"), "\(former.said)")
        let copy = try Tree(fleet, "copy")
        #expect(try await ada.run("export", "--tree", copy.path, app).status == 0)
        #expect(copy.files == tree.files)
      }
    }

    @Test func `texts are signed, and a machine that requires signatures takes them`() async throws {
      try await Fleet.with { fleet in
        let app = fleet.app
        let maker = try fleet.person("maker")
        let key = try await maker.run("key", fleet.root + "/key")
        let public_ = key.output.trimmingCharacters(in: .newlines)
        let ada = try fleet.person("ada", "signing-key = \"\(fleet.root)/key\"\n")
        let machine = try fleet.machine("m1", "trusted-keys = [\"\(public_)\"]\n")
        try machine.start()
        let own = ["--source", "\(app)"]
        let tree = try Tree(fleet, "tree", ["\(app)/all.toml": "a = 1\n", "\(app)/host/m1.toml": "b = 1\n"])
        #expect(try await ada.run(["apply", tree.path] + own).status == 0)
        #expect(try await machine.wait(for: "a = 1\n"))
        #expect(try await machine.wait(for: "b = 1\n", in: "30-host"))
        #expect(try await ada.run(["apply", tree.path] + own).output == "2 unchanged\n")
        try tree.write("a = 2\n", as: "\(app)/all.toml")
        let refused = try await maker.run(["apply", tree.path] + own)
        #expect(refused.status == 5 && refused.error.contains("it is signed, and you have no key"), "\(refused)")
        try tree.remove("\(app)/host/m1.toml")
        let pruned = try await ada.run(["apply", tree.path, "--prune"] + own)
        #expect(pruned.status == 0 && pruned.output.contains("1 to change, 1 to remove"), "\(pruned)")
        #expect(try await machine.wait(for: "a = 2\n"))
        #expect(try await machine.wait(for: "", in: "30-host"), "\(machine.said)")
        #expect(try await ada.waitUntilApplied(by: 1))
        #expect(try await ada.run(["apply", tree.path, "--prune"] + own).output == "1 unchanged\n")
      }
    }

    @Test func `what does not fit into a transaction is said first, and a second run does what a killed one left`()
      async throws
    {
      try await Fleet.with { fleet in
        let (ada, app) = (try fleet.person(), fleet.app)
        let files = (1...90).map { ("\(app)/host/h\($0).toml", "a = \($0)\n") }
        let tree = try Tree(fleet, "tree", Dictionary(uniqueKeysWithValues: files))
        let process = ada.process(["apply", tree.path])
        let output = Pipe()
        process.standardOutput = FileHandle.nullDevice
        process.standardError = output
        try process.run()
        // It dies after the first transaction, or later.
        _ = output.fileHandleForReading.availableData
        kill(process.processIdentifier, SIGKILL)
        process.waitUntilExit()
        #expect(try await ada.run("get", app, "a", "--host", "h1").output == "1\n")
        let rest = try await ada.run("apply", tree.path)
        #expect(rest.status == 0, "\(rest)")
        let again = try await ada.run("apply", tree.path)
        #expect(again.status == 0 && again.output == "90 unchanged\n", "\(again)")
        for number in 1...90 { try tree.write("a = 0\n", as: "\(app)/host/h\(number).toml") }
        let changed = try await ada.run("apply", tree.path)
        #expect(
          changed.output.hasSuffix("They do not fit into one transaction: 3, one after the other\n"), "\(changed)")
        #expect(changed.error.split(separator: "\n").count == 3, "\(changed)")
      }
    }

    @Test func `an apply that stops between two transactions says what it has stored`() async throws {
      try await Fleet.with { fleet in
        let (ada, app) = (try fleet.person(), fleet.app)
        let files = (10..<70).map { ("\(app)/host/h\($0).toml", "a = 1\n") }
        let tree = try Tree(fleet, "tree", Dictionary(uniqueKeysWithValues: files))
        let (context, client) = try Self.context(of: ada)
        let application = try TreeApplication(TreeDirectory(path: tree.path).read(), source: "main", in: context)
        var counts: [Int] = []
        await #expect {
          try await application.run { plan in
            try plan.check()
          } stored: { _, count in
            counts.append(count)
            // One that the next transaction would make.
            let edit = ada.process(["set", app, "--host", "h69", "a=9", "--create"])
            guard counts.count == 1, (try? edit.run()) != nil else { return }
            edit.waitUntilExit()
          }
        } throws: { error in
          let text = "\(error)"
          return text.contains("'\(app)/host/h69' was not made by 'apply'") && !text.contains("Nothing was written")
            && text.hasSuffix("\(counts.reduce(0, +)) documents were stored before that, and nothing else.")
        }
        #expect(counts.count == 1 && counts[0] > 1)
        await client.shutdown()
      }
    }

    @Test func `a document of settings-fleet is not exported, since it could not be applied`() async throws {
      try await Fleet.with { fleet in
        let (ada, app) = (try fleet.person(), fleet.app)
        let client = try EtcdClient(fleet.cluster.configuration)
        let key = "/app-settings/1/settings-fleet/group/\(app)/v1"
        _ = try await client.transaction(EtcdTransaction(if: [], then: [.put(key, "user = 'root'\n")]))
        try await ada.run("set", app, "a=1")
        let copy = try Tree(fleet, "copy")
        let exported = try await ada.run("export", "--tree=\(copy.path)")
        let own = try await ada.run("export", "--tree", copy.path, "settings-fleet")
        _ = try await client.transaction(EtcdTransaction(if: [], then: [.delete(.key(key))]))
        await client.shutdown()
        #expect(exported.status == 0, "\(exported)")
        #expect(copy.files["\(app)/all.toml"] == Array("a = 1\n".utf8))
        #expect(copy.files.keys.allSatisfy { !$0.hasPrefix("settings-fleet/") })
        #expect(own.status == 1 && own.error.contains("has no document of 'settings-fleet'"), "\(own)")
      }
    }

    /// What the verbs work with, in this process.
    private static func context(of party: Party) throws -> (Context, EtcdClient) {
      let client = try EtcdClient(party.fleet.cluster.configuration)
      var environment = ProcessInfo.processInfo.environment.merging(party.environment) { $1 }
      environment["SETTINGS_CLI"] = Fleet.cli
      let context = Context(
        environment: environment, settings: try FleetSettings(environment: environment),
        cluster: Cluster(client: client))
      return (context, client)
    }

    /// Ranges of seeds, each within the time limit of a test: `SETTINGS_FLEET=full` applies 1,000 trees.
    private static var seeds: [Range<UInt64>] {
      guard ProcessInfo.processInfo.environment["SETTINGS_FLEET"] == "full" else { return [0..<15] }
      return (0..<40).map { $0 * 25..<($0 + 1) * 25 }
    }

    @Test(arguments: seeds)
    func `random trees are exported as they were applied, byte for byte`(seeds: Range<UInt64>) async throws {
      try await Fleet.with { fleet in
        let ada = try fleet.person()
        let (context, client) = try Self.context(of: ada)
        for seed in seeds {
          var random = RandomTree(seed: seed)
          let (tree, copy) = (try Tree(fleet, "t\(seed)"), try Tree(fleet, "c\(seed)"))
          // The second replaces the first, with versions that do not fall.
          for files in random.files(apps: ["\(fleet.app).\(seed).a", "\(fleet.app).\(seed).b"]) {
            for (file, text) in files { try tree.write(text, as: file) }
            let read = try TreeDirectory(path: tree.path).read()
            let application = try TreeApplication(read, source: "main", in: context)
            try await application.run {
              try $0.check()
            } stored: { _, _ in
            }
            #expect(try await application.plan().plan.isEmpty, "seed \(seed)")
          }
          if tree.files.isEmpty { continue }
          let apps = Set(tree.files.keys.map { String($0.split(separator: "/")[0]) })
          var documents: [FleetDocument: [Int: [UInt8]]] = [:]
          for (app, found) in FleetContents(try await context.cluster.snapshot(of: apps.sorted())).apps {
            for (scope, versions) in found.documents {
              documents[try #require(FleetDocument(app: app, scope: scope))] = versions.mapValues(\.text)
            }
          }
          #expect(try TreeDirectory(path: copy.path).write(documents) { _ in true } == [])
          let isSame = copy.files == tree.files
          #expect(isSame, "seed \(seed)")
          for tree in [tree, copy] { try FileManager.default.removeItem(atPath: tree.path) }
        }
        await client.shutdown()
      }
    }
  }
}

/// Files with all that TOML allows around values.
private struct RandomTree: RandomNumberGenerator {
  private var state: UInt64

  init(seed: UInt64) { state = seed &* 0x9E37_79B9_7F4A_7C15 &+ 1 }

  mutating func next() -> UInt64 {
    state ^= state << 13
    state ^= state >> 7
    state ^= state << 17
    return state
  }

  /// Two states of the same files.
  mutating func files(apps: [String]) -> [[String: String]] {
    var states: [[String: String]] = [[:], [:]]
    for app in apps {
      for scope in ["all", "group/lab", "group/a.b-c_d", "host/h1", "host/web-1.example.org"]
      where Bool.random(using: &self) {
        let newest = Int.random(in: 1...3, using: &self)
        for state in states.indices {
          states[state]["\(app)/\(scope).toml"] = text(version: newest)
        }
        for version in 1..<newest where Bool.random(using: &self) {
          for state in states.indices { states[state]["\(app)/\(scope)@\(version).toml"] = text(version: version) }
        }
      }
    }
    return states
  }

  private mutating func text(version: Int) -> String {
    let newline = Bool.random(using: &self) ? "\n" : "\r\n"
    var lines = ["# Grüße \(next())", "", "  \t", "# [not] = a table"].shuffled(using: &self)
    if version > 1 || Bool.random(using: &self) { lines.insert("settings-version   = \(version) # v", at: 1) }
    let values = [
      "1", "0x_f".replacing("_", with: ""), "1_000", "-0.0", "inf", "true", "'\\'", "\"a\\u00e9\\n\"",
      "[ 1, 2 , # x\(newline) 3,]", "{ a = 1, b.c = 'd' }", "1979-05-27T07:32:00Z", "07:32:00",
      "\"\"\"\(newline) x\"\"\"", "'''\(newline)y'''",
    ]
    for number in 0..<Int.random(in: 0...6, using: &self) {
      if Int.random(in: 0..<4, using: &self) == 0 { lines.append("[table.\(number)] # t") }
      if Int.random(in: 0..<6, using: &self) == 0 { lines.append("[[array\(number)]]") }
      lines.append("\"k \(number)\"\t=\(values.randomElement(using: &self)!)  ")
    }
    return lines.joined(separator: newline) + (Bool.random(using: &self) ? newline : "")
  }
}
