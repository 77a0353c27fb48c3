import AppSettings
import Foundation
import Synchronization
import Testing
import TestSupport

@testable import AppSettingsObserve

@Suite(.timeLimit(.minutes(10))) struct ObserveTests {
  let home = ScratchHome()

  @Test func `an observed value is called for now and at each change, by whoever it is`() async throws {
    try home.write("number = 1\n")
    let settings = try home.store()
    let calls = Recorder<Int>()
    let observation = settings.observe(.number) { calls.note($0) }
    #expect(calls.elements == [1])
    settings[.number] = 2
    #expect(calls.elements == [1, 2])
    settings[.number] = 2
    settings[.flag] = true
    try await settings.flush()
    #expect(calls.elements == [1, 2])
    try home.replace("number = 3\n")
    await calls.wait(for: 3)
    #expect(try await home.run("'\(ChildProcess.product("settings-cli"))' set org.example.test number 4") == 0)
    await calls.wait(for: 4)
    settings.reset(.number)
    #expect(calls.elements == [1, 2, 3, 4, 0])
    observation.cancel()
  }

  @Test func `a change has the value before, the value after, and who made it`() async throws {
    let settings = try home.store()
    let calls = Recorder<SettingsChange<Int>>()
    let observation = settings.observeChanges(.number) { calls.note($0) }
    #expect(calls.elements.isEmpty)
    settings[.number] = 2
    try await settings.flush()
    try home.replace("number = 3\n")
    await calls.wait { $0.count == 2 }
    let user = SettingsLayer(.user, file: home.file)
    #expect(calls.elements.map(\.old) == [0, 2] && calls.elements.map(\.new) == [2, 3])
    #expect(calls.elements.map(\.origin) == [.thisProcess, .outside] && calls.elements.map(\.layer) == [user, user])
    observation.cancel()
  }

  @Test func `the options leave out the first call and let equal sets through`() {
    let settings = SettingsStore(inMemory: "")
    let later = Recorder<Int>()
    let all = Recorder<Int>()
    let tokens = [
      settings.observe(.number, initial: false) { later.note($0) },
      settings.observe(.number, includingDuplicates: true) { all.note($0) },
    ]
    settings[.number] = 0
    settings[.number] = 7
    #expect(later.elements == [7])
    #expect(all.elements == [0, 0, 7])
    for token in tokens { token.cancel() }
  }

  @Test func `nothing is called after the token was cancelled or released`() {
    let settings = SettingsStore(inMemory: "")
    let calls = Recorder<Int>()
    let cancelled = settings.observe(.number) { calls.note($0) }
    cancelled.cancel()
    cancelled.cancel()
    var released: SettingsObservation? = settings.observe(.number) { calls.note($0) }
    #expect(released != nil)
    released = nil
    settings[.number] = 1
    #expect(calls.elements == [0, 0])
  }

  @Test func `what an observation holds goes with its token`() {
    final class Witness: Sendable {}
    let settings = SettingsStore(inMemory: "")
    var witness: Witness? = Witness()
    weak let weakly = witness
    var token: SettingsObservation? = settings.observe(.number) { [witness] _ in _ = witness }
    witness = nil
    #expect(weakly != nil && token != nil)
    token = nil
    #expect(weakly == nil)
  }

  @Test func `an observation may cancel itself`() {
    let settings = SettingsStore(inMemory: "")
    let calls = Recorder<Int>()
    let token = Lock<SettingsObservation?>(nil)
    let observation = settings.observe(.number) { value in
      calls.note(value)
      if value == 1 { token.withLock { $0 }?.cancel() }
    }
    token.withLock { $0 = observation }
    settings[.number] = 1
    settings[.number] = 2
    #expect(calls.elements == [0, 1])
  }

  @Test func `an observation lasts as long as its owner, which it does not keep`() {
    final class Panel: Sendable { let calls = Recorder<Int>() }
    let settings = SettingsStore(inMemory: "")
    var panel: Panel? = Panel()
    weak let weakly = panel
    let calls = panel!.calls
    settings.observe(.number, tiedTo: panel!) { panel, number in panel.calls.note(number) }
    settings[.number] = 1
    #expect(calls.elements == [0, 1])
    panel = nil
    #expect(weakly == nil)
    settings[.number] = 2
    #expect(calls.elements == [0, 1])
  }

  @Test func `observations whose owners are gone do not pile up`() {
    final class Owner: Sendable {}
    final class Held: Sendable {}
    let settings = SettingsStore(inMemory: "")
    let held = Lock<[WeakReference]>([])
    for _ in 0..<1000 {
      let value = Held()
      held.withLock { $0.append(WeakReference(value)) }
      settings.observe(.number, tiedTo: Owner()) { [value] _, _ in _ = value }
    }
    settings[.number] = 1
    #expect(held.withLock { $0.filter { $0.object != nil }.isEmpty })
  }

  @Test func `a value set by the function itself is delivered after it has returned`() {
    let settings = SettingsStore(inMemory: "")
    let calls = Recorder<String>()
    let observation = settings.observe(.number) { number in
      calls.note("begin \(number)")
      if number < 3 { settings[.number] = number + 1 }
      calls.note("end \(number)")
    }
    #expect(calls.elements == (0...3).flatMap { ["begin \($0)", "end \($0)"] })
    observation.cancel()
  }

  @Test func `what is set without propagation is not delivered, then or later, and streams see it`() async throws {
    let settings = try home.store()
    let calls = Recorder<Int>()
    let observation = settings.observe(.number) { calls.note($0) }
    let recorder = Recorder(settings.updates(.number))
    await recorder.wait(for: 0)
    let result = settings.withoutPropagation { () -> String in
      settings[.number] = 1
      settings.withoutPropagation { settings[.number] = 2 }
      settings[.number] = 3
      return "done"
    }
    #expect(result == "done")
    #expect(calls.elements == [0])
    await recorder.wait(for: 3)
    settings[.flag] = true
    settings[.number] = 3
    try await settings.flush()
    #expect(calls.elements == [0])
    settings[.number] = 4
    #expect(calls.elements == [0, 4])
    #expect(throws: SettingsError.self) {
      try settings.withoutPropagation {
        try settings.update { $0[.number] = 5 }
        throw SettingsError(.io, "x")
      }
    }
    #expect(calls.elements == [0, 4])
    try home.replace("number = 6\n")
    await calls.wait(for: 6)
    observation.cancel()
  }

  @Test func `two keys that set each other come to rest without propagation`() {
    let settings = SettingsStore(inMemory: "")
    let tokens = [
      settings.observe(.number, initial: false) { number in
        settings.withoutPropagation { settings[.ratio] = Double(number) + 1 }
      },
      settings.observe(.ratio, initial: false) { ratio in
        settings.withoutPropagation { settings[.number] = Int(ratio) + 1 }
      },
    ]
    settings[.number] = 10
    #expect(settings[.ratio] == 11 && settings[.number] == 10)
    settings[.ratio] = 20
    #expect(settings[.number] == 21 && settings[.ratio] == 20)
    for token in tokens { token.cancel() }
  }

  @Test func `other threads and other stores propagate while one thread does not`() async {
    let settings = SettingsStore(inMemory: "")
    let other = SettingsStore(inMemory: "")
    let calls = Recorder<Int>()
    let isTold = DispatchSemaphore(value: 0)
    let first = settings.observe(.number) { number in
      calls.note(number)
      if number == 2 { isTold.signal() }
    }
    let tokens = [first, other.observe(.number) { calls.note($0) }]
    settings.withoutPropagation {
      other[.number] = 1
      let thread = Thread { settings[.number] = 2 }
      thread.start()
      isTold.wait()
    }
    #expect(calls.elements == [0, 0, 1, 2])
    for token in tokens { token.cancel() }
  }

  @Test func `calls never run two at once and end with the last value`() async {
    let settings = SettingsStore(inMemory: "")
    let running = Atomic(0)
    let overlaps = Atomic(0)
    let calls = Recorder<Int>()
    let observation = settings.observe(.number) { value in
      if running.add(1, ordering: .sequentiallyConsistent).newValue > 1 { overlaps.add(1, ordering: .relaxed) }
      calls.note(value)
      running.subtract(1, ordering: .sequentiallyConsistent)
    }
    await withTaskGroup(of: Void.self) { group in
      for task in 0..<4 {
        group.addTask { for value in 0..<500 { settings[.number] = task * 1000 + value } }
      }
    }
    settings[.number] = 9999
    await calls.wait(for: 9999)
    #expect(overlaps.load(ordering: .relaxed) == 0)
    observation.cancel()
  }

  @Test func `a change while an observation begins is not missed`() async {
    let settings = SettingsStore(inMemory: "")
    for round in 1...300 {
      let setting = Task.detached { settings[.number] = round }
      let calls = Recorder<Int>()
      let observation = settings.observe(.number) { calls.note($0) }
      await setting.value
      await calls.wait(for: round)
      observation.cancel()
    }
  }

  @Test func `several keys are observed together, as of one moment`() async throws {
    let settings = try home.store()
    let calls = Recorder<String>()
    let observation = settings.observe(.number, .flag) { number, flag in calls.note("\(number) \(flag)") }
    try await settings.update {
      $0[.number] = 1
      $0[.flag] = true
    }
    settings[.ratio] = 2
    settings.withoutPropagation { settings[.number] = 2 }
    settings[.flag] = false
    #expect(calls.elements == ["0 false", "1 true", "2 false"])
    observation.cancel()
    settings[.number] = 3
    #expect(calls.elements.count == 3)
    let later = Recorder<Int>()
    let second = settings.observe(.number, .flag, initial: false) { number, _ in later.note(number) }
    #expect(later.elements.isEmpty)
    settings[.number] = 4
    #expect(later.elements == [4])
    second.cancel()
  }

  @Test func `an observation of changes is tied to an object, and ended for it`() throws {
    final class Panel: Sendable { let calls = Recorder<String>() }
    let (settings, other) = (SettingsStore(inMemory: ""), SettingsStore(inMemory: ""))
    let (panel, bystander) = (Panel(), Panel())
    settings.observeChanges(.number, tiedTo: panel) { $0.calls.note("\($1.old) \($1.new)") }
    settings.observe(.flag, tiedTo: panel) { $0.calls.note("\($1)") }
    other.observe(.number, tiedTo: panel) { $0.calls.note("other \($1)") }
    settings.observe(.number, tiedTo: bystander, initial: false) { $0.calls.note("\($1)") }
    settings[.number] = 1
    #expect(panel.calls.elements == ["false", "other 0", "0 1"])
    settings.endObservations(tiedTo: panel)
    settings[.number] = 2
    settings[.flag] = true
    other[.number] = 3
    #expect(panel.calls.elements == ["false", "other 0", "0 1", "other 3"])
    #expect(bystander.calls.elements == ["1", "2"])
    settings.endObservations(tiedTo: bystander)
    other.endObservations(tiedTo: panel)
  }

  @Test func `objects may end their observations as they end, while those of others begin and end`() {
    final class Owner: Sendable {
      let settings: SettingsStore
      init(_ settings: SettingsStore) { self.settings = settings }
      deinit { settings.endObservations(tiedTo: self) }
    }
    let settings = SettingsStore(inMemory: "", logger: .silent)
    let threads = (0..<2).map { _ in
      Aside { for _ in 0..<5_000 { settings.observe(.number, tiedTo: Owner(settings), initial: false) { _, _ in } } }
    }
    for thread in threads { #expect(thread.ends(within: 120)) }
  }
}

private struct WeakReference: Sendable {
  weak var object: (any AnyObject & Sendable)?
  init(_ object: any AnyObject & Sendable) { self.object = object }
}
