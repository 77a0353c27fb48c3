import EtcdClient
import SettingsFleet
import SettingsFleetEtcd
import SettingsTools

/// Carries out a rollout: puts it into etcd under a lease, follows the canaries' answers, and goes on with it, publishes it or
/// takes it back. If this process dies, the lease ends, and with it the rollout: soon, or for one in steps after the time in
/// which another desk can go on with it.
struct RolloutCoordinator: Sendable {
  let context: Context
  let editor: DocumentEditor
  /// The version that the app reads here; `nil` without a schema.
  let appVersion: Int?
  let answerSeconds: Int

  /// How long canaries keep a text whose coordinator is gone, unless the rollout goes on in steps.
  private static let leaseSeconds = 30
  /// How long they keep one that is paused, at least.
  private static let pauseSeconds = 86_400
  /// How long etcd may be away until the rollout counts as lost.
  private static let patience = Duration.seconds(Int64(leaseSeconds))

  private var document: FleetDocument { editor.document }
  private var client: EtcdClient { context.cluster.client }
  private var reader: StatusReader { StatusReader(cluster: context.cluster, app: document.app) }

  /// Begins a rollout of an edit, and accompanies it.
  func run(
    _ edit: DocumentEditor.Edit, target: Rollout.Target, wait: Int, requiresCheck: Bool, steps: Rollout.Steps?
  ) async throws {
    let change = Change(by: context.author, because: "rollout")
    guard
      let unsigned = Rollout(
        id: change.id, scope: document.scope, version: edit.version,
        baseModRevision: edit.writer.versions[edit.version]?.modRevision ?? 0,
        text: String(decoding: edit.text, as: UTF8.self), target: target, salt: change.id, waitSeconds: wait,
        requiresCheck: requiresCheck, coordinator: change.by, created: change.time, steps: steps,
        acceptedUnsigned: edit.acceptedUnsigned ? true : nil)
    else { throw Failure(.usage, "Impossible rollout: check its waiting time and its steps.") }
    let alive = try await alive()
    let rollout = try signed(unsigned.choosing(among: alive), edit.writer, above: edit.laterSerial)
    if case .abort(let reason) = RolloutStateMachine(rollout, acks: alive).decision { throw failure(reason, rollout) }
    let lease = try await put(for: steps?.graceSeconds ?? Self.leaseSeconds) { lease throws(WriterError) in
      try edit.writer.begin(rollout, lease: lease)
    }
    guard let lease else {
      throw Failure(
        .changed,
        "Cannot begin the rollout: '\(document)' was changed meanwhile, or another rollout was begun. Try again.")
    }
    try await carryOn(rollout, lease)
  }

  /// Takes a rollout in steps over, and goes on with it.
  func resume(_ rollout: Rollout) async throws {
    guard let grace = rollout.steps?.graceSeconds else { return }
    let (taken, lease) = try await takeOver(rollout, isPaused: false, for: grace)
    try await carryOn(taken, lease)
  }

  /// Keeps a rollout at its step until it is resumed.
  func pause(_ rollout: Rollout) async throws {
    _ = try await takeOver(rollout, isPaused: true, for: max(Self.pauseSeconds, rollout.steps?.graceSeconds ?? 0))
  }

  private func takeOver(_ rollout: Rollout, isPaused: Bool, for seconds: Int) async throws -> (Rollout, Int64) {
    let writer = try await writer()
    if writer.rollout == rollout, writer.isVoid(rollout) {
      // Nobody else would end it before its time is over.
      _ = try await client.transaction(EtcdTransaction(writer.cancel()))
      throw failure(.documentChanged, rollout)
    }
    if let problem = try context.settings.trust().problem(with: rollout, of: document) {
      // To go on with it is to sign it.
      throw Failure(.notWritable, "Cannot resume the rollout: \(problem.message) Cancel it and begin another one.")
    }
    let taken = try signed(rollout.taken(over: context.author, isPaused: isPaused), writer)
    let lease = try await put(for: seconds) { lease throws(WriterError) in
      try writer.replace(rollout, with: taken, lease: lease)
    }
    guard let lease else { throw Failure(.changed, "The rollout has just ended or changed. Nothing was done.") }
    return (taken, lease)
  }

  /// Goes from step to step, and publishes the last one.
  private func carryOn(_ first: Rollout, _ lease: Int64) async throws {
    var rollout = first
    do {
      while true {
        try await follow(rollout, lease)
        guard let next = rollout.nextStep(among: try await alive()) else { break }
        rollout = try await advance(rollout, to: next, lease)
      }
      try await publish(rollout, lease)
      _ = try? await client.revokeLease(lease)
      Output.line("The rollout is over: the change is for all.")
    } catch {
      guard rollout.steps == nil || (error as? Failure)?.status == Failure.Status.takenBack.rawValue else {
        throw error
      }
      // Also after a cancellation, which must not reach this call.
      let client = client
      await Task { _ = try? await client.revokeLease(lease) }.value
      throw error
    }
  }

  /// Makes the next step the present one.
  private func advance(_ rollout: Rollout, to next: Rollout, _ lease: Int64) async throws -> Rollout {
    let end = ContinuousClock.now + Self.patience
    var signed: Rollout?
    while true {
      do {
        let writer = try await writer()
        // An answer may have been lost.
        if let signed, writer.rollout == signed { return signed }
        try await check(rollout, lease, in: writer)
        let new = try self.signed(next, writer)
        signed = new
        let transaction = try editor.stating { () throws(WriterError) in
          try writer.replace(rollout, with: new, lease: LeaseID(rawValue: lease))
        }
        if try await client.transaction(EtcdTransaction(transaction)).succeeded { return new }
      } catch let error as EtcdError {
        guard error.isRetryable || error.mayHaveHappened, ContinuousClock.now < end else { throw error }
      }
      guard ContinuousClock.now < end else { throw Self.ended }
      try await Task.sleep(for: .milliseconds(200))
    }
  }

  private func writer() async throws -> DocumentWriter {
    let snapshot = try await patiently { try await context.cluster.snapshot(of: document.app) }
    return DocumentWriter(document, in: snapshot, appVersion: appVersion)
  }

  private func signed(_ rollout: Rollout, _ writer: DocumentWriter, above serial: UInt64 = 0) throws -> Rollout {
    guard let signing = try context.signing(above: serial) else { return rollout }
    return try editor.stating { () throws(WriterError) in try writer.signed(rollout, by: signing) }
  }

  /// The answers of the machines that are not silent.
  private func alive() async throws -> [Ack] {
    let answers = try await answers()
    return answers.acks.filter { answers.silence[$0.machine] ?? .zero <= .seconds(60) }
  }

  /// Writes under a new lease.
  ///
  /// - Returns: The lease; `nil` if somebody else was first.
  private func put(
    for seconds: Int, _ transaction: (LeaseID) throws(WriterError) -> FleetTransaction
  ) async throws -> Int64? {
    let lease = try await client.grantLease(seconds: seconds)
    do {
      let made = try editor.stating { () throws(WriterError) in try transaction(LeaseID(rawValue: lease)) }
      if try await client.transaction(EtcdTransaction(made)).succeeded { return lease }
    } catch {
      _ = try? await client.revokeLease(lease)
      throw error
    }
    _ = try? await client.revokeLease(lease)
    return nil
  }

  /// Returns when all canaries have had the text for long enough.
  private func follow(_ rollout: Rollout, _ lease: Int64) async throws {
    let alive = try await alive()
    var machine = RolloutStateMachine(rollout, acks: alive, answerSeconds: answerSeconds)
    if case .abort(let reason) = machine.decision { throw failure(reason, rollout, machine.hosts) }
    Output.error(Self.line(about: rollout, alive.filter(rollout.isCanary).map(\.host).sorted()))
    let start = ContinuousClock.now
    var kept = start
    var shown = ""
    while true {
      try await check(rollout, lease, in: try await writer())
      if ContinuousClock.now - kept > .seconds(5) {
        guard try await patiently({ try await client.keepAlive(lease) }) > 0 else { throw Self.expired }
        kept = .now
      }
      // At last, since they count as they are now: each of these may have waited for the cluster.
      let answers = try await answers()
      switch machine.update(acks: answers.acks, silence: answers.silence, elapsed: ContinuousClock.now - start) {
      case .publish: return
      case .abort(let reason): throw failure(reason, rollout, machine.hosts)
      case .wait(let progress):
        if progress.text != shown { Output.error(progress.text) }
        shown = progress.text
        try await reader.change(after: answers.revision, within: progress.nextCheck)
      }
    }
  }

  /// Does something as soon as the cluster answers: an election takes a second or two. After the lease's time, the
  /// canaries have gone back.
  private func patiently<Value>(_ body: () async throws -> Value) async throws -> Value {
    let end = ContinuousClock.now + Self.patience
    while true {
      do {
        return try await body()
      } catch let error as EtcdError {
        guard error.isRetryable, ContinuousClock.now < end else { throw error }
      }
      try await Task.sleep(for: .milliseconds(500))
    }
  }

  private func publish(_ rollout: Rollout, _ lease: Int64) async throws {
    let (writer, signing) = (try await writer(), try context.signing())
    try await check(rollout, lease, in: writer)
    let transaction = try editor.stating { () throws(WriterError) in try writer.publish(rollout, signing: signing) }
    var change = Change(
      by: context.author, because: "rollout", machines: await context.cluster.machines(of: [document.app]))
    change.acceptedUnsigned = rollout.acceptedUnsigned
    let key = document.key(version: rollout.version, .change)
    guard try await context.cluster.commit(transaction, change, at: [key]) != nil else {
      try await check(rollout, lease, in: try await self.writer())
      throw failure(.documentChanged, rollout)
    }
  }

  /// Fails if the document was changed, or the rollout has another coordinator, or is gone.
  private func check(_ rollout: Rollout, _ lease: Int64, in writer: DocumentWriter) async throws {
    guard !writer.isVoid(rollout) else { throw failure(.documentChanged, rollout) }
    guard writer.rollout != rollout else { return }
    if let other = writer.rollout, other.id == rollout.id { throw Self.moved(other) }
    // Whoever ends it leaves the lease.
    throw try await patiently({ try await client.timeToLive(lease) }) == nil ? Self.expired : Self.ended
  }

  private static var ended: Failure { notMade("somebody else has ended the rollout.") }
  private static var expired: Failure {
    notMade("the cluster could not be reached for so long that the rollout has ended.")
  }

  private static func notMade(_ reason: String) -> Failure {
    Failure(.takenBack, "The change was not made for all: \(reason)")
  }

  /// Not over, so not a success: a script must not go on as if the change were for all.
  private static func moved(_ present: Rollout) -> Failure {
    Failure(
      .noValue,
      present.steps?.isPaused == true
        ? "\(present.coordinator) has paused the rollout." : "\(present.coordinator) goes on with the rollout.")
  }

  /// The machines' answers, and for how long each has not been heard of.
  private func answers() async throws -> (acks: [Ack], silence: [String: Duration], revision: Int64) {
    let answers = try await patiently { try await reader.answers() }
    let acks = answers.acks.compactMap(Ack.init)
    let silence = acks.map { ack in
      let lease = ack.lease.flatMap { answers.leases[$0] }
      return (ack.machine, Duration.seconds(lease?.silence ?? 86400))
    }
    return (acks, Dictionary(silence) { $1 }, answers.revision)
  }

  private static func line(about rollout: Rollout, _ canaries: [String]) -> String {
    let shown = canaries.prefix(5).map { "'\($0)'" }
    let rest = canaries.count - shown.count
    let names = shown.joined(separator: ", ") + (rest > 0 ? " and \(rest) \(rest > 1 ? "others" : "other")" : "")
    guard let steps = rollout.steps else { return "\(names) \(canaries.count > 1 ? "try" : "tries") the change first." }
    return
      "step \(steps.index + 1) of \(steps.shares.count): \(names) \(canaries.count > 1 ? "try" : "tries") the change."
  }

  /// - Parameter hosts: The names of machines, by id.
  private func failure(
    _ reason: RolloutStateMachine.AbortReason, _ rollout: Rollout, _ hosts: [String: String] = [:]
  ) -> Failure {
    func name(_ machine: String) -> String { "'\(hosts[machine] ?? machine)'" }
    let what =
      switch reason {
      case .noCanary:
        switch rollout.target {
        case .group(let group): "no machine that answers about '\(document)' is in the group '\(group)'."
        case .share: "no machine that could try it answers about '\(document)'."
        }
      case .refused(let machine, let problem): "machine \(name(machine)) refused it: \(problem.summary)"
      case .checkFailed(let machine, let status): "the check of machine \(name(machine)) failed with status \(status)."
      case .notChecked(let machine, let problem): "machine \(name(machine)) could not check it: \(problem.summary)"
      case .documentChanged: "somebody else has changed the document."
      case .unanswered(let machines):
        "these machines have not answered in time: \(machines.prefix(5).map(name).joined(separator: ", "))"
          + (machines.count > 5 ? " and \(machines.count - 5) others." : ".")
      }
    return Self.notMade(what)
  }
}

extension RolloutStateMachine.Progress {
  /// A line about how far it is.
  var text: String {
    missing.isEmpty
      ? "\(canaries == 1 ? "the canary has" : "all \(canaries) canaries have") it; waiting \(remaining.map { "\($0.components.seconds / 10 * 10 + 10) s at most" } ?? "")"
      : "\(canaries - missing.count) of \(canaries) canaries have it"
  }
}
