import EtcdClient
import SettingsFleet
import SettingsFleetEtcd

/// Carries out a rollout: puts it into etcd under a lease, follows the canaries' answers, and publishes it or takes it
/// back. If this process dies, the lease ends, and with it the rollout.
struct RolloutCoordinator: Sendable {
  let context: Context
  let editor: DocumentEditor
  let edit: DocumentEditor.Edit
  let target: Rollout.Target
  let wait: Int
  let answerSeconds: Int
  let requiresCheck: Bool

  /// How long canaries keep a text whose coordinator is gone.
  private static let leaseSeconds = 30
  /// How long etcd may be away until the rollout counts as lost.
  private static let patience = Duration.seconds(Int64(leaseSeconds))

  private var document: FleetDocument { editor.document }
  private var client: EtcdClient { context.cluster.client }
  private var reader: StatusReader { StatusReader(cluster: context.cluster, app: document.app) }

  func run() async throws {
    let change = Change(
      by: context.author, because: "rollout", machines: await context.cluster.machines(of: [document.app]))
    guard
      let unsigned = Rollout(
        id: change.id, scope: document.scope, version: edit.version,
        baseModRevision: edit.writer.versions[edit.version]?.modRevision ?? 0,
        text: String(decoding: edit.text, as: UTF8.self), target: target, salt: change.id, waitSeconds: wait,
        requiresCheck: requiresCheck, coordinator: change.by, created: change.time)
    else { throw Failure(.usage, "Impossible rollout: check its waiting time.") }
    let answers = try await answers()
    let alive = answers.acks.filter { answers.silence[$0.machine] ?? .zero <= .seconds(60) }
    let chosen = unsigned.choosing(among: alive)
    let signing = try context.signing()
    let rollout = try editor.stating { () throws(WriterError) in
      try signing.map { signing throws(WriterError) in try edit.writer.signed(chosen, by: signing) } ?? chosen
    }
    var machine = RolloutStateMachine(rollout, acks: alive, answerSeconds: answerSeconds)
    if case .abort(let reason) = machine.decision { throw failure(reason) }
    Output.error(Self.line(about: alive.filter(rollout.isCanary).map(\.host).sorted()))
    let lease = try await begin(rollout)
    do {
      let decision = try await follow(&machine, rollout, lease)
      guard decision == .publish else {
        if case .abort(let reason) = decision { throw failure(reason) }
        return
      }
      try await publish(rollout, change, &machine)
      _ = try? await client.revokeLease(lease)
      Output.line("The rollout is over: the change is for all.")
    } catch {
      // Also after a cancellation, which must not reach this call.
      let client = client
      await Task { _ = try? await client.revokeLease(lease) }.value
      throw error
    }
  }

  private func begin(_ rollout: Rollout) async throws -> Int64 {
    do {
      let lease = try await client.grantLease(seconds: Self.leaseSeconds).id
      let transaction: FleetTransaction
      do {
        transaction = try editor.stating { () throws(WriterError) in
          try edit.writer.begin(rollout, lease: LeaseID(rawValue: lease))
        }
      } catch {
        _ = try? await client.revokeLease(lease)
        throw error
      }
      guard try await client.transaction(EtcdTransaction(transaction)).succeeded else {
        _ = try? await client.revokeLease(lease)
        throw Failure(
          .changed,
          "Cannot begin the rollout: '\(document)' was changed meanwhile, or another rollout was begun. Try again.")
      }
      return lease
    } catch let error as EtcdError {
      throw Failure(error)
    }
  }

  private func follow(
    _ machine: inout RolloutStateMachine, _ rollout: Rollout, _ lease: Int64
  ) async throws -> RolloutStateMachine.Decision {
    let start = ContinuousClock.now
    var heard = start
    var kept = start
    var shown = ""
    while true {
      do {
        let answers = try await answers()
        let snapshot = try await context.cluster.snapshot(of: document.app)
        let present = FleetContents(snapshot).apps[document.app]?.rollout
        if present?.id != rollout.id {
          let versions = FleetContents(snapshot).versions(of: document)
          let isSame = versions[rollout.version]?.modRevision ?? 0 == rollout.baseModRevision
          return machine.lost(isSame ? .ended : .documentChanged)
        }
        if ContinuousClock.now - kept > .seconds(5) {
          guard try await client.keepAlive(lease) > 0 else { return machine.lost(.expired) }
          kept = .now
        }
        heard = .now
        let decision = machine.update(
          acks: answers.acks, silence: answers.silence, elapsed: ContinuousClock.now - start)
        guard case .wait(let progress) = decision else { return decision }
        let text = progress.text
        if text != shown { Output.error(text) }
        shown = text
        // A canary may also become silent, about which nothing is reported.
        try await reader.change(after: answers.revision, within: min(.seconds(1), progress.remaining ?? .seconds(1)))
      } catch let error as Failure {
        // An election takes a second or two. After the lease's time, the canaries have gone back.
        guard ContinuousClock.now - heard < Self.patience else { throw error }
        try await Task.sleep(for: .milliseconds(500))
      } catch let error as EtcdError {
        guard error.isRetryable, ContinuousClock.now - heard < Self.patience else { throw Failure(error) }
        try await Task.sleep(for: .milliseconds(500))
      }
    }
  }

  private func publish(_ rollout: Rollout, _ change: Change, _ machine: inout RolloutStateMachine) async throws {
    let writer = DocumentWriter(
      document, in: try await context.cluster.snapshot(of: document.app), appVersion: edit.appVersion)
    let signing = try context.signing()
    let transaction = try editor.stating { () throws(WriterError) in try writer.publish(rollout, signing: signing) }
    let key = FleetKey.change(document, version: rollout.version)
    guard try await context.cluster.commit(transaction, change, at: [key]) != nil else {
      _ = machine.lost(.documentChanged)
      throw failure(.documentChanged)
    }
  }

  /// The machines' answers, and for how long each has not been heard of.
  private func answers() async throws -> (acks: [Ack], silence: [String: Duration], revision: Int64) {
    let answers = try await reader.answers()
    let acks = answers.acks.compactMap(Ack.init)
    let silence = acks.map { ack in
      let lease = ack.lease.flatMap { answers.leases[$0] }
      return (ack.machine, lease.map { Duration.seconds(max(0, $0.granted - $0.remaining)) } ?? .seconds(86400))
    }
    return (acks, Dictionary(silence) { $1 }, answers.revision)
  }

  private static func line(about canaries: [String]) -> String {
    let shown = canaries.prefix(5).map { "'\($0)'" }
    let rest = canaries.count - shown.count
    let names = shown.joined(separator: ", ") + (rest > 0 ? " and \(rest) \(rest > 1 ? "others" : "other")" : "")
    return "\(names) \(canaries.count > 1 ? "try" : "tries") the change first."
  }

  private func failure(_ reason: RolloutStateMachine.AbortReason) -> Failure {
    let what =
      switch reason {
      case .noCanary:
        switch target {
        case .group(let group): "no machine that answers about '\(document)' is in the group '\(group)'."
        case .share: "no machine that could try it answers about '\(document)'."
        }
      case .refused(let machine, let problem): "machine '\(machine)' refused it: \(problem.summary)"
      case .checkFailed(let machine, let status): "the check of machine '\(machine)' failed with status \(status)."
      case .documentChanged: "somebody else has changed the document."
      case .ended: "somebody else has ended the rollout."
      case .expired: "the cluster could not be reached for so long that the rollout has ended."
      case .unanswered(let machines):
        "these machines have not answered in time: \(machines.prefix(5).joined(separator: ", "))"
          + (machines.count > 5 ? " and \(machines.count - 5) others." : ".")
      case .cancelled: "it was cancelled."
      }
    return Failure(.takenBack, "The change was not made for all: \(what)")
  }
}

extension RolloutStateMachine.Progress {
  /// A line about how far it is.
  var text: String {
    missing.isEmpty
      ? "all \(canaries) canaries have it; waiting \(remaining.map { "\($0.components.seconds / 10 * 10 + 10) s at most" } ?? "")"
      : "\(canaries - missing.count) of \(canaries) canaries have it"
  }
}
