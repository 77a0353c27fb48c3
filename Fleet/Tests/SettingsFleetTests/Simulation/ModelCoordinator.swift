import SettingsFleet

/// Who coordinates a rollout: a process that can die at any step, behind a network that can fail.
final class ModelCoordinator {
  let simulation: Simulation
  let document: FleetDocument
  private var machine: RolloutStateMachine
  private var lease: LeaseID?
  private var started = 0
  private(set) var isOver = false
  var isPartitioned = false

  init?(_ simulation: Simulation, _ document: FleetDocument, _ rollout: Rollout) {
    self.simulation = simulation
    self.document = document
    machine = RolloutStateMachine(
      rollout, acks: simulation.acks(of: document.app), answerSeconds: 5, silentAfter: .seconds(4))
    if case .abort = machine.decision { return nil }
  }

  /// It is gone from one moment to the next.
  func die() { isOver = true }

  func begin() {
    lease = simulation.cluster.grant(seconds: 4, now: simulation.now)
    call({ [self] cluster in
      let writer = DocumentWriter(document, in: cluster.snapshot(app: document.app), appVersion: nil)
      return (try? writer.begin(machine.rollout, lease: lease!)).map(cluster.commit) ?? false
    }) { [self] hasBegun in
      guard hasBegun == true else { return end() }
      started = simulation.now
      poll()
      keepAlive()
    }
  }

  private func keepAlive() {
    call({ [self] cluster in cluster.keepAlive(lease!, now: simulation.now) }) { [self] _ in
      simulation.after(1000) { [self] in if !isOver { keepAlive() } }
    }
  }

  private func poll() {
    call({ [self] cluster in
      let acks = simulation.acks(of: document.app)
      var silence: [String: Duration] = [:]
      for ack in acks {
        guard let lease = ack.lease.flatMap({ cluster.leases[$0] }) else { continue }
        silence[ack.machine] = .milliseconds(simulation.now + lease.seconds * 1000 - lease.expires)
      }
      return (acks, silence, FleetContents(cluster.snapshot(app: document.app)).apps[document.app])
    }) { [self] answer in
      guard let (acks, silence, app) = answer else { return again() }
      let isThere = app?.rollout?.id == machine.rollout.id
      let decision =
        isThere
        ? machine.update(acks: acks, silence: silence, elapsed: .milliseconds(simulation.now - started))
        : .abort(.documentChanged)
      switch decision {
      case .wait: again()
      case .abort: cancel()
      case .publish: publish()
      }
    }
  }

  private func again() { simulation.after(200) { [self] in if !isOver { poll() } } }

  private func publish() {
    call({ [self] cluster in
      let writer = DocumentWriter(document, in: cluster.snapshot(app: document.app), appVersion: nil)
      guard let transaction = try? writer.publish(machine.rollout, signing: simulation.signing),
        cluster.commit(transaction)
      else { return false }
      simulation.published(machine.rollout)
      return true
    }) { [self] _ in end() }
  }

  private func cancel() {
    call({ [self] cluster in
      let writer = DocumentWriter(document, in: cluster.snapshot(app: document.app), appVersion: nil)
      if writer.rollout?.id == machine.rollout.id { _ = cluster.commit(writer.cancel()) }
    }) { [self] _ in end() }
  }

  private func end() { isOver = true }

  private func call<R>(_ body: @escaping (ModelCluster) -> R, _ answer: @escaping (R?) -> Void) {
    simulation.after(simulation.latency()) { [self] in
      guard !isOver else { return }
      guard !isPartitioned, !simulation.isClusterDown else {
        return simulation.after(1000) { [self] in if !isOver { answer(nil) } }
      }
      let result = body(simulation.cluster)
      simulation.after(simulation.latency()) { [self] in
        if !isOver { answer(simulation.losesAnswer() ? nil : result) }
      }
    }
  }
}
