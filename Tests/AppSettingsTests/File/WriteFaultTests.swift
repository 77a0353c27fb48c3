import AppSettings
import Foundation
import Synchronization
import Testing
import TestSupport

/// Each step of a write, failing by an injected error.
struct WriteFaultTests {
  /// Fails the n-th call of a kind.
  private func store(
    in home: ScratchHome, failing call: Syscalls.Call, number: Int, with errno: Int32
  ) throws -> (settings: SettingsStore, didFail: @Sendable () -> Bool) {
    let calls = Counter()
    let store = try home.store(system: .failing(call, at: .nth(number), with: errno, counting: calls))
    return (store, { calls.value >= number })
  }

  @Test(
    arguments: [
      Syscalls.Call.open, .openDirectory, .readlink, .lock, .read, .stat, .unlink, .write, .chmod, .xattr, .fsync,
      .rename,
    ],
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
      // What cannot be taken away is left to the next write.
      let isStray = call == .unlink && text != old
      let names = home.names(in: home.path + "/config/org.example.test")
      #expect(names == ["settings.toml"] || isStray && names == [".settings.toml.settings-aside", "settings.toml"])
      try settings.set(3, for: .counter)
      #expect(home.text() == "# kept\ncounter = 3\n")
    }
  }

  @Test(arguments: [1, 2, 3, 7])
  func `short reads and writes move every byte`(count: Int) throws {
    let home = ScratchHome()
    try home.write("# kept\ncounter = 1\n")
    let settings = try home.store(system: Syscalls { call, _ in call == .write || call == .read ? count : nil })
    try settings.set(2, for: .counter)
    #expect(home.text() == "# kept\ncounter = 2\n")
  }

  @Test func `the calls of a write come in the order that makes it durable`() throws {
    let home = ScratchHome()
    try home.write("counter = 1\n")
    let trace = Monitor<[Syscalls.Call]>([])
    // The history is written afterwards, and is not durable.
    let state = home.path + "/state"
    let settings = try home.store(system: .tracing(into: trace) { call, path in path.hasPrefix(state) ? nil : call })
    _ = settings[.counter]
    trace.withLock { $0 = [] }
    try settings.set(2, for: .counter)
    let calls = trace.withLock { $0 }
    // The file is not 0600, so its mode is kept, and that before it is synced: all that a crash may find is in place.
    let durable: [Syscalls.Call] = [
      .openDirectory, .lock, .read, .write, .chmod, .fsync, .rename, .rename, .read, .unlink,
      .fsyncDirectory,
    ]
    var order = calls.filter { durable.contains($0) }
    // Reading ends with a read that gives nothing.
    while let twice = order.indices.dropLast().first(where: { order[$0] == .read && order[$0 + 1] == .read }) {
      order.remove(at: twice)
    }
    #expect(order == durable)
    // What comes after looks whether anybody else has written meanwhile, and takes away what was replaced.
    let after = calls[(calls.lastIndex(of: .fsyncDirectory) ?? 0)...].dropFirst()
    #expect(Set(after).isSubset(of: [.stat, .lease, .read, .readlink, .unlink]), "\(after)")
  }

  @Test(arguments: [ENOSPC, EIO, EDQUOT])
  func `a disk that takes a part and then no more leaves the old text and no stray`(errno: Int32) throws {
    let home = ScratchHome()
    try home.write("# kept\ncounter = 1\n")
    let few = Syscalls { call, _ in call == .write ? 4 : nil }
    let settings = try home.store(system: few.and(.failing(.write, at: .nth(3), with: errno)))
    let error = #expect(throws: SettingsError.self) { try settings.set(2, for: .counter) }
    #expect(error?.code == .io)
    #expect(settings[.counter] == 1)
    #expect(home.text() == "# kept\ncounter = 1\n")
    #expect(home.names(in: home.path + "/config/org.example.test") == ["settings.toml"])
    try settings.set(3, for: .counter)
    #expect(home.text() == "# kept\ncounter = 3\n")
  }

  @Test(arguments: [ENOSPC, EIO])
  func `a directory that cannot be synced is an error that says what is there`(errno: Int32) throws {
    let home = ScratchHome()
    try home.write("counter = 1\n")
    let (settings, _) = try store(in: home, failing: .fsyncDirectory, number: 1, with: errno)
    let error = #expect(throws: SettingsError.self) { try settings.set(2, for: .counter) }
    #expect(error?.code == .io)
    #expect(error?.message.contains("The file holds the new text, which may not survive a power failure.") == true)
    #expect(home.text() == "counter = 2\n")
    #expect(settings[.counter] == 2)
  }

  @Test(arguments: [ENOSPC, EACCES, EROFS])
  func `a directory that cannot be made is an error, and nothing is left of the attempt`(errno: Int32) throws {
    let home = ScratchHome()
    let (settings, _) = try store(in: home, failing: .mkdir, number: 1, with: errno)
    let error = #expect(throws: SettingsError.self) { try settings.set(2, for: .counter) }
    #expect(error?.code == (errno == ENOSPC ? .io : .readOnly))
    #expect(error?.message.hasSuffix("Nothing was written.") == true)
    #expect(home.names(in: home.path) == [])
    try settings.set(3, for: .counter)
    #expect(home.text() == "counter = 3\n")
  }

  @Test(arguments: [ENOLCK, ENOTSUP, ENOSYS])
  func `a file system without locks is named, and nothing is written`(errno: Int32) throws {
    let home = ScratchHome()
    try home.write("counter = 1\n")
    let (settings, _) = try store(in: home, failing: .lock, number: 1, with: errno)
    let error = #expect(throws: SettingsError.self) { try settings.set(2, for: .counter) }
    #expect(error?.message.contains("its file system has no working 'flock'") == true)
    #expect(home.text() == "counter = 1\n")
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
