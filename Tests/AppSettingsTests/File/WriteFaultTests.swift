import AppSettings
import Foundation
import Synchronization
import TestSupport
import Testing

/// Each step of a write, failing by an injected error.
@Suite struct WriteFaultTests {
  /// Fails the n-th call of a kind.
  private func store(
    in home: ScratchHome, failing call: Syscalls.Call, number: Int, with errno: Int32
  ) throws -> (settings: SettingsStore, didFail: @Sendable () -> Bool) {
    let seen = Monitor(0)
    let system = Syscalls { (name, _) throws(Errno) -> Int? in
      guard name == call else { return nil }
      let count = seen.withLock { count in
        count += 1
        return count
      }
      if count == number { throw Errno(errno) }
      return nil
    }
    let store = SettingsStore(
      at: try home.location(), migrations: .none, logger: .silent, acceptsAnyVersion: false, system: system)
    return (store, { seen.withLock { $0 >= number } })
  }

  @Test(
    arguments: [Syscalls.Call.open, .openDirectory, .write, .fsync, .rename, .stat, .unlink, .lock, .read],
    [ENOSPC, EIO, EDQUOT, EACCES, EROFS, EMFILE])
  func `a write that fails at any step throws, and leaves the old text and no stray`(
    call: Syscalls.Call, errno: Int32
  ) throws {
    let old = "# kept\ncounter = 1\n"
    for number in 1...8 {
      let home = ScratchHome()
      try home.write(old)
      let (settings, didFail) = try store(in: home, failing: call, number: number, with: errno)
      let result = Result { try settings.set(2, for: .counter) }
      guard didFail() else { break }
      let text = home.text()
      // A call that only tidies up or keeps attributes may fail without harm; success is success then.
      if case .success = result { #expect(text == "# kept\ncounter = 2\n", "\(call) \(number)") }
      #expect(text == old || text == "# kept\ncounter = 2\n")
      #expect(home.names(in: home.path + "/config/org.example.test") == ["settings.toml"])
      try settings.set(3, for: .counter)
      #expect(home.text() == "# kept\ncounter = 3\n")
    }
  }

  @Test(arguments: [1, 2, 3, 7])
  func `short reads and writes move every byte`(count: Int) throws {
    let home = ScratchHome()
    try home.write("# kept\ncounter = 1\n")
    let system = Syscalls { (name, _) throws(Errno) -> Int? in name == .write || name == .read ? count : nil }
    let settings = SettingsStore(
      at: try home.location(), migrations: .none, logger: .silent, acceptsAnyVersion: false, system: system)
    try settings.set(2, for: .counter)
    #expect(home.text() == "# kept\ncounter = 2\n")
  }

  @Test func `the calls of a write come in the order that makes it durable`() throws {
    let home = ScratchHome()
    try home.write("counter = 1\n")
    let trace = Monitor<[Syscalls.Call]>([])
    let system = Syscalls { (name, _) throws(Errno) -> Int? in
      trace.withLock { $0.append(name) }
      return nil
    }
    let settings = SettingsStore(
      at: try home.location(), migrations: .none, logger: .silent, acceptsAnyVersion: false, system: system)
    _ = settings[.counter]
    trace.withLock { $0 = [] }
    try settings.set(2, for: .counter)
    let calls = trace.withLock { $0 }
    let durable: [Syscalls.Call] = [.lock, .write, .fsync, .rename, .fsyncDirectory]
    #expect(calls.filter { durable.contains($0) } == durable)
  }

  @Test func `a full disk is named, and the old file is whole`() throws {
    let home = ScratchHome()
    try home.write("counter = 1\n")
    let (settings, _) = try store(in: home, failing: .write, number: 1, with: ENOSPC)
    let error = #expect(throws: SettingsError.self) { try settings.set(2, for: .counter) }
    #expect(error?.code == .io)
    #expect(error?.message == "Cannot write '\(home.file)': the file system is full. The file is unchanged.")
    #expect(settings[.counter] == 1)
    #expect(home.text() == "counter = 1\n")
  }
}
