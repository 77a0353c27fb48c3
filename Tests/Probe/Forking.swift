import AppSettings
import Glibc
import TestModels

// A process that forks a child in the middle of a write. The child does nothing, and lives until it is killed.

extension Probe {
  /// Sets `counter`, and forks meanwhile.
  ///
  /// - Parameters:
  ///   - moment: When: `lock`, the directory being open but not locked; `waiting` for the lock; `rename`, holding it.
  ///   - dies: Whether this process is killed before the new text is in its place.
  static func forkWhileSetting(_ location: SettingsLocation, at moment: String, dies: Bool) throws {
    let hasForked = Monitor(false)
    @Sendable func forkOnce() {
      let isFirst = hasForked.withLock { done in
        defer { done = true }
        return !done
      }
      if isFirst { forkChild() }
    }
    if moment == "waiting" {
      try PlainThread.start("forks") {
        while !isWaitingForLock { sched_yield() }
        forkOnce()
      }
    }
    let forking = Syscalls { call, _ in
      if call.rawValue == moment { forkOnce() }
      return nil
    }
    let system = dies ? forking.and(.dying(at: .rename, number: 1)) : forking
    let settings = SettingsStore(
      at: location, migrations: .none, logger: .silent, acceptsAnyVersion: false, system: system,
      lockTimeout: .seconds(120))
    try settings.set(2, for: SettingsKey("counter", default: 0))
    print("stored")
    fflush(nil)
  }

  private static var isWaitingForLock: Bool {
    let threads = (try? Syscalls().names(in: "/proc/self/task")) ?? []
    return threads.contains { thread in
      (try? SettingsFile(path: "/proc/self/task/\(thread)/comm").read().bytes) == Array("settings-lock\n".utf8)
    }
  }

  /// Swift has no `fork()`: its child may hardly run any code of Swift's. This one runs none.
  private static func forkChild() {
    let fork = unsafeBitCast(dlsym(nil, "fork"), to: (@convention(c) () -> pid_t).self)
    let child = fork()
    if child == 0 { while true { pause() } }
    print(child)
    fflush(nil)
  }
}
