import AppSettings
import AppSettingsObserve
import BenchmarkHarness
import CFloor
import Foundation
import Synchronization

extension SettingsKeys {
  static let counter = SettingsKey("counter", default: 0)
}

/// The budgets of observation, each beside its floor in the same run.
///
/// Not an asynchronous `main`: what is idle is to be measured without the pool that it would start.
@main
struct ObservationBenchmarks {
  static func main() throws {
    if CommandLine.arguments.count == 3, CommandLine.arguments[1] == "idle" {
      return try beIdle(CommandLine.arguments[2])
    }
    let home = try Home()
    Harness.begin()
    try idle(home)
    try outside(home)
    try own(home)
    try manyObservers()
  }

  /// Times each way from the rename of a file of 4 KB, each of them in turn.
  static func outside(_ home: Home) throws {
    let floor = try Floor(home)
    let onPool = try Reader(home, "pool") { settings, note in
      Task { for await number in settings.updates(.counter) { note(number) } }
    }
    let onHub = try Reader(home, "hub") { settings, note in
      Task(executorPreference: SettingsWatchExecutor.shared) {
        for await number in settings.updates(.counter) { note(number) }
      }
    }
    let called = try Reader(home, "callback") { settings, note in settings.observe(.counter) { note($0) } }
    var figures: [[Double]] = [[], [], [], []]
    for round in 1...3_000 {
      let samples = [floor.time(round), try onPool.time(round), try onHub.time(round), try called.time(round)]
      guard round > 200 else { continue }
      for (index, sample) in samples.enumerated() { figures[index].append(sample) }
    }
    let all = figures.map { Harness.Figures($0) }
    func report(_ name: String, _ figures: Harness.Figures, _ most: Double, _ mostOf99: Double?) {
      for (quantile, part, most) in [("p50", 0.5, most), ("p99", 0.99, mostOf99)] {
        let times = [figures.quantile(part), all[0].quantile(part)]
        Harness.report(
          "rename -> \(name), \(quantile) / C thread in read", times[0] / times[1], nanoseconds: times,
          budget: most.map { .atMost($0) })
      }
    }
    report("for await, default executor", all[1], 4, 3)
    report("for await, the hub's executor", all[2], 2, nil)
    report("callback", all[3], 2, nil)
  }

  /// Times a change by this process.
  static func own(_ home: Home) throws {
    func measure(_ name: String, _ reader: Reader) throws -> Harness.Figures {
      Harness.Figures(try (1...2_200).map { try reader.timeOfOwn($0) }.dropFirst(200).map { $0 })
    }
    let elsewhere = try Reader(home, "own") { settings, note in
      Task { for await number in settings.updates(.counter) { note(number) } }
    }
    let other = try measure("own", elsewhere)
    Harness.report(
      "a task that only waits to be resumed, p50: the floor of the next", resumption() / 1000, .microseconds)
    Harness.report(
      "own write -> for await in another task, p50", other.median / 1000, .microseconds, budget: .atMost(15))
    Harness.report("own write -> for await in another task, p99", other.quantile(0.99) / 1000, .microseconds)

    // In the same task: without the time that a thread of the pool takes to wake up.
    let settings = SettingsStore(inMemory: "")
    let done = DispatchSemaphore(value: 0)
    let result = Mutex<[Double]>([])
    Task {
      var iterator = settings.updates(.counter).makeAsyncIterator()
      _ = await iterator.next()
      for number in 1...2_200 {
        let start = cfloor_now()
        settings[.counter] = number
        while await iterator.next() != number {}
        let time = Double(cfloor_now() - start)
        if number > 200 { result.withLock { $0.append(time) } }
      }
      done.signal()
    }
    done.wait()
    let same = Harness.Figures(result.withLock { $0 })
    Harness.report(
      "own write -> for await in the same task, p50", same.median / 1000, .microseconds, budget: .atMost(15))

    let calling = SettingsStore(inMemory: "")
    let observation = calling.observe(.counter) { consume($0) }
    let calls = Harness.Figures((1...5_000).map { number in Harness.nanoseconds { calling[.counter] = number } })
    observation.cancel()
    Harness.report("own write with its callback, p50", calls.median / 1000, .microseconds, budget: .atMost(15))
  }

  /// The median of the nanoseconds from resuming a task of the pool to its going on.
  static func resumption() -> Double {
    let rounds = 2_200
    let waiting = Mutex<(continuation: CheckedContinuation<Void, Never>?, time: Int)>((nil, 0))
    let waits = DispatchSemaphore(value: 0)
    Task {
      for _ in 0..<rounds {
        await withCheckedContinuation { continuation in
          waiting.withLock { $0.continuation = continuation }
          waits.signal()
        }
        let now = cfloor_now()
        waiting.withLock { $0.time = now }
        waits.signal()
      }
    }
    var samples: [Double] = []
    for round in 1...rounds {
      waits.wait()
      usleep(200)
      let start = cfloor_now()
      waiting.withLock { state in
        defer { state.continuation = nil }
        return state.continuation
      }?.resume()
      waits.wait()
      if round > 200 { samples.append(Double(waiting.withLock { $0.time } - start)) }
    }
    return Harness.Figures(samples).median
  }

  /// What observers of other keys cost those who change one.
  static func manyObservers() throws {
    let count = 10_000
    let few = SettingsStore(inMemory: "")
    let many = SettingsStore(inMemory: "")
    let seen = Atomic(0)
    var kept = [few, many].map { settings in
      settings.observe(.counter) { _ in seen.add(1, ordering: .relaxed) }
    }
    for index in 0..<count {
      kept.append(many.observe(SettingsKey("table-\(index % 100).other-\(index)", default: 0)) { consume($0) })
    }
    var number = 0
    let pair = try Harness.pair(rounds: 60) {
      for _ in 0..<500 {
        number += 1
        many[.counter] = number
      }
      try many.flush()
    } _: {
      for _ in 0..<500 {
        number += 1
        few[.counter] = number
      }
      try few.flush()
    }
    Harness.report(
      "a change beside \(count) idle observers of other keys / alone", pair, per: 500, budget: .atMost(1.05))
    for observation in kept { observation.cancel() }
  }
}
