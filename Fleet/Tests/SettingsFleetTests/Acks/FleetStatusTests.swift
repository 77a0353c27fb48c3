import SettingsFleet
import Testing

struct FleetStatusTests {
  private static func item(_ ack: Ack, lease: Int64 = 7) -> FleetItem {
    var ack = ack
    ack.lease = LeaseID(rawValue: lease)
    return FleetItem(
      key: Array(ack.key.text.utf8), value: ack.json, createRevision: 1, modRevision: 1, version: 1,
      lease: LeaseID(rawValue: lease))
  }

  /// The answer of a machine that has followed the cluster.
  private static func ack(_ cluster: Fixture, _ machine: Machine, release: String? = nil) -> Ack {
    var fixture = cluster
    fixture.machine = machine
    fixture.apps["editor"] = InstalledApp(version: 1, stamp: "s", release: release)
    return fixture.follow().plan.acks().first { $0.app == "editor" }!
  }

  private static func status(
    _ cluster: Fixture, _ acks: [FleetItem], leases: [LeaseID: LeaseState] = [:]
  ) -> FleetStatus {
    FleetStatus.make(app: "editor", snapshot: cluster.snapshot(), acks: acks, leases: leases)
  }

  @Test func `a fleet is one line`() throws {
    var cluster = Fixture()
    cluster.put("a = 1")
    var acks = (1...6).map { Self.item(Self.ack(cluster, Fixture.machine(id: "m\($0)"), release: "1.\($0 % 2)")) }
    cluster.put(FleetDocument("editor/group/web")!, "bad")
    for index in 7...9 {
      acks.append(Self.item(Self.ack(cluster, Fixture.machine(id: "m\(index)", groups: ["web"]))))
    }
    var late = Self.ack(cluster, Fixture.machine(id: "late", groups: ["web"]))
    late.documents = []
    acks.append(Self.item(late))
    acks.append(Self.item(Self.ack(cluster, Fixture.machine(id: "dead")), lease: 9))
    acks.append(FleetItem(key: [1], value: [2], createRevision: 1, modRevision: 1, version: 1))
    let leases = [LeaseID(rawValue: 9): LeaseState(granted: 3600, remaining: 3350)]
    let status = Self.status(cluster, acks, leases: leases)
    #expect(
      status.line
        == "rev \(cluster.revision): 6 applied, 1 pending, 3 refused (line 7: It is bad.), 1 silent for 4 min, "
        + "1 unreadable")
    #expect(status.refused.map(\.machine) == ["m7", "m8", "m9"] && status.refused[0].scope == .group("web"))
    #expect(status.releases == ["1.0": 3, "1.1": 3, "unknown": 5])
    #expect(status.appVersions == ["1": 11])
    #expect(FleetJSON.text(of: status).contains(#""applied":6"#))
  }

  @Test func `a fleet is good when no host that is expected is missing`() {
    var cluster = Fixture()
    cluster.put("a = 1")
    let acks = [Self.item(Self.ack(cluster, Fixture.machine()))]
    for (expected, isGood) in [(["a1"], true), (["a1", "b9"], false)] {
      let status = FleetStatus.make(
        app: "editor", snapshot: cluster.snapshot(), acks: acks, leases: [:], expected: expected)
      #expect(status.applied == 1 && status.isGood == isGood)
    }
  }

  @Test func `a machine that should have a document, and has not answered about it, is pending`() {
    var cluster = Fixture()
    cluster.put(FleetDocument("editor/group/web")!, "a = 1")
    let machines = [
      Fixture.machine(id: "m1", groups: ["web"]), Fixture.machine(id: "m2"),
      Fixture.machine(id: "m3", groups: ["web"], apps: ["viewer"]), Fixture.machine(id: "m4", groups: ["web"]),
      Fixture.machine(id: "m5", groups: ["web"]),
    ]
    let mirrors = machines.map { machine in
      var fixture = cluster
      fixture.machine = machine
      let mirror = fixture.follow().plan.acks().first { $0.app == FleetNames.ownApp }!
      return Self.item(mirror, lease: machine.id == "m4" ? 9 : 7)
    }
    let status = FleetStatus.make(
      app: "editor", snapshot: cluster.snapshot(), acks: [Self.item(Self.ack(cluster, machines[4]))],
      mirrors: mirrors, leases: [LeaseID(rawValue: 9): LeaseState(granted: 3600, remaining: 3000)])
    #expect(status.pending.map(\.machine) == ["m1"] && status.pending[0].problem?.kind == .unanswered)
    #expect(status.silent.map(\.machine) == ["m4"] && status.applied == 1)
  }

  @Test func `an answer that says why it is pending is shown with it`() {
    var cluster = Fixture()
    cluster.put("a = 1")
    var ack = Self.ack(cluster, Fixture.machine())
    ack.documents[0].state = .pending
    ack.documents[0].problem = FleetProblem(.notWritten, "The disk is full.")
    let status = Self.status(cluster, [Self.item(ack)])
    #expect(status.pending.map(\.scope) == [.all])
    #expect(status.line == "rev \(cluster.revision): 1 pending (The disk is full.)")
  }

  @Test func `an answer about an earlier text is pending`() {
    var cluster = Fixture()
    cluster.put("bad")
    let ack = Self.item(Self.ack(cluster, Fixture.machine()))
    #expect(Self.status(cluster, [ack]).refused.count == 1)
    cluster.put("a = 1")
    #expect(Self.status(cluster, [ack]).pending.count == 1)
    cluster.remove()
    #expect(Self.status(cluster, [ack]).pending.count == 1)
  }

  @Test func `a canary that has the rollout counts as right while the rollout lasts`() {
    var cluster = Fixture()
    cluster.put("a = 1")
    let before = Self.item(Self.ack(cluster, Fixture.machine(id: "m1")))
    cluster.put(cluster.rollout("a = 2"))
    let canary = Self.item(Self.ack(cluster, Fixture.machine(id: "m2")))
    let status = Self.status(cluster, [before, canary])
    #expect(status.applied == 1 && status.pending.map(\.machine) == ["m1"])
    #expect(status.rollout?.applied == 1 && status.rollout?.pending == 1)
    #expect(status.line.hasSuffix("; rollout r1: 1 applied, 1 pending"))
    // A change of the document ends it, although it is still there.
    var changed = cluster
    changed.put("a = 3")
    #expect(Self.status(changed, [before, canary]).rollout == nil)
    cluster.endRollout()
    #expect(Self.status(cluster, [before, canary]).pending.map(\.machine) == ["m2"])
  }

  @Test func `nobody answers for another machine`() {
    let cluster = Fixture()
    let ack = Self.ack(cluster, Fixture.machine(id: "m1"))
    var other = Self.item(ack)
    other = FleetItem(
      key: Array("/app-settings-acks/1/editor/m2".utf8), value: other.value, createRevision: 1, modRevision: 1,
      version: 1, lease: other.lease)
    #expect(Ack(other) == nil)
    let kept = FleetItem(
      key: Array(ack.key.text.utf8), value: Self.item(ack).value, createRevision: 1, modRevision: 1, version: 1)
    #expect(Ack(kept) == nil)
    #expect(Ack(Self.item(ack)) != nil)
  }

  @Test func `a machine that waits for an acceptance is held`() {
    var cluster = Fixture()
    cluster.put("a = 1")
    cluster.follow()
    cluster.cluster = ClusterID(rawValue: 9)
    let ack = Self.item(cluster.plan().acks()[0])
    #expect(Self.status(cluster, [ack]).held.first?.problem?.kind == .otherCluster)
    #expect(Self.status(cluster, [ack]).line == "rev \(cluster.revision): 1 held until 'settings-fleet accept'")
    #expect(Self.status(cluster, []).line == "rev \(cluster.revision): 0 applied")
    #expect(Self.status(Fixture(), []).line == "no document")
  }
}
