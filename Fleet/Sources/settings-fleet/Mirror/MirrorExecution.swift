import AppSettings
import EtcdClient
import SettingsFleet

/// One reading of the cluster, and what follows from it on this machine. One runs at a time.
struct MirrorExecution: Sendable {
  let client: EtcdClient
  let places: MirrorPlaces
  let machine: Machine
  let installed: InstalledApps
  let secrets: SecretFiles
  let check: DocumentCheck
  /// What notices damage to the files; `nil` if nothing does.
  var watch: FileWatch?

  /// What was done about some apps, with the answers to give.
  struct Part: Sendable {
    var plan: MirrorPlan
    /// What to say about it.
    var lines: [String] = []
    /// How many texts were written.
    var written = 0
    /// How many texts the check refused.
    var refused = 0
    /// The apps of which a file was written as it had been written before.
    var mended: Set<String> = []
    /// Whether something on this machine has to be tried again.
    var needsRetry = false
    /// Why the record could not be stored, so that nothing else can be done either.
    var stuck: FleetProblem?

    /// What is wrong with documents, each in one line.
    var problems: Set<String> { Set(plan.acks().flatMap(\.problems)) }
  }

  /// What came of a reading.
  struct Result: Sendable {
    var outcome: MirrorStateMachine<SystemRandomNumberGenerator>.Outcome
    /// What to say about it.
    var lines: [String] = []
    /// Why nothing is done, with the answers that say so; `nil` if there was no such reason.
    var held: MirrorPlan?
    /// Whether all apps were worked on, with or without success.
    var isWhole = false
  }

  /// How many apps are worked on before somebody else can have a turn.
  private static let appsAtOnce = 16

  /// Reads an app's documents, or all of them, and makes the files what they should be: some apps after the other, and
  /// first those for which there is nothing to do.
  ///
  /// - Parameters:
  ///   - record: What the mirror remembers. It is stored before any file is changed.
  ///   - then: Called after some apps. It may mirror others with the same record, and returns which; they are left out then.
  func run(
    _ app: String?, _ record: inout MirrorRecord, then: (Part, inout MirrorRecord) async -> Set<String>
  ) async -> Result {
    let snapshot: FleetSnapshot
    let removed: Set<FleetDocument>
    do throws(EtcdError) {
      let documents = OwnDocuments(client: client, machine: machine)
      snapshot = try await documents.snapshot(of: app)
      removed = try await documents.removed(of: record.vanished(in: snapshot, for: machine))
    } catch {
      return Result(
        outcome: .unavailable, lines: error.code == .cancelled ? [] : ["Cannot read the cluster: \(error)"])
    }
    do {
      let former = record
      let plan = try await Thread.value { try makePlan(snapshot, removed, former) }
      if plan.problem != nil {
        record = plan.record
        return Result(
          outcome: plan.needsEverything ? .needsEverything : .held, lines: [plan.problem?.message].compactMap(\.self),
          held: plan)
      }
      return try await carryOut(plan, of: app, &record, then)
    } catch {
      return Result(outcome: .retry, lines: ["Cannot mirror the documents: \(Self.message(error))"])
    }
  }

  private func makePlan(
    _ snapshot: FleetSnapshot, _ removed: Set<FleetDocument>, _ record: MirrorRecord
  ) throws -> MirrorPlan {
    let digests = try places.digests(of: snapshot.app, host: machine.host)
    let contents = FleetContents(snapshot, for: machine)
    let apps = Set(contents.apps.keys).union(digests.keys.map(\.app)).filter(machine.mirrors)
    let doubtful = try secrets.unopened(in: Set(digests.keys.map(\.app)))
    let plan = MirrorPlan.make(
      record: record, snapshot: snapshot, removed: removed, machine: machine, files: digests, doubtful: doubtful,
      apps: installed.facts(of: apps))
    // What could not be stored is tried again by the next reading.
    if plan.problem != nil, try places.storedRecord() != plan.record {
      try File.replace(places.record, with: plan.record.json)
    }
    return plan
  }

  private func carryOut(
    _ plan: MirrorPlan, of app: String?, _ record: inout MirrorRecord,
    _ then: (Part, inout MirrorRecord) async -> Set<String>
  ) async throws -> Result {
    var result = Result(outcome: .done)
    var (done, isFirst) = (Set<String>(), true)
    for apps in plan.batches(of: Self.appsAtOnce) {
      // The mirror ends. What is done so far is whole.
      if Task.isCancelled { return result }
      let part = plan.part(apps.subtracting(done), after: isFirst ? nil : record)
      let former = record
      let made = await Thread.value { carryOut(part, former) }
      if made.stuck == nil { record = made.plan.record }
      if made.needsRetry { result.outcome = .retry }
      done.formUnion(apps)
      if let problem = made.stuck {
        var rest = plan.part(plan.concerned.subtracting(done), after: record)
        rest.failAll(problem)
        _ = await then(made, &record)
        _ = await then(Part(plan: rest), &record)
        result.isWhole = true
        return result
      }
      done.formUnion(await then(made, &record))
      if record.hold != nil {
        result.outcome = .needsEverything
        return result
      }
      isFirst = false
    }
    let mirrored = done
    let (lines, hasFailed) = try await Thread.value {
      var lines: [String] = []
      let left = try secrets.apps(app).filter { !mirrored.contains($0) }
      let failures = left.compactMap { updateSecrets(of: $0, &lines) }
      return (lines, !failures.isEmpty)
    }
    result.lines += lines
    if hasFailed { result.outcome = .retry }
    result.isWhole = true
    return result
  }

  /// Carries out a part of a plan, on a thread that may wait for the disk.
  private func carryOut(_ part: MirrorPlan, _ stored: MirrorRecord) -> Part {
    var part = Part(plan: part)
    while let check = part.plan.nextCheck {
      let verdict = verdict(on: check)
      if case .refused = verdict { part.refused += 1 }
      part.plan.settle(check, verdict)
    }
    if part.plan.record != stored {
      do throws(File.Failed) {
        try File.replace(places.record, with: part.plan.record.json)
      } catch {
        let problem = FleetProblem(.notWritten, error.description)
        part.plan.failAll(problem)
        part.lines.append(error.description)
        (part.needsRetry, part.stuck) = (true, problem)
        return part
      }
    }
    let expected = part.plan.expectedFiles
    var told: Set<String> = []
    for change in part.plan.changes {
      if told.insert(change.document.app).inserted { watch?.expect(expected, of: [change.document.app]) }
      if let problem = apply(change) {
        part.plan.fail(change.document, problem)
      } else {
        if change.text != nil { part.written += 1 }
        let isMended = stored.files[change.document]?.digest == change.text.map { TextDigest(of: $0) }
        if isMended { part.mended.insert(change.document.app) }
        let action = change.text == nil ? "removed" : isMended ? "wrote again" : "applied"
        let record = part.plan.record
        let revision = record.files[change.document]?.modRevision ?? record.revision
        part.lines.append("\(action) \(change.document), revision \(revision)")
      }
    }
    watch?.expect(expected, of: part.plan.concerned.subtracting(told))
    for app in part.plan.concerned.sorted() {
      guard let error = updateSecrets(of: app, &part.lines) else { continue }
      part.needsRetry = true
      for document in (try? secrets.documents(of: app).keys) ?? [:].keys {
        part.plan.fail(document, FleetProblem(.notWritten, error.description))
      }
    }
    if part.plan.needsRetry { part.needsRetry = true }
    return part
  }

  /// - Returns: Why it failed.
  private func updateSecrets(of app: String, _ lines: inout [String]) -> File.Failed? {
    do throws(File.Failed) {
      lines += try secrets.update(app)
      watch?.expectSecrets(of: app)
      return nil
    } catch {
      lines.append(error.description)
      return error
    }
  }

  private func verdict(on check: MirrorPlan.Check) -> MirrorPlan.Verdict {
    do {
      let own = try Workspace.version(of: check.text)
      guard own == check.version else {
        return .refused(
          FleetProblem(
            .refused, "The text says that it has version \(own), and it is stored as version \(check.version)."))
      }
    } catch {
      // Where it does not parse, the check says where and why.
    }
    do {
      let problem = try self.check.problem(of: check.text, for: check.document, opening: secrets.keys)
      return problem.map { .refused($0) } ?? .accepted
    } catch {
      return .unavailable(FleetProblem(.notChecked, Self.message(error)))
    }
  }

  private func apply(_ change: MirrorPlan.Change) -> FleetProblem? {
    let path = places.path(of: change.document)
    do {
      guard let text = change.text else {
        try File.remove(path)
        return nil
      }
      try File.removeIfSpecial(path)
      // Root may have put a file of its own there.
      if File.isForeign(path) { try File.swap(path, with: text, mode: 0o644) }
      try SettingsFile(path: path, isShared: true).update { _ in text }
      guard try File.read(path) == text else {
        return FleetProblem(.notWritten, "'\(path)' was changed while it was written.")
      }
      return nil
    } catch {
      return FleetProblem(.notWritten, Self.message(error))
    }
  }

  private static func message(_ error: any Error) -> String {
    switch error {
    case let error as SettingsError: error.message
    case let problem as FleetProblem: problem.message
    default: "\(error)"
    }
  }
}

extension Ack {
  /// A line for each document or rollout that is not applied.
  fileprivate var problems: [String] {
    let documents = documents.compactMap { document in
      document.problem.map { "\(document.state.rawValue) \(app)/\(document.scope): \($0.summary)" }
    }
    return documents + [rollout?.problem].compactMap { $0.map { "refused the rollout of \(app): \($0.summary)" } }
  }
}
