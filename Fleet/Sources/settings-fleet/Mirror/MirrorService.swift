import EtcdClient
import NIOCore
import NIOPosix
import SettingsFleet
import SettingsFleetEtcd

/// The mirror: carries out what the state machine decides. It runs until it is cancelled.
///
/// What it does with what it reads, and what a monitor gets, are in extensions in files of their own.
actor MirrorService {
  typealias StateMachine = MirrorStateMachine<SystemRandomNumberGenerator>

  let execution: MirrorExecution
  let check: HealthCheck
  var machine: StateMachine
  var record: MirrorRecord
  private let start = ContinuousClock.now
  private var watches: [Int: Task<Void, Never>] = [:]
  private var streams: [Int: EtcdWatch] = [:]
  private var timer: Scheduled<Void>?
  private var timerDeadline: Duration?
  private var running: [Int: Task<Void, Never>] = [:]
  private var lastTask = 0
  /// The statuses of the check commands that have ended, by rollout, and why some could not be run.
  var (checks, unchecked): ([String: Int], [String: FleetProblem]) = ([:], [:])
  /// Those that run, with their apps.
  var checking: [String: (app: String, task: Task<Void, Never>)] = [:]
  /// What was said last, also about the certificate.
  var (lastLine, lastWarning, hasSaidLost) = ("", "", false)
  /// How often files of each app were found changed by hand, and were written again.
  var repairs: [String: Int] = [:]
  /// The apps whose files were found changed, and were not read since: it may have been the mirror itself that was slow.
  var suspected: Set<String> = []
  /// How many texts were written, and how many refused.
  var (written, refused): (Int64, Int64) = (0, 0)
  /// What the file for a monitor says, and whether it is being written.
  var lastMetrics: MirrorMetrics?
  var isWritingMetrics = false
  /// Whether the mirror ends, and has waited for its last answers.
  var (isEnding, isOver) = (false, false)
  /// What has been reported about documents since everything was read.
  var problems: Set<String> = []

  init(execution: MirrorExecution, record: MirrorRecord, check: HealthCheck) {
    self.execution = execution
    self.check = check
    self.record = record
    machine = StateMachine(
      machine: execution.machine, machines: record.machines, generator: SystemRandomNumberGenerator())
  }

  /// Mirrors until the task is cancelled. What is being written then is finished, and answered if the cluster lets it.
  func run(watching schemas: SchemaWatch) async {
    perform(machine.start(at: now))
    execution.watch?.start { app in Task { [weak self] in await self?.damaged(app) } }
    let installed = execution.installed
    let watcher = Task { [weak self] in
      for await _ in schemas.changes(problem: Output.error) {
        installed.forget()
        await self?.recheck()
      }
    }
    // Everything happens in tasks of their own, until this one is cancelled.
    try? await Task.sleep(for: .seconds(Self.forever))
    isEnding = true
    watcher.cancel()
    execution.watch?.end()
    timer?.cancel()
    for task in watches.values { task.cancel() }
    // Each may take seconds to end.
    let checks = checking.values.map(\.task)
    for check in checks { check.cancel() }
    for check in checks { await check.value }
    let limit = Task {
      try await Task.sleep(for: Self.lastAnswers)
      isOver = true
      for task in running.values { task.cancel() }
    }
    // What is written is answered in another one.
    while let task = running.values.first { await task.value }
    limit.cancel()
    // From now on it would be out of date.
    try? File.remove(metricsFile)
  }

  /// A century.
  private static let forever = 100 * 365 * 86400
  /// For how long the cluster is waited for at the end.
  private static let lastAnswers = Duration.seconds(2)

  var now: Duration { ContinuousClock.now - start }

  private func damaged(_ app: String) {
    suspected.insert(app)
    perform(machine.damaged(app, at: now))
  }

  private func recheck() { perform(machine.recheck(at: now)) }

  private func tick() {
    timerDeadline = nil
    perform(machine.tick(at: now))
    if lastMetrics == nil { writeMetrics() }
  }

  func perform(_ actions: [StateMachine.Action]) {
    for action in actions { perform(action) }
    setTimer()
  }

  /// The next time at which something is due, and nothing before it.
  private func setTimer() {
    guard machine.nextDeadline != timerDeadline else { return }
    timer?.cancel()
    timerDeadline = machine.nextDeadline
    guard let deadline = timerDeadline else { return }
    // A sleeping task would wake the processor at its time even after it was cancelled.
    timer = MultiThreadedEventLoopGroup.singleton.any().scheduleTask(in: TimeAmount(deadline - now)) { [weak self] in
      _ = Task { await self?.tick() }
    }
  }

  private func perform(_ action: StateMachine.Action) {
    if isEnding {
      guard case .publish = action, !isOver else { return }
    }
    let client = execution.client
    switch action {
    case .connect(let stream, let delay): watches[stream] = Task { await follow(stream, after: delay) }
    case .disconnect(let stream):
      watches.removeValue(forKey: stream)?.cancel()
      streams.removeValue(forKey: stream)?.cancel()
    case .returnHome(let stream, let delay):
      guard client.isAway else { return }
      inBackground {
        do { try await Task.sleep(for: delay) } catch { return }
        guard await client.returnToFirst(reading: FleetKey.accept.text) else { return }
        await self.note { $0.homeAnswers(stream, at: $1) }
      }
    case .requestProgress(let stream): streams[stream]?.requestProgress()
    case .range(let request): inBackground { await self.read(request) }
    case .grantLease:
      inBackground {
        do throws(EtcdError) {
          let lease = try await client.grantLease(seconds: MirrorTimes().leaseSeconds)
          await self.note { $0.leaseGranted(LeaseID(rawValue: lease), at: $1) }
        } catch {
          await self.note { $0.leaseFailed(at: $1) }
        }
      }
    case .keepAlive(let lease):
      inBackground {
        guard let remaining = try? await client.keepAlive(lease.rawValue) else { return }
        await self.note { $0.leaseKept(lease, remaining: remaining, at: $1) }
      }
    case .publish(let ack, let former): inBackground { await self.publish(ack, replacing: former) }
    case .confirm(let revisions): inBackground { await self.confirm(revisions) }
    case .withdraw(let app, let former): inBackground { await self.withdraw(app, replacing: former) }
    }
  }

  func inBackground(_ body: @escaping @Sendable () async -> Void) {
    lastTask += 1
    let number = lastTask
    running[number] = Task {
      await body()
      self.running[number] = nil
    }
  }

  private func note(_ event: @Sendable (inout StateMachine, Duration) -> [StateMachine.Action]) {
    perform(event(&machine, now))
  }

  // MARK: The stream

  private func follow(_ stream: Int, after delay: Duration) async {
    do {
      if delay > .zero { try await Task.sleep(for: delay) }
      let watch = try await execution.client.watch(
        try await OwnDocuments(client: execution.client, machine: execution.machine).spans())
      guard !Task.isCancelled else { return }
      streams[stream] = watch
      for try await message in watch {
        switch message {
        case .created:
          if hasSaidLost { say("Follows the cluster again.") }
          hasSaidLost = false
          perform(machine.streamOpened(stream, at: now))
          writeMetrics()
        case .events(let events, _):
          let keys = events.map(\.keyValue.key)
          perform(machine.events(keys, machines: Self.machines(in: events), from: stream, at: now))
        case .progress: perform(machine.progress(from: stream, at: now))
        case .compacted, .cancelled: break
        }
      }
    } catch let error as EtcdError {
      hasSaidLost = hasSaidLost || error.code != .cancelled
      if error.code != .cancelled { say("Lost the cluster: \(error)") }
    } catch {
      return
    }
    streams[stream] = nil
    watches[stream] = nil
    if !Task.isCancelled {
      perform(machine.streamEnded(stream, at: now))
      writeMetrics()
    }
  }

  /// How many machines those who made the changes have counted.
  private static func machines(in events: [EtcdEvent]) -> Int? {
    events.compactMap { event in
      if case .part(.change, _, _)? = FleetKey(event.keyValue.key) {
        Change(event.keyValue.value)?.machines
      } else {
        nil
      }
    }.max()
  }

  // MARK: Answering

  private func publish(_ ack: Ack, replacing former: Int64) async {
    guard let lease = ack.lease else { return }
    let key = ack.key.text
    do throws(EtcdError) {
      let answer = try await change(key, replacing: former, .put(key, ack.json, lease: lease.rawValue))
      perform(
        answer.isDone
          ? machine.published(ack, revision: answer.revision, at: now)
          : machine.publishConflicted(ack, with: answer.lease, revision: answer.revision, at: now))
    } catch {
      // It is when the mirror ends that a call is cancelled, or there is no client any more.
      if ![.cancelled, .closed].contains(error.code) { say("Cannot answer: \(error)") }
      perform(machine.publishFailed(ack, isLeaseGone: error.code == .leaseNotFound, at: now))
    }
  }

  private func withdraw(_ app: String, replacing former: Int64) async {
    let key = FleetKey.ack(app: app, machine: execution.machine.id).text
    do throws(EtcdError) {
      let left = try await change(key, replacing: former, .delete(.key(key)))
      perform(machine.withdrew(app: app, leaving: left.lease, revision: left.revision, at: now))
    } catch {
      perform(machine.withdrawFailed(app: app, at: now))
    }
  }

  /// Changes the key of an answer if it has a revision.
  ///
  /// - Returns: Whether it was done, and at which revision; or else the revision and the lease of what is there.
  private func change(
    _ key: String, replacing former: Int64, _ operation: EtcdOperation
  ) async throws(EtcdError) -> (isDone: Bool, revision: Int64, lease: LeaseID?) {
    let answer = try await execution.client.transaction(
      EtcdTransaction(
        if: [.modRevision(key, .equal, former)], then: [operation], else: [.range(EtcdRange(.key(key)))]),
      isRepeatable: true)
    if answer.succeeded { return (true, answer.header.revision, nil) }
    let found = answer.ranges.first?.keyValues.first.map(FleetItem.init)
    return (false, found?.modRevision ?? 0, found?.lease)
  }

  /// Reads nothing but whether they are the same. A transaction has a bounded number of comparisons.
  private func confirm(_ revisions: [String: Int64]) async {
    var rest = revisions.sorted { $0.key < $1.key }[...]
    var isRight = true
    while isRight, !rest.isEmpty {
      let compares = rest.prefix(Cluster.mostOperations).map { app, revision in
        EtcdCompare.modRevision(FleetKey.ack(app: app, machine: execution.machine.id).text, .equal, revision)
      }
      rest = rest.dropFirst(Cluster.mostOperations)
      isRight = (try? await execution.client.transaction(EtcdTransaction(if: compares, then: [])).succeeded) ?? false
    }
    perform(machine.confirmed(revisions, isRight: isRight, at: now))
  }

  /// Prints a line for the journal, once for each reason.
  func say(_ line: String) {
    guard line != lastLine else { return }
    lastLine = line
    Output.error(line)
  }
}
