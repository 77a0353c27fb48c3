import AppSettings
import AppSettingsObserve
import Glibc
import Synchronization

extension Stress {
  /// Starts and ends the hub over and over, where nothing else runs: no task, no queue, nothing that has descriptors of
  /// its own. Afterwards those are open that were open before, to the last one.
  static func descriptors(rounds: Int) throws {
    let place = try Place()
    let before = openFiles()
    for source in [WatchHub.Source.standard, .kernel] {
      let hub = source == .standard ? WatchHub.shared : WatchHub(source: source)
      for round in 1...rounds {
        let looks = Atomic(0)
        let subscription = hub.subscribe(
          to: .file(place.file), problem: { if let problem = $0 { fail(problem.message) } },
          look: { _ in
            looks.add(1, ordering: .releasing)
            return .settled
          })
        while looks.load(ordering: .acquiring) == 0 { sched_yield() }
        let seen = looks.load(ordering: .acquiring)
        place.put(round)
        while looks.load(ordering: .acquiring) == seen { sched_yield() }
        let running = openFiles()
        guard running.count == before.count + 3, running.filter({ $0.hasSuffix("anon_inode:inotify") }).count == 1
        else { fail("the hub has open: \(Set(running).subtracting(before))") }
        #if InotifyTools
          guard LibraryEvents.isInUse == (source == .standard) else { fail("the library is not used as it should be") }
        #endif
        subscription.cancel()
        while hub.isRunning { sched_yield() }
        guard openFiles() == before else { fail("round \(round) left \(Set(openFiles()).subtracting(before))") }
      }
    }
    say("\(rounds) starts and ends left nothing open")
  }

  /// The descriptors with what they are of, but for the one that this is read through.
  private static func openFiles() -> [String] {
    ((try? Syscalls().names(in: "/proc/self/fd")) ?? []).sorted()
      .compactMap { name in readLink("/proc/self/fd/\(name)").map { "\(name) \($0)" } }
      .filter { !$0.hasSuffix("/fd") }
  }
}
