import ArgumentParser
import EtcdClient
import EtcdTesting
import Foundation
import Testing

@testable import settings_fleet

/// What of a command line is the fleet's, and what `settings-cli` gets.
struct WordsTests {
  @Test func `the manual page has every verb`() throws {
    let root = URL(fileURLWithPath: #filePath).deletingLastPathComponent().appendingPathComponent("../../..")
    let page = try String(contentsOfFile: root.path + "/Fleet/Packaging/settings-fleet.1", encoding: .utf8)
    let headings = page.matches(of: /\.TP\n\.B.*/).map { String($0.output) }
    let named = Set(headings.flatMap { $0.matches(of: /[a-z]+/).map { String($0.output) } })
    for command in FleetCommand.configuration.subcommands { #expect(named.contains(command._commandName)) }
  }

  @Test func `a full database is named with what to do`() {
    let error = EtcdError(.noSpace, "Database space exceeded.", endpoint: "http://e1:2379", mayHaveHappened: true)
    #expect(
      Failure(error).message == "Database space exceeded (noSpace at http://e1:2379). The write may have been carried "
        + "out. Compact the cluster, defragment each member and disarm the alarm, as docs/fleet.md says of a full "
        + "database.")
  }

  @Test func `the value of an option before the app is not the app`() throws {
    for (verb, words) in [
      ("lock", ["--reason", "maintenance", "org.a", "key"]), ("set", ["--type", "string", "org.a", "key", "1"]),
      ("get", ["--default", "-1", "org.a", "key"]), ("import", ["--format", "toml", "org.a", "file"]),
      ("list", ["--color", "never", "org.a"]), ("get", ["--json", "org.a", "key"]),
    ] {
      let found = try DocumentWords(words, of: verb)
      #expect("\(found.document)" == "org.a/all", "\(words)")
      #expect(found.rest == words.filter { $0 != "org.a" })
    }
  }

  @Test func `our options take their value as a word or after an equals sign`() throws {
    for words in [["--group=lab", "--at=7", "org.a"], ["org.a", "--group", "lab", "--at", "7"]] {
      let found = try DocumentWords(words, of: "get", takesRevision: true)
      #expect("\(found.document)" == "org.a/group/lab" && found.revision == 7 && found.rest.isEmpty)
    }
    // After '--' all words are values.
    let literal = try DocumentWords(["org.a", "key", "--", "--host=a"], of: "set")
    #expect("\(literal.document)" == "org.a/all" && literal.rest == ["key", "--", "--host=a"])
    // The value of another option is nobody else's word.
    #expect(try DocumentWords(["org.a", "key", "--append", "--group"], of: "set").rest.last == "--group")
  }

  @Test func `a name that cannot be used is refused with the rule for its option`() throws {
    for (option, most) in [("--group", 200), ("--host", 253)] {
      for name in [String(repeating: "a", count: most + 1), "a..b", "-a"] {
        let failure = #expect(throws: Failure.self) { try DocumentWords(["org.a", option, name], of: "set") }
        #expect(failure?.message?.contains("for '\(option)': a name has 1 to \(most) of ") == true, "\(failure as Any)")
      }
      #expect(try "\(DocumentWords(["org.a", option, String(repeating: "a", count: most)]).document)".count > most)
    }
  }

  @Test func `a key before the app is answered with the order of the words, and no value is shown`() throws {
    let failure = #expect(throws: Failure.self) { try DocumentWords(["a=secret", "org.b", "x"], of: "set") }
    #expect(failure?.message?.hasSuffix("Write the app first: 'settings-fleet set org.b …'.") == true)
    let value = #expect(throws: Failure.self) { try DocumentWords(["a=1", "10.5"], of: "set") }
    #expect(value?.message?.contains("first") == false)
  }

  @Test func `an unknown verb is answered with the one that was meant`() throws {
    for (words, answer) in [
      (["stauts", "org.a"], "Unknown verb 'stauts'. Did you mean 'status'?"),
      (["help", "stauts"], "Unknown verb 'stauts'. Did you mean 'status'?"),
      (["Set", "org.a"], "Unknown verb 'Set'. Did you mean 'set'?"),
      (["rm", "org.a", "key"], "Unknown verb 'rm'. For that there is 'settings-fleet unset APP KEY'."),
      (["rollback"], "Unknown verb 'rollback'. For that there is 'settings-fleet undo APP'."),
      (["apps"], "Unknown verb 'apps'. For that there is 'settings-fleet status'."),
      (["plan", "./fleet"], "Unknown verb 'plan'. For that there is 'settings-fleet apply DIR --plan'."),
      (["version"], "Unknown verb 'version'. For that there is 'settings-fleet --version'."),
      (["canary"], "Unknown verb 'canary'. For that there is 'settings-fleet rollout --share 5 APP set KEY VALUE'."),
      // There is no such verb of a fleet.
      (["monitor"], "Unknown verb 'monitor'. 'settings-fleet --help' lists the verbs."),
      (["org.example.editor"], "Unknown verb 'org.example.editor'. 'settings-fleet --help' lists the verbs."),
    ] {
      let failure = #expect(throws: Failure.self) { try FleetCommand.checkVerb(words) }
      #expect(failure?.status == 2 && failure?.message == answer, "\(failure as Any)")
    }
    for words in [[], ["help", "set"], ["--version"], ["rollout"]] { try FleetCommand.checkVerb(words) }
  }

  @Test(
    .enabled(if: Fleet.cli != nil, "settings-cli is needed"),
    arguments: FleetCommand.configuration.subcommands.compactMap { ($0 as? any PassingVerb.Type)?.word }
      .filter { $0 != "rollout" })
  func `the options that take a value are those of settings-cli`(verb: String) throws {
    struct Help: Decodable {
      struct Command: Decodable { var arguments: [Argument] }
      struct Argument: Decodable {
        var kind: String
        var names: [Name]?
      }
      struct Name: Decodable {
        var kind: String
        var name: String
      }
      var command: Command
    }
    let (process, output) = (Process(), Pipe())
    process.executableURL = URL(fileURLWithPath: try #require(Fleet.cli))
    process.arguments = [verb, "--experimental-dump-help"]
    process.standardOutput = output
    try process.run()
    let text = output.fileHandleForReading.readDataToEndOfFile()
    process.waitUntilExit()
    let options = try JSONDecoder().decode(Help.self, from: text).command.arguments.filter { $0.kind == "option" }
    let names = Set(options.flatMap { $0.names ?? [] }.map { ($0.kind == "short" ? "-" : "--") + $0.name })
    #expect(DocumentWords.valuedOptions(of: verb) == names.subtracting(DocumentWords.refusedOptions))
  }
}

extension CommandTests.Writers {
  struct InputTests {
    @Test func `a lock with its reason first locks the key of the app`() async throws {
      try await Fleet.with { fleet in
        let ada = try fleet.person()
        try await ada.run("set", fleet.app, "--create", "theme=x")
        let locked = try await ada.run("lock", "--reason", "maintenance", fleet.app, "theme")
        #expect(locked.status == 0, "\(locked)")
        #expect(try await ada.run("log", fleet.app).output.contains(#"reason = "maintenance""#))
        let none = try await ada.run("get", "maintenance", "theme")
        #expect(none.error.hasSuffix("has no document 'maintenance/all'.\n"), "\(none)")
        let order = try await ada.run("get", "theme", fleet.app)
        #expect(order.error.hasSuffix("Write the app first: 'settings-fleet get \(fleet.app) …'.\n"), "\(order)")
        let missing = try await ada.run("set", fleet.app)
        #expect(missing.error.hasSuffix("Usage: settings-fleet set APP KEY VALUE\n"), "\(missing)")
        let migrated = try await ada.run("migrate", fleet.app)
        #expect(migrated.status == 3 && !migrated.error.contains("--schema"), "\(migrated)")
      }
    }

    @Test func `a command line without a verb, or with a wrong one, is a mistake`() async throws {
      try await Fleet.with { fleet in
        let ada = try fleet.person()
        let none = try await ada.run([])
        #expect(none.status == 2 && none.output.contains("SUBCOMMANDS:") && none.error.isEmpty, "\(none)")
        let wrong = try await ada.run("stauts")
        #expect(wrong.status == 2 && wrong.error.hasPrefix("settings-fleet: Unknown verb 'stauts'."), "\(wrong)")
        let option = try await ada.run("status", "--wait", "1")
        #expect(option.status == 2 && option.error.hasPrefix("settings-fleet: The value '1' is invalid"), "\(option)")
      }
    }

    @Test func `an answer that cannot be written is an error, and a change that it is about is made`() async throws {
      try await Fleet.with { fleet in
        let ada = try fleet.person()
        #expect(try await ada.run("set", fleet.app, "a=1", "b=1").status == 0)
        for words in [["list", fleet.app], ["undo", fleet.app], ["--help"], ["schema"]] {
          let process = ada.process(words)
          let messages = Pipe()
          process.standardOutput = FileHandle(forWritingAtPath: "/dev/full")
          process.standardError = messages
          try process.run()
          let said = String(decoding: try messages.fileHandleForReading.readToEnd() ?? Data(), as: UTF8.self)
          process.waitUntilExit()
          #expect(process.terminationStatus == 7 && said.contains("Cannot write the answer: No space left"), "\(said)")
        }
        #expect(try await ada.run("get", fleet.app, "a").status == 1)
        let left = try FileManager.default.contentsOfDirectory(atPath: fleet.root)
        #expect(!left.contains { $0.hasPrefix("settings-fleet-") }, "\(left)")
      }
    }

    @Test(arguments: ["/dev/stdin", "/dev/fd/0", "/proc/self/fd/0"])
    func `standard input is imported under each of its names, and compared with under none`(path: String) async throws {
      try await Fleet.with { fleet in
        let ada = try fleet.person()
        let words = ["import", fleet.app, path, "--create", "--format", "toml"]
        let imported = try await ada.run(words, input: "[b]\ny = 3\n")
        #expect(imported.status == 0, "\(imported)")
        #expect(try await ada.run("get", fleet.app, "b.y").output == "3\n")
        let compared = try await ada.run(["diff", fleet.app, path], input: "[b]\ny = 3\n")
        #expect(compared.status == 7 && compared.error.contains("'\(path)'"), "\(compared)")
        // A value is not a file.
        #expect(try await ada.run("set", fleet.app, "--create", "file", path).status == 0)
        #expect(try await ada.run("get", fleet.app, "file").output == "\(path)\n")
      }
    }
  }
}
