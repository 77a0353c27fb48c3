import EtcdClient
import EtcdTesting
import Foundation
import Testing

extension CommandTests {
  @Suite(.serialized) struct RolloutTests {
    @Test func `a rollout reaches the canaries first and then all`() async throws {
      try await Fleet.with { fleet in
        let ada = try fleet.person()
        // The check ends when the test says so.
        let gate = fleet.root + "/gate"
        let check = "while ! test -e '\(gate)'; do sleep 0.02; done"
        let canary = try fleet.machine("canary", groups: ["lab"], "check = [\"sh\", \"-c\", \"\(check)\"]\n")
        let other = try fleet.machine("other")
        for machine in [canary, other] { try machine.start() }
        try await ada.run("set", fleet.app, "a=1")
        for machine in [canary, other] { #expect(try await machine.wait(for: "a = 1\n")) }
        #expect(try await ada.waitUntilApplied(by: 2))
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
        for machine in [canary, other] { try machine.start() }
        try await ada.run("set", fleet.app, "a=1")
        for machine in [canary, other] { #expect(try await machine.wait(for: "a = 1\n")) }
        #expect(try await ada.waitUntilApplied(by: 2))

        let refused = try await ada.run("rollout", "--canaries", "lab", "--wait", "1s", fleet.app, "set", "a=70")
        #expect(refused.status == 12 && refused.error.contains("refused it"), "\(refused)")
        let failed = try await ada.run(
          "rollout", "--canaries", "lab", "--check", "--wait", "1s", fleet.app, "set", "a=2")
        #expect(failed.status == 12 && failed.error.contains("status 3"), "\(failed)")
        #expect(try await canary.wait(for: "a = 1\n"), "\(canary.said)")
        #expect(!other.said.contains("a = 70") && other.text() == "a = 1\n")
        #expect(try await ada.run("get", fleet.app, "a").output == "1\n")
      }
    }

    @Test func `a rollout ends when its command is told to, and can be cancelled from elsewhere`() async throws {
      try await Fleet.with { fleet in
        let ada = try fleet.person()
        let machine = try fleet.machine("m1")
        try machine.start()
        try await ada.run("set", fleet.app, "a=1")
        #expect(try await machine.wait(for: "a = 1\n"))
        #expect(try await ada.waitUntilApplied(by: 1))
        let process = ada.process(["rollout", "--share", "100", "--wait", "10m", fleet.app, "set", "a=2"])
        process.standardError = FileHandle.nullDevice
        try process.run()
        #expect(try await machine.wait(for: "a = 2\n"))
        let second = try await ada.run("rollout", "--share", "100", fleet.app, "set", "a=3")
        #expect(second.status == 9 && second.error.contains("under way"), "\(second)")
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
        for machine in [canary, other] { try machine.start() }
        try await ada.run("set", fleet.app, "a=1")
        for machine in [canary, other] { #expect(try await machine.wait(for: "a = 1\n")) }
        #expect(try await ada.waitUntilApplied(by: 2))
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
        for machine in machines { try machine.start() }
        try await ada.run("set", fleet.app, "a=1")
        #expect(try await ada.waitUntilApplied(by: 2))
        let answer = try await ada.run("rollout", "--share", "0.01", "--wait", "1s", fleet.app, "set", "a=2")
        #expect(answer.status == 0, "\(answer)")
        #expect(["m1", "m2"].contains { answer.error.contains("'\($0)' tries the change first.") }, "\(answer)")
        for machine in machines { #expect(try await machine.wait(for: "a = 2\n")) }
      }
    }

    @Test func `a rollout without canaries is refused`() async throws {
      try await Fleet.with { fleet in
        let ada = try fleet.person()
        let answer = try await ada.run("rollout", "--canaries", "lab", fleet.app, "set", "a=2")
        #expect(answer.status == 12 && answer.error.contains("in the group 'lab'"), "\(answer)")
        #expect(try await ada.run("rollout", "--cancel", fleet.app).status == 1)
      }
    }
  }
}
