import ArgumentParser
import EtcdClient
import EtcdTesting
import Foundation
import Testing

@testable import settings_fleet

extension CommandTests {
  struct RolloutTests {
    /// Starts machines, and returns when each has applied a first text.
    private static func start(_ machines: [MachineParty], _ ada: Party) async throws {
      for machine in machines { try machine.start() }
      try await ada.run("set", ada.fleet.app, "a=1")
      #expect(try await ada.waitUntilApplied(by: machines.count))
      for machine in machines { #expect(machine.text() == "a = 1\n") }
    }

    @Test func `a rollout reaches the canaries first and then all`() async throws {
      try await Fleet.with { fleet in
        let ada = try fleet.person()
        // The check ends when the test says so.
        let gate = fleet.root + "/gate"
        let check = "while ! test -e '\(gate)'; do sleep 0.02; done"
        let canary = try fleet.machine("canary", groups: ["lab"], "check = [\"sh\", \"-c\", \"\(check)\"]\n")
        let other = try fleet.machine("other")
        try await Self.start([canary, other], ada)
        async let answer = ada.run("rollout", "--canaries", "lab", "--check", "--wait", "1s", fleet.app, "set", "a=2")
        #expect(try await canary.wait(for: "a = 2\n"))
        #expect(other.text() == "a = 1\n")
        try fleet.write("", to: gate)
        let result = try await answer
        #expect(result.status == 0, "\(result)")
        #expect(try await other.wait(for: "a = 2\n"))
      }
    }

    @Test func `a canary that refuses or whose check fails takes the change back, and nobody else has seen it`()
      async throws
    {
      try await Fleet.with { fleet in
        let ada = try fleet.person()
        let share = fleet.root + "/machines"
        try fleet.schema("[keys.a]\ntype = \"integer\"\nmaximum = 9\n", in: share)
        let canary = try fleet.machine(
          "canary", groups: ["lab"], "check = [\"sh\", \"-c\", \"exit 3\"]\n", share: share)
        let other = try fleet.machine("other")
        try await Self.start([canary, other], ada)

        let refused = try await ada.run("rollout", "--canaries", "lab", "--wait", "1s", fleet.app, "set", "a=70")
        #expect(refused.status == 12 && refused.error.contains("refused it"), "\(refused)")
        let failed = try await ada.run(
          "rollout", "--canaries", "lab", "--check", "--wait", "1s", fleet.app, "set", "a=2")
        #expect(failed.status == 12 && failed.error.contains("the check of machine 'canary'"), "\(failed)")
        #expect(failed.error.contains("status 3"), "\(failed)")
        #expect(try await canary.wait(for: "a = 1\n"), "\(canary.said)")
        #expect(!other.said.contains("a = 70") && other.text() == "a = 1\n")
        #expect(try await ada.run("get", fleet.app, "a").output == "1\n")
      }
    }

    @Test func `a mirror that ends does not wait for its checks one after the other`() async throws {
      try await Fleet.with { fleet in
        let (ada, apps) = (try fleet.person(), ["", ".b", ".c"].map { fleet.app + $0 })
        // They do not end when they are asked to, and are killed after two seconds.
        let check = "trap '' TERM; touch '\(fleet.root)/checks-'$1; sleep 600"
        let canary = try fleet.machine("canary", groups: ["lab"], "check = [\"sh\", \"-c\", \"\(check)\", \"sh\"]\n")
        try fleet.allow(apps: apps, on: "canary")
        try canary.start()
        for app in apps {
          try await ada.run("set", app, "--create", "a=1")
          #expect(try await eventually { try await ada.run("status", app).output.contains("1 applied") })
        }
        let rollouts = apps.map { app in
          ada.process(["rollout", "--canaries", "lab", "--check", "--wait", "1s", app, "set", "a=2"])
        }
        for rollout in rollouts {
          (rollout.standardOutput, rollout.standardError) = (FileHandle.nullDevice, FileHandle.nullDevice)
          try rollout.run()
        }
        let files = apps.map { "\(fleet.root)/checks-\($0)" }
        #expect(try await eventually { files.allSatisfy(FileManager.default.fileExists(atPath:)) })
        let start = ContinuousClock.now
        canary.stop()
        #expect(ContinuousClock.now - start < .seconds(5))
        for rollout in rollouts {
          rollout.terminate()
          rollout.waitUntilExit()
        }
      }
    }

    @Test func `a check that cannot run is reported with its program and the machine`() async throws {
      try await Fleet.with { fleet in
        let ada = try fleet.person()
        let cases = [
          ("bare", "", "It has no check command. Set 'check' of 'settings-fleet' there."),
          ("named", "check = [\"no-such-check\"]\n", "'no-such-check' of its setting 'check' was not found"),
          ("placed", "check = [\"/no/such/check\", \"-q\"]\n", "'/no/such/check' of its setting 'check' was not found"),
        ]
        let machines = try cases.map { try fleet.machine($0.0, groups: [$0.0], $0.1) }
        try await Self.start(machines, ada)
        for (name, _, message) in cases {
          let failed = try await ada.run(
            "rollout", "--canaries", name, "--check", "--wait", "1s", fleet.app, "set", "a=2")
          #expect(failed.status == 12 && failed.error.contains("machine '\(name)' could not check it: "), "\(failed)")
          #expect(failed.error.contains(message), "\(failed)")
        }
      }
    }

    @Test func `a rollout in steps whose document was changed meanwhile ends at once`() async throws {
      try await Fleet.with { fleet in
        let ada = try fleet.person()
        let machines = try ["m1", "m2"].map { try fleet.machine($0) }
        try await Self.start(machines, ada)
        func begin(_ text: String) async throws -> Coordinator {
          let words = ["rollout", "--steps", "1,100", "--bake", "10m", fleet.app, "set", text]
          let coordinator = try Coordinator(ada, words)
          let isThere = try await eventually { machines.contains { $0.text() == "a = \(text.dropFirst(2))\n" } }
          #expect(isThere, "\(coordinator.said)")
          return coordinator
        }
        let change = "somebody else has changed the document"

        let present = try await begin("a=2")
        let ending = try await ada.run("set", fleet.app, "a=3")
        #expect(ending.error.contains("note: This ends the rollout of '\(fleet.app)/all' that "), "\(ending)")
        #expect(try await eventually { !present.isRunning } && present.status == 12, "\(present.said)")
        #expect(present.said.contains(change), "\(present.said)")
        #expect(try await ada.run("rollout", "status", fleet.app).status == 1)

        for verb in ["resume", "pause"] {
          let gone = try await begin("a=4")
          gone.kill()
          try await ada.run("set", fleet.app, "a=5")
          let resumed = try await ada.run("rollout", verb, fleet.app)
          #expect(resumed.status == 12 && resumed.error.contains(change), "\(resumed)")
          #expect(try await ada.run("rollout", "status", fleet.app).status == 1)
          try await ada.run("set", fleet.app, "a=6")
        }

        let gone = try await begin("a=7")
        gone.kill()
        try await ada.run("set", fleet.app, "a=8")
        // Nobody has removed it.
        let over = try await ada.run("rollout", "status", fleet.app)
        #expect(over.status == 1 && over.error.contains("is over: the document was changed"), "\(over)")
        #expect(try await !ada.run("status", fleet.app, "--wait", "60s").output.contains("rollout"))
        let next = try await ada.run("rollout", "--share", "100", "--wait", "1s", fleet.app, "set", "a=9")
        #expect(next.status == 0, "\(next)")
        for machine in machines { #expect(try await machine.wait(for: "a = 9\n")) }
      }
    }

    @Test func `a rollout ends when its command is told to, and can be cancelled from elsewhere`() async throws {
      try await Fleet.withMachine { fleet, ada, machine in
        try await ada.run("set", fleet.app, "a=1")
        #expect(try await machine.wait(for: "a = 1\n"))
        #expect(try await ada.waitUntilApplied(by: 1))
        let process = ada.process(["rollout", "--share", "100", "--wait", "10m", fleet.app, "set", "a=2"])
        process.standardError = FileHandle.nullDevice
        try process.run()
        #expect(try await machine.wait(for: "a = 2\n"))
        let second = try await ada.run("rollout", "--share", "100", fleet.app, "set", "a=3")
        #expect(second.status == 9 && second.error.contains("under way"), "\(second)")
        let status = try await ada.run("rollout", "status", fleet.app)
        #expect(status.status == 1 && status.error.contains("has no steps: it ends with its command"), "\(status)")
        process.terminate()
        process.waitUntilExit()
        #expect(process.terminationStatus == 12)
        #expect(try await machine.wait(for: "a = 1\n"))

        async let answer = ada.run("rollout", "--share", "100", "--wait", "10m", fleet.app, "set", "a=4")
        #expect(try await machine.wait(for: "a = 4\n"))
        #expect(try await ada.run("rollout", "--cancel", fleet.app).status == 0)
        let ended = try await answer
        #expect(ended.status == 12 && ended.error.contains("somebody else has ended the rollout"), "\(ended)")
        #expect(try await machine.wait(for: "a = 1\n"))
      }
    }

    /// In the short form the test ends the lease itself, as etcd does after its time.
    @Test func `a killed rollout is taken back with its lease`() async throws {
      try await Fleet.with { fleet in
        let ada = try fleet.person()
        let (canary, other) = (try fleet.machine("canary", groups: ["lab"]), try fleet.machine("other"))
        try await Self.start([canary, other], ada)
        let process = ada.process(["rollout", "--canaries", "lab", "--wait", "10m", fleet.app, "set", "a=2"])
        process.standardError = FileHandle.nullDevice
        try process.run()
        #expect(try await canary.wait(for: "a = 2\n"))
        kill(process.processIdentifier, SIGKILL)
        process.waitUntilExit()
        try await fleet.cluster.withClient { client in
          let rollout = try await client.range(EtcdRange(.key("/app-settings/1/\(fleet.app)/rollout"))).keyValues
          let lease = try #require(rollout.first).lease
          #expect(try await client.timeToLive(lease)?.granted == 30)
          if ProcessInfo.processInfo.environment["SETTINGS_FLEET"] != "full" { try await client.revokeLease(lease) }
        }
        #expect(try await canary.wait(for: "a = 1\n", within: .seconds(40)))
        #expect(other.text() == "a = 1\n" && !other.said.contains("a = 2"))
        #expect(try await ada.run("get", fleet.app, "a").output == "1\n")
        #expect(try await ada.run("rollout", "--cancel", fleet.app).status == 1)
      }
    }

    @Test func `a share of machines is one at least, and the command says which`() async throws {
      try await Fleet.with { fleet in
        let ada = try fleet.person()
        let machines = try ["m1", "m2"].map { try fleet.machine($0) }
        try await Self.start(machines, ada)
        let answer = try await ada.run("rollout", "--share", "0.01", "--wait", "1s", fleet.app, "set", "a=2")
        #expect(answer.status == 0, "\(answer)")
        #expect(["m1", "m2"].contains { answer.error.contains("'\($0)' tries the change first.") }, "\(answer)")
        for machine in machines { #expect(try await machine.wait(for: "a = 2\n")) }
      }
    }

    /// The steps of a rollout whose coordinator is killed at each of them.
    @Test func `a rollout in steps outlives its coordinators, and each step takes more machines`() async throws {
      try await Fleet.with { fleet in
        let (ada, eve) = (try fleet.person(), try fleet.person("eve"))
        let machines = try ["m1", "m2", "m3"].map { try fleet.machine($0) }
        try await Self.start(machines, ada)
        func count(_ text: String) -> Int { machines.count { $0.text() == text } }
        let begin = ["rollout", "--steps", "0.01,0.02,100", "--bake", "1s", fleet.app, "set", "a=2"]
        for (step, words) in [
          (1, begin), (2, ["rollout", "resume", fleet.app]), (3, ["rollout", "resume", fleet.app]),
        ] {
          let party = step % 2 == 0 ? eve : ada
          let coordinator = try Coordinator(party, words)
          let isThere = try await eventually(within: .seconds(80)) { coordinator.said.contains("step \(step) of 3: ") }
          #expect(isThere, "\(coordinator.said)")
          let hasText = try await eventually { count("a = 2\n") == step }
          coordinator.kill()
          #expect(hasText && count("a = 1\n") == 3 - step, "step \(step): \(coordinator.said)")
          let status = try await ada.run("rollout", "status", fleet.app)
          #expect(
            status.status == 0 && status.output.contains("step \(step) of 3 (0.01 %, 0.02 %, 100 %)"), "\(status)")
          #expect(status.output.contains("  \(step) applied, 0 pending, 0 refused; "), "\(status)")
        }
        #expect(try await ada.run("get", fleet.app, "a").output == "1\n")
        let second = try await ada.run("rollout", "--share", "100", fleet.app, "set", "a=3")
        #expect(second.status == 9 && second.error.contains("under way"), "\(second)")
        let last = try await eve.run("rollout", "resume", fleet.app)
        #expect(last.status == 0 && last.output.contains("the change is for all"), "\(last)")
        #expect(count("a = 2\n") == 3)
        #expect(try await ada.run("get", fleet.app, "a").output == "2\n")
        #expect(try await ada.run("rollout", "resume", fleet.app).status == 1)
      }
    }

    /// In the short form the test ends the lease itself, as etcd does after its time.
    @Test
    func `a rollout in steps that nobody goes on with is taken back, and one that is paused, cancelled or refused`()
      async throws
    {
      try await Fleet.with { fleet in
        let ada = try fleet.person()
        let share = fleet.root + "/strict"
        try fleet.schema("[keys.a]\ntype = \"integer\"\nmaximum = 9\n", in: share)
        let machines = [try fleet.machine("m1"), try fleet.machine("m2", share: share)]
        try await Self.start(machines, ada)
        func count(_ text: String) -> Int { machines.count { $0.text() == text } }
        let steps = ["rollout", "--steps", "1,100", "--bake", "10m", fleet.app, "set"]

        let first = try Coordinator(ada, steps + ["a=2"])
        #expect(try await eventually { count("a = 2\n") == 1 }, "\(first.said)")
        first.kill()
        try await fleet.cluster.withClient { client in
          let key = "/app-settings/1/\(fleet.app)/rollout"
          let lease = try #require(try await client.range(EtcdRange(.key(key))).keyValues.first).lease
          #expect(try await client.timeToLive(lease)?.granted == 3600)
          try await client.revokeLease(lease)
        }
        #expect(try await eventually { count("a = 1\n") == 2 })

        let second = try Coordinator(ada, steps + ["a=3"])
        #expect(try await eventually { count("a = 3\n") == 1 }, "\(second.said)")
        let paused = try await ada.run("rollout", "pause", fleet.app)
        #expect(paused.status == 0, "\(paused)")
        #expect(try await eventually { !second.isRunning } && second.status == 1, "\(second.said)")
        #expect(second.said.contains(" has paused the rollout.\n"), "\(second.said)")
        let status = try await ada.run("rollout", "status", fleet.app)
        #expect(status.output.contains("step 1 of 2 (1 %, 100 %), paused by "), "\(status)")
        let json = try await ada.run("rollout", "status", fleet.app, "--json")
        let object = try JSONSerialization.jsonObject(with: Data(json.output.utf8)) as? [String: Any]
        #expect(object?["document"] as? String == "\(fleet.app)/all" && object?["isPaused"] as? Bool == true, "\(json)")
        #expect(object?["step"] as? Int == 1 && object?["steps"] as? [Double] == [1, 100], "\(json)")
        #expect(object?["applied"] as? Int == 1 && (object?["remainingSeconds"] as? Int ?? 0) > 3600, "\(json)")
        for words in [
          ["status", fleet.app, "--jsn"], ["cancel", fleet.app, "now"], ["pause", fleet.app, "--json"],
          ["cancel", fleet.app, "--group", "lab"], ["--bake", "5m", "resume", fleet.app],
          ["--check", "cancel", fleet.app],
        ] {
          #expect(try await ada.run(["rollout"] + words).status == 2, "\(words)")
        }
        let tree = fleet.root + "/tree"
        try FileManager.default.createDirectory(atPath: "\(tree)/\(fleet.app)", withIntermediateDirectories: true)
        try fleet.write("a = 5\n", to: "\(tree)/\(fleet.app)/all.toml")
        for words in [["set", fleet.app, "a=5"], ["undo", fleet.app], ["apply", tree, "--take", "ours"]] {
          let kept = try await ada.run(words)
          #expect(kept.status == 9 && kept.error.contains(" has paused its rollout"), "\(words) \(kept)")
          #expect(kept.error.contains("settings-fleet rollout cancel \(fleet.app)"), "\(words) \(kept)")
        }
        #expect(count("a = 3\n") == 1)
        let third = try Coordinator(ada, ["rollout", "resume", fleet.app])
        #expect(try await eventually { third.said.contains("step 1 of 2: ") }, "\(third.said)")
        third.terminate()
        #expect(third.status == 1 && third.said.contains("rollout resume \(fleet.app)"), "\(third.said)")
        #expect(count("a = 3\n") == 1)
        #expect(try await ada.run("rollout", "cancel", fleet.app).status == 0)
        #expect(try await eventually { count("a = 1\n") == 2 })

        let refused = try await ada.run("rollout", "--steps", "99,100", "--bake", "1s", fleet.app, "set", "a=70")
        #expect(refused.status == 12 && refused.error.contains("refused it"), "\(refused)")
        #expect(try await eventually { count("a = 1\n") == 2 })
        for words in [
          ["--steps", "5,5"], ["--steps", "0,5"], ["--steps", "5,"], ["--share", "5", "--bake", "1s"],
          ["--steps", "5,100", "--resume-within", "5s"], ["--share", "100", "--answer-time", "29s"],
        ] {
          #expect(try await ada.run(["rollout"] + words + [fleet.app, "set", "a=4"]).status == 2, "\(words)")
        }
      }
    }

    @Test func `help shows times as they are written`() {
      let help = RolloutVerb.helpMessage()
      #expect(help.contains("(default: 60s)") && !help.contains("TimeArgument"), "\(help)")
      for text in ["90s", "500ms", "10m", "2h"] { #expect(TimeArgument(argument: text)?.description == text) }
    }

    @Test func `the log shows that a rollout accepted what nobody had signed`() async throws {
      try await Fleet.with { fleet in
        let machine = try fleet.machine("m1")
        try await Self.start([machine], try fleet.person("eve"))
        let key = fleet.root + "/key"
        #expect(try await fleet.person("nobody").run("key", key).status == 0)
        let ada = try fleet.person("ada", "signing-key = \"\(key)\"\n")
        let words = ["rollout", "--share", "100", "--wait", "1s", fleet.app, "set", "a=2"]
        #expect(try await ada.run(words).status == 5)
        #expect(try await ada.run(words + ["--accept-unsigned"]).status == 0)
        let log = try await ada.run("log", fleet.app, "--limit", "1")
        #expect(log.output.contains("after accepting an unsigned text"), "\(log)")
      }
    }

    @Test func `a rollout without canaries is refused`() async throws {
      try await Fleet.with { fleet in
        let ada = try fleet.person()
        let answer = try await ada.run("rollout", "--canaries", "lab", fleet.app, "set", "a=2")
        #expect(answer.status == 12 && answer.error.contains("in the group 'lab'"), "\(answer)")
        // What would be ignored is refused.
        for words in [["--steps", "1,100", fleet.app, "set", "a=2"], ["resume", fleet.app]] {
          let answer = try await ada.run(["rollout", "--wait", "1s"] + words)
          #expect(answer.status == 2 && answer.error.contains("'--wait'"), "\(words) \(answer)")
        }
        #expect(try await ada.run("rollout", "--cancel", fleet.app).status == 1)
      }
    }
  }
}

/// A command that accompanies a rollout, until it is killed.
final class Coordinator {
  private let process: Process
  private let log: String

  init(_ party: Party, _ words: [String]) throws {
    process = party.process(words)
    log = "\(party.fleet.root)/coordinator-\(UUID().uuidString)"
    _ = FileManager.default.createFile(atPath: log, contents: nil)
    process.standardError = FileHandle(forWritingAtPath: log)
    process.standardOutput = process.standardError
    process.standardInput = FileHandle.nullDevice
    try process.run()
  }

  var said: String { (try? String(contentsOfFile: log, encoding: .utf8)) ?? "" }
  var isRunning: Bool { process.isRunning }
  var status: Int32 { process.terminationStatus }

  func kill() {
    Foundation.kill(process.processIdentifier, SIGKILL)
    process.waitUntilExit()
  }

  func terminate() {
    process.terminate()
    process.waitUntilExit()
  }

  deinit { if process.isRunning { kill() } }
}
