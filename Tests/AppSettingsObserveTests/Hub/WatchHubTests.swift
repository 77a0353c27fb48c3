import AppSettings
import Foundation
import Synchronization
import Testing
import TestSupport

@testable import AppSettingsObserve

@Suite(.timeLimit(.minutes(10))) struct WatchHubTests {
  @Test func `the last of 10,000 renames is seen`() async throws {
    // In a process of its own: `BurstTests` says why.
    await #expect(processExitsWith: .success) {
      for under in HubUnderTest.allCases { try await WatchHubTests.expectLastRename(under) }
    }
  }

  private static func expectLastRename(_ under: HubUnderTest) async throws {
    // In memory, where a rename does not wait for the disk.
    let root = TestDirectory(in: "/dev/shm")
    try root.write("0", to: "f")
    let witness = Witness(root["f"])
    let subscription = under.subscribe(witness, to: root["f"])
    await witness.wait(for: "0")
    for number in 1...10_000 {
      let new = root["new"]
      try #require(FileManager.default.createFile(atPath: new, contents: Data("\(number)".utf8)))
      rename(new, root["f"])
    }
    await witness.wait(for: "10000")
    let seen = witness.record.seen.compactMap { $0.flatMap(Int.init) }
    #expect(seen == seen.sorted())
    #expect(seen.count == witness.record.seen.count)
    subscription.cancel()
  }

  @Test func `the last state is seen when the kernel's queue overflows`() async throws {
    let root = TestDirectory()
    try root.write("0", to: "f")
    let hub = WatchHub(source: .kernel)
    let witness = Witness(root["f"])
    let subscription = hub.subscribe(to: .file(root["f"]), problem: { witness.note($0) }, look: { witness.look($0) })
    await witness.wait(for: "0")
    let stalled = await Stalled(hub, root["g"])
    overflowQueue(in: root.path)
    try root.replace("f", by: "1")
    stalled.goOn()
    await witness.wait(for: "1")
    subscription.cancel()
  }

  @Test func `a directory made again while the queue overflows is watched, though it has the old one's number`()
    async throws
  {
    // Not in the temporary directory, which may be in memory, where no number is given twice.
    let root = TestDirectory(in: ChildProcess.builtProducts)
    try root.write("0", to: "other/f")
    try root.write("0", to: "d/f")
    let hub = WatchHub(source: .kernel)
    let witness = Witness(root["d/f"])
    let subscription = hub.subscribe(to: .file(root["d/f"]), problem: { witness.note($0) }, look: { witness.look($0) })
    await witness.wait(for: "0")
    let other = Witness(root["other/f"])
    let second = hub.subscribe(to: .file(root["other/f"]), problem: { other.note($0) }, look: { other.look($0) })
    await other.wait(for: "0")
    let stalled = await Stalled(hub, root["g"])
    overflowQueue(in: root["other"])
    let number = try EntryStatus(of: root["d"]).identity
    try FileManager.default.removeItem(atPath: root["d"])
    // The file system gives the number that became free last, unless somebody else makes a directory.
    var isSame = false
    for attempt in 0..<100 where !isSame {
      let made = root["made-\(attempt)"]
      #expect(mkdir(made, 0o700) == 0)
      isSame = try EntryStatus(of: made).identity == number
      if isSame { rename(made, root["d"]) }
    }
    if !isSame {
      print("'A directory with the old one's number' is not tried: the file system did not give it again.")
      mkdir(root["d"], 0o700)
    }
    try root.write("1", to: "d/f")
    stalled.goOn()
    await witness.wait(for: "1")
    try root.replace("d/f", by: "2")
    await witness.wait(for: "2")
    subscription.cancel()
    second.cancel()
  }

  @Test func `the thread ends with the last subscription and starts again`() async throws {
    let root = TestDirectory()
    let hub = WatchHub(source: .kernel)
    #expect(!hub.isRunning)
    for round in 0..<50 {
      try root.write("\(round)", to: "f")
      let witness = Witness(root["f"])
      let subscription = hub.subscribe(to: .file(root["f"]), problem: { witness.note($0) }, look: { witness.look($0) })
      #expect(hub.isRunning)
      await witness.wait(for: "\(round)")
      try root.replace("f", by: "x")
      await witness.wait(for: "x")
      subscription.cancel()
    }
    while hub.isRunning { await Task.yield() }
  }

  @Test func `the hub leaves no descriptor open and starts again on the library`() throws {
    // In a process where nothing else runs: the runtime opens descriptors of its own for tasks, whenever it likes.
    let stress = ChildProcess.product("settings-stress")
    let result = try ChildProcess.run(stress, ["descriptors", "50"], environment: ScratchHome().environment)
    #expect(result.status == 0 && !result.wasKilled, "\(result)")
  }

  @Test func `cancelling waits for a look and nothing is called afterwards`() async throws {
    let root = TestDirectory()
    let hub = WatchHub(source: .kernel)
    for _ in 0..<100 {
      let isOver = Atomic(false)
      let calls = Atomic(0)
      let started = Gate()
      let subscription = hub.subscribe(to: .file(root["f"]), problem: { _ in }) { _ in
        let wasOver = isOver.load(ordering: .acquiring)
        #expect(!wasOver)
        calls.add(1, ordering: .relaxed)
        started.open()
        return .again(after: .milliseconds(1))
      }
      await started.wait()
      subscription.cancel()
      isOver.store(true, ordering: .releasing)
    }
  }

  @Test func `a look may cancel its own subscription and others`() async throws {
    let root = TestDirectory()
    let hub = WatchHub(source: .kernel)
    let held = Lock<[WatchSubscription]>([])
    let done = Gate()
    held.withLock { list in
      for _ in 0..<3 {
        list.append(
          hub.subscribe(to: .file(root["f"]), problem: { _ in }) { _ in
            let all = held.withLock { list in
              defer { list = [] }
              return list
            }
            for subscription in all { subscription.cancel() }
            done.open()
            return .again(after: .milliseconds(1))
          })
      }
    }
    await done.wait()
    while hub.isRunning { await Task.yield() }
  }

  @Test func `a subscription ends when it is released`() async throws {
    let root = TestDirectory()
    let hub = WatchHub(source: .kernel)
    let witness = Witness(root["f"])
    do {
      let subscription = hub.subscribe(to: .file(root["f"]), problem: { witness.note($0) }, look: { witness.look($0) })
      await witness.wait(for: nil)
      withExtendedLifetime(subscription) {}
    }
    while hub.isRunning { await Task.yield() }
  }

  @Test(arguments: HubUnderTest.allCases)
  func `subscriptions that come and go under load each see the last state`(_ under: HubUnderTest) async throws {
    let root = TestDirectory()
    for file in 0..<4 { try root.write("0", to: "f\(file)") }
    try await withThrowingTaskGroup(of: Void.self) { group in
      for file in 0..<4 {
        group.addTask {
          for number in 1...300 {
            try root.replace("f\(file)", by: "\(number)")
            if number % 10 == 0 { await Task.yield() }
          }
        }
      }
      for worker in 0..<4 {
        group.addTask {
          for round in 0..<100 {
            let witness = Witness(root["f\((worker + round) % 4)"])
            let subscription = under.subscribe(witness, to: root["f\((worker + round) % 4)"])
            await witness.wait { !$0.seen.isEmpty }
            subscription.cancel()
          }
        }
      }
      for file in 0..<4 {
        group.addTask {
          let witness = Witness(root["f\(file)"])
          let subscription = under.subscribe(witness, to: root["f\(file)"])
          await witness.wait(for: "300")
          #expect(!witness.record.seen.contains(nil))
          subscription.cancel()
        }
      }
      try await group.waitForAll()
    }
  }

  @Test(arguments: HubUnderTest.allCases)
  func `a directory that is made again 1,000 times is still watched`(_ under: HubUnderTest) async throws {
    let root = TestDirectory()
    try root.write("0", to: "d/f")
    let witness = Witness(root["d/f"])
    let subscription = under.subscribe(witness, to: root["d/f"])
    await witness.wait(for: "0")
    for number in 1...1000 {
      unlink(root["d/f"])
      rmdir(root["d"])
      mkdir(root["d"], 0o700)
      try root.write("\(number)", to: "d/f")
      if number % 100 == 0 { await witness.wait(for: "\(number)") }
    }
    subscription.cancel()
  }

  @Test func `many subscriptions of one file share its watches`() async throws {
    let root = TestDirectory()
    try root.write("0", to: "f")
    let hub = WatchHub(source: .kernel)
    let witnesses = (0..<200).map { _ in Witness(root["f"]) }
    let subscriptions = witnesses.map { witness in
      hub.subscribe(to: .file(root["f"]), problem: { witness.note($0) }, look: { witness.look($0) })
    }
    for witness in witnesses { await witness.wait(for: "0") }
    try root.replace("f", by: "1")
    for witness in witnesses { await witness.wait(for: "1") }
    for subscription in subscriptions { subscription.cancel() }
  }

  @Test func `a relative path is taken from where the process is`() async throws {
    let hub = WatchHub(source: .kernel)
    let name = "observe-\(UUID().uuidString)"
    let witness = Witness(FileManager.default.currentDirectoryPath + "/" + name)
    let subscription = hub.subscribe(to: .file(name), problem: { witness.note($0) }, look: { witness.look($0) })
    await witness.wait(for: nil)
    subscription.cancel()
  }

  @Test func `the hub sleeps while nothing happens`() async throws {
    await #expect(processExitsWith: .success) {
      let root = TestDirectory()
      try root.write("0", to: "d/f")
      let witness = Witness(root["d/f"])
      let subscription = WatchHub.shared.subscribe(
        to: .file(root["d/f"]), problem: { witness.note($0) }, look: { witness.look($0) })
      await witness.wait(for: "0")
      var before = -1
      while try switchesOfHub() != before {
        before = try switchesOfHub()
        try await Task.sleep(for: .milliseconds(200))
      }
      try root.write("x", to: "other/f")
      // Nothing is to happen, for longer than any of the hub's timers.
      try await Task.sleep(for: .milliseconds(1200))
      #expect(try switchesOfHub() == before)
      subscription.cancel()
    }
  }
}

/// A hub whose thread stays away in a look, while more is done than the queue holds.
private final class Stalled: Sendable {
  private let end = DispatchSemaphore(value: 0)
  private let subscription: WatchSubscription

  init(_ hub: WatchHub, _ path: String) async {
    let isStalled = Gate()
    let isFirst = Atomic(true)
    subscription = hub.subscribe(to: .file(path), problem: { _ in }) { [end] _ in
      if isFirst.exchange(false, ordering: .relaxed) {
        isStalled.open()
        end.wait()
      }
      return .settled
    }
    await isStalled.wait()
  }

  func goOn() {
    end.signal()
  }

  deinit {
    subscription.cancel()
  }
}

/// Makes more events of a watched file than the kernel's queue holds, and leaves it as it was.
private func overflowQueue(in directory: String) {
  // Alternating names, as the kernel merges equal events in a row.
  for _ in 0..<9_000 {
    rename(directory + "/f", directory + "/f2")
    rename(directory + "/f2", directory + "/f")
  }
}

/// How often the hub's thread has gone to sleep.
private func switchesOfHub() throws -> Int {
  for task in try FileManager.default.contentsOfDirectory(atPath: "/proc/self/task") {
    let path = "/proc/self/task/\(task)"
    guard try String(contentsOfFile: path + "/comm", encoding: .utf8) == "settings-watch\n" else { continue }
    let lines = try String(contentsOfFile: path + "/status", encoding: .utf8).split(separator: "\n")
    let line = try #require(lines.first { $0.hasPrefix("voluntary_ctxt_switches") })
    return Int(line.split(separator: "\t").last ?? "") ?? 0
  }
  throw CocoaError(.fileNoSuchFile)
}
