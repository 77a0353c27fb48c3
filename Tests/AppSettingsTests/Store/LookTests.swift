import AppSettings
import Dispatch
import Glibc
import Testing
import TestSupport

/// Looking at a file that others may be writing.
struct LookTests {
  let home = ScratchHome()

  @Test func `threads that look at a broken file at the same time all wait for it to be whole`() throws {
    try home.write("counter = 1\n")
    let settings = try home.store()
    #expect(settings[.counter] == 1)
    try home.write("counter = ")
    // Two that begin the silence anew each time, and two that ask how long it has lasted.
    DispatchQueue.concurrentPerform(iterations: 4) { number in
      for _ in 0..<2_000 {
        guard case .unsettled(let wait) = settings.core.look(number < 2 ? .saveEnded : .doubt) else { continue }
        #expect(wait <= 500_000_000)
      }
    }
    #expect(settings[.counter] == 1)
    try home.write("counter = 2\n")
    settings.core.look()
    #expect(settings[.counter] == 2)
  }

  /// A store whose looks are interrupted before they open a file, as by another thread.
  private func store(interruptedAt name: String, by interruption: Interruption) throws -> SettingsStore {
    try home.store(
      system: Syscalls { (call, path) throws(Errno) in
        if call == .open, path.hasSuffix(name) { interruption.run() }
        return nil
      })
  }

  private final class Interruption: Sendable {
    // Protects the work, which runs once.
    private let work = Lock<(@Sendable () -> Void)?>(nil)

    func arm(_ new: @escaping @Sendable () -> Void) { work.withLock { $0 = new } }

    func run() {
      let due = work.withLock { work in
        defer { work = nil }
        return work
      }
      due?()
    }
  }

  @Test func `a thread that reads declared files slowly takes back nothing that another one has read since`() throws {
    try home.write("counter = 1\n", to: home.file("settings.d/10.toml"))
    try home.write("", to: home.file("settings.d/20.toml"))
    let interruption = Interruption()
    let settings = try store(interruptedAt: "20.toml", by: interruption)
    #expect(settings[.counter] == 1)
    interruption.arm { [home] in
      #expect(throws: Never.self) { try home.write("counter = 2\n", to: home.file("settings.d/10.toml")) }
      settings.core.lookAround()
      #expect(settings[.counter] == 2)
    }
    settings.core.lookAround()
    #expect(settings[.counter] == 2)
  }

  @Test func `a thread that switches profiles slowly does not return from the one that was chosen since`() throws {
    for (number, name) in ["first", "second"].enumerated() {
      try home.write("counter = \(number + 1)\n", to: home.file("profiles/\(name).toml"))
    }
    let interruption = Interruption()
    let settings = try store(interruptedAt: "first.toml", by: interruption)
    #expect(settings[.counter] == 0)
    interruption.arm { [home] in
      #expect(throws: Never.self) { try home.profiles.choose("second") }
      settings.core.lookAround()
      #expect(settings[.counter] == 2)
    }
    try home.profiles.choose("first")
    settings.core.lookAround()
    #expect(settings[.counter] == 2)
    #expect(settings.location?.file == home.file("profiles/second.toml"))
  }

  @Test func `a write that waits for a save follows a link again that is removed meanwhile`() throws {
    let real = home.path + "/real.toml"
    try home.write("counter = 1\nname = \"x\"\n", to: real)
    try home.write("")
    unlink(home.file)
    symlink(real, home.file)
    let interruption = Interruption()
    let settings = try store(interruptedAt: "real.toml", by: interruption)
    #expect(settings[.counter] == 1)
    // It lacks a key: more may come.
    try home.write("counter = 2\n", to: real, isSettled: false)
    interruption.arm { [home] in
      interruption.arm {
        unlink(home.file)
        settings.reload()
        #expect(settings[.counter] == 0)
      }
    }
    #expect(try settings.set(2, for: .counter))
    #expect(home.text() == "counter = 2\n")
    #expect(settings[.counter] == 2)
  }

  @Test func `a write that changes nothing takes back nothing that another thread has read since`() throws {
    try home.write("counter = 1\n")
    let interruption = Interruption()
    let settings = try home.store(
      system: .before(.lease, where: { $0 == "settings.toml" }) { _ in interruption.run() })
    #expect(settings[.counter] == 1)
    try home.write("counter = 2\n")
    interruption.arm { [home] in
      unlink(home.file)
      #expect(throws: Never.self) { try home.write("counter = 3\n") }
      settings.core.look()
      #expect(settings[.counter] == 3)
    }
    #expect(try !settings.set(2, for: .counter))
    #expect(settings[.counter] == 3)
  }

  @Test func `a write sees its own text again after another thread has read something else meanwhile`() throws {
    try home.write("counter = 1\n")
    let interruption = Interruption()
    let settings = try home.store(system: .before(.fsyncDirectory) { _ in interruption.run() })
    #expect(settings[.counter] == 1)
    interruption.arm { [home] in
      #expect(home.text() == "counter = 5\n")
      rename(home.file, home.path + "/ours")
      #expect(throws: Never.self) { try home.write("counter = 3\n") }
      settings.core.look()
      #expect(settings[.counter] == 3)
      rename(home.path + "/ours", home.file)
    }
    #expect(try settings.set(5, for: .counter))
    #expect(home.text() == "counter = 5\n")
    #expect(settings[.counter] == 5)
  }
}
