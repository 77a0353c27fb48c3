import Testing
import TestSupport

@testable import AppSettings

/// Which observers a change wakes, and what they are told.
struct ChangeWaitersTests {
  private let waiters = ChangeWaiters()

  private func batch(_ paths: TOMLPath..., generation: UInt64 = 1) -> SettingsChangeBatch {
    SettingsChangeBatch(generation: generation, paths: paths, origin: .thisProcess)
  }

  /// Records a change, and delivers it.
  private func record(_ batch: SettingsChangeBatch?, sets: [TOMLPath] = [], isQuiet: Bool = false) {
    var wakeUps = WakeUps()
    waiters.record(batch, sets: sets, quiet: isQuiet ? sets : [], awaited: AwaitedPaths(), &wakeUps)
    wakeUps.deliver()
  }

  private func added(_ waiter: ChangeWaiter) -> ChangeWaiter {
    waiters.add(waiter)
    return waiter
  }

  @Test(
    arguments: [
      ([], true), (["a"], true), (["a", "b"], true), (["a", "b", "c"], true), (["a", "x"], false), (["x"], false),
      (["ab"], false), (["a", "b2"], false),
    ] as [(TOMLPath, Bool)])
  func `a change at a path, above it or below it wakes its observer, and no other does`(path: TOMLPath, wakes: Bool) {
    let waiter = added(ChangeWaiter(paths: [["a", "b"]]))
    record(batch(path))
    #expect((waiter.take() != nil) == wakes)
  }

  @Test func `an observer of everything is woken by anything`() {
    let waiter = added(ChangeWaiter(paths: [.root]))
    record(batch(["a", "b"]))
    #expect(waiter.take()?.batch?.paths == [["a", "b"]])
    #expect(waiter.take() == nil)
  }

  @Test func `names are compared byte by byte`() {
    let waiter = added(ChangeWaiter(paths: [["\u{E9}"]]))
    record(batch(["e\u{301}"]))
    #expect(waiter.take() == nil)
  }

  @Test func `an observer that has gone is not woken, and the others are`() {
    let (gone, stays) = (added(ChangeWaiter(paths: [["a"], ["b"]])), added(ChangeWaiter(paths: [["a"]])))
    waiters.remove(gone)
    record(batch(["a"], ["b"]))
    #expect(gone.take() == nil && stays.take() != nil)
  }

  @Test func `several paths are one call`() {
    let calls = Counter()
    let waiter = added(ChangeWaiter(paths: [["a"], ["b"], .root]) { calls.increment() })
    record(batch(["a"], ["b"], ["c"]))
    #expect(calls.value == 1)
    #expect(waiter.take()?.batch?.paths == [["a"], ["b"], ["c"]])
  }

  @Test func `an equal set wakes those that see such, and nobody else`() {
    let (sees, other) = (added(ChangeWaiter(paths: [["a"]], seesEqualSets: true)), added(ChangeWaiter(paths: [["a"]])))
    record(nil, sets: [["a"]])
    let wake = sees.take()
    #expect(wake?.isEqualSet == true && wake?.batch == nil)
    #expect(other.take() == nil)
    record(nil, sets: [["b"]])
    #expect(sees.take() == nil)
  }

  @Test func `a change that sets a value to what it was besides is told as a change`() {
    let waiter = added(ChangeWaiter(paths: [["a"]], seesEqualSets: true))
    record(batch(["a", "x"]), sets: [["a", "x"], ["a", "y"]])
    let wake = waiter.take()
    #expect(wake?.batch != nil && wake?.isEqualSet == false)
  }

  @Test func `another order of keys wakes those that see it, at the very path`() {
    let sees = added(ChangeWaiter(paths: [["t"]], seesOrder: true))
    let others = [added(ChangeWaiter(paths: [["t"]])), added(ChangeWaiter(paths: [.root], seesOrder: true))]
    #expect(Set(waiters.orderedPaths) == [["t"], .root])
    var wakeUps = WakeUps()
    waiters.record(batch(["t"]), reordered: [["t"]], &wakeUps)
    #expect(sees.take() != nil)
    #expect(others.allSatisfy { $0.take() == nil })
    waiters.remove(sees)
    #expect(waiters.orderedPaths == [.root])
  }

  // MARK: Without propagation

  @Test func `what is set without propagation is told from the rest`() {
    let waiter = added(ChangeWaiter(paths: [.root], seesEqualSets: true, tellsQuiet: true))
    record(batch(["a"]), sets: [["a"]], isQuiet: true)
    #expect(waiter.take()?.isLoud == false)
    // Another's change came with it.
    record(batch(["a"], ["b"]), sets: [["a"]], isQuiet: true)
    #expect(waiter.take()?.isLoud == true)
    record(nil, sets: [["a"]], isQuiet: true)
    #expect(waiter.take()?.isLoud == false)
    record(nil, sets: [["a"]])
    #expect(waiter.take()?.isLoud == true)
  }

  @Test func `a loud change that a quiet one replaces before it is taken is quiet`() {
    let waiter = added(ChangeWaiter(paths: [.root], tellsQuiet: true))
    record(batch(["a"]), sets: [["a"]])
    record(batch(["a"]), sets: [["a"]], isQuiet: true)
    #expect(waiter.take()?.isLoud == false)
    record(batch(["a"]), sets: [["a"]], isQuiet: true)
    record(batch(["a"]), sets: [["a"]])
    #expect(waiter.take()?.isLoud == true)
  }

  // MARK: Falling behind

  @Test func `the newest change is kept for one that wants no more`() {
    let waiter = added(ChangeWaiter(paths: [.root]))
    for number in 1...3 { record(batch(["\(number)"], generation: UInt64(number))) }
    let wake = waiter.take()
    #expect(wake?.batch?.generation == 3 && wake?.batches.isEmpty == true)
  }

  @Test func `each change is kept for one that wants each, and from a bound on they become one`() throws {
    let waiter = added(ChangeWaiter(paths: [.root], keepsBatches: true))
    let most = ChangeWaiter.mostBatches
    for number in 1...most + 10 { record(batch(["\(number % (most + 5))"], generation: UInt64(number))) }
    let batches = try #require(waiter.take()).batches
    #expect(batches.count == most)
    #expect(batches.dropLast().map(\.generation) == (1..<UInt64(most)).map { $0 })
    #expect(batches.last?.generation == UInt64(most + 10))
    // Each path once.
    #expect(batches.last?.paths.count == 11)
  }

  // MARK: Waiting

  @Test func `who waits goes on with the next record, and at once if there is one`() async {
    let waiter = added(ChangeWaiter(paths: [["a"]]))
    record(batch(["a"]))
    #expect(await waiter.wait())
    #expect(waiter.take() != nil)
    async let isWoken = waiter.wait()
    record(batch(["a"]))
    #expect(await isWoken)
  }

  @Test func `a cancelled waiter waits for nothing, and records nothing`() async {
    let calls = Counter()
    let waiter = added(ChangeWaiter(paths: [["a"]]) { calls.increment() })
    let task = Task { await waiter.wait() }
    waiter.cancel()
    #expect(await task.value == false)
    record(batch(["a"]))
    #expect(waiter.take() == nil && calls.value == 0)
    #expect(await waiter.wait() == false)
  }

  @Test func `a task that is cancelled stops waiting`() async {
    let waiter = added(ChangeWaiter(paths: [["a"]]))
    let task = Task { await waiter.wait() }
    task.cancel()
    #expect(await task.value == false)
  }

  @Test func `calls are made when the locks are released`() {
    let calls = Counter()
    let waiter = added(ChangeWaiter(paths: [["a"]]) { calls.increment() })
    DeferredCalls.section {
      record(batch(["a"]))
      #expect(calls.value == 0)
      // What there is to be told is there with the change.
      #expect(waiter.take() != nil)
    }
    #expect(calls.value == 1)
  }
}
