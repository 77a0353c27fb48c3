import AppSettingsImport
import Foundation
import Testing
import TestSupport

@testable import AppSettings

/// How long a call may wait: reading not at all, writing once.
@Suite(.timeLimit(.minutes(10))) struct LockTimeoutTests {
  let home = ScratchHome()
  private let new = SettingsKey("new", default: 0)
  private let migrations = [
    Migration(2, "rename old", [.rename("old", to: "new")])
  ]

  private func store(
    _ migrations: [Migration] = [], limit: Duration = .seconds(Aside.endless), system: Syscalls = Syscalls()
  ) throws -> SettingsStore {
    try home.store(
      migrations: migrations, system: system,
      lockTimeout: limit)
  }

  /// Holds the lock of the settings' directory on a thread of its own while `body` runs, as another process would.
  private func whileLocked(_ directory: String? = nil, _ body: () throws -> Void) throws {
    let directory = directory ?? (home.file as NSString).deletingLastPathComponent
    let isHeld = Barrier()
    let mayGo = Barrier()
    let holder = Aside {
      do {
        let lock = try DirectoryLock.acquire(directory, timeout: .seconds(Aside.patience), system: Syscalls())
        isHeld.open()
        mayGo.wait(seconds: Aside.endless)
        _ = consume lock
      } catch {
        Issue.record(error)
      }
    }
    isHeld.wait()
    defer {
      mayGo.open()
      #expect(holder.ends())
    }
    try body()
  }

  /// Reads on a thread of its own, which must not wait for the lock that is held meanwhile.
  private func expectReadWithoutWaiting(
    _ settings: SettingsStore, sourceLocation: SourceLocation = #_sourceLocation
  ) {
    let (value, new) = (Monitor(0), new)
    let reader = Aside { value.withLock { $0 = settings[new] } }
    #expect(reader.ends(), sourceLocation: sourceLocation)
    #expect(value.withLock { $0 } == 5, sourceLocation: sourceLocation)
  }

  @Test func `reading waits for no lock with a migration pending, which a later look brings to disk`() throws {
    try home.write("old = 5\n")
    let settings = try store(migrations)
    try whileLocked {
      expectReadWithoutWaiting(settings)
      settings.reload()
      #expect(home.text() == "old = 5\n")
    }
    #expect(settings.currentProblems.isEmpty)
    settings.reload()
    #expect(home.text() == "settings-version = 2\nnew = 5\n")
    #expect(settings[new] == 5)
  }

  @Test func `reading waits for no lock of the backups either`() throws {
    try home.write("old = 5\n")
    try FileManager.default.createDirectory(atPath: home.backups, withIntermediateDirectories: true)
    let settings = try store(migrations)
    try whileLocked(home.backups) {
      expectReadWithoutWaiting(settings)
      #expect(home.text() == "old = 5\n")
    }
    #expect(settings.currentProblems.isEmpty)
    settings.reload()
    #expect(home.text() == "settings-version = 2\nnew = 5\n")
  }

  @Test func `a migration that was made in memory is on disk with the next write, and its hooks run`() throws {
    try home.write("old = 5\n")
    let runs = Monitor(0)
    let migrations = [
      Migration(2, "rename old", [.rename("old", to: "new")]).afterCommit { _ in runs.withLock { $0 += 1 } }
    ]
    let settings = try store(migrations)
    try whileLocked { #expect(settings[new] == 5) }
    #expect(runs.withLock { $0 } == 0 && settings.core.isWriteDue)
    try settings.set(6, for: new)
    #expect(home.text() == "settings-version = 2\nnew = 6\n" && !settings.core.isWriteDue)
    #expect(runs.withLock { $0 } == 1)
  }

  @Test func `the list of what is due after a migration is waited for within the call's time`() throws {
    try home.write("old = 5\n")
    let list = home.backups + "/settings.after-commit"
    let isHeld = Barrier()
    let mayGo = Barrier()
    let holder = Monitor<Aside?>(nil)
    let migrations = [
      Migration(2, "rename old", [.rename("old", to: "new")]).afterCommit { _ in
        // From now on somebody else has the list.
        let aside = Aside {
          let lock = try? DirectoryLock.acquire(list, timeout: .seconds(Aside.patience), system: Syscalls())
          isHeld.open()
          mayGo.wait(seconds: Aside.endless)
          _ = consume lock
        }
        holder.withLock { $0 = aside }
        isHeld.wait()
      }
    ]
    let settings = try store(migrations, limit: .seconds(1))
    let begin = ContinuousClock.now
    try settings.set(6, for: new)
    #expect(ContinuousClock.now - begin < .seconds(10))
    #expect(home.text() == "settings-version = 2\nnew = 6\n")
    mayGo.open()
    #expect(holder.withLock { $0 }?.ends() == true)
  }

  @Test func `recovering waits for the backups within the call's time`() throws {
    try home.write("a =\n")
    try FileManager.default.createDirectory(atPath: home.backups, withIntermediateDirectories: true)
    let settings = try store(limit: .seconds(1))
    try whileLocked(home.backups) {
      let begin = ContinuousClock.now
      let error = settingsError { _ = try settings.recover() }
      #expect(error?.code == .lockTimeout)
      #expect(ContinuousClock.now - begin < .seconds(10))
    }
    #expect(home.text() == "a =\n")
  }

  @Test func `reading waits for no lock with an import to be made`() throws {
    try home.write("[Main]\nold = 5\n", to: home.path + "/old.ini")
    let path = home.path + "/old.ini"
    let migrations = [
      Migration(2, "take over the old file", [.importFile(path, as: .ini, mapping: ["Main.old": "new"])])
    ]
    try FileManager.default.createDirectory(
      atPath: (home.file as NSString).deletingLastPathComponent, withIntermediateDirectories: true)
    let settings = try store(migrations)
    try whileLocked {
      expectReadWithoutWaiting(settings)
      #expect(home.text() == nil)
    }
    settings.reload()
    #expect(home.text()?.contains("new = 5") == true)
  }

  @Test func `a set on a store that was not read waits once`() throws {
    try home.write("old = 5\n")
    let settings = try store(migrations, limit: .seconds(4))
    try whileLocked {
      let begin = ContinuousClock.now
      let error = settingsError { try settings.set(7, for: new) }
      #expect(error?.code == .lockTimeout)
      #expect(ContinuousClock.now - begin < .seconds(7))
    }
    #expect(settings[new] == 5)
  }

  /// Begins an update of the counter, which goes on when the gate opens.
  private func holdUp(_ settings: SettingsStore) -> (updater: Aside, mayGo: Barrier) {
    let (isHeld, mayGo) = (Barrier(), Barrier())
    let updater = Aside {
      try? settings.update {
        $0[.counter] = 1
        isHeld.open()
        mayGo.wait(seconds: Aside.endless)
      }
    }
    isHeld.wait()
    return (updater, mayGo)
  }

  @Test func `a write waits for its own process's writes no longer than its time`() throws {
    let settings = try store(limit: .milliseconds(300))
    let (updater, mayGo) = holdUp(settings)
    let codes = Monitor<[SettingsError.Code?]>([])
    let writers = [
      Aside {
        let error = settingsError { try settings.set("a", for: .name) }
        codes.withLock { $0.append(error?.code) }
      },
      Aside {
        let error = settingsError { try settings.update { $0[.wrap] = true } }
        codes.withLock { $0.append(error?.code) }
      },
    ]
    for writer in writers { #expect(writer.ends(within: 15)) }
    #expect(codes.withLock { $0 } == [.lockTimeout, .lockTimeout])
    #expect(settings[.name] == "")
    mayGo.open()
    #expect(updater.ends())
    // What was refused is not written later.
    try settings.set(2, for: .counter)
    #expect(home.text() == "counter = 2\n")
  }

  @Test func `a write that gives up leaves another thread's write what it is`() throws {
    let settings = try store(limit: .milliseconds(100))
    let waiter = ChangeWaiter(paths: [.root], keepsBatches: true)
    settings.core.load()
    settings.core.waiters.add(waiter)
    let (updater, mayGo) = holdUp(settings)
    #expect(settingsError { try settings.set("a", for: .name) }?.code == .lockTimeout)
    mayGo.open()
    #expect(updater.ends())
    #expect(waiter.take()?.batches.map(\.description) == ["counter (this process)"])
  }

  @Test func `an edit that another write has taken along succeeds with it, also after its own time`() throws {
    let isLocking = Barrier()
    let mayLock = Barrier()
    let isWriting = Barrier()
    let mayWrite = Barrier()
    // Long enough for a busy machine to come from one place to the next.
    let settings = try store(
      limit: .seconds(2),
      system: .waiting(before: .lock, opening: isLocking, until: mayLock)
        .and(.waiting(before: .rename, opening: isWriting, until: mayWrite)))
    let updater = Aside { _ = try? settings.update { $0[SettingsKeys.counter] = 1 } }
    isLocking.wait()
    let outcome = Monitor<[Bool?]>([])
    let setter = Aside {
      let changed = try? settings.set("taken along", for: .name)
      outcome.withLock { $0.append(changed) }
    }
    // Nobody is told of it before it is written.
    while !settings.core.state.withLock({ $0.hasUncommitted }) { sched_yield() }
    mayLock.open()
    isWriting.wait()
    // By now its time is over; but the edit is in hands that are about to write it.
    #expect(!setter.ends(within: 2.5))
    mayWrite.open()
    #expect(updater.ends() && setter.ends())
    #expect(outcome.withLock { $0 } == [true])
    #expect(settings[.name] == "taken along")
    #expect(home.text() == "name = \"taken along\"\ncounter = 1\n")
  }
}
