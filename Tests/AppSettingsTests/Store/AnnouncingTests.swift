import AppSettings
import Foundation
import Logging
import Testing
import TestSupport

/// Who is told of what, in which order, and with which locks released.
@Suite(.timeLimit(.minutes(10))) struct AnnouncingTests {
  let home = ScratchHome()
  private let other = SettingsKey("other", default: 0)

  /// A log handler that does something for each message.
  private struct Handler: LogHandler {
    let handle: @Sendable (String) -> Void
    var metadata: Logger.Metadata = [:]
    var logLevel = Logger.Level.trace
    subscript(metadataKey key: String) -> Logger.Metadata.Value? {
      get { metadata[key] }
      set { metadata[key] = newValue }
    }
    func log(event: LogEvent) { handle("\(event.message)") }
  }

  private func store(
    migrations: [Migration] = [], system: Syscalls = Syscalls(),
    log: @escaping @Sendable (String) -> Void = { _ in }
  ) throws -> SettingsStore {
    SettingsStore(
      at: try home.location(), migrations: SettingsMigrations(migrations),
      logger: Logger(label: "test") { _ in Handler(handle: log) },
      acceptsAnyVersion: false, system: system, lockTimeout: .seconds(Aside.endless))
  }

  // MARK: Order

  @Test func `a write that takes over an outside change records that change first`() throws {
    try home.write("counter = 1\n")
    let settings = try store()
    _ = settings[.counter]
    let waiter = ChangeWaiter(paths: [.root], keepsBatches: true)
    settings.core.waiters.add(waiter)
    try home.write("counter = 2\n")
    try settings.update { $0[.counter] += 10 }
    let batches = waiter.take()?.batches ?? []
    #expect(batches.map(\.generation) == [2, 3])
    #expect(batches.map(\.origin) == [.outside, .thisProcess])
    #expect(settings[.counter] == 12)
  }

  @Test func `changes are recorded in their order, also when one who is told of the first is slow`() throws {
    let settings = try store()
    let isHeld = Barrier()
    let mayGo = Barrier()
    let first = Monitor(true)
    // Found first, since it is nearer to the root.
    let slow = ChangeWaiter(paths: [.root]) {
      guard
        first.withLock({ isFirst in
          defer { isFirst = false }; return isFirst
        })
      else { return }
      isHeld.open()
      mayGo.wait(seconds: Aside.endless)
    }
    let waiter = ChangeWaiter(paths: [["counter"]], keepsBatches: true)
    settings.core.waiters.add(slow)
    settings.core.waiters.add(waiter)
    let setter = Aside { settings[.counter] = 1 }
    isHeld.wait()
    settings[.counter] = 2
    mayGo.open()
    #expect(setter.ends())
    #expect(waiter.take()?.batches.map(\.generation) == [2, 3])
  }

  // MARK: Locks

  @Test func `a log handler may read the settings that report a problem at first access`() throws {
    try home.write("counter = \n")
    let settings = Lock<SettingsStore?>(nil)
    let read = Monitor<[Int]>([])
    let made = try store { _ in
      if let settings = settings.withLock({ $0 }) { read.withLock { $0.append(settings[.counter]) } }
    }
    settings.withLock { $0 = made }
    #expect(Aside { _ = made[.counter] }.ends())
    #expect(read.withLock { $0 } == [0])
    settings.withLock { $0 = nil }
  }

  @Test func `a log handler may write the settings that report a problem during a write`() throws {
    try home.write("counter = \"x\"\n")
    let settings = Lock<SettingsStore?>(nil)
    let errors = Monitor<[String]>([])
    let other = other
    let made = try store { _ in
      guard let settings = settings.withLock({ $0 }) else { return }
      do throws(SettingsError) {
        try settings.set(7, for: other)
        errors.withLock { $0.append("none") }
      } catch {
        errors.withLock { $0.append(error.message) }
      }
    }
    settings.withLock { $0 = made }
    let writer = Aside { _ = try? made.update { $0[SettingsKeys.counter] += 1 } }
    #expect(writer.ends())
    #expect(errors.withLock { $0 } == ["none"])
    #expect(made[other] == 7)
    settings.withLock { $0 = nil }
  }

  @Test func `who is told of a change holds up no write and no flush`() throws {
    try home.write("counter = 1\n")
    let settings = try store()
    let other = other
    let isHeld = Barrier()
    let mayGo = Barrier()
    let waiter = ChangeWaiter(paths: [["counter"]]) {
      isHeld.open()
      mayGo.wait(seconds: Aside.endless)
    }
    settings.core.waiters.add(waiter)
    // Told by the thread that writes.
    let updater = Aside { _ = try? settings.update { $0[SettingsKeys.counter] = 2 } }
    isHeld.wait()
    let writer = Aside {
      _ = try? settings.set(1, for: other)
      settings[other] = 2
      try? settings.flush()
      try? settings.update { $0[other] += 1 }
    }
    #expect(writer.ends())
    mayGo.open()
    #expect(updater.ends())
    #expect(settings[other] == 3)
  }

  @Test func `a flush does not wait for who is told of a failed write by the writing thread`() throws {
    try home.write("counter = 1\n")
    let failures = Counter()
    let settings = try store(system: .failing(.rename, with: ENOSPC, counting: failures))
    _ = settings[.counter]
    let other = other
    let isHeld = Barrier()
    let mayGo = Barrier()
    let waiter = ChangeWaiter(paths: [["counter"]]) {
      // The value is back at what the file says.
      guard settings[.counter] == 1 else { return }
      isHeld.open()
      mayGo.wait(seconds: Aside.endless)
    }
    settings.core.waiters.add(waiter)
    settings[.counter] = 5
    isHeld.wait()
    failures.stop()
    let flusher = Aside {
      settings[other] = 2
      #expect(throws: SettingsError.self) { try settings.flush() }
      #expect(throws: Never.self) { try settings.flush() }
    }
    #expect(flusher.ends())
    mayGo.open()
    #expect(home.text() == "counter = 1\nother = 2\n")
    settings.core.waiters.remove(waiter)
  }

  @Test func `hooks after a migration may write, from any thread, and wait for nothing that they hold`() throws {
    try home.write("old = 1\n")
    let settings = Lock<SettingsStore?>(nil)
    let outcome = Monitor<[Bool]>([])
    let migrations = [
      Migration(2, "rename old", [.rename("old", to: "new")]).afterCommit { _ in
        guard let settings = settings.withLock({ $0 }) else { return }
        // Another process writes an old file; this process's next write migrates it, and has to note its hooks.
        try self.home.write("old = 2\n")
        let writer = Aside { _ = try? settings.set(1, for: self.other) }
        let isWritten = writer.ends()
        outcome.withLock { $0.append(isWritten) }
      },
      Migration(3, "drop x", [.remove("x")]),
    ]
    let made = try store(migrations: migrations)
    settings.withLock { $0 = made }
    let reader = Aside { _ = made[.counter] }
    #expect(reader.ends())
    #expect(outcome.withLock { $0.first } == true)
    settings.withLock { $0 = nil }
  }

  // MARK: Failed edits

  @Test func `a background edit that cannot be applied is a problem, and the next flush throws`() throws {
    try home.write("editor = 3\nname = \"x\"\n")
    let settings = try store()
    settings[.fontSize] = 14
    settings[.name] = "y"
    let error = #expect(throws: SettingsError.self) { try settings.flush() }
    #expect(error?.code == .invalidKey)
    #expect(settings.currentProblems.contains { $0.path == ["editor", "font-size"] && $0.code == .invalidKey })
    #expect(settings[.fontSize] == 12 && settings[.name] == "y")
    #expect(home.text() == "editor = 3\nname = \"y\"\n")
    #expect(throws: Never.self) { try settings.flush() }
    // It is over once the value can be set.
    try home.write("name = \"y\"\n")
    settings.reload()
    settings[.fontSize] = 14
    try settings.flush()
    #expect(settings.currentProblems.isEmpty)
  }

  @Test func `a setter that is told why its edit failed leaves no problem behind`() throws {
    try home.write("editor = 3\n")
    let settings = try store()
    #expect(throws: SettingsError.self) { try settings.set(14, for: .fontSize) }
    #expect(!settings.currentProblems.contains { $0.code == .invalidKey })
    #expect(throws: Never.self) { try settings.flush() }
  }
}
