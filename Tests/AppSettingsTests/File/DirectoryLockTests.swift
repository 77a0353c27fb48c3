import AppSettings
import Foundation
import Testing
import TestSupport

/// The lock of a directory: who holds it, for how long, and who does not.
struct DirectoryLockTests {
  let home = ScratchHome()
  private var directory: String { home.path + "/config/org.example.test" }

  private func store(lockTimeout: Duration, system: Syscalls = Syscalls()) throws -> SettingsStore {
    try home.store(
      system: system,
      lockTimeout: lockTimeout)
  }

  private func acquire(_ timeout: Duration = .seconds(Aside.patience)) throws -> DirectoryLock {
    try DirectoryLock.acquire(directory, timeout: timeout, system: Syscalls())!
  }

  /// What a thread of its own is told that wants the lock.
  private func errorOfAnotherThread(_ timeout: Duration) -> SettingsError? {
    let error = Lock<SettingsError?>(nil)
    let done = DispatchSemaphore(value: 0)
    let directory = directory
    Thread.detachNewThread {
      let thrown = settingsError { _ = try DirectoryLock.acquire(directory, timeout: timeout, system: Syscalls()) }
      error.withLock { $0 = thrown }
      done.signal()
    }
    done.wait()
    return error.withLock { $0 }
  }

  @Test func `a lock is free when it is released, also while its open file is open elsewhere`() throws {
    try home.write("")
    func copyOfReleased() throws -> CInt {
      let lock = try acquire()
      return dup(lock.descriptor)
    }
    let copy = try copyOfReleased()
    #expect(copy >= 0)
    defer { close(copy) }
    _ = try acquire(.zero)
  }

  @Test(arguments: ["lock", "waiting", "rename"], ["finish", "die"])
  func `a child forked during a write does not keep the lock`(moment: String, end: String) throws {
    try home.write("counter = 1\n")
    var lock: DirectoryLock? = moment == "waiting" ? try acquire() : nil
    let process = try RunningProcess(
      ChildProcess.product("settings-probe"), ["fork", home.file, moment, end], environment: home.environment)
    let child = try #require(process.nextLine().flatMap { pid_t($0) })
    defer { kill(child, SIGKILL) }
    #expect((lock == nil) == (moment != "waiting"))
    lock = nil
    if end == "finish" {
      #expect(process.nextLine() == "stored")
    } else {
      process.wait()
      #expect(process.wasKilled)
    }
    #expect(home.text() == (end == "die" ? "counter = 1\n" : "counter = 2\n"))
    try store(lockTimeout: .seconds(Aside.patience)).set(3, for: .counter)
    #expect(kill(child, 0) == 0)
    #expect(home.text() == "counter = 3\n")
  }

  @Test func `who has given up does not get the lock later`() throws {
    try home.write("")
    func holdWhileOthersGiveUp() throws {
      let lock = try acquire()
      for _ in 0..<3 { #expect(errorOfAnotherThread(.milliseconds(20))?.code == .lockTimeout) }
      withExtendedLifetime(lock.descriptor) {}
    }
    try holdWhileOthersGiveUp()
    _ = try acquire()
  }

  @Test func `a thread that holds the lock is told at once, and others wait`() throws {
    try home.write("")
    let lock = try acquire()
    let error = settingsError { _ = try acquire(.seconds(600)) }
    #expect(error?.code == .nestedUpdate)
    #expect(errorOfAnotherThread(.milliseconds(20))?.code == .lockTimeout)
    #expect(errorOfAnotherThread(.zero)?.code == .lockTimeout)
    withExtendedLifetime(lock.descriptor) {}
  }

  /// Does something to the directory each time that it is about to be locked.
  private func disturbing(_ action: @escaping @Sendable (String) -> Void) -> Syscalls {
    let directory = directory
    return .before(.lock) { _ in action(directory) }
  }

  @Test func `a directory that is removed each time ends with the time limit`() throws {
    let settings = try store(lockTimeout: .milliseconds(100), system: disturbing { rmdir($0) })
    let error = #expect(throws: SettingsError.self) { try settings.set(1, for: .counter) }
    #expect(error?.code == .lockTimeout)
    #expect(error?.message.contains("kept removing or replacing it, or saving the file in it") == true)
  }

  @Test func `a directory that is replaced each time ends with the time limit`() throws {
    let system = disturbing { directory in
      rmdir(directory + ".old")
      rename(directory, directory + ".old")
      mkdir(directory, 0o700)
    }
    let error = #expect(throws: SettingsError.self) {
      try store(lockTimeout: .milliseconds(100), system: system).set(1, for: .counter)
    }
    #expect(error?.code == .lockTimeout)
    #expect(home.names(in: directory) == [])
  }

  @Test func `a directory that is removed and replaced once is made, and the write succeeds`() throws {
    let locks = Counter()
    let system = disturbing { directory in
      if locks.increment()! <= 2 { rmdir(directory) }
    }
    try store(lockTimeout: .zero, system: system).set(1, for: .counter)
    #expect(home.text() == "counter = 1\n")
  }
}
