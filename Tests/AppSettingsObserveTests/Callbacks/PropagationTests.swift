import AppSettings
import Foundation
import Testing
import TestSupport

@testable import AppSettingsObserve

/// What functions are told, by whom, and with which locks released. The thread that watches is held, so that it cannot
/// take in an outside change before the write does which the test is about.
@Suite(.timeLimit(.minutes(10)), .serialized) struct PropagationTests {
  let home = ScratchHome()

  private func whileNobodyWatches(_ body: () throws -> Void) async throws {
    let isHeld = Gate()
    let mayGo = Barrier()
    let holder = Task(executorPreference: SettingsWatchExecutor.shared) {
      isHeld.open()
      mayGo.wait(seconds: Aside.endless)
    }
    await isHeld.wait()
    do {
      defer { mayGo.open() }
      try body()
    }
    await holder.value
  }

  @Test func `an outside change that a write without propagation takes over is delivered`() async throws {
    try home.write("number = 1\n")
    let settings = try home.store()
    let calls = Recorder<Int>()
    let observation = settings.observe(.number) { calls.note($0) }
    try await whileNobodyWatches {
      try home.replace("number = 2\n")
      try settings.withoutPropagation { _ = try settings.set(true, for: .flag) }
      #expect(calls.elements == [1, 2])
      try home.replace("number = 3\n[view]\nflag = true\n")
      try settings.withoutPropagation { try settings.update { $0[.flag] = false } }
      #expect(calls.elements == [1, 2, 3])
    }
    settings.withoutPropagation { settings[.number] = 4 }
    #expect(calls.elements == [1, 2, 3])
    observation.cancel()
  }

  @Test func `what is set without propagation over an outside change of the same value is not delivered`() async throws
  {
    try home.write("number = 1\n")
    let settings = try home.store()
    let calls = Recorder<Int>()
    let observation = settings.observe(.number) { calls.note($0) }
    try await whileNobodyWatches {
      try home.replace("number = 2\n")
      try settings.withoutPropagation { _ = try settings.update { $0[.number] = 3 } }
      #expect(calls.elements == [1])
    }
    settings[.number] = 4
    #expect(calls.elements == [1, 4])
    observation.cancel()
  }

  @Test func `a change after one without propagation is delivered, also while the function runs`() {
    let settings = SettingsStore(inMemory: "")
    let calls = Recorder<Int>()
    let isHeld = Barrier()
    let mayGo = Barrier()
    let observation = settings.observe(.number) { value in
      calls.note(value)
      guard value == 1 else { return }
      isHeld.open()
      mayGo.wait()
    }
    let setter = Aside { settings[.number] = 1 }
    isHeld.wait()
    settings.withoutPropagation { settings[.number] = 2 }
    settings[.number] = 3
    mayGo.open()
    #expect(setter.ends())
    #expect(calls.elements == [0, 1, 3])
    settings.withoutPropagation { settings[.number] = 4 }
    settings[.number] = 4
    #expect(calls.elements == [0, 1, 3])
    observation.cancel()
  }

  @Test func `a change before one without propagation is delivered if it is of another value`() {
    let settings = SettingsStore(inMemory: "")
    let calls = Recorder<Frame>()
    let isHeld = Barrier()
    let mayGo = Barrier()
    let observation = settings.observe(.frame) { value in
      calls.note(value)
      guard value.width == 2 else { return }
      isHeld.open()
      mayGo.wait()
    }
    let width = SettingsKey("frame.width", default: 1)
    let height = SettingsKey("frame.height", default: 1)
    let setter = Aside { settings[.frame] = Frame(width: 2, height: 2) }
    isHeld.wait()
    settings[width] = 3
    settings.withoutPropagation { settings[height] = 4 }
    mayGo.open()
    #expect(setter.ends())
    #expect(calls.elements == [Frame(width: 1, height: 1), Frame(width: 2, height: 2), Frame(width: 3, height: 4)])
    observation.cancel()
  }

  @Test func `an own value over an outside one is told as own`() async throws {
    try home.write("number = 1\n")
    let settings = try home.store()
    let calls = Recorder<SettingsChange<Int>>()
    let observation = settings.observeChanges(.number) { calls.note($0) }
    let recorder = Recorder(settings.changes(.number))
    let all = Recorder(settings.changes())
    let ready = Recorder(settings.updates(.number))
    await ready.wait(for: 1)
    try await whileNobodyWatches {
      try home.replace("number = 2\n")
      try settings.update { $0[.number] = 3 }
    }
    settings[.flag] = true
    await recorder.wait { $0.last?.new == 3 }
    #expect(recorder.elements.last?.origin == .thisProcess)
    #expect(calls.elements.map(\.new) == [3] && calls.elements.map(\.origin) == [.thisProcess])
    await all.wait { $0.last?.paths == [["view", "flag"]] }
    #expect(all.elements.map(\.origin) == [.outside, .thisProcess, .thisProcess])
    #expect(all.elements.map(\.generation) == [2, 3, 4])
    observation.cancel()
  }

  @Test func `a function that takes a lock does not wait for who holds it and writes`() throws {
    let settings = try home.store()
    let lock = NSLock()
    let isInFunction = Barrier()
    let calls = Recorder<Int>()
    let observation = settings.observe(.number) { value in
      guard value > 0 else { return }
      isInFunction.open()
      lock.withLock { calls.note(value) }
    }
    lock.lock()
    let setter = Aside { try? settings.update { $0[.number] = 1 } }
    isInFunction.wait()
    let holder = Aside {
      _ = try? settings.set("x", for: .text)
      _ = try? settings.set(2, for: .number)
      settings[.flag] = true
      try? settings.flush()
      try? settings.update { $0[.ratio] = 1 }
      lock.unlock()
    }
    #expect(holder.ends())
    #expect(setter.ends())
    #expect(calls.elements.last == 2)
    observation.cancel()
  }

  @Test func `a hook after a migration may observe, when a stream makes the first access`() async throws {
    try home.write("old = 1\n")
    let settings = Lock<SettingsStore?>(nil)
    let observations = Lock<[SettingsObservation]>([])
    let calls = Recorder<Int>()
    let made = try home.store(
      migrations: [
        Migration(2, "rename old", [.rename("old", to: "number")]).afterCommit { _ in
          guard let settings = settings.withLock({ $0 }) else { return }
          let observation = settings.observe(.number) { calls.note($0) }
          observations.withLock { $0.append(observation) }
        }
      ])
    settings.withLock { $0 = made }
    let reader = Aside { _ = made.updates(.number).makeAsyncIterator() }
    #expect(reader.ends())
    #expect(calls.elements == [1])
    observations.withLock { $0 = [] }
    settings.withLock { $0 = nil }
  }
}
