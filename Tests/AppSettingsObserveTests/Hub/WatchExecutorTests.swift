import AppSettings
import Foundation
import Testing
import TestSupport

@testable import AppSettingsObserve

@Suite(.timeLimit(.minutes(10))) struct WatchExecutorTests {
  @Test func `a task on the hub's executor follows values on the hub's thread`() async throws {
    let home = ScratchHome()
    try home.write("number = 0\n")
    let settings = try home.store()
    let calls = Recorder<Int>()
    let task = Task(executorPreference: SettingsWatchExecutor.shared) {
      for await number in settings.updates(.number) {
        #expect(WatchHub.shared.isCurrentThread)
        calls.note(number)
        if number == 200 { return }
      }
    }
    await calls.wait(for: 0)
    for number in 1...200 {
      try home.replace("number = \(number)\n")
      if number % 20 == 0 { await calls.wait(for: number) }
    }
    await task.value
    #expect(calls.elements == calls.elements.sorted())
  }

  @Test func `an own change wakes a task on the hub's executor`() async throws {
    let settings = try ScratchHome().store()
    let calls = Recorder<Int>()
    let task = Task(executorPreference: SettingsWatchExecutor.shared) {
      for await number in settings.updates(.number) { calls.note(number) }
    }
    for number in 1...500 {
      settings[.number] = number
      await calls.wait(for: number)
    }
    task.cancel()
    await task.value
  }

  @Test func `the thread starts for a task where nothing is watched and ends after it`() async {
    await #expect(processExitsWith: .success) {
      for _ in 0..<50 {
        let ran = await Task(executorPreference: SettingsWatchExecutor.shared) {
          await Task.yield()
          return WatchHub.shared.isCurrentThread
        }.value
        #expect(ran)
        while WatchHub.shared.isRunning { await Task.yield() }
      }
    }
  }

  @Test func `a task on the hub's executor may begin, end and cancel observations`() async throws {
    let home = ScratchHome()
    let settings = try home.store()
    await Task(executorPreference: SettingsWatchExecutor.shared) {
      for round in 1...100 {
        var iterator = settings.updates(.number).makeAsyncIterator()
        _ = await iterator.next()
        settings[.number] = round
        #expect(await iterator.next() == round)
        let calls = Recorder<Int>()
        let observation = settings.observe(.number) { calls.note($0) }
        #expect(calls.elements == [round])
        observation.cancel()
      }
    }.value
  }
}
