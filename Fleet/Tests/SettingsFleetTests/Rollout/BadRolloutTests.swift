import SettingsFleet
import Testing

/// Bad documents, made at random, in rollouts: none of them leaves the canaries.
///
/// `SETTINGS_FLEET=full` tries 10,000 of them; `SETTINGS_FLEET_SEED` repeats the one that a failure names.
struct BadRolloutTests {
  @Test func `no bad document leaves the canaries`() {
    for seed in Seeds.list(short: 150, full: 10_000) { run(seed) }
  }

  private func run(_ seed: UInt64) {
    var random = Numbers(seed: seed)
    var cluster = Fixture()
    cluster.put("good")
    let count = random.number(2...6)
    var machines = (1...count).map { index in
      var machine = Fixture()
      machine.machine = Fixture.machine(
        id: "m\(index)-\(seed)", groups: random.chance(30) ? ["web"] : [], isSigned: false)
      return machine
    }
    for index in machines.indices { follow(&machines[index], cluster) }
    let (bytes, isSubtle) = Self.badText(&random)
    let target: Rollout.Target = random.chance(30) ? .group("web") : .share(random.number(1...9000))
    let rollout = Rollout(
      id: "r1", scope: .all, version: 1, baseModRevision: cluster.modRevision(),
      text: String(decoding: bytes, as: UTF8.self), target: target, salt: "s\(seed)", waitSeconds: random.number(0...5),
      requiresCheck: isSubtle, coordinator: "c", created: "now")!
    let name = "SETTINGS_FLEET_SEED=\(seed): '\(rollout.text.prefix(40))'"
    var state = RolloutStateMachine(rollout, acks: machines.map { $0.plan().acks()[0] })
    guard case .wait = state.decision else {
      #expect(!machines.contains { rollout.isCanary($0.machine) }, "\(name)")
      return
    }
    cluster.put(rollout)
    var elapsed = Duration.zero
    var decision = state.decision
    while case .wait = decision {
      // Machines read in any order, some of them later.
      for index in machines.indices where random.chance(60) { follow(&machines[index], cluster) }
      for machine in machines {
        let isTaken = machine.files[Fixture.document] == rollout.digest
        #expect(!isTaken || (isSubtle && rollout.isCanary(machine.machine)), "\(name)")
      }
      elapsed += .milliseconds(random.number(10...2000))
      let acks = machines.map { machine in
        var plan = machine.plan()
        while let check = plan.nextCheck { plan.settle(check, .unavailable(FleetProblem(.notChecked, "Later."))) }
        return plan.acks(checks: isSubtle && random.chance(50) ? ["r1": random.number(1...255)] : [:])[0]
      }
      decision = state.update(acks: acks, elapsed: elapsed)
    }
    guard case .abort = decision else {
      Issue.record("\(name) was published")
      return
    }
    cluster.endRollout()
    for index in machines.indices {
      follow(&machines[index], cluster)
      #expect(machines[index].files == [Fixture.document: TextDigest(of: "good".utf8)], "\(name)")
    }
  }

  private func follow(_ machine: inout Fixture, _ cluster: Fixture) {
    (machine.items, machine.revision) = (cluster.items, cluster.revision)
    machine.follow()
  }

  /// A text that the check refuses, or the check command of the canaries.
  private static func badText(_ random: inout Numbers) -> (bytes: [UInt8], isSubtle: Bool) {
    switch random.number(0...4) {
    case 0: return (Array("a = \u{0}".utf8) + Array("\(random.next())".utf8), false)
    case 1: return ([UInt8](repeating: 0x23, count: 1 << 20 + random.number(1...50)), false)
    case 2, 3:
      var bytes = (0..<random.number(0...60)).map { _ in UInt8(random.number(1...127)) }
      bytes.insert(contentsOf: Array("bad".utf8), at: random.number(0...bytes.count))
      return (bytes, false)
    default: return (Array("subtle = \(random.next())".utf8), true)
    }
  }
}
