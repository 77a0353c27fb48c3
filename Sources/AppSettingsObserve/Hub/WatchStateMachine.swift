internal import Glibc

/// Decides what the hub does next, without threads, clock or system calls.
///
/// Its input is events, subscriptions and the time. ``next(at:)`` returns one ``Action`` at a time. Report its outcome
/// with ``walked(_:to:at:)``, ``watched(_:_:)`` or ``looked(_:_:at:)`` before you ask for the next one.
///
/// For each subscription it walks the path, watches what the walk needs, and walks again, until nothing changes. Only
/// then does it look at the file, so that no change falls between the look and the watch.
///
/// It has one owner: a copy would share the subscriptions, which are objects.
package struct WatchStateMachine {
  package typealias ID = UInt64
  package typealias Instant = SuspendingClock.Instant

  package enum Action: Equatable, Sendable {
    case walk(ID, WatchTarget)
    /// Watch the directory at the path, or replace the events of its watch.
    case watch(FileIdentity, path: String, events: WatchEvents)
    case unwatch(CInt)
    case look(ID, LookCause)
    /// Report what prevents watching, in place of the report before; `nil` if nothing does.
    case report(ID, WatchProblem?)
  }

  /// The hub's times and limits.
  package enum Timing {
    /// A file that was created but not closed is looked at when nothing has been written to it for this time.
    package static let quiet = Duration.milliseconds(50)
    package static let poll = Duration.seconds(1)
    /// The number of walks in a row with different results until the next try waits.
    package static let mostRounds = 32
  }

  private struct Report: Sendable {
    var id: ID
    var problem: WatchProblem?
  }

  var subscriptions: [ID: Subscription] = [:]
  var nodes: [FileIdentity: Node] = [:]
  /// The directory of each watch, the only one of its node. Queued events of other watches are outdated.
  private var directories: [CInt: FileIdentity] = [:]
  /// Subscriptions with something to do, in order.
  private var queue: [ID] = []
  private var queueStart = 0
  /// Nodes whose watch to remove or reduce when no subscription has anything to do. May contain duplicates.
  private var loose: [FileIdentity] = []
  private var reports: [Report] = []
  private var timed: Set<ID> = []

  package init() {}

  package var isEmpty: Bool { subscriptions.isEmpty }
  /// The number of watches that the kernel has for the hub.
  package var watchCount: Int { directories.count }

  /// When ``next(at:)`` has work without an event; `nil` if never.
  package var deadline: Instant? {
    timed.reduce(nil) { earlier($0, subscriptions[$1]?.deadline) }
  }
}

// MARK: - Input

extension WatchStateMachine {
  package mutating func subscribe(_ id: ID, to target: WatchTarget) {
    subscriptions[id] = Subscription(target: target)
    enqueue(id)
  }

  package mutating func cancel(_ id: ID) {
    guard let subscription = subscriptions.removeValue(forKey: id) else { return }
    timed.remove(id)
    for identity in (subscription.plan?.needs ?? [:]).keys { release(identity, by: id) }
  }

  package mutating func received(_ event: InotifyEvent, at now: Instant) {
    if event.events.contains(.overflowed) {
      // The end of a watch may be lost, too, and its number reused for another directory, so everything is watched
      // again.
      for identity in directories.values { nodes[identity]?.events = [] }
      for id in subscriptions.keys { lookAfterWalk(id) }
      return
    }
    // A late event of a removed watch.
    guard let identity = directories[event.watch], let node = nodes[identity] else { return }
    if event.events.contains(.ended) { forgetWatch(of: identity) }
    if event.name.isEmpty {
      // An event of the directory itself. A change of its mode is handled where its parent reports it.
      guard !event.events.isDisjoint(with: [.selfDeleted, .selfMoved, .unmounted, .ended]) else { return }
      for id in node.users.keys { lookAfterWalk(id) }
      return
    }
    for (id, need) in node.users {
      let role = need.role(of: event.name)
      guard !role.isEmpty else { continue }
      received(event.events, for: role, by: id, at: now)
    }
  }

  private mutating func received(_ events: WatchEvents, for role: WatchRole, by id: ID, at now: Instant) {
    let isStep = !role.isDisjoint(with: [.step, .passed])
    if isStep && !events.isDisjoint(with: .entries) || role.contains(.holder) && events.contains(.deleted) {
      lookAfterWalk(id)
    }
    guard role.contains(.content) else { return }
    subscriptions[id]?.contentHad(events, at: now)
    enqueue(id)
  }

  /// Handles a mount or unmount, for which directories have no event.
  package mutating func mountsChanged() {
    for id in subscriptions.keys { lookAfterWalk(id) }
  }

  private mutating func lookAfterWalk(_ id: ID) {
    guard let subscription = subscriptions[id] else { return }
    subscription.wantsWalk = true
    subscription.wantsLook = true
    enqueue(id)
  }

  private mutating func enqueue(_ id: ID) {
    guard let subscription = subscriptions[id], !subscription.isQueued else { return }
    subscription.isQueued = true
    subscription.rounds = 0
    queue.append(id)
  }
}

// MARK: - Actions

extension WatchStateMachine {
  /// The next action; `nil` if there is none until an event, a subscription or the ``deadline``.
  package mutating func next(at now: Instant) -> Action? {
    if !reports.isEmpty {
      let report = reports.removeFirst()
      return .report(report.id, report.problem)
    }
    // At the beginning of each round, also if events have queued something: they may come without a pause.
    if queueStart == 0 { enqueueDue(at: now) }
    while queueStart < queue.count {
      let id = queue[queueStart]
      if let action = nextOf(id) { return action }
      subscriptions[id]?.isQueued = false
      note(timer: id)
      queueStart += 1
    }
    queue.removeAll(keepingCapacity: true)
    queueStart = 0
    while let identity = loose.popLast() {
      if let action = tidy(identity) { return action }
    }
    return nil
  }

  private mutating func nextOf(_ id: ID) -> Action? {
    guard let subscription = subscriptions[id] else { return nil }
    if let cause = subscription.takeLookNow() { return .look(id, cause) }
    while let identity = subscription.missingWatches.popLast() {
      guard let node = nodes[identity], let need = node.users[id], !node.serves(need), node.refusal == nil
      else { continue }
      return .watch(identity, path: need.path, events: node.wanted)
    }
    if subscription.wantsWalk {
      subscription.wantsWalk = false
      return .walk(id, subscription.target)
    }
    if subscription.wantsLook {
      subscription.startLook()
      return .look(id, .doubt)
    }
    return nil
  }

  private mutating func enqueueDue(at now: Instant) {
    guard let deadline, deadline <= now else { return }
    for id in timed.sorted() {
      guard let subscription = subscriptions[id] else { continue }
      if let at = subscription.lookAt, at <= now {
        subscription.lookAt = nil
        subscription.wantsLookNow = true
      }
      if let at = subscription.settleAt, at <= now {
        subscription.settleAt = nil
        subscription.wantsWalk = true
        subscription.isExpectingClose = true
      }
      if let at = subscription.retryAt, at <= now {
        subscription.retryAt = nil
        subscription.wantsWalk = true
        // The earlier look came before the last watches.
        subscription.wantsLook = true
      }
      if let at = subscription.pollAt, at <= now {
        subscription.pollAt = nil
        subscription.wantsWalk = true
        subscription.wantsLook = true
        subscription.isExpectingClose = true
        // A watch refused earlier may succeed now.
        for identity in (subscription.plan?.needs ?? [:]).keys { nodes[identity]?.refusal = nil }
      }
      if subscription.wantsAnything { enqueue(id) }
      note(timer: id)
    }
  }

  private mutating func note(timer id: ID) {
    if subscriptions[id]?.deadline == nil { timed.remove(id) } else { timed.insert(id) }
  }

  /// Ends a watch that no subscription needs, or reduces its events to the needed ones.
  private mutating func tidy(_ identity: FileIdentity) -> Action? {
    guard let node = nodes[identity] else { return nil }
    if node.users.isEmpty {
      forgetWatch(of: identity)
      nodes[identity] = nil
      return node.watch.map { .unwatch($0) }
    }
    guard node.watch != nil, node.events != node.wanted, let need = node.users.values.first else { return nil }
    return .watch(identity, path: need.path, events: node.wanted)
  }

  private mutating func forgetWatch(of identity: FileIdentity) {
    if let watch = nodes[identity]?.watch { directories[watch] = nil }
    nodes[identity]?.watch = nil
    nodes[identity]?.events = []
  }

  mutating func release(_ identity: FileIdentity, by id: ID) {
    nodes[identity]?.users[id] = nil
    loose.append(identity)
  }
}

// MARK: - Outcomes

extension WatchStateMachine {
  /// Handles the result of a walk.
  package mutating func walked(_ id: ID, to plan: WatchPlan, at now: Instant) {
    guard let subscription = subscriptions[id] else { return }
    let old = subscription.plan
    for identity in (old?.needs ?? [:]).keys where plan.needs[identity] == nil { release(identity, by: id) }
    var missing: [FileIdentity] = []
    for (identity, need) in plan.needs {
      nodes[identity, default: Node()].users[id] = need
      let node = nodes[identity]!
      if !node.serves(need) && node.refusal == nil { missing.append(identity) }
      if node.events != node.wanted { loose.append(identity) }
    }
    subscription.plan = plan
    let isSame = old.map(plan.hasSameNeeds) ?? false
    if !isSame { subscription.hasMoved = true }
    if !missing.isEmpty || !isSame {
      subscription.rounds += 1
      subscription.missingWatches = missing
      if subscription.rounds < Timing.mostRounds {
        subscription.wantsWalk = true
      } else {
        // The path changes too fast to follow. Looks at the present file, and tries again soon.
        subscription.retryAt = now.advanced(by: Timing.quiet)
        subscription.settle(at: now)
      }
    } else {
      subscription.settle(at: now)
      checkHindrances(id, subscription, at: now)
    }
    note(timer: id)
  }

  /// Handles the outcome of an attempt to watch a directory.
  package mutating func watched(_ identity: FileIdentity, _ outcome: WatchOutcome) {
    guard let node = nodes[identity] else { return }
    switch outcome {
    case .armed(let watch):
      forgetWatch(of: identity)
      if let former = directories[watch] { forgetWatch(of: former) }
      directories[watch] = identity
      nodes[identity]?.watch = watch
      nodes[identity]?.events = node.wanted
      nodes[identity]?.refusal = nil
    case .refused(let refusal):
      nodes[identity]?.refusal = refusal
    case .stale:
      for id in node.users.keys {
        // A path that changes too fast is walked again when its next try is due.
        guard let subscription = subscriptions[id], subscription.rounds < Timing.mostRounds else { continue }
        subscription.wantsWalk = true
        enqueue(id)
      }
    }
  }

  /// Handles the result of a look.
  package mutating func looked(_ id: ID, _ result: LookResult, at now: Instant) {
    switch result {
    case .settled: subscriptions[id]?.lookAt = nil
    case .again(let delay): subscriptions[id]?.lookAt = now.advanced(by: max(delay, .milliseconds(1)))
    }
    note(timer: id)
  }

  /// Polls where events cannot be relied on, and reports it; reports again once they can.
  private mutating func checkHindrances(_ id: ID, _ subscription: Subscription, at now: Instant) {
    let problem = hindrance(of: subscription)
    if subscription.reported == nil || subscription.reported??.kind != problem?.kind {
      subscription.reported = .some(problem)
      reports.append(Report(id: id, problem: problem))
    }
    guard problem != nil else { return subscription.pollAt = nil }
    if subscription.pollAt == nil { subscription.pollAt = now.advanced(by: Timing.poll) }
  }

  /// The most serious obstacle.
  private func hindrance(of subscription: Subscription) -> WatchProblem? {
    guard let plan = subscription.plan else { return nil }
    let path = subscription.target.path
    var refused: WatchProblem?
    for (identity, need) in plan.needs {
      guard let refusal = nodes[identity]?.refusal else { continue }
      let problem = WatchProblem.refused(refusal, directory: need.path, path: path)
      // At a limit, it is chance which directories are watched.
      if problem.kind == .limit { return problem }
      // A directory that is only passed, and may not be read, has a watched parent and is rarely moved.
      if need.isOfEntries { refused = problem }
    }
    if let code = plan.unlisted { return .refused(.error(code), directory: path, path: path) }
    return refused ?? plan.remoteFileSystem.map { .remoteFileSystem($0, path: path) }
  }
}
