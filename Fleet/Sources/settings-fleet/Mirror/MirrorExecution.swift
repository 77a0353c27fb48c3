import EtcdClient
import SettingsFleet

/// One reading of the cluster, and what follows from it on this machine. One runs at a time.
struct MirrorExecution: Sendable {
  let client: EtcdClient
  let command: SettingsCommand
  let places: MirrorPlaces
  let machine: Machine
  let installed: InstalledApps
  let secrets: SecretFiles

  /// What came of a reading.
  struct Result: Sendable {
    var outcome: MirrorStateMachine<SystemRandomNumberGenerator>.Outcome
    /// `nil` if the cluster did not answer.
    var plan: MirrorPlan?
    /// What to say about it.
    var lines: [String] = []
    /// What is wrong with documents, each in one line.
    var problems: Set<String> = []
  }

  /// Reads an app's documents, or all of them, and makes the files what they should be.
  ///
  /// - Parameter record: What the mirror remembers. It is stored before any file is changed.
  func run(_ app: String?, _ record: inout MirrorRecord) async -> Result {
    let snapshot: FleetSnapshot
    do throws(EtcdError) {
      snapshot = try await OwnDocuments(client: client, machine: machine).snapshot(of: app)
    } catch {
      return Result(outcome: .unavailable, lines: ["Cannot read the cluster: \(error)"])
    }
    do {
      return try await carryOut(snapshot, &record)
    } catch {
      let message = (error as? Failure)?.message ?? (error as? File.Failed)?.description ?? "\(error)"
      return Result(outcome: .retry, lines: ["Cannot mirror the documents: \(message)"])
    }
  }

  private func carryOut(_ snapshot: FleetSnapshot, _ record: inout MirrorRecord) async throws -> Result {
    let digests = try places.digests(of: snapshot.app, host: machine.host)
    let contents = FleetContents(snapshot, for: machine)
    let apps = Set(contents.apps.keys).union(digests.keys.map(\.app)).filter(machine.mirrors)
    let doubtful = try secrets.unopened(in: Set(digests.keys.map(\.app)))
    var plan = MirrorPlan.make(
      record: record, snapshot: snapshot, machine: machine, files: digests, doubtful: doubtful,
      apps: try await installed.facts(of: apps))
    if let problem = plan.problem {
      // What could not be stored is tried again by the next reading.
      if try places.storedRecord() != plan.record { try File.replace(places.record, with: plan.record.json) }
      record = plan.record
      return Result(outcome: plan.needsEverything ? .needsEverything : .held, plan: plan, lines: [problem.message])
    }
    var lines: [String] = []
    while let check = plan.nextCheck {
      plan.settle(check, await verdict(on: check))
    }
    if plan.record != record {
      do {
        try File.replace(places.record, with: plan.record.json)
        record = plan.record
      } catch {
        plan.failAll(FleetProblem(.notWritten, error.description))
        return Result(outcome: .retry, plan: plan, lines: lines + [error.description])
      }
    }
    for change in plan.changes {
      if let problem = await apply(change) {
        plan.fail(change.document, problem)
      } else {
        lines.append("\(change.text == nil ? "removed" : "applied") \(change.document), revision \(record.revision)")
      }
    }
    var needsRetry = false
    for app in try secrets.apps(snapshot.app) {
      do throws(File.Failed) {
        lines += try secrets.update(app)
      } catch {
        needsRetry = true
        lines.append(error.description)
        let problem = FleetProblem(.notWritten, error.description)
        for document in try secrets.documents(of: app).keys { plan.fail(document, problem) }
      }
    }
    return Result(
      outcome: plan.needsRetry || needsRetry ? .retry : .done, plan: plan, lines: lines,
      problems: Set(plan.acks().flatMap(\.problems)))
  }

  private func verdict(on check: MirrorPlan.Check) async -> MirrorPlan.Verdict {
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
      let checker = DocumentCheck(command: command, staging: places.staging)
      let problem = try await checker.problem(of: check.text, for: check.document, opening: secrets.keys)
      return problem.map { .refused($0) } ?? .accepted
    } catch {
      return .unavailable(FleetProblem(.notChecked, (error as? Failure)?.message ?? "\(error)"))
    }
  }

  private func apply(_ change: MirrorPlan.Change) async -> FleetProblem? {
    let path = places.path(of: change.document)
    do {
      guard let text = change.text else {
        try File.remove(path)
        return nil
      }
      let answer = try await command.run(
        ["edit", change.document.app, "--drop-in", change.document.scope.dropIn, "--create", "--text", "-"],
        in: places.directories, input: text)
      guard answer.status == 0 else { return FleetProblem(.notWritten, answer.lines) }
      guard try File.read(path) == text else {
        return FleetProblem(.notWritten, "'\(path)' was changed while it was written.")
      }
      return nil
    } catch {
      return FleetProblem(
        .notWritten, (error as? Failure)?.message ?? (error as? File.Failed)?.description ?? "\(error)")
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
