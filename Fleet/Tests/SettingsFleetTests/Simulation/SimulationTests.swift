import SettingsFleet
import Testing

/// Whole fleets with faults at random, against a model of etcd.
///
/// `SETTINGS_FLEET=full` runs 10,000 of them; `SETTINGS_FLEET_SEED` repeats the one that a failure names.
struct SimulationTests {
  @Test func `a fleet with faults is right soon after they end`() async {
    let seeds = Seeds.list(short: 70, full: 10_000)
    await withTaskGroup(of: [String].self) { group in
      for part in 0..<2 {
        group.addTask {
          seeds.enumerated().filter { $0.offset % 2 == part }.flatMap { Self.run(seed: $0.element) }
        }
      }
      for await failures in group { for failure in failures { Issue.record("\(failure)") } }
    }
  }

  static func run(seed: UInt64) -> [String] {
    let simulation = Simulation(seed: seed)
    for machine in simulation.machines { simulation.after(simulation.step()) { machine.start() } }
    simulation.run(until: 300)
    for _ in 0..<40 {
      simulation.disturb()
      simulation.run(until: simulation.now + simulation.random.number(0...800))
    }
    simulation.heal()
    // Events that were lost without a trace come with the next reading of everything.
    simulation.run(until: simulation.now + (simulation.isLossy ? 28_000 : 12_000))
    simulation.checkEnd()
    defer { simulation.dismantle() }
    return simulation.failures.map { "SETTINGS_FLEET_SEED=\(seed): \($0)" }
  }
}

extension Simulation {
  /// Whether every machine has what it should have, and has said so.
  func checkEnd() {
    let snapshot = cluster.snapshot()
    let contents = FleetContents(snapshot)
    for machine in machines {
      for document in Self.documents { check(document, contents.versions(of: document), machine) }
    }
    for app in Self.apps {
      let items = cluster.range(FleetNames.acksPrefix(ofApp: app))
      let status = FleetStatus.make(app: app, snapshot: snapshot, acks: items, leases: [:])
      let expected = Set(machines.filter { refuses(app, contents, $0) }.map(\.machine.id))
      if Set(status.refused.map(\.machine)) != expected || !status.pending.isEmpty
        || status.applied != machines.count - expected.count
      {
        fail("the status of \(app) is '\(status.line)' and \(expected.sorted()) should refuse")
      }
    }
  }

  private func version(_ versions: [Int: StoredDocument], _ machine: ModelMachine, _ app: String) -> Int? {
    versions.keys.filter { $0 <= machine.apps[app]!.version! }.max()
  }

  private func refuses(_ app: String, _ contents: FleetContents, _ machine: ModelMachine) -> Bool {
    Self.documents.contains { document in
      guard document.app == app, machine.machine.isIn(document.scope) else { return false }
      let versions = contents.versions(of: document)
      guard let version = version(versions, machine, app) else { return !versions.isEmpty }
      return ModelText(versions[version]!.text).problem(for: machine.apps[app]) != nil
        && machine.text(document) != versions[version]!.text
    }
  }

  private func check(_ document: FleetDocument, _ versions: [Int: StoredDocument], _ machine: ModelMachine) {
    let isShared = Self.documents.contains {
      $0 != document && $0.path == document.path && machine.machine.isIn($0.scope)
    }
    guard !isShared else { return }
    let name = "\(machine.machine.id): \(document)"
    let text = machine.text(document)
    guard machine.machine.isIn(document.scope) else {
      if text != nil, document.scope != .host("h1") { fail("\(name) is still there") }
      return
    }
    guard let version = version(versions, machine, document.app) else {
      if versions.isEmpty, text != nil { fail("\(name) is still there, and the document is gone") }
      return
    }
    let stored = versions[version]!
    if text == stored.text { return }
    if ModelText(stored.text).problem(for: machine.apps[document.app]) == nil {
      fail(
        "\(name) has '\(text.map { String(decoding: $0, as: UTF8.self) } ?? "nothing")' and should have "
          + "'\(String(decoding: stored.text, as: UTF8.self))'")
    }
  }
}
