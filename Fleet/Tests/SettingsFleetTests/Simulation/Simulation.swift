@testable import SettingsFleet

/// A fleet in one thread and with a clock of its own: etcd, machines, writers, rollouts, and faults at random.
///
/// The same seed leads to the same run, step by step.
final class Simulation {
  static let apps = ["editor", "player"]
  static let documents: [FleetDocument] = apps.flatMap { app in
    ["all", "group/web", "group/db", "host/h1"].map { FleetDocument("\(app)/\($0)")! }
  }

  var random: Numbers
  let isSigned: Bool
  /// Whether events get lost although the stream goes on.
  let isLossy: Bool
  private(set) var hasFaults = true
  var isClusterDown = false
  private(set) var now = 0
  let cluster = ModelCluster()
  private(set) var machines: [ModelMachine] = []
  var coordinators: [ModelCoordinator] = []
  let key = SigningKey()
  /// What an attacker has seen.
  var formerItems: [[FleetItem]] = []
  private(set) var failures: [String] = []

  // What the checks know.
  private struct Trial {
    var rollout: Rollout
    var isBad: Bool
    var isPublished = false
  }
  private var trials: [TextDigest: Trial] = [:]
  /// Texts that a writer made the document's at any time, by document.
  private var written: [FleetDocument: Set<TextDigest>] = [:]
  /// Documents that were not there at some time.
  private var absent = Set(Simulation.documents)
  private var lastNumber = 0
  private var queue: [(time: Int, order: Int, body: () -> Void)] = []
  private var order = 0

  init(seed: UInt64) {
    random = Numbers(seed: seed)
    isSigned = seed % 3 == 2
    isLossy = seed % 4 == 3
    cluster.changed = { [unowned self] keys in changed(keys) }
    for index in 1...4 {
      let groups = [["web"], ["db"], ["web", "db"], []][index - 1]
      let machine = try! Machine(
        id: "m\(index)", host: "h\(index)", groups: groups, trustedKeys: isSigned ? [key.verificationKey] : [])
      machines.append(ModelMachine(machine, self))
    }
  }

  var times: MirrorTimes {
    var times = MirrorTimes()
    times.longestDelay = .seconds(2)
    times.heartbeat = .seconds(2)
    times.progressDeadline = .seconds(1)
    times.reread = .seconds(15)
    times.retryDelay = .milliseconds(300)
    times.longestRetryDelay = .seconds(2)
    return times
  }

  var signing: DocumentWriter.Signing? {
    isSigned ? DocumentWriter.Signing(key: key, millisecondsSince1970: 0) : nil
  }

  // MARK: Time

  func after(_ time: Int, _ body: @escaping () -> Void) {
    order += 1
    let entry = (time: now + time, order: order, body: body)
    // The latest is first.
    var (low, high) = (0, queue.count)
    while low < high {
      let middle = (low + high) / 2
      if (queue[middle].time, queue[middle].order) > (entry.time, entry.order) {
        low = middle + 1
      } else {
        high = middle
      }
    }
    queue.insert(entry, at: low)
  }

  func run(until end: Int) {
    while let next = queue.last, next.time <= end {
      queue.removeLast()
      now = next.time
      cluster.expire(now: now)
      next.body()
    }
    now = end
    cluster.expire(now: now)
  }

  func latency() -> Int { random.number(1...(hasFaults && random.chance(5) ? 800 : 20)) }
  func step() -> Int { random.number(0...10) }
  func losesEvent() -> Bool { hasFaults && isLossy && random.chance(10) }
  func losesAnswer() -> Bool { hasFaults && random.chance(3) }

  func fail(_ message: String) { if failures.count < 5 { failures.append("at \(now) ms: \(message)") } }

  private func changed(_ keys: [String]) {
    let keys = keys.filter { $0.hasPrefix(FleetNames.prefix) }
    guard !keys.isEmpty else { return }
    let there = Set(
      cluster.items.keys.compactMap { key -> FleetDocument? in
        if case .part(.text, let document, _)? = FleetKey(Array(key.utf8)) { document } else { nil }
      })
    absent.formUnion(Self.documents.filter { !there.contains($0) })
    let bytes = keys.map { Array($0.utf8) }
    for machine in machines { machine.send(bytes) }
  }

  /// Lets go of everything, which holds this simulation in turn.
  func dismantle() { (machines, coordinators, queue) = ([], [], []) }

  // MARK: What is in the cluster

  func newText(_ kinds: [ModelText.Kind] = [.good, .good, .good, .bad, .newer]) -> ModelText {
    lastNumber += 1
    return ModelText(random.pick(kinds), number: lastNumber)
  }

  func acks(of app: String) -> [Ack] { cluster.range(FleetNames.acksPrefix(ofApp: app)).compactMap { Ack($0) } }

  /// The texts of a document before the edit and after it are some time apart, so that writers race.
  func write() {
    let document = random.pick(Self.documents)
    let writer = DocumentWriter(document, in: cluster.snapshot(app: document.app), appVersion: random.number(1...2))
    let text = newText()
    let transaction: FleetTransaction?
    if random.chance(15) {
      var removal = try? writer.remove()
      // As this program does it, or another one.
      let note = document.key(version: writer.versions.keys.max() ?? 1, .change)
      if random.chance(50) { removal?.put(note, []) }
      transaction = removal
    } else {
      let version = max(writer.versions.keys.max() ?? 1, random.chance(15) ? 2 : 1)
      transaction = try? writer.write(text.bytes, version: version, signing: signing)
    }
    guard let transaction else { return }
    after(random.number(0...50)) { [self] in
      let isText = transaction.puts.contains { $0.value == text.bytes }
      guard !isClusterDown, cluster.commit(transaction), isText else { return }
      written[document, default: []].insert(TextDigest(of: text.bytes))
    }
  }

  func rollOut() {
    let document = random.pick(Self.documents)
    let text = newText(random.chance(60) ? [.bad, .subtle] : [.good, .newer])
    let writer = DocumentWriter(document, in: cluster.snapshot(app: document.app), appVersion: nil)
    let version = max(writer.versions.keys.max() ?? 1, random.chance(10) ? 2 : 1)
    lastNumber += 1
    guard
      var rollout = Rollout(
        id: "r\(lastNumber)", scope: document.scope, version: version,
        baseModRevision: writer.versions[version]?.modRevision ?? 0, text: String(decoding: text.bytes, as: UTF8.self),
        target: random.chance(50) ? .group(random.pick(["web", "db"])) : .share(random.number(1000...9000)),
        salt: "s\(lastNumber)", waitSeconds: random.number(1...3), requiresCheck: true, coordinator: "c", created: "now"
      )
    else { return fail("no rollout") }
    if let signing { rollout = (try? writer.signed(rollout, by: signing)) ?? rollout }
    guard let coordinator = ModelCoordinator(self, document, rollout) else { return }
    trials[rollout.digest] = Trial(rollout: rollout, isBad: text.kind == .bad || text.kind == .subtle)
    coordinators.append(coordinator)
    coordinator.begin()
  }

  func checkStatus(_ id: String) -> Int {
    let trial = trials.values.first { $0.rollout.id == id }
    return trial.map { ModelText(Array($0.rollout.text.utf8)).kind == .subtle ? 1 : 0 } ?? 0
  }

  func published(_ rollout: Rollout) {
    if trials[rollout.digest]?.isBad == true { fail("the bad rollout '\(rollout.text)' was published") }
    trials[rollout.digest]?.isPublished = true
    for document in Self.documents where document.scope == rollout.scope {
      written[document, default: []].insert(rollout.digest)
    }
  }

  // MARK: What must never be

  func check(_ change: MirrorPlan.Change, on machine: ModelMachine) {
    let name = "\(machine.machine.id): \(change.document)"
    guard let bytes = change.text else {
      let isOurs = machine.machine.isIn(change.document.scope)
      let wasThere = Self.documents.contains(change.document) && !absent.contains(change.document)
      if isOurs, wasThere { fail("\(name) was removed, and was never gone") }
      return
    }
    let text = ModelText(bytes)
    if text.problem(for: machine.apps[change.document.app]) != nil { fail("\(name) got the refused '\(text.string)'") }
    if let trial = trials[TextDigest(of: bytes)], !trial.isPublished {
      if !trial.rollout.isCanary(machine.machine) { fail("\(name) got '\(text.string)', and is no canary") }
    } else if !(written[change.document]?.contains(TextDigest(of: bytes)) ?? false) {
      fail("\(name) got '\(text.string)', which nobody wrote there")
    }
  }

  func check(from old: MirrorRecord, to new: MirrorRecord, on machine: ModelMachine) {
    let isAccepted = new.usedAcceptances.count > old.usedAcceptances.count
    if !isAccepted, old.cluster != nil, old.cluster != new.cluster || new.revision < old.revision {
      fail("\(machine.machine.id) went back from \(old.revision) to \(new.revision)")
    }
    for (document, floors) in old.floors {
      for floor in floors {
        let next = new.floors[document]?.first { $0.version == floor.version }
        if next.map({ $0.serial < floor.serial }) ?? true {
          fail("\(machine.machine.id): a serial of \(document) fell")
        }
      }
    }
  }

  // MARK: The end

  /// No faults from now on.
  func heal() {
    hasFaults = false
    isClusterDown = false
    for coordinator in coordinators { coordinator.die() }
    for machine in machines {
      (machine.isPartitioned, machine.isDiskFull) = (false, false)
      machine.start()
    }
    if machines.contains(where: { machine in
      machine.record.map { $0.cluster != nil && $0.cluster != cluster.id || $0.revision > cluster.revision } ?? false
    }) || needsAcceptance {
      accept()
    }
    cluster.delete(Self.apps.map { FleetKey.rollout(app: $0).text })
    if isSigned { signAgain() }
  }

  /// Whether a backup was restored, so that machines may be waiting for an acceptance.
  var needsAcceptance = false

  func accept() {
    lastNumber += 1
    let acceptance = Acceptance(id: "a\(lastNumber)", cluster: cluster.id, created: "now")
    cluster.put(FleetKey.accept.text, acceptance.json)
  }

  /// What an operator does after somebody else has written to etcd: everything is removed and signed again.
  private func signAgain() {
    for document in Self.documents {
      cluster.delete(cluster.items.keys.filter { $0.hasPrefix(document.keyPrefix) })
      for version in 1...2 {
        let text = newText([.good])
        lastNumber += 1
        let statement = Statement.document(document, version: version, text: TextDigest(of: text.bytes))
        var transaction = FleetTransaction()
        let signature = key.sign(statement, serial: UInt64(1_000_000 + lastNumber))
        transaction.put(document.key(version: version), text.bytes)
        transaction.put(document.key(version: version, .signature), signature.json)
        _ = cluster.commit(transaction)
        written[document, default: []].insert(TextDigest(of: text.bytes))
      }
    }
  }
}

extension ModelText {
  var string: String { String(decoding: bytes, as: UTF8.self) }
}
