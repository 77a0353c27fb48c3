import Glibc
import Testing

@testable import AppSettingsObserve

/// The hub's decisions, without files, threads or time.
@Suite struct WatchStateMachineTests {
  typealias Machine = WatchStateMachine

  static let start = SuspendingClock().now
  static let directory = FileIdentity(device: 1, inode: 1)
  static let parent = FileIdentity(device: 1, inode: 2)

  /// Answers the machine as a file system with one settled file would, and keeps what it asked for.
  struct World {
    var machine = Machine()
    var now = WatchStateMachineTests.start
    var plans: [Machine.ID: WatchPlan] = [:]
    var results: [Machine.ID: LookResult] = [:]
    var refusal: CInt?
    /// The directories that cannot be watched; all of them if it is `nil`.
    var refused: Set<FileIdentity>?
    var lastWatch: CInt = 0
    var watches: [FileIdentity: CInt] = [:]

    static func plan(
      _ end: WatchPlan.End = .file(age: .seconds(5)), in directory: FileIdentity = WatchStateMachineTests.directory
    )
      -> WatchPlan
    {
      var plan = WatchPlan()
      plan.add(WatchPlace(path: "/d", identity: directory), "f", .content)
      plan.add(WatchPlace(path: "/", identity: WatchStateMachineTests.parent), "d", .holder)
      plan.end = end
      return plan
    }

    /// Does what the machine wants and gives it as words.
    mutating func settle() -> [String] {
      var words: [String] = []
      while let action = machine.next(at: now) {
        switch action {
        case .walk(let id, _):
          words.append("walk")
          machine.walked(id, to: plans[id] ?? Self.plan(), at: now)
        case .watch(let identity, let path, let events):
          words.append(
            "watch \(path) \(events.isSuperset(of: .entries) ? "all" : events.contains(.deleted) ? "few" : "self")")
          if let refusal, refused?.contains(identity) != false {
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
        case .report(_, let problem):
          words.append("report \(problem.kind)")
        }
      }
      return words
    }

    mutating func send(
      _ events: WatchEvents, _ name: String = "f", to identity: FileIdentity = WatchStateMachineTests.directory
    ) {
      machine.received(InotifyEvent(watch: watches[identity] ?? 99, events: events, name: name), at: now)
    }

    mutating func advance(_ duration: Duration) {
      now = now.advanced(by: duration)
    }

    /// The time until the machine's deadline.
    var rest: Duration? { machine.deadline.map { now.duration(to: $0) } }
  }

  static func settled(_ end: WatchPlan.End = .file(age: .seconds(5))) -> World {
    var world = World()
    world.plans[1] = World.plan(end)
    world.machine.subscribe(1, to: .file("/d/f"))
    _ = world.settle()
    return world
  }

  @Test func `a subscription watches, walks again and looks last`() {
    var world = World()
    world.machine.subscribe(1, to: .file("/d/f"))
    let words = world.settle()
    #expect(words.first == "walk")
    #expect(Set(words[1...2]) == ["watch /d all", "watch / few"])
    #expect(words.suffix(2) == ["walk", "check"])
    #expect(world.machine.deadline == nil)
    #expect(world.machine.watchCount == 2)
  }

  @Test(arguments: [
    (WatchEvents.closedAfterWriting, ["look"]), (.movedTo, ["look", "walk"]), (.deleted, ["walk", "check"]),
    (.movedFrom, ["walk", "check"]), (.created, ["walk", "check"]), (.attributes, []),
  ])
  func `an event of the file makes for a look`(_ event: WatchEvents, _ words: [String]) {
    var world = Self.settled()
    world.send(event)
    #expect(world.settle() == words)
  }

  @Test func `an event of another name or of a watch that is gone does nothing`() {
    var world = Self.settled()
    world.send(.movedTo, "g")
    world.send(.movedTo, "f", to: FileIdentity(device: 9, inode: 9))
    world.send(.attributes, "")
    #expect(world.settle() == [])
    #expect(world.machine.deadline == nil)
  }

  @Test func `a burst makes for one look`() {
    var world = Self.settled()
    for _ in 0..<1000 { world.send(.movedTo) }
    #expect(world.settle() == ["look", "walk"])
  }

  @Test func `a file just made is looked at when it is closed`() {
    var world = Self.settled(.missing)
    world.plans[1] = World.plan(.file(age: .milliseconds(1)))
    world.send(.created)
    #expect(world.settle() == ["walk"])
    #expect(world.rest == .milliseconds(49))
    world.send(.attributes)
    #expect(world.settle() == [])
    world.send(.closedAfterWriting)
    #expect(world.settle() == ["look"])
    #expect(world.machine.deadline == nil)
  }

  @Test func `a file just made is looked at when nobody has written to it for a while`() {
    var world = Self.settled(.missing)
    world.plans[1] = World.plan(.file(age: .milliseconds(1)))
    world.send(.created)
    #expect(world.settle() == ["walk"])
    world.advance(.milliseconds(49))
    world.plans[1] = World.plan(.file(age: .milliseconds(20)))
    #expect(world.settle() == ["walk"])
    #expect(world.rest == .milliseconds(30))
    world.advance(.milliseconds(30))
    world.plans[1] = World.plan(.file(age: .milliseconds(50)))
    #expect(world.settle() == ["walk", "check"])
    #expect(world.machine.deadline == nil)
  }

  @Test func `a finished file that is linked into place is looked at at once`() {
    var world = Self.settled(.missing)
    world.plans[1] = World.plan(.file(age: .seconds(2)))
    world.send(.created)
    #expect(world.settle() == ["walk", "check"])
  }

  @Test func `a file that is removed and made again at once is looked at when it is whole`() {
    var world = Self.settled()
    world.plans[1] = World.plan(.file(age: .zero))
    world.send(.deleted)
    world.send(.created)
    #expect(world.settle() == ["walk"])
    world.send(.closedAfterWriting)
    #expect(world.settle() == ["look"])
  }

  @Test func `a second look comes when it was asked for`() {
    var world = Self.settled()
    world.results[1] = .again(after: .milliseconds(100))
    world.send(.movedFrom)
    #expect(world.settle() == ["walk", "check"])
    #expect(world.rest == .milliseconds(100))
    world.advance(.milliseconds(99))
    #expect(world.settle() == [])
    world.results[1] = .settled
    world.advance(.milliseconds(1))
    #expect(world.settle() == ["check"])
    #expect(world.machine.deadline == nil)
  }

  @Test func `an event takes the place of a second look`() {
    var world = Self.settled()
    world.results[1] = .again(after: .milliseconds(100))
    world.send(.movedFrom)
    _ = world.settle()
    world.results[1] = .settled
    world.send(.movedTo)
    #expect(world.settle() == ["look", "walk"])
    #expect(world.machine.deadline == nil)
  }

  @Test func `a file being made again puts off the second look`() {
    var world = Self.settled()
    world.results[1] = .again(after: .milliseconds(100))
    world.send(.deleted)
    _ = world.settle()
    world.plans[1] = World.plan(.file(age: .zero))
    world.results[1] = .settled
    world.advance(.milliseconds(90))
    world.send(.created)
    #expect(world.settle() == ["walk"])
    #expect(world.rest == .milliseconds(50))
  }

  @Test func `a mode change is looked at a little later`() {
    var world = Self.settled()
    world.send(.attributes)
    #expect(world.settle() == [])
    world.advance(.milliseconds(50))
    #expect(world.settle() == ["walk", "check"])
  }

  @Test func `an overflow makes for a walk and a look of every subscription`() {
    var world = Self.settled()
    world.machine.subscribe(2, to: .file("/d/f"))
    _ = world.settle()
    world.machine.received(InotifyEvent(watch: -1, events: .overflowed), at: world.now)
    #expect(world.settle() == ["walk", "check", "walk", "check"])
  }

  @Test func `a mount makes for a walk and a look of every subscription`() {
    var world = Self.settled()
    world.machine.subscribe(2, to: .file("/d/f"))
    _ = world.settle()
    world.machine.mountsChanged()
    #expect(world.settle() == ["walk", "check", "walk", "check"])
  }

  @Test func `a watch that the kernel ended is made again`() {
    var world = Self.settled()
    let old = world.watches[Self.directory]!
    world.send([.selfDeleted], "")
    world.send([.ended], "")
    world.watches[Self.directory] = nil
    #expect(world.settle() == ["walk", "watch /d all", "walk", "check"])
    #expect(world.machine.watchCount == 2)
    world.machine.received(InotifyEvent(watch: old, events: .closedAfterWriting, name: "f"), at: world.now)
    #expect(world.settle() == [])
  }

  @Test func `the end of an older watch leaves the newer one alone`() {
    var world = Self.settled()
    let old = world.watches[Self.directory]!
    // The same inode number, watched anew before the end of the old watch was read from the queue.
    world.watches[Self.directory] = nil
    world.machine.received(InotifyEvent(watch: old, events: .ended), at: world.now)
    _ = world.settle()
    world.machine.received(InotifyEvent(watch: old, events: .ended), at: world.now)
    #expect(world.settle() == [])
    world.send(.closedAfterWriting)
    #expect(world.settle() == ["look"])
  }

  @Test func `a directory in another's place is watched and the old watch goes`() {
    var world = Self.settled()
    let other = FileIdentity(device: 1, inode: 7)
    world.plans[1] = World.plan(in: other)
    world.send(.deleted, "d", to: Self.parent)
    #expect(world.settle() == ["walk", "watch /d all", "walk", "check", "unwatch"])
    #expect(world.machine.watchCount == 2)
  }

  @Test func `two subscriptions share a watch until the last goes`() {
    var world = Self.settled()
    world.machine.subscribe(2, to: .file("/d/f"))
    #expect(world.settle() == ["walk", "walk", "check"])
    world.send(.closedAfterWriting)
    #expect(world.settle() == ["look", "look"])
    world.machine.cancel(1)
    #expect(world.settle() == [])
    world.machine.cancel(2)
    #expect(world.settle() == ["unwatch", "unwatch"])
    #expect(world.machine.isEmpty)
    #expect(world.machine.watchCount == 0)
  }

  @Test func `a watch gives up the events that nobody needs any more`() {
    var world = Self.settled()
    var plan = WatchPlan()
    plan.add(WatchPlace(path: "/d", identity: Self.directory))
    plan.end = .missing
    world.plans[2] = plan
    world.machine.subscribe(2, to: .file("/d/e/f"))
    _ = world.settle()
    world.machine.cancel(1)
    #expect(Set(world.settle()) == ["watch /d self", "unwatch"])
  }

  @Test(arguments: [(ENOSPC, "limit"), (EMFILE, "limit"), (EACCES, "refused")])
  func `a refused watch is reported once and polled`(_ code: CInt, _ kind: String) {
    var world = World()
    world.refusal = code
    world.machine.subscribe(1, to: .file("/d/f"))
    let words = world.settle()
    #expect(words.last == "report \(kind)" || words.suffix(2) == ["report \(kind)", "check"])
    #expect(words.contains("check"))
    #expect(world.rest == .seconds(1))
    world.advance(.seconds(1))
    let poll = world.settle()
    #expect(poll.contains("check") && !poll.contains("report \(kind)"))
    #expect(world.rest == .seconds(1))
    world.refusal = nil
    world.advance(.seconds(1))
    #expect(world.settle().suffix(2) == ["walk", "check"])
    #expect(world.machine.deadline == nil)
  }

  @Test(arguments: [(ENOSPC, true), (EACCES, false)])
  func `a refused watch of a directory that is only passed is polled where a limit is reached`(
    _ code: CInt, _ isPolled: Bool
  ) {
    var world = World()
    let passed = FileIdentity(device: 1, inode: 3)
    var plan = World.plan()
    plan.add(WatchPlace(path: "/passed", identity: passed))
    world.plans[1] = plan
    world.refusal = code
    world.refused = [passed]
    world.machine.subscribe(1, to: .file("/d/f"))
    #expect(world.settle().contains("report limit") == isPolled)
    #expect(world.rest == (isPolled ? .seconds(1) : nil))
    #expect(world.machine.watchCount == 2)
  }

  @Test func `a directory that may be passed but not read is watched by its parent`() {
    var world = World()
    let home = WatchPlace(path: "/home", identity: FileIdentity(device: 1, inode: 3))
    let passed = WatchPlace(path: "/home/other", identity: FileIdentity(device: 1, inode: 4))
    var plan = World.plan()
    plan.add(home, "other", .passed)
    plan.add(passed)
    world.plans[1] = plan
    world.refusal = EACCES
    world.refused = [passed.identity]
    world.machine.subscribe(1, to: .file("/d/f"))
    #expect(!world.settle().contains("report refused"))
    #expect(world.rest == nil)
    world.send(.movedTo, "another", to: home.identity)
    #expect(world.settle() == [])
    world.send(.movedFrom, "other", to: home.identity)
    #expect(world.settle().suffix(2) == ["walk", "check"])
  }

  @Test func `a directory that cannot be listed is polled until it can`() {
    var world = World()
    var plan = World.plan(.directory(age: nil))
    plan.unlisted = EMFILE
    world.plans[1] = plan
    world.machine.subscribe(1, to: .directory("/d"))
    #expect(world.settle().contains("report limit"))
    #expect(world.rest == .seconds(1))
    world.plans[1] = World.plan(.directory(age: nil))
    world.advance(.seconds(1))
    #expect(world.settle().suffix(2) == ["walk", "check"])
    #expect(world.rest == nil)
  }

  @Test func `a network file system is polled and watched`() {
    var world = World()
    var plan = World.plan()
    plan.remoteFileSystem = "NFS"
    world.plans[1] = plan
    world.machine.subscribe(1, to: .file("/d/f"))
    #expect(world.settle().contains("report remoteFileSystem"))
    #expect(world.rest == .seconds(1))
    #expect(world.machine.watchCount == 2)
  }

  @Test func `a path that never comes to rest is looked at all the same`() {
    var world = World()
    var machine = Machine()
    machine.subscribe(1, to: .file("/d/f"))
    var looks = 0
    var serial: UInt64 = 10
    while let action = machine.next(at: world.now) {
      switch action {
      case .walk(let id, _):
        serial += 1
        machine.walked(id, to: World.plan(in: FileIdentity(device: 1, inode: serial)), at: world.now)
      case .watch(let identity, _, _): machine.watched(identity, .armed(CInt(serial)))
      case .look(let id, _):
        looks += 1
        machine.looked(id, .settled, at: world.now)
      case .unwatch, .report: break
      }
    }
    #expect(looks == 1)
    #expect(machine.deadline == world.now.advanced(by: .milliseconds(50)))
    world.machine = machine
    #expect(world.machine.watchCount <= 2)
  }

  @Test func `nothing is kept of 100,000 directories that came and went`() {
    var world = Self.settled()
    for number in 0..<100_000 {
      world.send([.selfDeleted], "")
      world.send([.ended], "")
      world.watches[world.machine.nodes.keys.first { $0 != Self.parent } ?? Self.directory] = nil
      world.plans[1] = World.plan(in: FileIdentity(device: 1, inode: UInt64(10 + number % 1000)))
      world.machine.received(
        InotifyEvent(watch: world.watches[Self.parent]!, events: .deleted, name: "d"), at: world.now)
      _ = world.settle()
    }
    #expect(world.machine.nodes.count == 2)
    #expect(world.machine.watchCount == 2)
  }
}
