import Testing

@testable import AppSettingsObserve

/// When the hub looks at a file: its decisions, without files, threads or time.
struct WatchStateMachineTests {
  @Test func `a subscription watches, walks again and looks last`() {
    var world = HubWorld()
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
    var world = HubWorld.settled()
    world.send(event)
    #expect(world.settle() == words)
  }

  @Test func `an event of another name or of a watch that is gone does nothing`() {
    var world = HubWorld.settled()
    world.send(.movedTo, "g")
    world.send(.movedTo, "f", to: FileIdentity(device: 9, inode: 9))
    world.send(.attributes, "")
    #expect(world.settle() == [])
    #expect(world.machine.deadline == nil)
  }

  @Test func `if a directory is replaced before each attempt to watch it, the next attempt waits`() {
    var world = HubWorld()
    world.isStale = true
    world.machine.subscribe(1, to: .file("/d/f"))
    let words = world.settle()
    #expect(words.count < 1000 && words.last == "check", "\(words.count)")
    #expect(world.rest == .milliseconds(50))
    world.isStale = false
    world.advance(.milliseconds(50))
    _ = world.settle()
    #expect(world.machine.watchCount == 2 && world.machine.deadline == nil)
  }

  @Test func `a burst makes for one look`() {
    var world = HubWorld.settled()
    for _ in 0..<1000 { world.send(.movedTo) }
    #expect(world.settle() == ["look", "walk"])
  }

  @Test func `a file made in the place of one just saved is looked at with doubt until it is closed`() {
    var world = HubWorld.settled()
    world.send(.closedAfterWriting)
    world.send(.deleted)
    world.send(.created)
    #expect(world.settle() == ["check", "walk"])
    world.send(.created)
    world.send(.closedAfterWriting)
    #expect(world.settle().first == "look")
  }

  @Test func `a file just made is looked at when it is closed`() {
    var world = HubWorld.settled(.missing)
    world.plans[1] = HubWorld.plan(.file(age: .milliseconds(1)))
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
    var world = HubWorld.settled(.missing)
    world.plans[1] = HubWorld.plan(.file(age: .milliseconds(1)))
    world.send(.created)
    #expect(world.settle() == ["walk"])
    world.advance(.milliseconds(49))
    world.plans[1] = HubWorld.plan(.file(age: .milliseconds(20)))
    #expect(world.settle() == ["walk"])
    #expect(world.rest == .milliseconds(30))
    world.advance(.milliseconds(30))
    world.plans[1] = HubWorld.plan(.file(age: .milliseconds(50)))
    #expect(world.settle() == ["walk", "check"])
    #expect(world.machine.deadline == nil)
  }

  @Test func `a finished file that is linked into place is looked at at once`() {
    var world = HubWorld.settled(.missing)
    world.plans[1] = HubWorld.plan(.file(age: .seconds(2)))
    world.send(.created)
    #expect(world.settle() == ["walk", "check"])
  }

  @Test func `a file that is removed and made again at once is looked at when it is whole`() {
    var world = HubWorld.settled()
    world.plans[1] = HubWorld.plan(.file(age: .zero))
    world.send(.deleted)
    world.send(.created)
    #expect(world.settle() == ["walk"])
    world.send(.closedAfterWriting)
    #expect(world.settle() == ["look"])
  }

  @Test func `a second look comes when it was asked for`() {
    var world = HubWorld.settled()
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
    var world = HubWorld.settled()
    world.results[1] = .again(after: .milliseconds(100))
    world.send(.movedFrom)
    _ = world.settle()
    world.results[1] = .settled
    world.send(.movedTo)
    #expect(world.settle() == ["look", "walk"])
    #expect(world.machine.deadline == nil)
  }

  @Test func `a file being made again puts off the second look`() {
    var world = HubWorld.settled()
    world.results[1] = .again(after: .milliseconds(100))
    world.send(.deleted)
    _ = world.settle()
    world.plans[1] = HubWorld.plan(.file(age: .zero))
    world.results[1] = .settled
    world.advance(.milliseconds(90))
    world.send(.created)
    #expect(world.settle() == ["walk"])
    #expect(world.rest == .milliseconds(50))
  }

  @Test func `a mode change is looked at a little later`() {
    var world = HubWorld.settled()
    world.send(.attributes)
    #expect(world.settle() == [])
    world.advance(.milliseconds(50))
    #expect(world.settle() == ["walk", "check"])
  }

  @Test func `a look that is due does not wait until events of another file pause`() {
    var world = HubWorld.settled()
    var plan = WatchPlan()
    plan.add(WatchPlace(path: "/d", identity: HubWorld.directory), "g", .content)
    plan.end = .file(age: .seconds(5))
    world.plans[2] = plan
    world.machine.subscribe(2, to: .file("/d/g"))
    _ = world.settle()
    world.send(.attributes, "g")
    world.send(.movedTo)
    #expect(world.settle() == ["look", "walk"])
    world.advance(.milliseconds(50))
    world.send(.movedTo)
    #expect(world.settle() == ["look", "walk", "walk", "check"])
  }
}
