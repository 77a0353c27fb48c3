/// What the coordinator of a rollout does next.
///
/// A rollout is published when every canary has had it for the whole waiting time. Each of these ends it instead, and
/// the canaries go back: one refusal, one failed check, one canary that does not answer until the deadline, no canary at
/// all, one that has seen a change of the document. What ends it in etcd, such as a cancellation or the coordinator's
/// death, is not decided here.
///
/// ```swift
/// var machine = RolloutStateMachine(rollout, acks: acks, answerSeconds: 60)
/// // put the rollout under a lease, watch the acks, and with each change or timer:
/// switch machine.update(acks: acks, silence: silence, elapsed: clock.now - start) {
/// case .wait(let progress): break         // show it
/// case .abort(let reason): break          // delete the rollout
/// case .publish: break                    // DocumentWriter.publish
/// }
/// ```
public struct RolloutStateMachine: Sendable {
  /// What to do.
  public enum Decision: Hashable, Sendable {
    /// Wait for answers or for the time.
    case wait(Progress)
    /// Delete the rollout.
    case abort(AbortReason)
    /// Make the text the document's.
    case publish
  }

  /// How far a rollout is.
  public struct Progress: Hashable, Sendable {
    /// How many canaries there are.
    public var canaries: Int
    /// The ids of those that have not applied it, sorted.
    public var missing: [String]
    /// How long until it can be published, if nothing changes; `nil` while there are missing ones.
    public var remaining: Duration?

    /// After which time to check again although no answer has changed: at the end of the waiting time, and every second, since
    /// nothing reports that a canary has become silent, or has given the sign of life that ends it.
    public var nextCheck: Duration { remaining.flatMap { $0 > .zero ? min($0, .seconds(1)) : nil } ?? .seconds(1) }

  }

  /// Why a rollout ends without being published.
  public enum AbortReason: Hashable, Sendable {
    /// No machine that answers is a canary.
    case noCanary
    /// A canary refused the text, or does nothing at all at the moment.
    case refused(machine: String, FleetProblem)
    /// A canary's check command ended with a status that is not 0.
    case checkFailed(machine: String, status: Int)
    /// A canary has no check command, or could not run it.
    case notChecked(machine: String, FleetProblem)
    /// A canary has seen that the document was changed since the rollout began.
    case documentChanged
    /// These canaries have not applied it, or not for long enough, at the deadline.
    case unanswered([String])
  }

  private struct Canary: Sendable {
    /// Since when it has had the text without a break.
    var appliedSince: Duration?
    /// Whether it was there at the beginning. Others have to have applied the text, but for no length of time: otherwise
    /// machines that start now and then would keep a rollout from ending.
    var isFirst: Bool
    /// When it last gave a sign of life.
    var seen = Duration.zero

    func isDone(after waitSeconds: Int) -> Bool {
      guard let appliedSince else { return false }
      return !isFirst || seen - appliedSince >= .seconds(waitSeconds)
    }
  }

  /// The rollout.
  public let rollout: Rollout
  /// The host names of the canaries that there are or were, by id.
  public private(set) var hosts: [String: String] = [:]
  private let deadline: Duration
  private let silentAfter: Duration
  private var canaries: [String: Canary] = [:]
  private var elapsed = Duration.zero
  private var end: Decision?

  /// Begins, before the rollout is in etcd.
  ///
  /// - Parameters:
  ///   - rollout: The rollout.
  ///   - acks: All answers about the app, apart from those of silent machines.
  ///   - answerSeconds: How much longer than the waiting time all of it may take. It has to be longer than the time in
  ///     which mirrors keep their leases alive.
  ///   - silentAfter: After which time without a sign of life a canary counts as gone.
  public init(_ rollout: Rollout, acks: [Ack], answerSeconds: Int = 60, silentAfter: Duration = .seconds(45)) {
    self.rollout = rollout
    self.silentAfter = silentAfter
    deadline = .seconds(rollout.waitSeconds) + .seconds(answerSeconds)
    for ack in acks where rollout.isCanary(ack) && rollout.canApply(to: ack) {
      canaries[ack.machine] = Canary(isFirst: true)
      hosts[ack.machine] = ack.host
    }
    if canaries.isEmpty { end = .abort(.noCanary) }
  }

  /// What to do now: before the rollout is put into etcd, whether to put it there.
  public var decision: Decision { end ?? .wait(progress) }

  /// Takes the answers as they are now.
  ///
  /// - Parameters:
  ///   - acks: All answers about the app.
  ///   - silence: How long ago each machine's lease was last kept alive; machines that are not in it are alive. A canary
  ///     that died of the text has to be noticed: the waiting time ends with a sign of life.
  ///   - elapsed: The time since the rollout is in etcd, by a clock that never goes back.
  public mutating func update(acks: [Ack], silence: [String: Duration] = [:], elapsed: Duration) -> Decision {
    if let end { return end }
    self.elapsed = max(self.elapsed, elapsed)
    var applied: Set<String> = []
    for ack in acks where silence[ack.machine] ?? .zero <= silentAfter {
      guard rollout.isCanary(ack), rollout.canApply(to: ack), !isUnconcerned(ack) else {
        canaries[ack.machine] = nil
        continue
      }
      if canaries[ack.machine] == nil { canaries[ack.machine] = Canary(isFirst: false) }
      hosts[ack.machine] = ack.host
      canaries[ack.machine]?.seen = self.elapsed - (silence[ack.machine] ?? .zero)
      if let reason = failure(of: ack) { return finish(.abort(reason)) }
      if isApplied(ack) { applied.insert(ack.machine) }
    }
    for (machine, canary) in canaries {
      canaries[machine]?.appliedSince = applied.contains(machine) ? canary.appliedSince ?? self.elapsed : nil
    }
    guard canaries.values.contains(where: \.isFirst) else { return finish(.abort(.noCanary)) }
    let late = canaries.filter { !$0.value.isDone(after: rollout.waitSeconds) }.keys.sorted()
    if late.isEmpty { return finish(.publish) }
    guard self.elapsed < deadline else { return finish(.abort(.unanswered(late))) }
    return .wait(progress)
  }

  private mutating func finish(_ decision: Decision) -> Decision {
    end = decision
    return decision
  }

  private var progress: Progress {
    let missing = canaries.filter { $0.value.appliedSince == nil }.keys.sorted()
    let last = canaries.values.filter(\.isFirst).compactMap(\.appliedSince).max()
    let remaining = missing.isEmpty ? last.map { max(.zero, $0 + .seconds(rollout.waitSeconds) - elapsed) } : nil
    return Progress(canaries: canaries.count, missing: missing, remaining: remaining)
  }

  private func isUnconcerned(_ ack: Ack) -> Bool {
    ack.rollout?.id == rollout.id && ack.rollout?.state == .notConcerned
  }

  private func failure(of ack: Ack) -> AbortReason? {
    if let problem = ack.problem { return .refused(machine: ack.machine, problem) }
    guard let answer = ack.rollout, answer.id == rollout.id else { return nil }
    switch answer.state {
    case .refused:
      let unknown = FleetProblem(.refused, "The machine says no more.")
      return .refused(machine: ack.machine, answer.problem ?? unknown)
    case .superseded: return .documentChanged
    case .applied:
      guard rollout.requiresCheck, let status = answer.check, status != 0 else { return nil }
      if let problem = answer.problem { return .notChecked(machine: ack.machine, problem) }
      return .checkFailed(machine: ack.machine, status: status)
    case .pending, .notConcerned: return nil
    }
  }

  private func isApplied(_ ack: Ack) -> Bool {
    guard let answer = ack.rollout, answer.id == rollout.id, answer.state == .applied else { return false }
    return !rollout.requiresCheck || answer.check == 0
  }
}
