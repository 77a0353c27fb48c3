/// The lease of a machine and the answers that it keeps under it.
struct AckPublisher: Sendable {
  enum Lease: Sendable {
    case none
    case requested
    case held(LeaseID)
  }

  let times: MirrorTimes
  var lease = Lease.none
  /// What is to be there, by app.
  var wanted: [String: Ack] = [:]
  /// What is there, as far as it is known.
  var published: [String: Ack] = [:]
  /// The modification revision of each app's key, as far as it is known.
  var revisions: [String: Int64] = [:]
  /// What is on its way.
  var sending: [String: Ack] = [:]
  /// What is to be removed.
  var withdrawn: Set<String> = []
  /// What is being removed.
  var withdrawing: Set<String> = []
  /// How many times in a row each app's answer was not put because of something else at its key.
  var conflicts: [String: Int] = [:]
  /// The leases that were this machine's since it started.
  var ownLeases: Set<LeaseID> = []
  /// The revision of each app's last answer that was published under this lease.
  var ownRevisions: [String: Int64] = [:]
  /// When another machine's answer was last found in the place of this one's.
  var lastForeign: Duration?
  var retrying: Backoff
  var retryAt: Duration?
  var isStarted = false

  init(times: MirrorTimes) {
    self.times = times
    retrying = Backoff(first: times.retryDelay, longest: times.longestRetryDelay)
  }

  var deadlines: [Duration] {
    [retryAt, lastForeign.map { $0 + times.duplicateReport }].compactMap { $0 }
  }

  /// The answer as it goes to etcd.
  func text(of ack: Ack, under lease: LeaseID) -> Ack {
    var ack = ack
    ack.lease = lease
    if lastForeign != nil, ack.problem == nil {
      ack.problem = FleetProblem(
        .duplicateMachine,
        "Another machine answers with the id '\(ack.machine)'. Give each machine an id of its own: see machine-id(5).")
    }
    return ack
  }
}

extension AckPublisher {
  /// The connection is there: a lease can be had.
  mutating func connected<G>(at now: Duration) -> [MirrorStateMachine<G>.Action] {
    isStarted = true
    retryAt = nil
    let known = revisions.filter { published[$0.key] != nil }
    return (known.isEmpty ? [] : [.confirm(known)]) + send(at: now)
  }

  /// What is missing in etcd.
  mutating func send<G>(at now: Duration) -> [MirrorStateMachine<G>.Action] {
    guard isStarted, retryAt == nil else { return [] }
    switch lease {
    case .requested: return []
    case .none:
      guard !wanted.isEmpty || !withdrawn.isEmpty else { return [] }
      lease = .requested
      return [.grantLease]
    case .held(let id):
      var actions: [MirrorStateMachine<G>.Action] = []
      for (app, ack) in wanted.sorted(by: { $0.key < $1.key })
      where sending[app] == nil && !withdrawing.contains(app) {
        let text = text(of: ack, under: id)
        guard published[app] != text else { continue }
        sending[app] = text
        actions.append(.publish(text, replacing: revisions[app] ?? 0))
      }
      for app in withdrawn.sorted() where sending[app] == nil && withdrawing.insert(app).inserted {
        actions.append(.withdraw(app: app, replacing: revisions[app] ?? 0))
      }
      return actions
    }
  }
}

extension MirrorStateMachine {
  mutating func tickAnswers(_ isHeartbeat: Bool) -> [Action] {
    if let at = answers.retryAt, now >= at { answers.retryAt = nil }
    if let last = answers.lastForeign, now >= last + times.duplicateReport { answers.lastForeign = nil }
    var actions: [Action] = []
    if isHeartbeat, case .held(let id) = answers.lease { actions.append(.keepAlive(id)) }
    return actions + answers.send(at: now)
  }

  /// Takes what the machine answers from now on; what is already in etcd is not sent again.
  ///
  /// - Parameters:
  ///   - acks: ``MirrorPlan/acks(checks:unchecked:)``.
  ///   - apps: The apps that they are about; `nil` if they are all: answers about other apps are withdrawn then.
  public mutating func offer(_ acks: [Ack], about apps: Set<String>? = nil, at time: Duration) -> [Action] {
    advance(to: time)
    let offered = Set(acks.map(\.app))
    for former in answers.wanted.keys where !offered.contains(former) && apps?.contains(former) ?? true {
      answers.wanted[former] = nil
      answers.published[former] = nil
      answers.withdrawn.insert(former)
    }
    for ack in acks {
      answers.wanted[ack.app] = ack
      answers.withdrawn.remove(ack.app)
    }
    return answers.send(at: now)
  }

  /// Whether the answers were where they were put, after a connection was lost. A restored backup has others.
  public mutating func confirmed(_ revisions: [String: Int64], isRight: Bool, at time: Duration) -> [Action] {
    advance(to: time)
    guard !isRight else { return [] }
    for (app, revision) in revisions where answers.revisions[app] == revision { answers.published[app] = nil }
    return answers.send(at: now)
  }

  /// A lease was granted.
  public mutating func leaseGranted(_ lease: LeaseID, at time: Duration) -> [Action] {
    advance(to: time)
    guard case .requested = answers.lease else { return [] }
    answers.lease = .held(lease)
    answers.ownLeases.insert(lease)
    answers.published = [:]
    answers.ownRevisions = [:]
    answers.retrying.reset()
    return answers.send(at: now)
  }

  /// A lease could not be had.
  public mutating func leaseFailed(at time: Duration) -> [Action] {
    advance(to: time)
    guard case .requested = answers.lease else { return [] }
    answers.lease = .none
    answers.retryAt = now + answers.retrying.next(using: &generator)
    return []
  }

  /// The lease was kept alive, or is gone.
  ///
  /// - Parameter remaining: The seconds that it lives for from now on; 0 or less if it is gone. A call that failed is
  ///   not reported: the next heartbeat tries again.
  public mutating func leaseKept(_ lease: LeaseID, remaining: Int, at time: Duration) -> [Action] {
    advance(to: time)
    return remaining > 0 ? [] : lost(lease)
  }

  /// An answer is in etcd.
  ///
  /// - Parameter revision: The revision of the transaction.
  public mutating func published(_ ack: Ack, revision: Int64, at time: Duration) -> [Action] {
    advance(to: time)
    guard answers.sending[ack.app] == ack else { return [] }
    answers.sending[ack.app] = nil
    answers.retrying.reset()
    answers.conflicts[ack.app] = nil
    answers.revisions[ack.app] = revision
    answers.ownRevisions[ack.app] = revision
    if case .held(let lease) = answers.lease, lease == ack.lease, answers.wanted[ack.app] != nil {
      answers.published[ack.app] = ack
    }
    return answers.send(at: now)
  }

  /// Something else is at the answer's key than what was to be replaced: of an earlier run, of a call whose answer was
  /// lost, or of another machine with this id.
  ///
  /// So a call that etcd carries out long after it was given up does not replace a newer answer.
  ///
  /// - Parameters:
  ///   - lease: The lease of what is there; `nil` if there is nothing, or it is under none.
  ///   - revision: Its modification revision; 0 if there is nothing.
  public mutating func publishConflicted(
    _ ack: Ack, with lease: LeaseID?, revision: Int64, at time: Duration
  ) -> [Action] {
    advance(to: time)
    guard answers.sending[ack.app] == ack else { return [] }
    answers.sending[ack.app] = nil
    answers.revisions[ack.app] = revision
    // What came after our own answer is another machine's. What came before it is of an earlier run: a restored backup may
    // have brought that back.
    if let lease, !answers.ownLeases.contains(lease), let own = answers.ownRevisions[ack.app], revision > own {
      answers.lastForeign = now
    }
    answers.conflicts[ack.app, default: 0] += 1
    if answers.conflicts[ack.app]! > 3 { answers.retryAt = now + answers.retrying.next(using: &generator) }
    return answers.send(at: now)
  }

  /// An answer could not be published, or it is not known whether it was.
  ///
  /// - Parameter isLeaseGone: Whether etcd says that there is no such lease.
  public mutating func publishFailed(_ ack: Ack, isLeaseGone: Bool, at time: Duration) -> [Action] {
    advance(to: time)
    guard answers.sending[ack.app] == ack else { return [] }
    answers.sending[ack.app] = nil
    answers.published[ack.app] = nil
    if isLeaseGone, let lease = ack.lease { return lost(lease) }
    answers.retryAt = now + answers.retrying.next(using: &generator)
    return []
  }

  /// An answer was removed, or something else is at its key. What this mirror has left there is removed next: it would
  /// stay as long as its lease, which is kept alive.
  ///
  /// - Parameters:
  ///   - lease: The lease of what is there; `nil` if there is nothing, or it is under none.
  ///   - revision: Its modification revision.
  public mutating func withdrew(
    app: String, leaving lease: LeaseID? = nil, revision: Int64 = 0, at time: Duration
  ) -> [Action] {
    advance(to: time)
    answers.withdrawing.remove(app)
    if let lease, answers.ownLeases.contains(lease) {
      answers.revisions[app] = revision
    } else {
      answers.withdrawn.remove(app)
    }
    return answers.send(at: now)
  }

  /// An answer could not be removed, or it is not known whether it was.
  public mutating func withdrawFailed(app: String, at time: Duration) -> [Action] {
    advance(to: time)
    answers.withdrawing.remove(app)
    answers.retryAt = now + answers.retrying.next(using: &generator)
    return []
  }

  private mutating func lost(_ lease: LeaseID) -> [Action] {
    guard case .held(lease) = answers.lease else { return answers.send(at: now) }
    answers.lease = .none
    answers.published = [:]
    return answers.send(at: now)
  }
}
