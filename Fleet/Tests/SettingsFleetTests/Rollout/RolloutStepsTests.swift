import Testing

@testable import SettingsFleet

struct RolloutStepsTests {
  private static func rollout(_ shares: [Int], salt: String = "salt") -> Rollout {
    Rollout(
      id: "r1", scope: .all, version: 1, baseModRevision: 1, text: "a = 1", target: .share(shares[0]), salt: salt,
      waitSeconds: 10, coordinator: "ada@a1", created: "2026-01-01T00:00:00Z",
      steps: Rollout.Steps(shares: shares, graceSeconds: 60))!
  }

  private static func ack(_ machine: String) -> Ack { Ack(app: "editor", machine: machine, host: machine, revision: 1) }

  @Test func `each step has its share of the machines, with those of the step before and at least one more`() throws {
    for seed in Seeds.list(short: 100, full: 5000) {
      var random = Numbers(seed: seed)
      let machines = (0..<random.number(1...60)).map { Self.ack("m\($0)") }
      let shares = Set((1...5).map { _ in random.number(1...9999) } + [10_000]).sorted()
      var rollout = Self.rollout(shares, salt: "s\(seed)").choosing(among: machines)
      var canaries = Set(machines.filter(rollout.isCanary).map(\.machine))
      let areApart = Set(machines.map { Rollout.place(of: $0.machine, salt: rollout.salt) }).count == machines.count
      func number(_ share: Int, after former: Int) -> Int {
        min(max((machines.count * share + 9_999) / 10_000, former + 1), machines.count)
      }
      #expect(canaries.count >= number(shares[0], after: 0), "SETTINGS_FLEET_SEED=\(seed)")
      #expect(canaries.count == number(shares[0], after: 0) || !areApart, "SETTINGS_FLEET_SEED=\(seed)")
      var steps = 1
      while let next = rollout.nextStep(among: machines) {
        let more = Set(machines.filter(next.isCanary).map(\.machine))
        #expect(more.isSuperset(of: canaries), "SETTINGS_FLEET_SEED=\(seed)")
        let wanted = number(shares[steps], after: canaries.count)
        #expect(more.count == wanted || more.count > wanted && !areApart, "SETTINGS_FLEET_SEED=\(seed)")
        #expect(next.signature == nil && next.steps?.index == steps && next.id == rollout.id)
        (rollout, canaries, steps) = (next, more, steps + 1)
      }
      #expect(steps == shares.count && canaries.count == machines.count, "SETTINGS_FLEET_SEED=\(seed)")
    }
  }

  @Test func `steps are read back, and impossible ones are none`() {
    let rollout = Self.rollout([100, 10_000])
    #expect(Rollout(rollout.json) == rollout)
    let second = rollout.nextStep(among: [])
    #expect(second.flatMap { Rollout($0.json) } == second && second?.nextStep(among: []) == nil)
    #expect(rollout.taken(over: "eve@b2", isPaused: true).steps?.isPaused == true)
    for shares in [[], [0], [10_001], [5, 5], [5, 4]] { #expect(Rollout.Steps(shares: shares, graceSeconds: 1) == nil) }
    #expect(Rollout.Steps(shares: [1], graceSeconds: 0) == nil)
    let hostile = String(decoding: rollout.json, as: UTF8.self).replacing("\"index\":0", with: "\"index\":7")
    #expect(Rollout(Array(hostile.utf8)) == nil)
  }

  @Test func `a paused rollout keeps its document as it is, and no other one`() throws {
    var cluster = Fixture()
    cluster.put("a = 0")
    let group = FleetDocument("editor/group/web")!
    cluster.put(group, "b = 0")
    let rollout = Rollout(
      id: "r1", scope: .all, version: 1, baseModRevision: cluster.modRevision(), text: "a = 1", target: .share(100),
      salt: "s", waitSeconds: 10, coordinator: "ada@a1", created: "",
      steps: Rollout.Steps(shares: [100], graceSeconds: 9))!
    func writer(_ document: FleetDocument = Fixture.document) -> DocumentWriter {
      DocumentWriter(document, in: cluster.snapshot(), appVersion: nil)
    }
    cluster.put(rollout)
    #expect(writer().openRollout == rollout && writer(group).openRollout == nil)
    #expect(try !writer().write(Array("a = 2".utf8), version: 1).isEmpty)
    cluster.put(rollout.taken(over: "eve@b2", isPaused: true))
    let paused = WriterError.rolloutPaused(by: "eve@b2")
    #expect(throws: paused) { try writer().write(Array("a = 2".utf8), version: 1) }
    #expect(throws: paused) { try writer().remove() }
    #expect(throws: paused) { try writer().apply([1: Array("a = 2".utf8)], from: "main", signing: nil) }
    #expect(try !writer().apply([1: Array("a = 0".utf8)], from: "main", signing: nil).isEmpty)
    #expect(try !writer(group).write(Array("b = 2".utf8), version: 1).isEmpty)
    // One that is void already ends with nobody's change.
    cluster.put("a = 3")
    #expect(try !writer().write(Array("a = 2".utf8), version: 1).isEmpty)
  }

  @Test func `only the rollout that is under way is replaced, and a signed one by a signed one`() throws {
    var cluster = Fixture()
    cluster.put("a = 0")
    let plain = Rollout(
      id: "r1", scope: .all, version: 1, baseModRevision: cluster.modRevision(), text: "a = 1", target: .share(100),
      salt: "s", waitSeconds: 10, coordinator: "ada@a1", created: "",
      steps: Rollout.Steps(shares: [100], graceSeconds: 9))!
    let signed = plain.signed(by: Fixture.key, serial: 7, app: "editor")
    cluster.put(signed)
    let writer = DocumentWriter(Fixture.document, in: cluster.snapshot(), appVersion: nil)
    let lease = LeaseID(rawValue: 3)
    let taken = signed.taken(over: "eve@b2", isPaused: false)
    #expect(throws: WriterError.needsKey) { try writer.replace(signed, with: taken, lease: lease) }
    #expect(throws: WriterError.rolloutVoid) { try writer.replace(plain, with: taken, lease: lease) }
    let again = taken.signed(by: Fixture.key, serial: 8, app: "editor")
    let transaction = try writer.replace(signed, with: again, lease: lease)
    #expect(transaction.puts.map(\.lease) == [lease])
    // Of two who take it over at once, one does.
    let item = cluster.items[FleetKey.rollout(app: "editor").text]!
    #expect(transaction.compares.contains { $0.key == item.key && $0.modRevision == item.modRevision })
    let trust = Trust([Fixture.key.verificationKey])
    #expect(trust.problem(with: again, of: Fixture.document) == nil)
    #expect(trust.problem(with: taken, of: Fixture.document)?.kind == .unsigned)
    // Who can only write to etcd makes it no faster, and leaves out no check.
    for (part, other) in [
      ("\"requiresCheck\":false", "\"requiresCheck\":true"), ("\"waitSeconds\":10", "\"waitSeconds\":0"),
      ("\"graceSeconds\":9", "\"graceSeconds\":99"), ("\"shares\":[100]", "\"shares\":[9000]"),
    ] {
      let text = String(decoding: again.json, as: UTF8.self).replacing(part, with: other)
      let changed = try #require(Rollout(Array(text.utf8)))
      #expect(changed != again && trust.problem(with: changed, of: Fixture.document)?.kind == .badSignature, "\(part)")
    }
  }
}
