import Glibc

@testable import AppSettingsObserve

/// A file system for the hub's decisions, without files, threads or time: one settled file, `/d/f`, unless told.
struct HubWorld {
  static let directory = FileIdentity(device: 1, inode: 1)
  static let parent = FileIdentity(device: 1, inode: 2)

  var machine = WatchStateMachine()
  var now = SuspendingClock().now
  var plans: [WatchStateMachine.ID: WatchPlan] = [:]
  var results: [WatchStateMachine.ID: LookResult] = [:]
  var refusal: WatchRefusal?
  /// The directories that cannot be watched; all of them if it is `nil`.
  var refused: Set<FileIdentity>?
  /// Whether each directory is another one by the time that it is to be watched.
  var isStale = false
  var lastWatch: CInt = 0
  var watches: [FileIdentity: CInt] = [:]
  /// The subscriptions that something is reported of.
  var hindered: Set<WatchStateMachine.ID> = []

  static func plan(
    _ end: WatchPlan.End = .file(age: .seconds(5)), in directory: FileIdentity = HubWorld.directory
  ) -> WatchPlan {
    var plan = WatchPlan()
    plan.add(WatchPlace(path: "/d", identity: directory), "f", .content)
    plan.add(WatchPlace(path: "/", identity: HubWorld.parent), "d", .holder)
    plan.end = end
    return plan
  }

  /// Does what the machine wants and gives it as words.
  mutating func settle() -> [String] {
    var words: [String] = []
    // Never so many: a machine that goes on for ever is a failure, and no test that hangs.
    while words.count < 1000, let action = machine.next(at: now) {
      switch action {
      case .walk(let id, _):
        words.append("walk")
        machine.walked(id, to: plans[id] ?? Self.plan(), at: now)
      case .watch(let identity, let path, let events):
        words.append(
          "watch \(path) \(events.isSuperset(of: .entries) ? "all" : events.contains(.deleted) ? "few" : "self")")
        if isStale {
          machine.watched(identity, .stale)
        } else if let refusal, refused?.contains(identity) != false {
          machine.watched(identity, .refused(refusal))
        } else {
          if watches[identity] == nil { lastWatch += 1 }
          machine.watched(identity, .armed(watches[identity, default: lastWatch]))
          watches[identity] = watches[identity] ?? lastWatch
        }
      case .unwatch(let watch):
        words.append("unwatch")
        watches = watches.filter { $0.value != watch }
      case .look(let id, let cause):
        words.append(cause == .save ? "look" : "check")
        machine.looked(id, results[id] ?? .settled, at: now)
      case .report(let id, let problem):
        if let problem {
          hindered.insert(id)
          words.append("report \(problem.kind)")
        } else if hindered.remove(id) != nil {
          words.append("mended")
        }
      }
    }
    return words
  }

  mutating func send(
    _ events: WatchEvents, _ name: String = "f", to identity: FileIdentity = HubWorld.directory
  ) {
    machine.received(InotifyEvent(watch: watches[identity] ?? 99, events: events, name: name), at: now)
  }

  mutating func advance(_ duration: Duration) {
    now = now.advanced(by: duration)
  }

  /// The time until the machine's deadline.
  var rest: Duration? { machine.deadline.map { now.duration(to: $0) } }

  /// One with a subscription of the file, in which nothing is left to do.
  static func settled(_ end: WatchPlan.End = .file(age: .seconds(5))) -> HubWorld {
    var world = HubWorld()
    world.plans[1] = plan(end)
    world.machine.subscribe(1, to: .file("/d/f"))
    _ = world.settle()
    return world
  }
}
