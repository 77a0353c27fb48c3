import Testing

@testable import AppSettingsObserve

/// Which directories the hub keeps watched: its decisions, without files, threads or time.
struct WatchKeepingTests {
  @Test func `an overflow makes for new watches, a walk and a look of every subscription`() {
    var world = HubWorld.settled()
    world.machine.subscribe(2, to: .file("/d/f"))
    _ = world.settle()
    world.machine.received(InotifyEvent(watch: -1, events: .overflowed), at: world.now)
    let words = world.settle()
    #expect(words.filter { $0.hasPrefix("watch") }.sorted() == ["watch / few", "watch /d all"])
    #expect(words.filter { !$0.hasPrefix("watch") } == ["walk", "walk", "check", "walk", "check"])
    #expect(world.machine.watchCount == 2)
    #expect(world.settle() == [])
  }

  @Test func `a directory of the old one's number is watched when an overflow took the old watch's end`() {
    var world = HubWorld.settled()
    let old = world.watches[HubWorld.directory]!
    world.watches[HubWorld.directory] = nil
    world.machine.received(InotifyEvent(watch: -1, events: .overflowed), at: world.now)
    _ = world.settle()
    #expect(world.watches[HubWorld.directory] ?? old != old)
    #expect(world.machine.watchCount == 2)
    world.machine.received(InotifyEvent(watch: old, events: .ended), at: world.now)
    #expect(world.settle() == [])
    world.send(.closedAfterWriting)
    #expect(world.settle() == ["look"])
  }

  @Test func `a mount makes for a walk and a look of every subscription`() {
    var world = HubWorld.settled()
    world.machine.subscribe(2, to: .file("/d/f"))
    _ = world.settle()
    world.machine.mountsChanged()
    #expect(world.settle() == ["walk", "check", "walk", "check"])
  }

  @Test func `a watch that the kernel ended is made again`() {
    var world = HubWorld.settled()
    let old = world.watches[HubWorld.directory]!
    world.send([.selfDeleted], "")
    world.send([.ended], "")
    world.watches[HubWorld.directory] = nil
    #expect(world.settle() == ["walk", "watch /d all", "walk", "check"])
    #expect(world.machine.watchCount == 2)
    world.machine.received(InotifyEvent(watch: old, events: .closedAfterWriting, name: "f"), at: world.now)
    #expect(world.settle() == [])
  }

  @Test func `the end of an older watch leaves the newer one alone`() {
    var world = HubWorld.settled()
    let old = world.watches[HubWorld.directory]!
    // The same inode number, watched anew before the end of the old watch was read from the queue.
    world.watches[HubWorld.directory] = nil
    world.machine.received(InotifyEvent(watch: old, events: .ended), at: world.now)
    _ = world.settle()
    world.machine.received(InotifyEvent(watch: old, events: .ended), at: world.now)
    #expect(world.settle() == [])
    world.send(.closedAfterWriting)
    #expect(world.settle() == ["look"])
  }

  @Test func `a directory in another's place is watched and the old watch goes`() {
    var world = HubWorld.settled()
    let other = FileIdentity(device: 1, inode: 7)
    world.plans[1] = HubWorld.plan(in: other)
    world.send(.deleted, "d", to: HubWorld.parent)
    #expect(world.settle() == ["walk", "watch /d all", "walk", "check", "unwatch"])
    #expect(world.machine.watchCount == 2)
  }

  @Test func `two subscriptions share a watch until the last goes`() {
    var world = HubWorld.settled()
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
    var world = HubWorld.settled()
    var plan = WatchPlan()
    plan.add(WatchPlace(path: "/d", identity: HubWorld.directory))
    plan.end = .missing
    world.plans[2] = plan
    world.machine.subscribe(2, to: .file("/d/e/f"))
    _ = world.settle()
    world.machine.cancel(1)
    #expect(Set(world.settle()) == ["watch /d self", "unwatch"])
  }

  @Test func `a path that never comes to rest is looked at all the same`() {
    var world = HubWorld()
    var machine = WatchStateMachine()
    machine.subscribe(1, to: .file("/d/f"))
    var looks = 0
    var serial: UInt64 = 10
    while let action = machine.next(at: world.now) {
      switch action {
      case .walk(let id, _):
        serial += 1
        machine.walked(id, to: HubWorld.plan(in: FileIdentity(device: 1, inode: serial)), at: world.now)
      case .watch(let identity, _, _): machine.watched(identity, .armed(CInt(serial)))
      case .look(let id, _):
        looks += 1
        machine.looked(id, .settled, at: world.now)
      case .unwatch, .report: break
      }
    }
    #expect(looks == 1)
    #expect(machine.deadline == world.now.advanced(by: .milliseconds(50)))
    #expect(machine.watchCount <= 2)
    // It stays what the last walk found. What has happened since the look, and before the watch, is looked for.
    world.machine = machine
    world.plans[1] = HubWorld.plan(in: FileIdentity(device: 1, inode: serial))
    world.advance(.milliseconds(50))
    #expect(world.settle() == ["walk", "check"])
    #expect(world.machine.deadline == nil)
  }

  @Test func `nothing is kept of 100,000 directories that came and went`() {
    var world = HubWorld.settled()
    for number in 0..<100_000 {
      world.send([.selfDeleted], "")
      world.send([.ended], "")
      world.watches[world.machine.nodes.keys.first { $0 != HubWorld.parent } ?? HubWorld.directory] = nil
      world.plans[1] = HubWorld.plan(in: FileIdentity(device: 1, inode: UInt64(10 + number % 1000)))
      world.machine.received(
        InotifyEvent(watch: world.watches[HubWorld.parent]!, events: .deleted, name: "d"), at: world.now)
      _ = world.settle()
    }
    #expect(world.machine.nodes.count == 2)
    #expect(world.machine.watchCount == 2)
  }
}
