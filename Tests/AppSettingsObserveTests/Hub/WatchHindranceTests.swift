import Glibc
import Testing

@testable import AppSettingsObserve

/// What the hub does where it cannot rely on events: its decisions, without files, threads or time.
struct WatchHindranceTests {
  @Test(arguments: [
    (WatchRefusal.error(ENOSPC), "limit"), (.error(EMFILE), "limit"), (.noInstance, "limit"),
    (.error(EACCES), "refused"),
  ])
  func `a refused watch is reported once, polled, and over when it is granted`(_ refusal: WatchRefusal, _ kind: String)
  {
    var world = HubWorld()
    world.refusal = refusal
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
    #expect(world.settle().suffix(3) == ["walk", "mended", "check"])
    #expect(world.machine.deadline == nil)
    // It is told again when it comes back.
    world.refusal = refusal
    world.watches = [:]
    for directory in [HubWorld.directory, HubWorld.parent] {
      for watch in 1...8 where world.machine.nodes[directory]?.watch == CInt(watch) {
        world.machine.received(InotifyEvent(watch: CInt(watch), events: .ended), at: world.now)
      }
    }
    #expect(world.settle().contains("report \(kind)"))
  }

  @Test func `of two hindrances a limit is told, and the other when that is over`() {
    var world = HubWorld()
    var plan = HubWorld.plan()
    plan.remoteFileSystem = "NFS"
    world.plans[1] = plan
    world.refusal = .noInstance
    world.machine.subscribe(1, to: .file("/d/f"))
    #expect(world.settle().filter { $0.hasPrefix("report") } == ["report limit"])
    world.refusal = nil
    world.advance(.seconds(1))
    #expect(world.settle().filter { $0.hasPrefix("report") } == ["report remoteFileSystem"])
    #expect(world.rest == .seconds(1))
  }

  @Test(arguments: [(ENOSPC, true), (EACCES, false)])
  func `a refused watch of a directory that is only passed is polled where a limit is reached`(
    _ code: CInt, _ isPolled: Bool
  ) {
    var world = HubWorld()
    let passed = FileIdentity(device: 1, inode: 3)
    var plan = HubWorld.plan()
    plan.add(WatchPlace(path: "/passed", identity: passed))
    world.plans[1] = plan
    world.refusal = .error(code)
    world.refused = [passed]
    world.machine.subscribe(1, to: .file("/d/f"))
    #expect(world.settle().contains("report limit") == isPolled)
    #expect(world.rest == (isPolled ? .seconds(1) : nil))
    #expect(world.machine.watchCount == 2)
  }

  @Test func `a directory that may be passed but not read is watched by its parent`() {
    var world = HubWorld()
    let home = WatchPlace(path: "/home", identity: FileIdentity(device: 1, inode: 3))
    let passed = WatchPlace(path: "/home/other", identity: FileIdentity(device: 1, inode: 4))
    var plan = HubWorld.plan()
    plan.add(home, "other", .passed)
    plan.add(passed)
    world.plans[1] = plan
    world.refusal = .error(EACCES)
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
    var world = HubWorld()
    var plan = HubWorld.plan(.directory(age: nil))
    plan.unlisted = EMFILE
    world.plans[1] = plan
    world.machine.subscribe(1, to: .directory("/d"))
    #expect(world.settle().contains("report limit"))
    #expect(world.rest == .seconds(1))
    world.plans[1] = HubWorld.plan(.directory(age: nil))
    world.advance(.seconds(1))
    #expect(world.settle().suffix(3) == ["walk", "mended", "check"])
    #expect(world.rest == nil)
  }

  @Test func `a network file system is polled and watched`() {
    var world = HubWorld()
    var plan = HubWorld.plan()
    plan.remoteFileSystem = "NFS"
    world.plans[1] = plan
    world.machine.subscribe(1, to: .file("/d/f"))
    #expect(world.settle().contains("report remoteFileSystem"))
    #expect(world.rest == .seconds(1))
    #expect(world.machine.watchCount == 2)
  }
}
