@testable import SettingsFleet

/// A machine of the simulation: a mirror, carried out step by step, that can crash between any two steps.
final class ModelMachine {
  let simulation: Simulation
  var machine: Machine
  var apps: [String: InstalledApp]
  var disk = ModelDisk()
  var isPartitioned = false
  var isDiskFull = false
  /// How far its clock is ahead.
  var clockAhead = 0
  private(set) var mirror: MirrorStateMachine<Numbers>?
  /// What belongs to a former life does not reach this one.
  private var life = 0
  private(set) var openStream: Int?
  /// Whether nothing arrives on the stream any more, although it looks open.
  private var isStreamDead = false
  private var checks: [String: Int] = [:]
  private var running: Set<String> = []
  private var nextTick: Duration?

  init(_ machine: Machine, _ simulation: Simulation) {
    self.machine = machine
    self.simulation = simulation
    apps = Dictionary(uniqueKeysWithValues: Simulation.apps.map { ($0, InstalledApp(version: 1, stamp: "s0")) })
  }

  var record: MirrorRecord? { disk.current["record"].flatMap { try? MirrorRecord(json: $0) } }

  func text(_ document: FleetDocument) -> [UInt8]? { disk.current[document.path] }

  private var clock: Duration { .milliseconds(max(0, simulation.now + clockAhead)) }

  func start() {
    guard mirror == nil else { return }
    life += 1
    (checks, running, nextTick, openStream) = ([:], [], nil, nil)
    mirror = MirrorStateMachine(
      machine: machine, times: simulation.times, generator: Numbers(seed: simulation.random.next()))
    drive { $0.start(at: $1) }
  }

  func crash() {
    (mirror, openStream) = (nil, nil)
    life += 1
    disk.crash(&simulation.random)
  }

  /// Ends the stream as a server does that closes it.
  func endStream() {
    guard let stream = openStream else { return }
    openStream = nil
    drive { $0.streamEnded(stream, at: $1) }
  }

  func recheck() { drive { $0.recheck(at: $1) } }

  /// A change in etcd on its way to this machine's watch.
  func send(_ keys: [[UInt8]]) {
    guard let stream = openStream, !simulation.losesEvent() else { return }
    for _ in 0..<(simulation.random.chance(simulation.hasFaults ? 5 : 0) ? 2 : 1) {
      later(simulation.latency()) { [self] in
        guard openStream == stream, !isStreamDead else { return }
        guard isReachable else {
          // A connection delivers in order: what comes after a loss does not arrive either.
          isStreamDead = !simulation.isLossy
          return
        }
        drive { $0.events(keys, from: stream, at: $1) }
      }
    }
  }

  private var isReachable: Bool { !isPartitioned && !simulation.isClusterDown }

  private func later(_ time: Int, _ body: @escaping () -> Void) {
    let life = life
    simulation.after(time) { [self] in if life == self.life { body() } }
  }

  private func drive(_ step: (inout MirrorStateMachine<Numbers>, Duration) -> [MirrorStateMachine<Numbers>.Action]) {
    guard mirror != nil else { return }
    let actions = step(&mirror!, clock)
    for action in actions { perform(action) }
    guard let deadline = mirror?.nextDeadline, nextTick.map({ deadline < $0 }) ?? true else { return }
    nextTick = deadline
    let wait = max(1, Int((deadline - clock) / .milliseconds(1)) + 1)
    later(wait) { [self] in
      guard nextTick == deadline else { return }
      nextTick = nil
      drive { $0.tick(at: $1) }
    }
  }

  /// A call to the cluster. `nil` means that no answer came: what it was to do may have happened.
  private func call<R>(_ body: @escaping (ModelCluster) -> R, _ answer: @escaping (R?) -> Void) {
    later(simulation.latency()) { [self] in
      guard isReachable else {
        // A member that was paused carries it out when nobody waits for it any more.
        if simulation.hasFaults, simulation.random.chance(30) {
          simulation.after(simulation.random.number(500...4000)) { [simulation] in _ = body(simulation.cluster) }
        }
        return later(1000) { answer(nil) }
      }
      let result = body(simulation.cluster)
      later(simulation.latency()) { [self] in
        guard isReachable, !simulation.losesAnswer() else { return later(1000) { answer(nil) } }
        answer(result)
      }
    }
  }

  private func perform(_ action: MirrorStateMachine<Numbers>.Action) {
    switch action {
    case .connect(let stream, let delay):
      later(Int(delay / .milliseconds(1)) + simulation.latency()) { [self] in
        guard isReachable else { return later(1000) { [self] in drive { $0.streamEnded(stream, at: $1) } } }
        (openStream, isStreamDead) = (stream, false)
        drive { $0.streamOpened(stream, at: $1) }
      }
    case .disconnect(let stream): if openStream == stream { openStream = nil }
    case .returnHome: break
    case .requestProgress(let stream):
      later(simulation.latency() * 2) { [self] in
        if isReachable, !isStreamDead, openStream == stream { drive { $0.progress(from: stream, at: $1) } }
      }
    case .range(let request):
      read(request.app) { [self] snapshot, removed in
        guard let snapshot else { return drive { $0.finished(request, .unavailable, at: $1) } }
        follow(snapshot, removed, request)
      }
    case .grantLease:
      call({ [simulation] in $0.grant(seconds: 10, now: simulation.now) }) { [self] lease in
        drive { mirror, now in lease.map { mirror.leaseGranted($0, at: now) } ?? mirror.leaseFailed(at: now) }
      }
    case .keepAlive(let lease):
      call({ [simulation] in $0.keepAlive(lease, now: simulation.now) }) { [self] remaining in
        if let remaining { drive { $0.leaseKept(lease, remaining: remaining, at: $1) } }
      }
    case .publish(let ack, let revision): publish(ack, replacing: revision)
    case .confirm(let revisions):
      let keys = revisions.map { (FleetKey.ack(app: $0.key, machine: machine.id).text, $0.value) }
      call({ cluster in keys.allSatisfy { cluster.items[$0.0]?.modRevision == $0.1 } }) { [self] isRight in
        drive { $0.confirmed(revisions, isRight: isRight ?? false, at: $1) }
      }
    case .withdraw(let app, let revision):
      var removal = FleetTransaction()
      let key = Array(FleetKey.ack(app: app, machine: machine.id).text.utf8)
      removal.compares = [FleetTransaction.Compare(key: key, relation: .equal, modRevision: revision)]
      removal.deletes = [key]
      call({ ($0.commit(removal), $0.items[FleetKey.ack(app: app, machine: self.machine.id).text]) }) { [self] answer in
        drive {
          guard let (_, left) = answer else { return $0.withdrawFailed(app: app, at: $1) }
          return $0.withdrew(app: app, leaving: left?.lease, revision: left?.modRevision ?? 0, at: $1)
        }
      }
    }
  }

  private func publish(_ ack: Ack, replacing revision: Int64) {
    var put = FleetTransaction()
    let key = Array(ack.key.text.utf8)
    put.compares = [FleetTransaction.Compare(key: key, relation: .equal, modRevision: revision)]
    put.puts = [FleetTransaction.Put(key: key, value: ack.json, lease: ack.lease)]
    call({ cluster in
      (cluster.leases[ack.lease!] != nil, cluster.commit(put), cluster.items[ack.key.text], cluster.revision)
    }) { [self] answer in
      guard let (hasLease, isPut, item, revision) = answer else {
        return drive { $0.publishFailed(ack, isLeaseGone: false, at: $1) }
      }
      drive {
        if !hasLease { return $0.publishFailed(ack, isLeaseGone: true, at: $1) }
        if isPut { return $0.published(ack, revision: revision, at: $1) }
        return $0.publishConflicted(ack, with: item?.lease, revision: item?.modRevision ?? 0, at: $1)
      }
    }
  }

  // MARK: Plans

  private var files: [FleetDocument: TextDigest] {
    var files: [FleetDocument: TextDigest] = [:]
    for (name, bytes) in disk.current where name != "record" {
      let parts = name.split(separator: "/")
      guard let scope = DocumentScope(fileName: parts[2], host: machine.host),
        let document = FleetDocument(app: String(parts[0]), scope: scope)
      else { continue }
      files[document] = TextDigest(of: bytes)
    }
    return files
  }

  /// A plan that is carried out, some apps after the others.
  private final class Pass {
    let plan: MirrorPlan
    let request: MirrorStateMachine<Numbers>.RangeRequest
    /// The one of everything that goes on after this one.
    let outer: Pass?
    var batches: [Set<String>]
    var done: Set<String> = []
    var acks: [String: Ack] = [:]
    var isFirst = true
    var outcome = MirrorStateMachine<Numbers>.Outcome.done

    init(_ plan: MirrorPlan, _ request: MirrorStateMachine<Numbers>.RangeRequest, in outer: Pass?) {
      (self.plan, self.request, self.outer) = (plan, request, outer)
      batches = plan.batches(of: 1)
    }
  }

  /// Reads an app, or everything, and finds out what of that was removed.
  private func read(_ app: String?, _ answer: @escaping (FleetSnapshot?, Set<FleetDocument>) -> Void) {
    call({ $0.snapshot(app: app) }) { [self] snapshot in
      let vanished = snapshot.map { (record ?? MirrorRecord()).vanished(in: $0, for: machine) } ?? []
      guard !vanished.isEmpty else { return answer(snapshot, []) }
      call({ cluster -> [VanishedDocument]? in
        // etcd refuses to say what is to come.
        guard vanished.allSatisfy({ $0.revision <= cluster.revision }) else { return nil }
        return vanished.filter { $0.isRemoved(past: cluster.item($0.key, at: $0.revision)) }
      }) { found in
        let removed = found ?? nil
        answer(removed == nil ? nil : snapshot, Set((removed ?? []).map(\.document)))
      }
    }
  }

  private func follow(
    _ snapshot: FleetSnapshot, _ removed: Set<FleetDocument>, _ request: MirrorStateMachine<Numbers>.RangeRequest,
    in outer: Pass? = nil
  ) {
    let plan = MirrorPlan.make(
      record: record ?? MirrorRecord(), snapshot: snapshot, removed: removed, machine: machine, files: files,
      apps: apps)
    guard plan.problem != nil else { return work(Pass(plan, request, in: outer)) }
    if !isDiskFull {
      disk.write("record", plan.record.json)
      disk.sync("record")
    }
    report(plan, nil)
    drive { $0.finished(request, plan.needsEverything ? .needsEverything : .held, at: $1) }
    if let outer { work(outer) }
  }

  private func work(_ pass: Pass) {
    let record = record ?? MirrorRecord()
    if !pass.isFirst, record.hold != nil { pass.outcome = .needsEverything }
    guard pass.outcome != .needsEverything, !pass.batches.isEmpty else { return end(pass) }
    let apps = pass.batches.removeFirst()
    var part = pass.plan.part(apps.subtracting(pass.done), after: pass.isFirst ? nil : record)
    pass.done.formUnion(apps)
    while let check = part.nextCheck {
      guard !simulation.losesAnswer() else {
        part.settle(check, .unavailable(FleetProblem(.notChecked, "The check ended early.")))
        continue
      }
      let problem = ModelText(check.text).problem(for: self.apps[check.document.app])
      part.settle(check, problem.map { .refused($0) } ?? .accepted)
    }
    simulation.check(from: record, to: part.record, on: self)
    guard !isDiskFull else {
      for var rest in [part, pass.plan.part(pass.plan.concerned.subtracting(pass.done), after: record)] {
        rest.failAll(FleetProblem(.notWritten, "The disk is full."))
        report(rest, pass)
      }
      (pass.batches, pass.outcome) = ([], .retry)
      return end(pass)
    }
    pass.isFirst = false
    disk.write("record", part.record.json)
    later(simulation.step()) { [self] in
      disk.sync("record")
      carryOut(part, part.changes[...], pass)
    }
  }

  private func carryOut(_ part: MirrorPlan, _ changes: ArraySlice<MirrorPlan.Change>, _ pass: Pass) {
    guard let change = changes.first else {
      if part.needsRetry { pass.outcome = .retry }
      report(part, pass)
      return pass.outer == nil ? interlude(pass) : work(pass)
    }
    later(simulation.step()) { [self] in
      var part = part
      if isDiskFull {
        part.fail(change.document, FleetProblem(.notWritten, "The disk is full."))
      } else {
        simulation.check(change, on: self)
        disk.write(change.document.path, change.text)
      }
      later(simulation.step()) { [self] in
        disk.sync(change.document.path)
        carryOut(part, changes.dropFirst(), pass)
      }
    }
  }

  /// Does what has become urgent before the next apps.
  private func interlude(_ pass: Pass) {
    guard let urgent = mirror?.interlude(at: clock), let app = urgent.app else { return work(pass) }
    read(app) { [self] snapshot, removed in
      if let snapshot { return follow(snapshot, removed, urgent, in: pass) }
      drive { $0.finished(urgent, .unavailable, at: $1) }
      work(pass)
    }
  }

  private func report(_ plan: MirrorPlan, _ pass: Pass?) {
    let acks = plan.acks(checks: checks)
    for ack in acks { pass?.acks[ack.app] = ack }
    drive { $0.offer(acks, about: plan.concerned, at: $1) }
    for ack in acks {
      guard let rollout = ack.rollout, rollout.state == .applied, checks[rollout.id] == nil,
        running.insert(rollout.id).inserted
      else { continue }
      later(200) { [self] in
        checks[rollout.id] = simulation.checkStatus(rollout.id)
        recheck()
      }
    }
  }

  private func end(_ pass: Pass) {
    if pass.request.app == nil, pass.outcome != .needsEverything {
      drive { $0.offer(Array(pass.acks.values), at: $1) }
    }
    drive { $0.finished(pass.request, pass.outcome, at: $1) }
    guard let outer = pass.outer else { return }
    outer.acks.merge(pass.acks) { $1 }
    outer.done.formUnion(pass.plan.concerned)
    interlude(outer)
  }
}
