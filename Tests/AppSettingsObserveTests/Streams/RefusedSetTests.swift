import AppSettings
import AppSettingsObserve
import Foundation
import Testing
import TestSupport

/// What is awaited becomes visible when it is in the file: a `set` that throws was never seen.
@Suite(.timeLimit(.minutes(10))) struct RefusedSetTests {
  let home = ScratchHome()
  private let name = SettingsKey("name", default: "")
  private let other = SettingsKey("other", default: 0)
  private let servers = SettingsRecordKey<Server>("servers")

  struct Server: Codable, Equatable, Identifiable, Sendable {
    var id: String
    var port = 0
  }

  /// What everyone who can observe is told.
  private final class Audience: Sendable {
    let stream: Recorder<String>
    let calls = Recorder<String>()
    let changes: Recorder<SettingsChangeBatch>
    private let observation: SettingsObservation

    init(_ settings: SettingsStore, _ name: SettingsKey<String>) {
      stream = Recorder(settings.updates(name))
      changes = Recorder(settings.changes())
      observation = settings.observe(name) { [calls] in calls.note($0) }
    }

    /// Sees the values, and nothing else.
    func saw(_ values: String...) async -> Bool {
      await stream.wait(for: values.last!)
      // A callback may come after the stream's element.
      await calls.wait { $0.count >= values.count }
      let batches = changes.elements.filter { $0.paths.contains(["name"]) }
      return stream.elements == values && calls.elements == values && batches.count < values.count
    }
  }

  @Test func `a full disk`() async throws {
    try home.write("name = \"a\"\n")
    let fault = Counter(isRunning: false)
    let settings = try home.store(system: .failing(.rename, with: ENOSPC, counting: fault))
    let audience = Audience(settings, name)
    await audience.stream.wait(for: "a")
    fault.start()
    #expect(settingsError { try settings.set("b", for: name) }?.code == .io)
    await #expect(throws: SettingsError.self) { try await settings.set("b", for: name) }
    #expect(settingsError { try settings[servers].put(Server(id: "s")) }?.code == .io)
    #expect(settings[name] == "a" && settings[servers].all.isEmpty && settings.currentProblems.isEmpty)
    fault.stop()
    try await settings.set("c", for: name)
    #expect(await audience.saw("a", "c"))
    #expect(home.text() == "name = \"c\"\n")
    try await settings.flush()
  }

  @Test func `a file of a newer version, and one that does not parse`() async throws {
    try home.write("name = \"a\"\n")
    let settings = try home.store()
    let audience = Audience(settings, name)
    await audience.stream.wait(for: "a")
    for text in ["settings-version = 9\nname = \"n\"\n", "name = \n"] {
      try home.write(text)
      #expect(throws: SettingsError.self) { try settings.set("b", for: name) }
      #expect(settings[name] == "a" && home.text() == text)
    }
    try home.write("name = \"c\"\n")
    #expect(await audience.saw("a", "c"))
  }

  @Test func `a file that another process has locked for too long`() async throws {
    try home.write("name = \"a\"\n")
    let settings = try home.store(lockTimeout: .milliseconds(20))
    let audience = Audience(settings, name)
    await audience.stream.wait(for: "a")
    let (isLocked, mayGo) = (Barrier(), Barrier())
    let holder = try home.store()
    let writer = Aside { [other] in
      try? holder.update {
        isLocked.open()
        mayGo.wait()
        $0[other] = 1
      }
    }
    isLocked.wait()
    #expect(settingsError { try settings.set("b", for: name) }?.code == .lockTimeout)
    await #expect(throws: SettingsError.self) { try await settings.set("b", for: name) }
    mayGo.open()
    #expect(writer.ends())
    // On a busy machine, another write of this process may hold the lock for longer than the limit.
    while settingsError({ try settings.set("c", for: name) })?.code == .lockTimeout {}
    #expect(await audience.saw("a", "c"))
  }

  @Test func `nobody sees what is awaited before it is in the file, and all that was set keeps its order`() throws {
    try home.write("name = \"a\"\n")
    let (isHeld, mayGo) = (Barrier(), Barrier())
    let settings = try home.store(system: .waiting(before: .rename, opening: isHeld, until: mayGo))
    #expect(settings[name] == "a")
    let writer = Aside { [name] in _ = try? settings.set("b", for: name) }
    isHeld.wait()
    #expect(settings[name] == "a" && settings.snapshot[name] == "a")
    settings[other] = 1
    settings[name] = "c"
    #expect(settings[name] == "c" && settings[other] == 1)
    mayGo.open()
    #expect(writer.ends())
    #expect(settings[name] == "c")
    try settings.set("d", for: name)
    try settings.flush()
    #expect(settings[name] == "d" && home.text() == "name = \"d\"\nother = 1\n")
  }

  @Test func `what is set over an awaited value is made from it`() throws {
    struct Pair: Codable, Equatable, SettingsSerializable, Sendable { var (a, b) = (0, 0) }
    let pair = SettingsKey("pair", default: Pair())
    try home.write("[pair]\na = 0\nb = 0\nown = 1\n")
    let (isHeld, mayGo) = (Barrier(), Barrier())
    let settings = try home.store(system: .waiting(before: .rename, opening: isHeld, until: mayGo))
    #expect(settings[pair] == Pair())
    let writers = [Pair(a: 1, b: 0), Pair(a: 0, b: 2)].map { value in
      Aside { _ = try? settings.set(value, for: pair) }
    }
    isHeld.wait()
    mayGo.open()
    #expect(writers.allSatisfy { $0.ends() })
    try settings.flush()
    #expect([Pair(a: 1, b: 0), Pair(a: 0, b: 2)].contains(settings[pair]))
    #expect(try home.store()[pair] == settings[pair] && home.text()?.contains("own = 1") == true)
  }

  @Test func `each call calls back itself, whichever thread has written, and waits for no other`() throws {
    try home.write("other = 0\n")
    let (isHeld, mayGo, isCalled, mayReturn) = (Barrier(), Barrier(), Barrier(), Barrier())
    let settings = try home.store(system: .waiting(before: .lock, opening: isHeld, until: mayGo))
    let observation = settings.observe(other) { value in
      guard value == 1 else { return }
      isCalled.open()
      mayReturn.wait()
    }
    let writer = Aside { [other] in _ = try? settings.set(1, for: other) }
    isHeld.wait()
    // This is written with it, by that thread, or after it, by its own.
    let seen = Lock(0)
    let key = SettingsKey("k", default: 0)
    let thread = Lock(UInt(0))
    let own = settings.observe(key) { value in
      seen.withLock { $0 = value }
      thread.withLock { $0 = PlainThread.currentID }
    }
    let isSeen = Lock(false)
    let second = Aside {
      guard (try? settings.set(7, for: key)) == true else { return }
      isSeen.withLock { $0 = seen.withLock { $0 } == 7 && thread.withLock { $0 } == PlainThread.currentID }
    }
    mayGo.open()
    isCalled.wait()
    #expect(second.ends())
    #expect(isSeen.withLock { $0 })
    mayReturn.open()
    #expect(writer.ends())
    observation.cancel()
    own.cancel()
  }

  @Test func `a set without propagation calls no callback, and streams see it`() async throws {
    try home.write("name = \"a\"\n")
    let settings = try home.store()
    let audience = Audience(settings, name)
    await audience.stream.wait(for: "a")
    _ = try settings.withoutPropagation { try settings.set("b", for: name) }
    await audience.stream.wait(for: "b")
    #expect(audience.calls.elements == ["a"])
    try await settings.set("c", for: name)
    await audience.stream.wait(for: "c")
    #expect(audience.calls.elements == ["a", "c"])
  }

  @Test func `a value of the subscript that cannot be written goes back, which is a change`() async throws {
    try home.write("name = \"a\"\n")
    let settings = try home.store(system: .failing(.rename, with: ENOSPC))
    let audience = Audience(settings, name)
    await audience.stream.wait(for: "a")
    settings[name] = "b"
    #expect(settingsError { try settings.flush() }?.code == .io)
    #expect(settings[name] == "a")
    await audience.calls.wait { $0.count == 3 }
    #expect(audience.calls.elements == ["a", "b", "a"])
  }

  @Test func `a value that is refused while others are written goes back, which is a change`() async throws {
    try home.write("name = \"a\"\ntable = 5\n")
    let part = SettingsKey("table.part", default: 0)
    let (isHeld, mayGo) = (Barrier(), Barrier())
    let settings = try home.store(system: .waiting(before: .rename, opening: isHeld, until: mayGo))
    let parts = Recorder(settings.updates(part))
    await parts.wait(for: 0)
    let writer = Aside { [name] in _ = try? settings.set("b", for: name) }
    isHeld.wait()
    settings[part] = 1
    settings[name] = "c"
    await parts.wait(for: 1)
    mayGo.open()
    #expect(writer.ends())
    #expect(throws: SettingsError.self) { try settings.flush() }
    await parts.wait { $0.count == 3 }
    #expect(parts.elements == [0, 1, 0] && home.text() == "name = \"c\"\ntable = 5\n")
  }
}
