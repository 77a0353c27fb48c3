import SettingsFleet
import Testing

struct FleetOverviewTests {
  private static func items(_ cluster: Fixture, _ machine: Machine, lease: Int64 = 7, repairs: Int? = nil)
    -> [FleetItem]
  {
    var fixture = cluster
    fixture.machine = machine
    return fixture.follow().plan.acks().map { ack in
      var ack = ack
      ack.lease = LeaseID(rawValue: lease)
      if ack.app == "editor" { ack.repairs = repairs }
      if ack.app == FleetNames.ownApp { ack.release = "settings-fleet 1.0" }
      return FleetItem(
        key: Array(ack.key.text.utf8), value: ack.json, createRevision: 1, modRevision: 1, version: 1, lease: ack.lease)
    }
  }

  @Test func `a fleet is all its machines, with what each has to say`() {
    var cluster = Fixture()
    cluster.put("a = 1")
    cluster.put(FleetDocument("editor/group/web")!, "bad")
    cluster.put(FleetDocument("viewer/all")!, "b = 1")
    var acks = Self.items(cluster, Fixture.machine(id: "m1", host: "b1"), repairs: 2)
    acks += Self.items(cluster, Fixture.machine(id: "m2", host: "b2", groups: ["web"]))
    acks += Self.items(cluster, Fixture.machine(id: "m3", host: "a3"), lease: 9)
    // It has not answered about one of the apps.
    acks += Self.items(cluster, Fixture.machine(id: "m4", host: "b4")).filter { FleetKey($0.key)?.app != "viewer" }
    let overview = FleetOverview.make(
      snapshot: cluster.snapshot(), acks: acks,
      leases: [LeaseID(rawValue: 9): LeaseState(granted: 3600, remaining: 3000)], expected: ["b1", "b9", "a8"])
    #expect(overview.machines.map(\.host) == ["a3", "b1", "b2", "b4"])
    #expect(overview.machines.map(\.state) == [.silent, .applied, .refused, .pending])
    #expect(overview.machines.map { $0.apps.map(\.repairs) } == [[0, 0], [2, 0], [0, 0], [0, 0]])
    let counter = "settings_fleet_machine_repairs_total{host=\"b1\",machine=\"m1\",app="
    #expect(overview.metrics.contains("\(counter)\"editor\"} 2\n\(counter)\"viewer\"} 0\n"))
    #expect(overview.machines.allSatisfy { $0.release == "settings-fleet 1.0" })
    #expect(overview.machines[2].apps.map(\.app) == ["editor", "viewer"])
    #expect(overview.machines[2].apps[0].scope == .group("web") && overview.machines[2].apps[0].problem?.line == 7)
    #expect(overview.machines[3].apps.map(\.state) == [.applied, .pending])
    #expect(overview.machines[0].silentSeconds == 600)
    #expect(overview.missing == ["a8", "b9"] && !overview.isGood)
    #expect(overview.apps.map(\.app) == ["editor", "viewer"] && overview.apps[0].applied == 2)
  }

  @Test func `an answer that a mirror has left under an earlier lease does not make its machine silent`() {
    var cluster = Fixture()
    for app in ["editor", "viewer"] { cluster.put(FleetDocument("\(app)/all")!, "a = 1") }
    let left = Self.items(cluster, Fixture.machine(), lease: 9).filter { FleetKey($0.key)?.app == "viewer" }
    let acks = left + Self.items(cluster, Fixture.machine(apps: ["editor"]))
    let leases = [LeaseID(rawValue: 9): LeaseState(granted: 3600, remaining: 3000)]
    let overview = FleetOverview.make(snapshot: cluster.snapshot(), acks: acks, leases: leases)
    #expect(overview.machines.map(\.state) == [.applied] && overview.machines[0].apps.map(\.app) == ["editor"])
    #expect(overview.apps.map(\.applied) == [1, 0] && overview.apps.allSatisfy(\.silent.isEmpty))
    // Without the machine's other answers, it is silent.
    let alone = FleetOverview.make(snapshot: cluster.snapshot(), acks: left, leases: leases)
    #expect(alone.machines.map(\.state) == [.silent] && alone.apps.map(\.silent.count) == [0, 1])
  }

  @Test func `an answer with impossible numbers is not read`() {
    var cluster = Fixture()
    for app in ["editor", "viewer"] { cluster.put(FleetDocument("\(app)/all")!, "a = 1") }
    let acks = Self.items(cluster, Fixture.machine()).compactMap(Ack.init)
    func overview(_ change: (inout Ack) -> Void) -> FleetOverview {
      let items = acks.map { ack in
        var ack = ack
        if ack.app != FleetNames.ownApp { change(&ack) }
        return FleetItem(
          key: Array(ack.key.text.utf8), value: ack.json, createRevision: 1, modRevision: 1, version: 1,
          lease: ack.lease)
      }
      return FleetOverview.make(snapshot: cluster.snapshot(), acks: items, leases: [:])
    }
    #expect(overview { $0.repairs = .max }.apps.map(\.applied) == [1, 1])
    for change: (inout Ack) -> Void in [
      { $0.repairs = -1 }, { $0.appVersion = -1 }, { $0.documents[0].version = 0 },
    ] {
      let overview = overview(change)
      #expect(overview.machines.map { $0.apps.map(\.repairs) } == [[0, 0]])
      #expect(overview.apps.map(\.unreadable) == [1, 1] && overview.apps.map(\.applied) == [0, 0])
      #expect(!overview.isGood)
    }
  }

  @Test func `a machine that holds says so, and a good fleet is good`() {
    var cluster = Fixture()
    cluster.put("a = 1")
    let good = FleetOverview.make(
      snapshot: cluster.snapshot(), acks: Self.items(cluster, Fixture.machine()), leases: [:], expected: ["a1"])
    #expect(good.isGood && good.machines.map(\.state) == [.applied])
    #expect(!FleetOverview.make(snapshot: cluster.snapshot(), acks: [], leases: [:]).isGood)
    #expect(FleetOverview.make(snapshot: Fixture().snapshot(), acks: [], leases: [:]).isGood)
    cluster.record.cluster = ClusterID(rawValue: 0xee)
    let held = FleetOverview.make(
      snapshot: cluster.snapshot(), acks: Self.items(cluster, Fixture.machine()), leases: [:])
    #expect(!held.isGood && held.machines.map(\.state) == [.held])
    #expect(held.machines[0].problem?.kind == .otherCluster)
  }
}
