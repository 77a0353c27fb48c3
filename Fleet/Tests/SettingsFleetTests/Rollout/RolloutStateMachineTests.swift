@testable import SettingsFleet
import Testing

struct RolloutStateMachineTests {
  private static func ack(
    _ machine: String, _ state: Ack.Rollout.State? = nil, id: String = "r1", problem: FleetProblem? = nil,
    check: Int? = nil, groups: [String] = ["web"], appVersion: Int? = 1
  ) -> Ack {
    Ack(
      app: "editor", machine: machine, host: machine, groups: groups, appVersion: appVersion, revision: 1,
      rollout: state.map { Ack.Rollout(id: id, state: $0, problem: problem, check: check) })
  }

  private static func machine(_ acks: [Ack], requiresCheck: Bool = false, version: Int = 1) -> RolloutStateMachine {
    let rollout = Fixture().rollout(
      "a = 2", version: version, base: 0, target: .group("web"), requiresCheck: requiresCheck)
    return RolloutStateMachine(rollout, acks: acks, answerSeconds: 20)
  }

  private static let refusal = FleetProblem(.refused, "It is bad.")

  @Test func `it is published when every canary has had it for the whole time`() {
    var machine = Self.machine([Self.ack("a"), Self.ack("b")])
    #expect(machine.decision == .wait(.init(canaries: 2, missing: ["a", "b"], remaining: nil)))
    let one = [Self.ack("a", .applied), Self.ack("b")]
    #expect(
      machine.update(acks: one, elapsed: .seconds(1)) == .wait(.init(canaries: 2, missing: ["b"], remaining: nil)))
    let both = [Self.ack("a", .applied), Self.ack("b", .applied)]
    #expect(
      machine.update(acks: both, elapsed: .seconds(3))
        == .wait(.init(canaries: 2, missing: [], remaining: .seconds(10))))
    // Time does not go back.
    _ = machine.update(acks: both, elapsed: .seconds(1))
    #expect(machine.update(acks: both, elapsed: .milliseconds(12_999)) != .publish)
    #expect(machine.update(acks: both, elapsed: .seconds(13)) == .publish)
  }

  /// A sign of life can come 20 seconds after the waiting time, and nothing reports it.
  @Test func `it is checked again at the end of the waiting time, and every second`() {
    func next(_ remaining: Duration?) -> Duration {
      RolloutStateMachine.Progress(canaries: 1, missing: [], remaining: remaining).nextCheck
    }
    #expect(next(nil) == .seconds(1) && next(.seconds(600)) == .seconds(1))
    #expect(next(.milliseconds(300)) == .milliseconds(300) && next(.zero) == .seconds(1))
  }

  @Test func `no canary is an abort`() {
    #expect(Self.machine([]).decision == .abort(.noCanary))
    #expect(Self.machine([Self.ack("a", groups: [])]).decision == .abort(.noCanary))
    #expect(Self.machine([Self.ack("a", appVersion: 1)], version: 2).decision == .abort(.noCanary))
    var machine = Self.machine([Self.ack("a")])
    #expect(machine.update(acks: [Self.ack("a", .notConcerned)], elapsed: .zero) == .abort(.noCanary))
  }

  @Test func `one refusal is an abort for good`() {
    var machine = Self.machine([Self.ack("a"), Self.ack("b")])
    let acks = [Self.ack("a", .applied), Self.ack("b", .refused, problem: Self.refusal)]
    #expect(machine.update(acks: acks, elapsed: .zero) == .abort(.refused(machine: "b", Self.refusal)))
    #expect(
      machine.update(acks: [Self.ack("a", .applied), Self.ack("b", .applied)], elapsed: .seconds(60))
        == .abort(.refused(machine: "b", Self.refusal)))
  }

  @Test func `a canary that does nothing at all is an abort`() {
    var ack = Self.ack("a", .applied)
    ack.problem = FleetProblem(.duplicateMachine, "Two.")
    var machine = Self.machine([Self.ack("a")])
    #expect(machine.update(acks: [ack], elapsed: .zero) == .abort(.refused(machine: "a", ack.problem!)))
  }

  @Test func `a check has to pass`() {
    var machine = Self.machine([Self.ack("a")], requiresCheck: true)
    #expect(machine.update(acks: [Self.ack("a", .applied)], elapsed: .seconds(25)) != .publish)
    _ = machine.update(acks: [Self.ack("a", .applied, check: 0)], elapsed: .seconds(1))
    #expect(
      machine.update(acks: [Self.ack("a", .applied, check: 2)], elapsed: .seconds(2))
        == .abort(.checkFailed(machine: "a", status: 2)))
    machine = Self.machine([Self.ack("a")], requiresCheck: true)
    let problem = FleetProblem(.noCheck, "There is no command.")
    #expect(
      machine.update(acks: [Self.ack("a", .applied, problem: problem, check: 127)], elapsed: .seconds(2))
        == .abort(.notChecked(machine: "a", problem)))
  }

  @Test func `the names of machines are known, also of those that are gone`() {
    func named(_ machine: String, _ state: Ack.Rollout.State? = nil) -> Ack {
      var ack = Self.ack(machine, state)
      ack.host = "host-of-\(machine)"
      return ack
    }
    var machine = Self.machine([named("a")])
    _ = machine.update(acks: [named("b", .pending)], elapsed: .seconds(1))
    _ = machine.update(acks: [], elapsed: .seconds(2))
    #expect(machine.hosts == ["a": "host-of-a", "b": "host-of-b"])
  }

  @Test func `a canary that is silent, gone or answers about another rollout ends in an abort`() {
    let answers: [([Ack], [String: Duration])] = [
      ([Self.ack("b", .applied)], [:]),
      ([Self.ack("a", .applied), Self.ack("b", .applied)], ["a": .seconds(46)]),
      ([Self.ack("a", .applied, id: "r0"), Self.ack("b", .applied)], [:]),
      ([Self.ack("a", .pending), Self.ack("b", .applied)], [:]),
    ]
    for (acks, silence) in answers {
      var machine = Self.machine([Self.ack("a"), Self.ack("b")])
      for second in 0..<30 {
        guard case .wait = machine.update(acks: acks, silence: silence, elapsed: .seconds(second)) else {
          Issue.record("ended after \(second) s")
          break
        }
      }
      #expect(machine.update(acks: acks, silence: silence, elapsed: .seconds(30)) == .abort(.unanswered(["a"])))
    }
  }

  @Test func `the waiting time ends with a sign of life`() {
    var machine = Self.machine([Self.ack("a")])
    let acks = [Self.ack("a", .applied)]
    _ = machine.update(acks: acks, elapsed: .zero)
    // It died after five seconds.
    for second in 5..<30 {
      let silence = ["a": Duration.seconds(second - 5)]
      #expect(machine.update(acks: acks, silence: silence, elapsed: .seconds(second)) != .publish)
    }
    #expect(
      machine.update(acks: acks, silence: ["a": .seconds(25)], elapsed: .seconds(30)) == .abort(.unanswered(["a"])))
    machine = Self.machine([Self.ack("a")])
    _ = machine.update(acks: acks, elapsed: .zero)
    #expect(machine.update(acks: acks, silence: ["a": .seconds(4)], elapsed: .seconds(13)) != .publish)
    #expect(machine.update(acks: acks, silence: ["a": .seconds(4)], elapsed: .seconds(14)) == .publish)
  }

  @Test func `a canary that goes away begins again`() {
    var machine = Self.machine([Self.ack("a")])
    _ = machine.update(acks: [Self.ack("a", .applied)], elapsed: .zero)
    _ = machine.update(acks: [], elapsed: .seconds(5))
    _ = machine.update(acks: [Self.ack("a", .applied)], elapsed: .seconds(6))
    #expect(machine.update(acks: [Self.ack("a", .applied)], elapsed: .seconds(10)) != .publish)
    #expect(machine.update(acks: [Self.ack("a", .applied)], elapsed: .seconds(16)) == .publish)
  }

  @Test func `a machine that starts later has to have it, for no length of time`() {
    var machine = Self.machine([Self.ack("a")])
    _ = machine.update(acks: [Self.ack("a", .applied)], elapsed: .zero)
    #expect(
      machine.update(acks: [Self.ack("a", .applied), Self.ack("b")], elapsed: .seconds(10))
        == .wait(.init(canaries: 2, missing: ["b"], remaining: nil)))
    #expect(
      machine.update(acks: [Self.ack("a", .applied), Self.ack("b", .applied)], elapsed: .seconds(11)) == .publish)
  }

  @Test func `a change of the document is an abort, which stays`() {
    var machine = Self.machine([Self.ack("a")])
    #expect(machine.update(acks: [Self.ack("a", .superseded)], elapsed: .zero) == .abort(.documentChanged))
    #expect(machine.update(acks: [Self.ack("a", .applied)], elapsed: .seconds(99)) == .abort(.documentChanged))
  }
}
